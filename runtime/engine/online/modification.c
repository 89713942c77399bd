/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modification.c - see modification.h
 */
#include "engine/online/modification.h"

#include <string.h>

size_t mod_bytes(uint32_t capacity)
{
	return (size_t)capacity *
		       (sizeof(struct drawn) + sizeof(struct mod_location) +
			sizeof(struct mod_far) + 1 + HEDDLE_MAX_THREADS * sizeof(uint32_t)) +
	       5 * ARENA_SKEW;
}

void mod_init(struct modification *o, struct graph *g, struct arena *a, uint32_t capacity)
{
	o->g = g;
	o->of = arena_table(a, capacity * sizeof(*o->of));
	o->listed = arena_table(a, capacity);
	o->last = arena_table(a, (size_t)capacity * HEDDLE_MAX_THREADS * sizeof(*o->last));
	o->at = arena_table(a, capacity * sizeof(*o->at));
	o->far = arena_table(a, capacity * sizeof(*o->far));
	o->stride = 0;
	o->rows = 0;
	o->news = 0;
}

uint32_t *mod_row_anew(struct modification *o, uint32_t loc, bool first)
{
	const uint32_t stride = o->g->stride;
	uint32_t *row;

	if (o->stride != stride) {
		graph_respread(o->last, o->rows, o->stride, stride, 0xff);
		o->stride = stride;
	}
	if (loc >= o->rows)
		o->rows = loc + 1;
	row = &o->last[(size_t)loc * stride];
	if (first) {
		memset(row, 0xff, stride * sizeof(*row));
		o->at[loc] = (struct mod_location){ .oldest = RF_INIT, .chain = RF_INIT };
	}
	return row;
}

/* Labels have run out between two writes: all behind the oldest, which is above what was given back, get new ones. */
static void relabel(struct modification *o, uint32_t loc)
{
	const uint32_t oldest = mod_oldest(o, loc);
	uint64_t label = mod_label(o, oldest);

	for (uint32_t w = mo_next(o->g, loc, oldest); w != NO_POS; w = o->g->ev[w].mo_after)
		o->of[w].label = label += MOD_GAP;
}

void mod_give_up(struct modification *o, uint32_t loc, uint32_t oldest)
{
	struct mod_location *at = &o->at[loc];
	struct event *ev = o->g->ev;

	/* There may be a hundred thousand, which no cache holds; of memory nobody asks. */
	if (!o->g->locs[loc].size)
		for (uint32_t w = ev[oldest].mo_before; w != RF_INIT; w = ev[w].mo_before)
			at->was_above |= ev[w].written.lo != 0;
	ev[oldest].mo_before = RF_INIT;
	o->g->locs[loc].mo_first = oldest;
	at->oldest = oldest;
	if (mod_label(o, at->chain) < mod_label(o, oldest))
		at->chain = oldest;
}

bool mod_hidden(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock,
		uint32_t write)
{
	const struct graph *g = o->g;

	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t pos = mod_known(o, loc, t, tid, clock), w;

		w = pos == NO_POS ? NO_POS : o->of[pos].last_write;
		if (w != NO_POS && w != write && (write == RF_INIT || happens_before(g, write, w)))
			return true;
	}
	return false;
}

bool mod_unknown(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock,
		 bool writes)
{
	const struct event *ev = o->g->ev;

	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		const uint32_t last = t == tid ? NO_POS : mod_last(o, loc, t);
		const uint32_t write = last == NO_POS ? NO_POS : o->of[last].last_write;

		if (last != NO_POS && !writes && o->of[last].newest >= clock[t])
			return true;
		if (writes && write != NO_POS && ev[write].index >= clock[t])
			return true;
	}
	return false;
}

void mod_place_between(struct modification *o, uint32_t write, uint32_t behind)
{
	const struct event *ev = &o->g->ev[write];
	uint64_t before = mod_label(o, behind), after;

	graph_place(o->g, write, behind);
	after = o->of[ev->mo_after].label;
	o->of[write].label = before + (after - before) / 2;
	if (o->of[write].label == before)
		relabel(o, ev->loc);
}

static uint32_t depth_of(const struct modification *o, uint32_t write)
{
	return write == RF_INIT ? 0 : o->far[write].depth;
}

void mod_far_note(struct modification *o, uint32_t write)
{
	const uint32_t before = mod_before(o, write);
	uint32_t jump = before, over;

	/* As in mod_list_add(). */
	if (before != RF_INIT && o->far[before].jump != RF_INIT) {
		over = o->far[before].jump;
		if (depth_of(o, before) - depth_of(o, over) ==
		    depth_of(o, over) - depth_of(o, o->far[over].jump))
			jump = o->far[over].jump;
	}
	o->far[write] = (struct mod_far){ .jump = jump, .depth = depth_of(o, before) + 1 };
}

void mod_far_again(struct modification *o)
{
	for (uint32_t loc = 0; loc < o->g->nlocs && loc < o->rows; loc++) {
		uint32_t w = o->g->locs[loc].last == NO_POS ? NO_POS : o->g->locs[loc].mo_first;

		for (; w != NO_POS; w = o->g->ev[w].mo_after)
			mod_far_note(o, w);
	}
}

uint32_t mod_far_before(const struct modification *o, uint32_t loc, uint32_t write, uint32_t n)
{
	const uint32_t last = depth_of(o, mod_oldest(o, loc)), from = depth_of(o, write);
	const uint32_t to = from > last + n ? from - n : last;

	while (depth_of(o, write) > to)
		write = depth_of(o, o->far[write].jump) >= to ? o->far[write].jump
							      : mod_before(o, write);
	return write;
}

uint32_t mod_below(const struct modification *o, uint32_t pos, uint32_t n)
{
	const struct event *ev = o->g->ev;

	while (pos != NO_POS && ev[pos].index >= n) {
		const struct drawn *d = &o->of[pos];

		pos = d->jump != NO_POS && ev[d->jump].index >= n ? d->jump : d->prev;
	}
	return pos;
}

/* The latest in mo of a write and of those that the other threads' events write or read which the thread knows of. */
static uint32_t met_by_others(const struct modification *o, uint32_t loc, uint32_t tid,
			      const uint32_t *clock, uint32_t floor)
{
	uint64_t label = mod_label(o, floor);

	for (uint32_t t = 0; t < o->g->nthreads; t++) {
		uint32_t pos = t == tid ? NO_POS : mod_known(o, loc, t, tid, clock);

		if (pos == NO_POS || mod_label_of(o, pos) <= label)
			continue;
		floor = o->of[pos].write;
		label = mod_label(o, floor);
	}
	return floor;
}

/* The later in mo of a write and of what the thread's own last event at the location writes or reads. */
static uint32_t met_itself(const struct modification *o, uint32_t loc, uint32_t tid, uint32_t floor)
{
	uint32_t last = mod_last(o, loc, tid);

	return last != NO_POS && mod_label_of(o, last) > mod_label(o, floor) ? o->of[last].write
									     : floor;
}

uint32_t mod_floor(const struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock)
{
	return met_itself(o, loc, tid, met_by_others(o, loc, tid, clock, mod_oldest(o, loc)));
}

/*
 * What was kept stays right: events that the thread knows of were there when it learned of them, and a list only grows
 * at its end. It is a place, since labels are made anew; and what was not given up by then may be now.
 */
uint32_t mod_floor_kept(struct modification *o, uint32_t loc, uint32_t tid, const uint32_t *clock)
{
	struct mod_met *met = &o->met[tid][loc % MOD_MET];

	if (!o->g->count[tid])
		return mod_floor(o, loc, tid, clock);
	if (met->since != o->learned[tid] || met->loc != loc)
		*met = (struct mod_met){ .since = o->learned[tid],
					 .loc = loc,
					 .write = met_by_others(o, loc, tid, clock,
								mod_oldest(o, loc)) };
	return met_itself(o, loc, tid, met->write);
}

/* Does the event know of more than the one before it in its thread, but for itself? */
static bool is_wiser(const struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	const uint32_t before = graph_po_before(g, ev);
	const uint32_t *now = graph_hb(g, pos), *then;

	if (before == NO_POS)
		return true;
	then = graph_hb(g, before);
	for (uint32_t t = 0; t < g->nthreads; t++)
		if (now[t] != then[t] && t != ev->tid)
			return true;
	return false;
}

void mod_may_have_learned(struct modification *o, uint32_t pos)
{
	if (is_wiser(o->g, pos))
		o->learned[o->g->ev[pos].tid] = ++o->news;
}

void mod_moved(struct modification *o)
{
	for (uint32_t t = 0; t < o->g->nthreads; t++)
		o->learned[t] = ++o->news;
}

uint32_t mod_up_to(const struct modification *o, uint32_t pos, uint64_t label)
{
	while (pos != NO_POS && mod_label_of(o, pos) > label) {
		const struct drawn *d = &o->of[pos];

		pos = d->jump != NO_POS && mod_label_of(o, d->jump) > label ? d->jump : d->prev;
	}
	return pos;
}

uint32_t mod_first_above(const struct modification *o, uint32_t pos, uint64_t label)
{
	if (pos == NO_POS || mod_label_of(o, pos) <= label)
		return NO_POS;
	for (;;) {
		const struct drawn *d = &o->of[pos];

		if (d->jump != NO_POS && mod_label_of(o, d->jump) > label)
			pos = d->jump;
		else if (d->prev != NO_POS && mod_label_of(o, d->prev) > label)
			pos = d->prev;
		else
			return pos;
	}
}

static uint32_t last_write(const struct modification *o, uint32_t pos)
{
	return pos == NO_POS ? NO_POS : o->of[pos].last_write;
}

static uint32_t last_sc(const struct modification *o, uint32_t pos)
{
	return pos == NO_POS ? NO_POS : o->of[pos].last_sc;
}

/* The first of some writes of a list with a label above that; last() tells the last of them up to a place. */
static uint32_t first_above(const struct modification *o, uint32_t pos, uint64_t label,
			    uint32_t (*last)(const struct modification *o, uint32_t pos))
{
	uint32_t found = NO_POS, w = last(o, pos);

	while (w != NO_POS && o->of[w].label > label) {
		uint32_t far = last(o, o->of[w].jump);

		found = w;
		w = far != NO_POS && o->of[far].label > label ? far : last(o, o->of[w].prev);
	}
	return found;
}

uint32_t mod_first_write_above(const struct modification *o, uint32_t pos, uint64_t label)
{
	return first_above(o, pos, label, last_write);
}

uint32_t mod_first_sc_above(const struct modification *o, uint32_t pos, uint64_t label)
{
	return first_above(o, pos, label, last_sc);
}
