/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.c - see marks.h; letters refer to online.txt
 */
#include "engine/online/marks.h"

#include <string.h>

#include "base/sort.h"
#include "engine/online/sc_keep.h"

static void keep(struct marks *m, uint32_t pos)
{
	if (pos < RF_NONE)
		m->keep[pos] = 1;
}

/* Many writes that stand side by side say the same, or nothing. */
static void may_learn(struct marks *m, const uint32_t *row)
{
	const size_t bytes = m->e->graph.nthreads * sizeof(*row);

	if (!m->nrows || memcmp(m->rows[m->nrows - 1], row, bytes))
		m->rows[m->nrows++] = row;
}

/* ---- What stays for itself ----------------------------------------------------------------------------------- */

/* Its thread, or who reads or waits for it, goes on from there. */
static void keep_known(struct marks *m, uint32_t pos)
{
	if (pos >= RF_NONE)
		return;
	keep(m, pos);
	may_learn(m, graph_hb(&m->e->graph, pos));
}

/* A write that somebody may read: who synchronises learns its message, and of a library object what its thread knew. */
static void keep_write(struct marks *m, uint32_t pos)
{
	const struct graph *g = &m->e->graph;
	const struct event *ev = &g->ev[pos];

	keep(m, pos);
	if (g->sync != SYNC_PORF)
		may_learn(m, graph_msg(g, pos));
	if (g->sync == SYNC_PORF || !g->locs[ev->loc].size)
		may_learn(m, graph_hb(g, pos));
}

/* G4: where its threads are. */
static void keep_ends(struct marks *m)
{
	struct engine *e = m->e;
	const struct graph *g = &e->graph;

	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct thread *th = &e->thread[t];
		const struct event *last;

		if (th->state == THREAD_WAITS && th->pending.kind == OP_START)
			keep_known(m, graph_at(g, th->creator, th->create_index));
		if (!g->count[t])
			continue;
		last = &g->ev[g->at[t][g->count[t] - 1]];
		keep_known(m, g->at[t][g->count[t] - 1]);
		if (last->last_release)
			keep_known(m, graph_at(g, t, last->last_release - 1));
		if (g->folded_to[t])
			may_learn(m, graph_folded(g, t));
		for (uint32_t i = marks_low(m, t); i < g->count[t]; i++) {
			keep(m, g->at[t][i]);
			keep(m, g->ev[g->at[t][i]].rf);
		}
	}
}

/* G5: the writes that can be read, and those that are not in memory yet. */
static void keep_writes(struct marks *m)
{
	const struct graph *g = &m->e->graph;
	const struct online *on = m->e->online;

	for (uint32_t loc = 0; loc < g->nlocs; loc++)
		if (g->locs[loc].last != NO_POS)
			for (uint32_t w = g->locs[loc].mo_last; w != RF_INIT;
			     w = g->ev[w].mo_before)
				keep_write(m, w);
	for (uint32_t t = 0; on->way == WAY_BUFFERS && t < m->e->nthreads; t++)
		for (uint32_t i = on->buffers.from[t]; i < on->buffers.to[t]; i++)
			keep_write(m, on->buffers.store[t][i]);
}

/* A plain access may race with the last event of each thread at its location, which need not be in a list. */
static void keep_newest(struct marks *m)
{
	const struct graph *g = &m->e->graph;
	const struct modification *o = &m->e->online->mo;

	for (uint32_t loc = 0; loc < g->nlocs; loc++)
		for (uint32_t t = 0; g->locs[loc].last != NO_POS && t < g->nthreads; t++) {
			const uint32_t last = mod_last(o, loc, t);

			if (last != NO_POS)
				keep(m, graph_at(g, t, o->of[last].newest));
		}
}

/* G8: joins of threads whose id may be used again. */
static void keep_joins(struct marks *m)
{
	const struct giving *v = &m->e->online->giving;
	uint32_t joined[HEDDLE_MAX_THREADS];

	memset(joined, 0xff, sizeof(joined));
	for (uint32_t i = 0; i < v->nlives; i++) {
		const struct event *ev = &m->e->graph.ev[v->lives[i]];

		if (ev->kind == OP_CREATE)
			joined[ev->peer] = NO_POS;
		else if (ev->kind == OP_JOIN && !ev->fn)
			joined[ev->peer] = v->lives[i];
	}
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		keep(m, joined[t]);
}

/* Does each thread that goes on know of the event? */
static bool all_know(const struct marks *m, const struct event *ev)
{
	const struct graph *g = &m->e->graph;

	THREAD_SET_EACH(t, &m->floors->goes_on) {
		uint32_t n = g->count[t];

		if (!n || ev->index >= graph_porf(g, g->at[t][n - 1])[ev->tid])
			return false;
	}
	return true;
}

/* Creations and ends that some thread does not know of. */
static void keep_lives(struct marks *m)
{
	const struct giving *v = &m->e->online->giving;

	for (uint32_t i = 0; i < v->nlives; i++) {
		const struct event *ev = &m->e->graph.ev[v->lives[i]];

		if (ev->kind != OP_JOIN && !all_know(m, ev))
			keep(m, v->lives[i]);
	}
}

/* ---- Lists of the events of a thread at a location --------------------------------------------------------- */

/* How many events of the thread may be known of: a set of numbers. Returns how many. */
static uint32_t learnable(struct marks *m, uint32_t tid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nrows; i++)
		m->known[i] = m->rows[i][tid];
	sort_u32(m->known, m->nrows);
	for (uint32_t i = 0; i < m->nrows; i++)
		if (!n || m->known[n - 1] != m->known[i])
			m->known[n++] = m->known[i];
	return n;
}

void marks_listed(struct marks *m, uint32_t pos)
{
	const struct drawn *d = &m->e->online->mo.of[pos];

	keep(m, pos);
	keep(m, d->last_write);
	keep(m, d->last_sc);
}

/* The last event of a list before one of it whose index is below that, or NO_POS. Often it is the next one. */
static uint32_t before_below(const struct modification *o, uint32_t pos, uint32_t number)
{
	const uint32_t prev = o->of[pos].prev;

	return prev == NO_POS || o->g->ev[prev].index < number ? prev : mod_below(o, prev, number);
}

/* Of n numbers that ascend: how many are at most that? */
static uint32_t up_to(const uint32_t *numbers, uint32_t n, uint32_t most)
{
	uint32_t lo = 0;

	while (lo < n) {
		uint32_t mid = lo + (n - lo) / 2;

		if (numbers[mid] <= most)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

/* G6: of a list the last event, and the last below each number that a clock may have there. */
static void keep_of_list(struct marks *m, uint32_t last, uint32_t n)
{
	const struct modification *o = &m->e->online->mo;

	while (last != NO_POS) {
		marks_listed(m, last);
		n = up_to(m->known, n, o->g->ev[last].index);
		if (!n)
			return;
		last = before_below(o, last, m->known[n - 1]);
	}
}

/* The next write of a thread at a location carries on what the head of its release sequence there knew. */
static void keep_heads(struct marks *m)
{
	const struct modification *o = &m->e->online->mo;
	const struct graph *g = o->g;

	if (g->sync != SYNC_RC11)
		return;
	for (uint32_t loc = 0; loc < g->nlocs; loc++)
		for (uint32_t t = 0; t < g->nthreads; t++) {
			uint32_t last = mod_last(o, loc, t);
			uint32_t w = last == NO_POS ? NO_POS : o->of[last].last_write;

			if (w != NO_POS && g->ev[w].head != NO_POS)
				keep_known(m, g->ev[w].head);
		}
}

static void keep_lists(struct marks *m)
{
	const struct modification *o = &m->e->online->mo;

	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		uint32_t n = learnable(m, t);

		for (uint32_t loc = 0; loc < o->g->nlocs; loc++)
			keep_of_list(m, mod_last(o, loc, t), n);
	}
}

static void list_event(struct marks *m, uint32_t pos)
{
	const struct event *ev = &m->e->graph.ev[pos];

	/* An execution that is made forward has them side by side. */
	if (is_rmw_write(ev) && !m->keep[pos - 1]) {
		must(ev[-1].tid == ev->tid && ev[-1].index + 1 == ev->index);
		m->keep[pos - 1] = 1;
		m->events[m->nevents++] = pos - 1;
	}
	m->events[m->nevents++] = pos;
}

/* Most do not stay, so eight are looked at together; behind the last there is room for as many. */
static void list_all(struct marks *m, uint32_t from, uint32_t to)
{
	for (uint32_t pos = from; pos < to; pos += 8) {
		uint64_t eight;

		memcpy(&eight, m->keep + pos, sizeof(eight));
		for (; eight; eight &= eight - 1)
			list_event(m, pos + (uint32_t)__builtin_ctzll(eight) / 8);
	}
}

void marks_list(struct marks *m)
{
	m->nevents = 0;
	for (uint32_t i = 0; i < m->nold; i++)
		if (m->keep[m->old[i]])
			list_event(m, m->old[i]);
	list_all(m, m->from, m->e->graph.n);
}

/* Each write that can be read is one row or two, each thread and the head of each list another few. */
static size_t most_rows(const struct marks *m)
{
	const struct graph *g = &m->e->graph;

	return 2 * (size_t)marks_most(m) + 4 * (size_t)m->e->nthreads +
	       (size_t)g->nlocs * m->e->nthreads;
}

void marks_make(struct marks *m)
{
	struct graph *g = &m->e->graph;
	const size_t most = most_rows(m);

	m->keep = arena_take(&g->scratch, g->n + 8);
	memset(m->keep, 0, g->n + 8);
	m->events = arena_take(&g->scratch, marks_most(m) * sizeof(*m->events));
	m->rows = arena_take(&g->scratch, most * sizeof(*m->rows));
	m->known = arena_take(&g->scratch, most * sizeof(*m->known));
	m->nrows = 0;
	keep_ends(m);
	keep_writes(m);
	if (!m->e->online->giving.everything)
		keep_newest(m);
	keep_joins(m);
	keep_lives(m);
	keep_heads(m);
	must(m->nrows <= most);
	keep_lists(m);
	marks_list(m);
	if (m->e->online->way == WAY_RC11 && m->e->online->sc.first != NO_POS)
		sc_keep(m);
}
