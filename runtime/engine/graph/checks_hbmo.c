/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks_hbmo.c - is the known part of mo what the definition says? (checks.h)
 *
 * A chain of writes comes before another where an event that makes or observes one of its writes
 * happens before one that makes or observes a write of the other; and so on, transitively. That is
 * made anew, pair by pair, from the events that have entered the order (hbmo.h), and
 * compared with what its clocks say once they are closed.
 */
#include <string.h>

#include "engine/graph/checks.h"
#include "engine/graph/hbmo_list.h"

#ifdef HEDDLE_CHECKS

struct order {
	const struct graph *g;
	uint32_t n;    /* events that may have entered */
	uint32_t *top; /* of a write: the first of its chain, or RF_INIT */
	uint8_t *anew; /* n rows of n: the chain of this top comes before that one's */
	uint8_t *kept; /* the same, by hbmo.c's clocks */
};

/* Does it take part? A late read does so with its write. */
static bool enters(const struct order *o, uint32_t p)
{
	const struct event *ev = &o->g->ev[p];

	if (ev->loc == NO_LOC || (ev->flags & EV_BLOCKED))
		return false;
	return !(ev->flags & EV_READ) || ev->rf >= RF_NONE || ev->rf < o->n;
}

/* Those that a jump leaves out are in the list, too. */
static void check_jump(const struct graph *g, uint32_t p)
{
	uint32_t to = placed_at(g, p)->jump, at = placed_at(g, p)->prev;

	while (at != to && at != NO_POS)
		at = placed_at(g, at)->prev;
	check_that(g, p, at == to);
}

/* The lists: of each thread at a location, what has entered, in order. */
static void check_lists(const struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t l = 0; l < g->nlocs; l++)
		for (uint32_t t = 0; t < g->nthreads; t++) {
			uint32_t at = last_of(g, l)[t];

			for (uint32_t i = g->count[t]; i-- > 0;) {
				uint32_t p = g->at[t][i];

				if (p >= o->n || g->ev[p].loc != l || !enters(o, p))
					continue;
				check_that(g, p, at == p);
				check_that(g, p, placed_at(g, p)->depth);
				check_that(g, p, placed_at(g, p)->index == i);
				check_jump(g, p);
				at = placed_at(g, p)->prev;
			}
			check_that(g, NO_POS, at == NO_POS);
		}
}

static void check_writes(const struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t p = 0; p < o->n; p++) {
		uint32_t write = NO_POS;

		if (!enters(o, p))
			continue;
		for (uint32_t i = 0; i <= g->ev[p].index; i++) {
			uint32_t q = g->at[g->ev[p].tid][i];

			if (g->ev[q].loc == g->ev[p].loc && (g->ev[q].flags & EV_WRITE))
				write = q;
		}
		check_that(g, p, placed_at(g, p)->write == write);
	}
}

static uint32_t find_top(const struct graph *g, uint32_t write, uint32_t *rank)
{
	*rank = 0;
	while (write != RF_INIT && is_rmw_write(&g->ev[write])) {
		write = graph_rmw_source(g, &g->ev[write]);
		++*rank;
	}
	return write;
}

static void check_chains(struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t p = 0; p < o->n; p++) {
		uint32_t rank;

		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		o->top[p] = find_top(g, p, &rank);
		check_that(g, p, placed_at(g, p)->top == o->top[p]);
		check_that(g, p, placed_at(g, p)->rank == rank);
	}
}

static void relate(const struct order *o, uint8_t *rows, uint32_t from, uint32_t to)
{
	if (from != to && from != RF_INIT && to != RF_INIT)
		rows[(size_t)from * o->n + to] = 1;
}

static void close_rows(const struct order *o, uint8_t *rows)
{
	for (uint32_t k = 0; k < o->n; k++)
		for (uint32_t i = 0; i < o->n; i++)
			for (uint32_t j = 0; rows[(size_t)i * o->n + k] && j < o->n; j++)
				rows[(size_t)i * o->n + j] |= rows[(size_t)k * o->n + j];
}

static uint32_t top_behind(const struct order *o, uint32_t p)
{
	uint32_t write = event_write(&o->g->ev[p], p);

	return write == RF_INIT ? RF_INIT : o->top[write];
}

static void make_anew(struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t p = 0; p < o->n; p++)
		for (uint32_t q = 0; q < o->n; q++)
			if (g->ev[p].loc == g->ev[q].loc && enters(o, p) && enters(o, q) &&
			    happens_before(g, p, q))
				relate(o, o->anew, top_behind(o, p), top_behind(o, q));
	close_rows(o, o->anew);
}

/* What the clock of a chain says: of each thread all writes up to one, but those in the chain. */
static void read_clocks(struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t to = 0; to < o->n; to++) {
		const uint32_t *clock = g->hbmo.clock + (size_t)to * g->stride;

		if (!(g->ev[to].flags & EV_WRITE) || o->top[to] != to)
			continue;
		for (uint32_t t = 0; t < g->nthreads; t++) {
			if (!clock[t])
				continue;
			check_that(g, to, clock[t] <= o->n);
			for (uint32_t w = clock[t] - 1; w != NO_POS; w = hbmo_earlier(g, w)) {
				check_that(g, w, g->ev[w].flags & EV_WRITE);
				check_that(g, w,
					   g->ev[w].loc == g->ev[to].loc && g->ev[w].tid == t);
				relate(o, o->kept, o->top[w], to);
			}
		}
	}
	close_rows(o, o->kept);
}

/* hbmo.c's invariant: who meets a write need not look at those before it in its thread. */
static void check_followers(const struct order *o)
{
	const struct graph *g = o->g;

	for (uint32_t p = 0; p < o->n; p++) {
		uint32_t before = g->ev[p].flags & EV_WRITE ? hbmo_earlier(g, p) : NO_POS, from;
		const uint32_t *clock, *known;

		if (before == NO_POS || o->top[p] == RF_INIT)
			continue;
		from = o->top[before];
		if (from == RF_INIT || from == o->top[p])
			continue;
		clock = g->hbmo.clock + (size_t)o->top[p] * g->stride;
		known = g->hbmo.clock + (size_t)from * g->stride;
		check_that(g, p, clock[g->ev[before].tid] > before);
		check_that(g, p, clock[g->ev[from].tid] > from);
		for (uint32_t t = 0; t < g->nthreads; t++)
			check_that(g, p, clock[t] >= known[t]);
	}
}

static void compare(const struct order *o)
{
	for (uint32_t p = 0; p < o->n; p++)
		for (uint32_t q = 0; q < o->n; q++)
			check_that(o->g, p,
				   o->kept[(size_t)p * o->n + q] == o->anew[(size_t)p * o->n + q]);
}

void checks_hbmo(struct graph *g)
{
	char *mark = arena_mark(&g->scratch);
	struct order o = { .g = g, .n = g->hbmo.entered };
	size_t rows = (size_t)o.n * o.n;

	check_that(g, NO_POS, o.n <= g->n);
	check_lists(&o);
	check_writes(&o);
	if (!g->hbmo.weak && o.n) {
		o.top = arena_take(&g->scratch, o.n * sizeof(*o.top));
		o.anew = arena_take(&g->scratch, rows);
		o.kept = arena_take(&g->scratch, rows);
		memset(o.anew, 0, rows);
		memset(o.kept, 0, rows);
		check_chains(&o);
		make_anew(&o);
		read_clocks(&o);
		compare(&o);
		check_followers(&o);
	}
	arena_reset(&g->scratch, mark);
}

#endif
