/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sections.c - accesses in sections of one mutex never race (value.txt, M2)
 *
 * What a thread holds where follows from what its operations have read, so it is the same in all executions with the same values.
 *
 * Cost: O(n).
 */
#include <string.h>

#include "engine/value/value.h"

enum {
	MUTEXES = 64 /* the first ones that are met; others do not count */
};

/* Numbers mutexes from 1 on, by location. Which of them are free at first, and only locked and unlocked? As a set. */
static uint64_t find_mutexes(const struct graph *g, uint8_t *number)
{
	uint64_t plain = 0;
	uint8_t n = 0;

	memset(number, 0, g->nlocs);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct event *ev = &g->ev[i];

		if ((ev->kind != OP_LOCK && ev->kind != OP_TRYLOCK) || number[ev->loc] ||
		    n == MUTEXES)
			continue;
		number[ev->loc] = ++n;
		plain |= (uint64_t)!g->locs[ev->loc].initial.lo << (n - 1);
	}
	for (uint32_t i = 0; i < g->n; i++) {
		const struct event *ev = &g->ev[i];

		if (ev->loc != NO_LOC && number[ev->loc] && ev->kind != OP_LOCK &&
		    ev->kind != OP_TRYLOCK && ev->kind != OP_UNLOCK)
			plain &= ~((uint64_t)1 << (number[ev->loc] - 1));
	}
	return plain;
}

/* Of the thread's events. *plain loses mutexes that it gives back without holding them. */
static void find_held(const struct graph *g, uint32_t tid, const uint8_t *number, uint64_t *held,
		      uint64_t *plain)
{
	uint64_t now = 0;

	for (uint32_t i = 0; i < g->count[tid]; i++) {
		const uint32_t pos = g->at[tid][i];
		const struct event *ev = &g->ev[pos];
		const uint64_t bit = (ev->flags & EV_WRITE) && number[ev->loc]
					     ? (uint64_t)1 << (number[ev->loc] - 1)
					     : 0;

		if (ev->kind == OP_UNLOCK) {
			*plain &= ~(bit & ~now);
			now &= ~bit;
		} else {
			now |= bit;
		}
		held[pos] = now;
	}
}

void value_sections(struct engine *e, uint64_t *held)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint8_t *number = arena_take(&g->scratch, g->nlocs + 1);
	uint64_t plain = find_mutexes(g, number);

	for (uint32_t t = 0; t < e->nthreads; t++)
		find_held(g, t, number, held, &plain);
	for (uint32_t i = 0; i < g->n; i++)
		held[i] &= plain;
	arena_reset(&g->scratch, mark);
}
