/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * polling.c - see polling.h
 */
#include "engine/online/polling.h"

#include "base/prng.h"

#define NEVER UINT64_MAX

enum {
	ROUNDS = 1,      /* that see what the one before saw: then it spins */
	YIELDS = 3,      /* in a row */
	WAKES = 6,       /* doublings of how long those stand aside that only yield */
	GOES_ON = 32,    /* rounds at least, */
	GOES_ON_MORE = 4 /* and with so many doublings less one at most */
};

void polling_begin(struct polling *p, uint64_t random)
{
	random = ~random; /* other numbers than the execution draws */
	p->rounds = prng_below(&random, POLLING_INSISTS_IN)
			    ? 0
			    : GOES_ON << prng_below(&random, GOES_ON_MORE);
	p->left = POLLING_INSISTS;
	p->goes_on = NO_POS;
	p->aside = (struct thread_set){ 0 };
	p->now = 0;
	p->asked = NEVER;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		p->of[t].n = p->of[t].done = p->of[t].stood = p->of[t].yields =
			(uint32_t)(p->of[t].wakes = 0);
}

static void come_back(struct polling *p, uint32_t tid)
{
	p->of[tid].wakes = 0;
	thread_set_remove(&p->aside, tid);
}

static void forget(struct polling *p, uint32_t tid)
{
	p->of[tid].n = p->of[tid].stood = 0;
	come_back(p, tid);
}

static void stand_aside(struct polling *p, uint32_t tid)
{
	thread_set_add(&p->aside, tid);
	p->of[tid].since = ++p->now;
	p->of[tid].stood++;
}

/* Did it do no more than read? A read-modify-write may store what was there. Locks keep what is under them to themselves. */
static bool only_looks(const struct graph *g, const struct event *ev)
{
	if (!(ev->flags & EV_READ))
		return ev->kind == OP_FENCE;
	if (!(ev->flags & EV_EXCLUSIVE))
		return true;
	return ev->size && value_eq(ev->read, g->ev[g->at[ev->tid][ev->index + 1]].written);
}

/* Is it still what is there? */
static bool is_last(const struct graph *g, const struct look *l)
{
	return value_eq(l->value, graph_value(g, l->loc, g->locs[l->loc].mo_last));
}

/* Of all that the thread has looked at since it did something else. */
static bool saw_the_last(const struct graph *g, const struct spinner *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->look[i].done == s->done && !is_last(g, &s->look[i]))
			return false;
	return true;
}

/* Its look there before, or NULL. */
static struct look *find(struct spinner *s, const struct event *ev)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->look[i].pc == ev->pc && s->look[i].loc == ev->loc)
			return &s->look[i];
	return NULL;
}

static void add(struct polling *p, const struct event *ev)
{
	struct spinner *s = &p->of[ev->tid];

	if (s->n == POLLING_LOOKS)
		forget(p, ev->tid);
	p->asked = NEVER;
	s->look[s->n++] =
		(struct look){ .pc = ev->pc, .loc = ev->loc, .value = ev->read, .done = s->done };
}

/* It has seen there what it saw before. Does it spin? */
static bool again(struct spinner *s, struct look *l)
{
	if (l->done != s->done) {
		l->done = s->done;
		l->times = 0;
		l->works++;
		return false;
	}
	return ++l->times >= ROUNDS;
}

/* It has seen so at this look, too. */
static bool insists(struct polling *p, const struct look *l)
{
	if (l->times >= p->rounds || !p->left)
		return false;
	p->left--;
	return true;
}

bool polling_happened(struct polling *p, const struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	struct spinner *s = &p->of[ev->tid];
	struct look *l;

	p->goes_on = NO_POS;
	s->yields = 0;
	if (!only_looks(g, ev)) {
		s->done++;
		come_back(p, ev->tid);
		return false;
	}
	if (ev->kind == OP_FENCE)
		return false;
	l = find(s, ev);
	if (!l || !value_eq(l->value, ev->read)) {
		if (l)
			forget(p, ev->tid);
		add(p, ev);
		return false;
	}
	if (!again(s, l)) {
		p->asked = NEVER;
		return false;
	}
	if (!saw_the_last(g, s))
		p->asked = NEVER;
	else if (insists(p, l))
		p->goes_on = ev->tid;
	else
		stand_aside(p, ev->tid);
	return true;
}

bool polling_wants_last(struct polling *p, const struct graph *g, const struct event *read)
{
	const struct look *l = find(&p->of[read->tid], read);

	return l && l->times + l->works >= ROUNDS && !is_last(g, l);
}

static uint64_t events(const struct graph *g)
{
	return g->given_back + g->n;
}

void polling_yields(struct polling *p, const struct graph *g, uint32_t tid)
{
	struct spinner *s = &p->of[tid];
	uint32_t beyond = ++s->yields / YIELDS;

	if (s->yields % YIELDS || thread_set_has(&p->aside, tid))
		return;
	s->wakes = events(g) + (1u << (beyond < WAKES ? beyond : WAKES));
	stand_aside(p, tid);
}

/*
 * changed: does any location hold something else than when it was asked before, or has anybody who may stand aside looked at another
 * one? Else all of them have seen what is there: then, or since.
 */
static bool is_woken(const struct polling *p, const struct graph *g, uint32_t tid, bool changed)
{
	const struct spinner *s = &p->of[tid];

#ifdef HEDDLE_CHECKS
	must(changed || s->wakes || saw_the_last(g, s));
#endif
	return s->wakes ? events(g) >= s->wakes : changed && !saw_the_last(g, s);
}

static bool is_lucky(const struct spinner *s, uint64_t *random)
{
	uint32_t of = POLLING_LUCK_FIRST + s->stood;

	return !prng_below(random, of < POLLING_LUCK ? of : POLLING_LUCK);
}

void polling_drawn_aside(struct polling *p, const struct graph *g, uint64_t holds, uint64_t *random,
			 struct thread_set *still)
{
	const bool changed = p->asked != holds;

	p->asked = holds;
	thread_set_copy(still, &p->aside);
	THREAD_SET_EACH(tid, &p->aside) {
		if (is_woken(p, g, tid, changed))
			forget(p, tid);
		else if (!is_lucky(&p->of[tid], random))
			continue;
		thread_set_remove(still, tid);
	}
}

uint32_t polling_longest(const struct polling *p, const struct thread_set *set)
{
	uint32_t found = thread_set_first(set);

	THREAD_SET_EACH(tid, set)
		if (p->of[tid].since < p->of[found].since)
			found = tid;
	return found;
}
