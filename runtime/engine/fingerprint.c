/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fingerprint.c - by what the execution so far is told from others
 *
 * Numbers of threads depend on who was created first, so a thread is its creator and its rank among that one's
 * threads. Sums do not depend on the order in which events were inserted. A loop that looks at the same write
 * in each round has looked once, also if it stores what is there already, as a lock does that exchanges.
 *
 * Of a long execution that gave memory back it is told from what is left. Cost: O(events). Random testing only: there reads stand behind what they observe.
 */
#include <string.h>

#include "engine/engine.h"
#include "engine/run/state.h"
#include "wire/seen.h"

enum {
	KIND_SHIFT = 32
};

static void name_threads(const struct engine *e, uint64_t *name)
{
	name[0] = seen_mix(1, 0);
	for (uint32_t t = 1; t < e->nthreads; t++) /* creators have lower numbers */
		name[t] = seen_mix(name[e->name[t].parent], e->name[t].rank);
}

/* What is known of the events, by their places. */
struct reduced {
	const struct graph *g;
	uint32_t *
		origin; /* the write that it makes or observes, if that only stored what it read: the one before; or RF_* */
	uint32_t *number; /* among those of its thread that count; 0: it does not */
	char *mark;
};

static bool is_silent(const struct graph *g, uint32_t write)
{
	const struct event *ev = &g->ev[write];

	return is_rmw_write(ev) && value_eq(ev->written, g->ev[graph_po_before(g, ev)].read);
}

/* Has the operation that begins at pos written anything new? */
static bool is_new(const struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];

	if (ev->flags & EV_WRITE)
		return true;
	if (!(ev->flags & EV_EXCLUSIVE) || ev->index + 1 >= g->count[ev->tid])
		return false;
	pos = graph_at(g, ev->tid, ev->index + 1);
	return pos != NO_POS && !is_silent(g, pos);
}

static uint32_t origin_of(const struct reduced *r, uint32_t rf)
{
	return rf < RF_NONE ? r->origin[rf] : rf;
}

/* Does it look again at what its thread has looked at last, in the operation at `last`? */
static bool looks_again(const struct reduced *r, uint32_t last, uint32_t pos)
{
	const struct event *ev = &r->g->ev[pos], *before = last == NO_POS ? NULL : &r->g->ev[last];

	return before && (ev->flags & EV_READ) && before->kind == ev->kind &&
	       before->pc == ev->pc && before->loc == ev->loc && ev->loc != NO_LOC &&
	       r->origin[last] == r->origin[pos] && !is_new(r->g, last) && !is_new(r->g, pos);
}

/* Events of random executions stand in the order in which they happened, reads behind their writes. */
static void reduce(struct reduced *r, struct engine *e)
{
	struct graph *g = &e->graph;
	uint32_t last[HEDDLE_MAX_THREADS], n[HEDDLE_MAX_THREADS] = { 0 };

	r->g = g;
	r->mark = arena_mark(&g->scratch);
	r->origin = arena_take(&g->scratch, (g->n + 1) * sizeof(*r->origin));
	r->number = arena_take(&g->scratch, (g->n + 1) * sizeof(*r->number));
	memset(last, 0xff, sizeof(last));
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if (is_rmw_write(ev)) { /* one with its read */
			r->origin[p] = is_silent(g, p) ? r->origin[last[ev->tid]] : p;
			r->number[p] = n[ev->tid];
			continue;
		}
		r->origin[p] = ev->flags & EV_WRITE ? p : origin_of(r, ev->rf);
		r->number[p] = looks_again(r, last[ev->tid], p) ? 0 : ++n[ev->tid];
		last[ev->tid] = p;
	}
}

static void reduced_release(struct reduced *r, struct engine *e)
{
	arena_reset(&e->graph.scratch, r->mark);
}

/* Does an operation begin there that counts? */
static bool counts(const struct reduced *r, uint32_t pos)
{
	return r->number[pos] && !is_rmw_write(&r->g->ev[pos]);
}

static uint64_t event_hash(const struct reduced *r, const uint64_t *name, uint32_t pos)
{
	const struct graph *g = r->g;
	const struct event *ev = &g->ev[pos];
	uint64_t h = seen_mix(name[ev->tid], (uint64_t)ev->kind << KIND_SHIFT | r->number[pos]);
	uint32_t rf = origin_of(r, ev->rf);

	if (rf < RF_NONE)
		h = seen_mix(h, seen_mix(name[g->ev[rf].tid], r->number[rf]));
	if ((ev->flags & EV_READ) || ev->kind == OP_CHOOSE)
		h = seen_mix(h, ev->choice);
	return h;
}

uint64_t engine_fingerprint(struct engine *e)
{
	uint64_t name[HEDDLE_MAX_THREADS], sum = 0;
	struct reduced r;

	name_threads(e, name);
	reduce(&r, e);
	for (uint32_t p = 0; p < e->graph.n; p++)
		if (counts(&r, p))
			sum += event_hash(&r, name, p);
	reduced_release(&r, e);
	return seen_mix(sum, e->graph.given_back);
}

void engine_pairs(struct engine *e, void (*pair)(void *ctx, uint64_t hash), void *ctx)
{
	const struct graph *g = &e->graph;
	uint64_t name[HEDDLE_MAX_THREADS];
	struct reduced r;

	name_threads(e, name);
	reduce(&r, e);
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];
		uint32_t rf = origin_of(&r, ev->rf);
		uint64_t write = 0;

		if (!counts(&r, p) || !(ev->flags & EV_READ) || rf == RF_NONE)
			continue;
		if (rf < RF_NONE)
			write = seen_mix(name[g->ev[rf].tid], g->ev[rf].pc);
		pair(ctx, seen_mix(seen_mix(name[ev->tid], ev->pc), write));
	}
	reduced_release(&r, e);
}
