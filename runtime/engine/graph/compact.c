/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compact.c - a graph gives events back (graph.h, graph_compact())
 *
 * The events that stay move together. Indices in threads, clocks and counts stay what they are, so a thread's
 * list has gaps then: graph_at().
 */
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/graph/hbmo.h"

uint32_t graph_at_old(const struct graph *g, uint32_t tid, uint32_t index)
{
	uint32_t lo = 0, hi = g->nold[tid];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (g->ev[g->old[tid][mid]].index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < g->nold[tid] && g->ev[g->old[tid][lo]].index == index ? g->old[tid][lo]
									  : NO_POS;
}

bool graph_back_old(const struct graph *g, uint32_t tid, uint32_t *index, uint32_t *pos)
{
	for (uint32_t i = g->nold[tid]; i--;)
		if (g->ev[g->old[tid][i]].index < *index) {
			*pos = g->old[tid][i];
			*index = g->ev[*pos].index;
			return true;
		}
	return false;
}

static uint32_t moved(const uint32_t *place, uint32_t pos, uint32_t gone)
{
	uint32_t to;

	if (pos >= RF_NONE)
		return pos;
	to = place[pos];
	return to == NO_POS ? gone : to;
}

static void move_event(struct graph *g, uint32_t from, uint32_t to, const uint32_t *place)
{
	struct event *ev = &g->ev[to];
	uint32_t *clocks[3] = { g->porf, g->hb, g->msg };

	if (from != to) {
		*ev = g->ev[from];
		if (g->any_waits)
			g->waits[to] = g->waits[from];
		for (int c = 0; c < 3; c++)
			memcpy(clocks[c] + (size_t)to * g->stride,
			       clocks[c] + (size_t)from * g->stride, g->stride * sizeof(uint32_t));
	}
	ev->rf = moved(place, ev->rf, RF_NONE);
	if (ev->loc != NO_LOC) {
		ev->prev_at_loc = g->locs[ev->loc].last;
		g->locs[ev->loc].last = to;
	}
	if (!(ev->flags & EV_WRITE))
		return;
	ev->head = moved(place, ev->head, NO_POS);
	ev->taker = moved(place, ev->taker, NO_POS);
	if (is_rmw_write(ev))
		ev->next_taker = NO_POS;
	if (ev->flags & EV_PLACED) {
		ev->mo_before = moved(place, ev->mo_before, RF_INIT);
		ev->mo_after = moved(place, ev->mo_after, NO_POS);
	}
}

static void move_locations(struct graph *g, const uint32_t *place)
{
	for (uint32_t i = 0; i < g->nlocs; i++) {
		struct location *l = &g->locs[i];

		l->last = NO_POS; /* move_event() finds it */
		l->mo_first = moved(place, l->mo_first, NO_POS);
		l->mo_last = moved(place, l->mo_last, RF_INIT);
		l->taker = moved(place, l->taker, NO_POS);
	}
}

/* Behind the old ones come those from low on, where at[] finds them by their index. */
static void list_threads(struct graph *g, const uint32_t *low)
{
	for (uint32_t t = 0; t < g->nthreads; t++)
		g->nold[t] = 0;
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		if (ev->index < low[ev->tid])
			g->old[ev->tid][g->nold[ev->tid]++] = pos;
	}
	for (uint32_t t = 0; t < g->nthreads; t++) {
		g->low[t] = low[t];
		/* Its first entries, which do not exist, are never asked for. */
		g->at[t] = (uint32_t *)((uintptr_t)(g->old[t] + g->nold[t]) -
					low[t] * sizeof(uint32_t));
	}
	for (uint32_t pos = 0; pos < g->n; pos++) {
		const struct event *ev = &g->ev[pos];

		if (ev->index >= low[ev->tid])
			g->at[ev->tid][ev->index] = pos;
	}
}

void graph_compact(struct graph *g, const uint32_t *stays, uint32_t n, const uint32_t *place,
		   const uint32_t *low)
{
	hbmo_retract(g, 0);
	move_locations(g, place);
	for (uint32_t to = 0; to < n; to++) {
		must(stays[to] >= to && place[stays[to]] == to);
		move_event(g, stays[to], to, place);
	}
	g->given_back += g->n - n;
	g->n = n;
	list_threads(g, low);
}

static bool is_acquire_fence(const struct event *ev)
{
	return (ev->flags & EV_FENCE) && order_acquires(ev->order);
}

static void fold_thread(struct graph *g, uint32_t tid)
{
	uint32_t *row = graph_folded(g, tid), i = g->count[tid];
	bool fence = false;

	if (!g->folded_to[tid])
		memset(row, 0, sizeof(*row) * g->width);
	/* Where nothing was ever said, nobody has heard anything. */
	if (!g->speaks)
		i = g->folded_to[tid] = g->count[tid];
	while (!fence && i > g->folded_to[tid])
		fence = is_acquire_fence(&g->ev[g->at[tid][--i]]);
	if (fence)
		memset(row, 0, sizeof(*row) * g->width);
	for (; i < g->count[tid]; i++) {
		const struct event *ev = &g->ev[g->at[tid][i]];
		const uint32_t *msg;

		if (!graph_hears(g, ev))
			continue;
		msg = graph_msg(g, ev->rf);
		for (uint32_t t = 0; t < g->stride; t++)
			row[t] = row[t] > msg[t] ? row[t] : msg[t];
	}
	g->folded_to[tid] = g->count[tid];
}

void graph_fold(struct graph *g)
{
	if (g->sync != SYNC_RC20 && g->sync != SYNC_RC11)
		return; /* fences learn nothing */
	for (uint32_t t = 0; t < g->nthreads; t++)
		fold_thread(g, t);
}

void graph_unfold(struct graph *g)
{
	must(!g->n);
	memset(g->low, 0, sizeof(g->low));
	memset(g->nold, 0, sizeof(g->nold));
	memset(g->folded_to, 0, sizeof(g->folded_to));
	memcpy(g->at, g->old, sizeof(g->at));
	g->given_back = 0;
}
