/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.c - accesses in sections of one lock never race (value.txt, M2)
 *
 * A lock is any location that is used as one: a mutex, or an atomic variable that threads exchange. What a thread holds where follows
 * from what its operations have read, so it is the same in all executions with the same values.
 *
 * Cost: O(n).
 */
#include <string.h>

#include "engine/value/certain.h"

enum {
	LOCKS = 64 /* the first ones that are met; others do not count */
};

/* Is it the value with which the location begins? Of a lock: it is free. */
static bool is_free(const struct graph *g, uint32_t loc, struct value v)
{
	return value_eq(v, g->locs[loc].initial);
}

/* Numbers, from 1 on, the locations that ever become free again. Returns all of them, as a set. */
static uint64_t find_locks(const struct graph *g, uint8_t *number)
{
	uint64_t all = 0;
	uint8_t n = 0;

	memset(number, 0, g->nlocs);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct event *ev = &g->ev[i];

		if (!(ev->flags & EV_WRITE) || number[ev->loc] || n == LOCKS ||
		    !is_free(g, ev->loc, ev->written))
			continue;
		number[ev->loc] = ++n;
		all |= (uint64_t)1 << (n - 1);
	}
	return all;
}

/* What the thread holds behind a write of the lock. *locks loses it if it is none. */
static uint64_t held_behind(const struct engine *e, uint32_t pos, uint64_t now, uint64_t lock,
			    uint64_t *locks, bool settled)
{
	const struct graph *g = &e->graph;
	const struct event *ev = &g->ev[pos];
	const struct event *read = is_rmw_write(ev) ? &g->ev[g->at[ev->tid][ev->index - 1]] : NULL;
	const bool begins = read && is_free(g, ev->loc, read->read);

	if (is_free(g, ev->loc, ev->written)) {
		if (!(now & lock) || !order_hands_on(g, ev))
			*locks &= ~lock;
		return now & ~lock;
	}
	if (begins &&
	    (!order_takes_over(g, read) || (settled && !e->value->node[read->slot].is_settled)))
		*locks &= ~lock;
	return begins ? now | lock : now;
}

/* Of the thread's events. */
static void find_held(const struct engine *e, uint32_t tid, const uint8_t *number, uint64_t *held,
		      uint64_t *locks, bool settled)
{
	const struct graph *g = &e->graph;
	uint64_t now = 0;

	for (uint32_t i = 0; i < g->count[tid]; i++) {
		const uint32_t pos = g->at[tid][i];
		const struct event *ev = &g->ev[pos];

		if ((ev->flags & EV_WRITE) && number[ev->loc])
			now = held_behind(e, pos, now, (uint64_t)1 << (number[ev->loc] - 1), locks,
					  settled);
		held[pos] = now;
	}
}

void value_sections(struct engine *e, uint64_t *held, bool settled)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *number = arena_take(&g->scratch, g->nlocs + 1);
	uint64_t locks = find_locks(g, number);

	for (uint32_t t = 0; t < e->nthreads; t++)
		find_held(e, t, number, held, &locks, settled);
	for (uint32_t i = 0; i < g->n; i++)
		held[i] &= locks;
	arena_reset(&g->scratch, mark);
}
