/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * floors.c - see floors.h; letters refer to online.txt
 */
#include "engine/online/floors.h"

#include <string.h>

/* The last event of a thread, or NO_POS. */
static uint32_t last_event(const struct graph *g, uint32_t tid)
{
	return g->count[tid] ? g->at[tid][g->count[tid] - 1] : NO_POS;
}

static bool learn_row(uint32_t *into, const uint32_t *from, uint32_t n)
{
	bool more = false;

	for (uint32_t i = 0; i < n; i++)
		if (into[i] < from[i]) {
			into[i] = from[i];
			more = true;
		}
	return more;
}

static bool learn_event(const struct graph *g, uint32_t *row, uint32_t pos)
{
	return pos != NO_POS && learn_row(row, graph_hb(g, pos), g->nthreads);
}

/* Whose end the thread waits for, in a join that nothing calls off; or NO_POS. */
static uint32_t joins(const struct thread *th)
{
	const struct op *op = &th->pending;

	return th->state == THREAD_WAITS && op->kind == OP_JOIN && !op->arg.hi ? op->peer : NO_POS;
}

static bool starts(const struct thread *th)
{
	return th->state == THREAD_WAITS && th->pending.kind == OP_START;
}

/* Who joins a thread will know what that one knows now. More than one may wait for the end of the same. */
static void learn_from_joined(struct engine *e, struct floors *f, uint64_t *since)
{
	for (bool more = true; more;) {
		more = false;
		THREAD_SET_EACH(t, &f->goes_on) {
			uint32_t of = joins(&e->thread[t]);

			if (of == NO_POS)
				continue;
			more |= learn_event(&e->graph, floors_clock(f, t),
					    last_event(&e->graph, of));
			if (thread_set_has(&f->goes_on, of))
				more |= learn_row(floors_clock(f, t), floors_clock(f, of),
						  e->graph.nthreads);
			if (since[t] < since[of]) {
				since[t] = since[of];
				more = true;
			}
		}
	}
}

void floors_find(struct engine *e, struct floors *f)
{
	const struct graph *g = &e->graph;
	const struct moments *m = &e->online->moments;
	const size_t bytes = (size_t)e->nthreads * g->width * sizeof(uint32_t);
	uint64_t *since;

	*f = (struct floors){ .goes_on = e->running,
			      .mo = &e->online->mo,
			      .clock = arena_take(&e->graph.scratch, bytes),
			      .since = UINT64_MAX };
	since = f->since_of;
	thread_set_join(&f->goes_on, &e->waiting);
	memset(f->clock, 0, bytes);
	memcpy(since, m->since, sizeof(f->since_of));
	THREAD_SET_EACH(t, &f->goes_on) {
		uint32_t creation;

		learn_event(g, floors_clock(f, t), last_event(g, t));
		if (!starts(&e->thread[t]))
			continue;
		creation = graph_at(g, e->thread[t].creator, e->thread[t].create_index);
		learn_event(g, floors_clock(f, t), creation);
		if (since[t] < moment_of(m, creation))
			since[t] = moment_of(m, creation);
	}
	learn_from_joined(e, f, since);
	THREAD_SET_EACH(t, &f->goes_on) {
		f->since = f->since < since[t] ? f->since : since[t];
	}
}

/* ---- The first write that anybody may still read --------------------------------------------------------- */

/* G1: the lowest floor. */
static uint32_t lowest_floor(const struct floors *f, uint32_t loc)
{
	const struct modification *o = f->mo;
	const uint32_t oldest = mod_oldest(o, loc);
	uint32_t lowest = o->g->locs[loc].mo_last;

	THREAD_SET_EACH(t, &f->goes_on) {
		uint32_t w;

		if (lowest == oldest)
			break;
		w = mod_floor(o, loc, t, floors_clock(f, t));
		if (mod_label(o, w) < mod_label(o, lowest))
			lowest = w;
	}
	return lowest;
}

/*
 * G2, tso: the earliest moment at which the thread can read the location. If it has stored there, when that left, and if it joins
 * another, what is so of that one. UINT64_MAX: it reads a store that is in its buffer, and nothing from before that leaves.
 */
static uint64_t thread_since(const struct engine *e, const struct floors *f, uint32_t loc,
			     uint32_t tid)
{
	const struct online *on = e->online;
	uint64_t since = 0;

	/* Threads that join each other in a circle never get there. */
	for (uint32_t n = 0; n < e->nthreads && tid != NO_POS; n++) {
		uint32_t own = buffers_own(&on->buffers, tid, loc);

		if (own != NO_POS && !on->mo.of[own].label)
			return UINT64_MAX;
		if (own != NO_POS && since < moment_of(&on->moments, own))
			since = moment_of(&on->moments, own);
		if (since < f->since_of[tid])
			since = f->since_of[tid];
		tid = joins(&e->thread[tid]);
	}
	return since;
}

/* Of all threads. */
static uint64_t since_at(const struct engine *e, const struct floors *f, uint32_t loc)
{
	uint64_t least = UINT64_MAX;

	if (e->online->way != WAY_BUFFERS)
		return f->since;
	THREAD_SET_EACH(t, &f->goes_on) {
		uint64_t since = thread_since(e, f, loc, t);

		least = least < since ? least : since;
	}
	return least;
}

/* The one that was there at that moment. */
static uint32_t there_at(const struct engine *e, uint32_t loc, uint64_t since)
{
	const struct modification *o = &e->online->mo;
	const uint32_t oldest = mod_oldest(o, loc);
	uint32_t w = o->g->locs[loc].mo_last;

	while (w != oldest && moment_of(&e->online->moments, w) > since)
		w = mod_before(o, w);
	return w;
}

/* The write behind which there are n - 1 others, or an older one if there are less. */
static uint32_t nth_from_end(const struct modification *o, uint32_t loc, uint32_t n)
{
	const uint32_t oldest = mod_oldest(o, loc);
	uint32_t w = o->g->locs[loc].mo_last;

	while (w != oldest && --n)
		w = mod_before(o, w);
	return w;
}

/* Is a write lost that somebody could have read? */
static bool cut_at(struct engine *e, const struct floors *f, uint32_t loc, uint32_t window)
{
	struct modification *o = &e->online->mo;
	const enum online_way way = e->online->way;
	uint32_t lowest, forced;
	bool lost = false;

	lowest = way == WAY_MEMORY || way == WAY_BUFFERS ? there_at(e, loc, since_at(e, f, loc))
							 : lowest_floor(f, loc);
	if (window && e->graph.locs[loc].size) {
		forced = nth_from_end(o, loc, window);
		lost = forced != RF_INIT && mod_label(o, forced) > mod_label(o, lowest);
		lowest = lost ? forced : lowest;
	}
	if (lowest != mod_oldest(o, loc))
		mod_give_up(o, loc, lowest);
	return lost;
}

/* ---- wra --------------------------------------------------------------------------------------------------- */

/* G3 */
static bool is_hidden_from_all(const struct floors *f, uint32_t loc, uint32_t write)
{
	THREAD_SET_EACH(t, &f->goes_on) {
		if (!mod_hidden(f->mo, loc, t, floors_clock(f, t), write))
			return false;
	}
	return true;
}

static bool take_out_hidden(struct engine *e, const struct floors *f, uint32_t loc, uint32_t window)
{
	struct modification *o = &e->online->mo;
	struct graph *g = &e->graph;
	const uint32_t last = g->locs[loc].mo_last;
	bool initial = mod_oldest(o, loc) == RF_INIT && !is_hidden_from_all(f, loc, RF_INIT);
	bool lost = false;
	uint32_t n = 1;

	/* The last has nothing after it. */
	for (uint32_t w = mod_before(o, last), before; w != RF_INIT; w = before) {
		bool hidden = is_hidden_from_all(f, loc, w);

		before = mod_before(o, w);
		if (!hidden && (!window || !g->locs[loc].size || n < window)) {
			n++;
			continue;
		}
		lost |= !hidden;
		o->at[loc].was_above |= g->ev[w].written.lo != 0;
		graph_unplace(g, w);
	}
	if (window && g->locs[loc].size && n >= window) {
		lost |= initial;
		initial = false;
	}
	o->at[loc].oldest = initial ? RF_INIT : g->locs[loc].mo_first;
	return lost;
}

bool floors_give_up(struct engine *e, const struct floors *f, uint32_t window)
{
	const struct graph *g = &e->graph;
	bool lost = false;

	for (uint32_t loc = 0; loc < g->nlocs; loc++) {
		/* Nothing happened there, or there is but one. */
		if (g->locs[loc].last == NO_POS || g->locs[loc].mo_last == mod_oldest(f->mo, loc))
			continue;
		lost |= e->online->way == WAY_WEAK ? take_out_hidden(e, f, loc, window)
						   : cut_at(e, f, loc, window);
	}
	return lost;
}

uint64_t floors_left(const struct engine *e)
{
	const struct graph *g = &e->graph;
	const struct modification *o = &e->online->mo;
	uint64_t n = 0;

	for (uint32_t loc = 0; loc < g->nlocs; loc++) {
		if (g->locs[loc].last == NO_POS || !g->locs[loc].size)
			continue;
		if (e->online->way != WAY_WEAK)
			n += mod_appended(o, loc);
		else
			for (uint32_t w = g->locs[loc].mo_last; w != RF_INIT; w = mod_before(o, w))
				n++;
	}
	return n;
}
