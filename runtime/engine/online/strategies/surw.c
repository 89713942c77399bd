/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * surw.c - strategy `surw`: selectively uniform random walk (Zhao et al., ASPLOS 2025)
 *
 * Of each execution the accesses to one place count, drawn among those that several threads touch. All orders of these are to be
 * equally likely. So of the threads one is intended to do the next one, each with a chance that grows with the number of
 * them that it has still to do; others wait that are about to do one, and what does not count is drawn as by `pos`. A thread that is yet
 * to be created counts with its creator.
 *
 * How many there are, in which threads, is what there were in the execution before: the first one is drawn as by `random` (of a
 * mix any execution tells). A
 * thread that is about to do one has one to do, whatever was counted. So each execution is possible.
 *
 * Who is intended may never come to it: it waits for one of those who wait for it, in a loop that locks, so that nobody sees that it waits.
 * Behind LOST operations of it another one is intended, and it has none to do any more. So it is behind LOST of others where it
 * may wait for an object, or for a thread: others may spin beside it, and do more than look.
 */
#include "engine/online/strategies/chooser.h"

#include <string.h>

#include "engine/run/sets.h"

enum {
	LOST = 1000
};

/* Draws the place whose accesses count, among those that several threads have touched; false: there is none. */
static bool draw_place(struct choices *c)
{
	struct walk *w = &c->walk;
	const struct profile *known = walk_known(w);
	uint32_t shared = 0, which;

	for (uint32_t i = 0; i < known->n; i++)
		shared += thread_set_count(&known->threads[i]) > 1;
	if (!shared)
		return false;
	which = shared == 1 ? 0 : prng_below(c->random, shared);
	for (uint32_t i = 0; i < known->n; i++)
		if (thread_set_count(&known->threads[i]) > 1 && !which--) {
			w->place = known->addr[i];
			memcpy(w->left, known->count[i], sizeof(w->left));
		}
	return true;
}

void walk_begins(struct walk *w)
{
	struct profile *now = walk_now(w);

	now->n = now->nthreads = 0;
	memset(now->parent, 0, sizeof(now->parent));
}

static void surw_begin(struct choices *c)
{
	struct walk *w = &c->walk;

	pos_begin(c);
	w->place = 0;
	w->intended = NO_POS;
	w->created = (struct thread_set){ 0 };
	thread_set_add(&w->created, 0);
	w->nthreads = 1;
	memset(w->left, 0, sizeof(w->left));
	w->counts = draw_place(c);
	walk_begins(w);
}

static bool is_about_to(const struct choices *c, uint32_t tid)
{
	return c->e->thread[tid].pending.addr == c->walk.place;
}

/* What each thread has to do, with those that it has still to create. Children have higher numbers than their creators. */
static void weigh(struct choices *c, uint32_t *weight)
{
	struct walk *w = &c->walk;
	const struct profile *known = walk_known(w);
	const uint32_t n = w->nthreads < known->nthreads ? known->nthreads : w->nthreads;

	memcpy(weight, w->left, n * sizeof(*weight));
	for (uint32_t t = n; t-- > 1;)
		if (!thread_set_has(&w->created, t) && known->parent[t] < t) {
			weight[known->parent[t]] += weight[t];
			weight[t] = 0;
		}
}

/* One of the set, by their weights; NO_POS: nobody has anything to do. */
static uint32_t draw_weighted(struct choices *c, const uint32_t *weight,
			      const struct thread_set *set)
{
	uint32_t sum = 0, which;

	THREAD_SET_EACH(t, set)
		sum += weight[t];
	if (!sum)
		return NO_POS;
	which = prng_below(c->random, sum);
	THREAD_SET_EACH(t, set) {
		if (which < weight[t])
			return t;
		which -= weight[t];
	}
	return NO_POS;
}

static uint32_t draw_intended(struct choices *c)
{
	struct thread_set there;
	uint32_t weight[HEDDLE_MAX_THREADS];

	thread_set_copy(&there, &c->e->waiting);
	thread_set_join(&there, &c->e->running);
	weigh(c, weight);
	THREAD_SET_EACH(t, &c->e->waiting)
		if (!weight[t] && is_about_to(c, t))
			weight[t] = 1;
	return draw_weighted(c, weight, &there);
}

/* The thread was intended, perhaps for what its child has to do. */
static uint32_t parent_or_child(struct choices *c, uint32_t parent, uint32_t child)
{
	uint32_t weight[HEDDLE_MAX_THREADS];
	struct thread_set both = { 0 };

	thread_set_add(&both, parent);
	thread_set_add(&both, child);
	weigh(c, weight);
	return draw_weighted(c, weight, &both);
}

static uint32_t surw_thread(struct choices *c, const struct thread_set *set, bool first)
{
	struct walk *w = &c->walk;
	struct thread_set free;

	if (!w->counts)
		return set_draw(set, c->random);
	thread_set_copy(&free, set);
	if (first && w->intended == NO_POS) {
		w->intended = draw_intended(c);
		w->elsewhere = w->beside = 0;
	}
	THREAD_SET_EACH(t, set)
		if (t != w->intended && is_about_to(c, t))
			thread_set_remove(&free, t);
	return ranks_highest(&c->ranks, thread_set_any(&free) ? &free : set, c->random);
}

static void there_is(uint32_t *nthreads, uint32_t tid)
{
	if (*nthreads <= tid)
		*nthreads = tid + 1;
}

/* Notes the access, for the execution that comes next. */
static void note(struct profile *p, uint64_t addr, uint32_t tid)
{
	uint32_t i = 0;

	there_is(&p->nthreads, tid);
	while (i < p->n && p->addr[i] != addr)
		i++;
	if (i == WALK_PLACES)
		return;
	if (i == p->n) {
		p->n++;
		p->addr[i] = addr;
		p->threads[i] = (struct thread_set){ 0 };
		memset(p->count[i], 0, sizeof(p->count[i]));
	}
	thread_set_add(&p->threads[i], tid);
	p->count[i][tid]++;
}

static uint64_t place_of(const struct choices *c, const struct event *ev)
{
	return ev->loc == NO_LOC ? 0 : c->e->graph.locs[ev->loc].addr;
}

bool walk_shows_others(const struct choices *c, const struct event *ev)
{
	const struct profile *known = &c->walk.of[c->walk.turn];
	const uint64_t addr = place_of(c, ev);
	uint32_t i = 0;

	while (i < known->n && known->addr[i] != addr)
		i++;
	return addr && (i == known->n || thread_set_count(&known->threads[i]) > 1);
}

void walk_notes(struct choices *c, const struct happening *h)
{
	const struct event *ev = h->ev;
	struct profile *now = walk_now(&c->walk);
	uint64_t addr = place_of(c, ev);

	if (ev->kind == OP_CREATE) {
		now->parent[ev->peer] = (uint16_t)ev->tid;
		there_is(&now->nthreads, ev->peer);
	}
	if (addr && !h->spins)
		note(now, addr, ev->tid);
}

/* Behind an operation of the thread: does the intended one never come to the place? */
static bool is_lost(struct choices *c, uint32_t tid)
{
	struct walk *w = &c->walk;

	if (w->intended == NO_POS)
		return false;
	if (tid == w->intended)
		return ++w->elsewhere == LOST;
	return ++w->beside % LOST == 0 && c->e->thread[w->intended].pending.kind > OP_FENCE;
}

static void surw_happened(struct choices *c, const struct happening *h)
{
	const struct event *ev = h->ev;
	struct walk *w = &c->walk;
	uint64_t addr = place_of(c, ev);

	pos_happened(c, h);
	if (ev->kind == OP_CREATE) {
		thread_set_add(&w->created, ev->peer);
		there_is(&w->nthreads, ev->peer);
		if (w->intended == ev->tid)
			w->intended = parent_or_child(c, ev->tid, ev->peer);
	}
	if (addr == w->place) {
		w->intended = NO_POS;
	} else if (is_lost(c, ev->tid)) {
		w->left[w->intended] = 0;
		w->intended = NO_POS;
	}
	walk_notes(c, h);
	if (addr && addr == w->place && !h->spins)
		w->left[ev->tid] -= !!w->left[ev->tid];
}

void walk_learns(struct choices *c)
{
	c->walk.turn = !c->walk.turn;
}

const struct chooser chooser_surw = {
	.memory = MEMORY_ANY,
	.begin = surw_begin,
	.thread = surw_thread,
	.happened = surw_happened,
	.over = walk_learns,
};
