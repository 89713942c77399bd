/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explore_gate.c - when an await that could pass has to wait as well (see run/await.c)
 *
 * To wait is the least of an await's alternatives. It stands on the stack of work below all others,
 * as an item that is left out unless its gate is open by the time that it comes up. Two things
 * open a gate:
 *
 *	GATE_BESIDE	a write that fails came beside the await (await_open()), or was there and
 *			is not sure to be followed by one that passes
 *	GATE_REASON	others could not do what they can if it waits. That is so for all
 *			read-modify-writes, since others may take what they take, and where
 *			something could come to refuse what the await observes. A load that may
 *			observe what is newer than all its thread knows can do so for ever, if
 *			coherence alone decides; then the reason is an execution that ends with
 *			a last write with which the await stays, so that it could wait for
 *			good (await_last_chance()).
 *
 * A gate too many costs executions that end in nothing (wasted), one too few loses some. Why these
 * are enough: explore.txt, G1 to G5 and S1 to S4.
 */
#include "engine/explore/explore.h"

/* Does a write that lets the await pass come after all that fail? (G2) */
static bool ends_well(struct engine *e, const struct event *await)
{
	const struct graph *g = &e->graph;
	uint32_t last = g->locs[await->loc].last, w, f;

	for (w = last; w != NO_POS; w = g->ev[w].prev_at_loc) {
		if (!(g->ev[w].flags & EV_WRITE) || await_fails(e, await, w))
			continue;
		for (f = last; f != NO_POS; f = g->ev[f].prev_at_loc)
			if ((g->ev[f].flags & EV_WRITE) && await_fails(e, await, f) &&
			    !await_comes_first(g, f, w))
				break;
		if (f == NO_POS)
			return true;
	}
	/* Or is there none that fails, and the initial value lets it pass? */
	for (f = last; f != NO_POS; f = g->ev[f].prev_at_loc)
		if ((g->ev[f].flags & EV_WRITE) && await_fails(e, await, f))
			return false;
	return !await_fails(e, await, RF_INIT);
}

/* Is a write that the read may observe behind all that its thread knows of, for certain? (G1) */
static bool is_newest(const struct engine *e, uint32_t read, uint32_t write)
{
	const struct graph *g = &e->graph;
	uint32_t loc = g->ev[read].loc, source;

	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		if (p == read || !happens_before(g, p, read))
			continue;
		source = event_write(&g->ev[p], p);
		if (source < RF_NONE && source != write &&
		    (write == RF_INIT || !await_comes_first(g, source, write)))
			return false;
	}
	return true;
}

/* Does coherence alone decide what the new read may observe, now and later? (G1) */
static bool only_coherence(const struct engine *e)
{
	/* Without sc events before the read, none comes before it in psc, now or later. */
	return !e->model->consistent || (e->model->witness == WITNESS_OF_PSC && !e->graph.nsc);
}

/* Will the read be able to observe one of these, whatever others do? (G1) */
static bool passes_forever(const struct engine *e, uint32_t pos, const struct candidate *c,
			   uint32_t n)
{
	if (guard_is_rmw(e->graph.ev[pos].kind) || !only_coherence(e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (is_newest(e, pos, c[i].write))
			return true;
	return false;
}

void await_note(struct engine *e, uint32_t pos, const struct candidate *c, uint32_t n,
		bool could_fail)
{
	struct event *ev = &e->graph.ev[pos];
	unsigned gate = 0;

	if (could_fail && !ends_well(e, ev))
		gate |= GATE_BESIDE; /* not G2; else it is for G3 or S1 to open */
	if (!passes_forever(e, pos, c, n))
		gate |= GATE_REASON; /* not G1; else it is for S3 */
	/* In a descent, where nobody is there to open it, it is open. */
	waits_of(&e->graph, ev)->gate = e->estimating ? 0 : e->work_given + e->nwork + 1;
	note_work(e, (struct work){ .kind = WORK_READ,
				    .stamp = pos,
				    .rf = RF_NONE,
				    .gate = waits_of(&e->graph, ev)->gate,
				    .open = (uint8_t)gate });
}

/* The item that is the gate, or NULL if another worker has it (G5). */
static struct work *gate_of(const struct engine *e, uint64_t gate)
{
	return gate > e->work_given ? &e->work[gate - 1 - e->work_given] : NULL;
}

bool await_wants(const struct engine *e, const struct work *w)
{
	const struct work *gate = w->gate ? gate_of(e, w->gate) : NULL;

	return !w->gate || !gate || gate->open == GATE_OPEN;
}

/* The gate of the event, if it is an await that passes, and this is still missing. */
static struct work *shut_gate(const struct engine *e, const struct event *ev, unsigned what)
{
	uint64_t number = ev->flags & EV_AWAIT ? waits_of(&e->graph, ev)->gate : 0;
	struct work *gate = number ? gate_of(e, number) : NULL;

	return gate && (gate->open & what) != what ? gate : NULL;
}

static void open_gate(struct engine *e, const struct event *ev, unsigned what)
{
	struct work *gate = shut_gate(e, ev, what);

	if (gate)
		gate->open |= (uint8_t)what;
}

/* G3 */
void await_open(struct engine *e, const struct event *ev)
{
	open_gate(e, ev, GATE_BESIDE);
}

/* G5 */
void await_give(struct engine *e, const struct event *ev)
{
	open_gate(e, ev, GATE_OPEN);
}

/*
 * Awaits that could wait for good, and that nothing has opened yet: where they are, and of each thread
 * how many events come before the first of them. And writes, where threads wait: the first nsure of them do not depend on any of these awaits.
 */
struct waiters {
	uint32_t *pos, n, *write, nsure, nwrites;
	uint32_t first[HEDDLE_MAX_THREADS];
};

/* Is the write there only because one of them has passed? (S4) */
static bool depends_on(const struct waiters *w, const struct graph *g, uint32_t write)
{
	const uint32_t *prefix = graph_porf(g, write);

	for (uint32_t t = 0; t < g->nthreads; t++)
		if (prefix[t] > w->first[t])
			return true;
	return false;
}

/* What `first` and nsure are, with those that are left. */
static void find_first(struct waiters *w, const struct graph *g)
{
	for (uint32_t t = 0; t < g->nthreads; t++)
		w->first[t] = UINT32_MAX;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct event *ev = &g->ev[w->pos[i]];

		if (ev->index < w->first[ev->tid])
			w->first[ev->tid] = ev->index;
	}
	/* Who does not depend on more of them does not depend on fewer. */
	for (uint32_t i = w->nsure; i < w->nwrites; i++) {
		const uint32_t p = w->write[i];

		if (!depends_on(w, g, p)) {
			w->write[i] = w->write[w->nsure];
			w->write[w->nsure++] = p;
		}
	}
}

static void find_waiters(struct engine *e, struct waiters *w)
{
	struct graph *g = &e->graph;

	w->pos = arena_take(&g->scratch, (g->n + 1) * sizeof(*w->pos));
	w->write = arena_take(&g->scratch, (g->n + 1) * sizeof(*w->write));
	w->n = w->nsure = w->nwrites = 0;
	for (uint32_t p = 0; p < g->n; p++) {
		if ((g->ev[p].flags & EV_WRITE) && g->locs[g->ev[p].loc].awaits)
			w->write[w->nwrites++] = p;
		if (shut_gate(e, &g->ev[p], GATE_REASON))
			w->pos[w->n++] = p;
	}
}

/* Is there a write that keeps the thread of the await waiting, and that may be the last if all of
 * them wait? (S2) */
static bool could_stay(const struct engine *e, const struct event *await, const struct waiters *all)
{
	const struct graph *g = &e->graph;
	uint32_t f, i;

	for (f = g->locs[await->loc].last; f != NO_POS; f = g->ev[f].prev_at_loc) {
		if (!(g->ev[f].flags & EV_WRITE) ||
		    !await_stays_with(e, &waits_of(g, await)->mask, await->loc, f) ||
		    graph_porf(g, f)[await->tid] > await->index)
			continue;
		for (i = 0; i < all->nsure; i++)
			if (g->ev[all->write[i]].loc == await->loc &&
			    await_comes_first(g, f, all->write[i]))
				break;
		if (i == all->nsure)
			return true;
	}
	return false;
}

/*
 * Drops those that could not, were all others to wait; says whether there was one. Who could not could not with fewer others
 * either, so it does not matter when `first` is found out again. (S3)
 */
static bool drop_some(const struct engine *e, struct waiters *w)
{
	const uint32_t before = w->n;

	for (uint32_t i = w->n; i-- > 0;)
		if (!could_stay(e, &e->graph.ev[w->pos[i]], w))
			w->pos[i] = w->pos[--w->n];
	return w->n < before;
}

void await_last_chance(struct engine *e)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct waiters w;

	if (!e->await_locs)
		return;
	find_waiters(e, &w);
	while (w.n) {
		find_first(&w, g);
		if (!drop_some(e, &w))
			break;
	}
	for (uint32_t i = 0; i < w.n; i++)
		open_gate(e, &g->ev[w.pos[i]], GATE_REASON);
	arena_reset(&g->scratch, mark);
}

/* G4 */
bool await_would_open(struct engine *e, const struct event *ev, struct value value)
{
	return shut_gate(e, ev, GATE_BESIDE) && await_may_fail(e, ev, value);
}
