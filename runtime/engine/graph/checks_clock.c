/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks_clock.c - are the clocks what the axioms say? (checks.h)
 *
 * porf and hb are made anew as least fixed points over all events at once, from the edges as
 * models.txt has them: no order of insertion, no clocks that are carried on, no release sequences
 * kept with writes. clock.c goes from event to event.
 */
#include <string.h>

#include "engine/graph/checks.h"

#ifdef HEDDLE_CHECKS

struct anew {
	const struct graph *g;
	uint32_t *clock; /* of each event, nthreads entries */
	uint8_t *sw;     /* n rows of n: synchronises-with, from heads of release sequences */
};

static uint32_t *of(const struct anew *a, uint32_t pos)
{
	return a->clock + (size_t)pos * a->g->nthreads;
}

static bool join(const struct anew *a, uint32_t into, const uint32_t *from)
{
	bool grown = false;

	for (uint32_t t = 0; t < a->g->nthreads; t++)
		if (of(a, into)[t] < from[t]) {
			of(a, into)[t] = from[t];
			grown = true;
		}
	return grown;
}

static void begin(struct anew *a)
{
	const struct graph *g = a->g;

	memset(a->clock, 0, (size_t)g->n * g->nthreads * sizeof(*a->clock));
	for (uint32_t p = 0; p < g->n; p++)
		of(a, p)[g->ev[p].tid] = g->ev[p].index + 1;
}

static bool follow_po(const struct anew *a, uint32_t p)
{
	uint32_t before = graph_po_before(a->g, &a->g->ev[p]);

	return before != NO_POS && join(a, p, of(a, before));
}

static bool is_edge(const struct event *ev)
{
	return ev->kind == OP_START || ev->kind == OP_JOIN || ev->kind == OP_COND_WOKEN ||
	       ev->kind == OP_BARRIER_PASS;
}

static void make_porf(struct anew *a)
{
	const struct graph *g = a->g;
	bool grown = true;

	begin(a);
	while (grown) {
		grown = false;
		for (uint32_t p = 0; p < g->n; p++) {
			grown |= follow_po(a, p);
			if (g->ev[p].rf < RF_NONE)
				grown |= join(a, p, of(a, g->ev[p].rf));
			/* It comes before itself. */
			check_that(g, p, of(a, p)[g->ev[p].tid] == g->ev[p].index + 1);
		}
	}
}

/* ---- Synchronises-with ----------------------------------------------------------------------- */

static bool releases(const struct event *ev)
{
	return ev->order == ORDER_REL || ev->order == ORDER_ACQ_REL || ev->order == ORDER_SC;
}

static bool acquires(const struct event *ev)
{
	return ev->order == ORDER_ACQ || ev->order == ORDER_ACQ_REL || ev->order == ORDER_SC;
}

static bool of_library(const struct event *ev)
{
	return ev->loc != NO_LOC && !ev->size;
}

/* Calls for the heads of the release sequences that the write is in. */
static void each_head(struct anew *a, uint32_t w, void (*act)(struct anew *, uint32_t, uint32_t),
		      uint32_t arg)
{
	const struct graph *g = a->g;

	while (w < RF_NONE) {
		const struct event *ev = &g->ev[w];

		if (releases(ev))
			act(a, w, arg);
		if (ev->order == ORDER_NA)
			return;
		for (uint32_t i = 0; i < ev->index; i++) {
			uint32_t p = g->at[ev->tid][i];
			const struct event *by = &g->ev[p];

			if (g->sync != SYNC_PO && (by->flags & EV_FENCE) && releases(by))
				act(a, p, arg);
			if (g->sync == SYNC_RC11 && (by->flags & EV_WRITE) && by->loc == ev->loc &&
			    releases(by))
				act(a, p, arg);
		}
		/* A read-modify-write carries on what it reads from. */
		w = ev->flags & EV_EXCLUSIVE ? graph_rmw_source(g, ev) : RF_NONE;
	}
}

static void note_sync(struct anew *a, uint32_t head, uint32_t use)
{
	a->sw[(size_t)head * a->g->n + use] = 1;
}

static void find_sync(struct anew *a)
{
	const struct graph *g = a->g;

	memset(a->sw, 0, (size_t)g->n * g->n);
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if (!(ev->flags & EV_READ) || ev->rf >= RF_NONE)
			continue;
		if (acquires(ev) && (g->sync != SYNC_PO || of_library(ev)))
			each_head(a, ev->rf, note_sync, p);
		if (g->sync == SYNC_PO || ev->order == ORDER_NA)
			continue;
		for (uint32_t i = ev->index + 1; i < g->count[ev->tid]; i++) {
			uint32_t f = g->at[ev->tid][i];

			if ((g->ev[f].flags & EV_FENCE) && acquires(&g->ev[f])) {
				each_head(a, ev->rf, note_sync, f);
				break; /* later ones come behind it */
			}
		}
	}
}

static void make_hb(struct anew *a)
{
	const struct graph *g = a->g;
	bool grown = true;

	begin(a);
	find_sync(a);
	while (grown) {
		grown = false;
		for (uint32_t p = 0; p < g->n; p++) {
			grown |= follow_po(a, p);
			if (is_edge(&g->ev[p]))
				grown |= join(a, p, of(a, g->ev[p].rf));
		}
		for (uint32_t i = 0; i < g->n * g->n; i++)
			grown |= a->sw[i] && join(a, i % g->n, of(a, i / g->n));
	}
}

/* ---- Compared ----------------------------------------------------------------------------------- */

static void compare_porf(const struct anew *a)
{
	const struct graph *g = a->g;

	for (uint32_t p = 0; p < g->n; p++)
		for (uint32_t t = 0; t < g->nthreads; t++)
			check_that(g, p, graph_porf(g, p)[t] == of(a, p)[t]);
}

static void compare_hb(const struct anew *a)
{
	const struct graph *g = a->g;

	for (uint32_t p = 0; p < g->n; p++)
		for (uint32_t t = 0; t < g->nthreads; t++)
			check_that(g, p, graph_hb(g, p)[t] == of(a, p)[t]);
}

struct msg {
	uint32_t clock[HEDDLE_MAX_THREADS];
};
static struct msg msg;

static void note_msg(struct anew *a, uint32_t head, uint32_t unused)
{
	(void)unused;
	for (uint32_t t = 0; t < a->g->nthreads; t++)
		if (msg.clock[t] < of(a, head)[t])
			msg.clock[t] = of(a, head)[t];
}

static void compare_msg(struct anew *a)
{
	const struct graph *g = a->g;

	for (uint32_t p = 0; p < g->n; p++) {
		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		memset(&msg, 0, sizeof(msg));
		each_head(a, p, note_msg, 0);
		for (uint32_t t = 0; t < g->nthreads; t++)
			check_that(g, p, graph_msg(g, p)[t] == msg.clock[t]);
	}
}

static void compare_fences(const struct graph *g)
{
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t release = 0, sc = 0;

		for (uint32_t i = 0; i < g->count[t]; i++) {
			const struct event *ev = &g->ev[g->at[t][i]];
			bool fence = ev->flags & EV_FENCE;

			if (fence && releases(ev) && (g->sync == SYNC_RC20 || g->sync == SYNC_RC11))
				release = i + 1;
			if (fence && ev->order == ORDER_SC)
				sc = i + 1;
			check_that(g, g->at[t][i], ev->last_release == release);
			check_that(g, g->at[t][i], ev->last_fence == sc);
		}
	}
}

void checks_clocks(struct graph *g)
{
	char *mark = arena_mark(&g->scratch);
	struct anew a = { .g = g };

	a.clock = arena_take(&g->scratch, (size_t)g->n * g->nthreads * sizeof(*a.clock));
	make_porf(&a);
	compare_porf(&a);
	if (g->sync == SYNC_PORF) {
		compare_hb(&a);
	} else {
		a.sw = arena_take(&g->scratch, (size_t)g->n * g->n);
		make_hb(&a);
		compare_hb(&a);
		compare_msg(&a);
	}
	compare_fences(g);
	arena_reset(&g->scratch, mark);
}

#endif
