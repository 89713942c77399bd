/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocks.h - happens-before of a recorded execution, as vector clocks
 *
 * clock_of(c, e, u): how many events of thread u are e or happen before it. Rows are shared:
 * an event has a row of its own only if it learns something from another thread; its own
 * thread's component is its index. Building them costs O(n k) at most.
 */
#ifndef HEDDLE_OFFLINE_CLOCKS_H
#define HEDDLE_OFFLINE_CLOCKS_H

#include "engine/engine.h"
#include "offline/execution.h"

struct clocks {
	const struct execution *x;
	uint32_t k;
	uint32_t *row;  /* of each event; row 0 is all zero */
	uint32_t *rows; /* k components each */
	size_t nrows, room;
};

/* sort: the events in an order that extends po and rf (execution_sort()). */
void clocks_build(struct clocks *c, const struct execution *x, enum engine_model model,
		  const uint32_t *sort);
void clocks_release(struct clocks *c);

static inline const uint32_t *clock_row(const struct clocks *c, uint32_t e)
{
	return c->rows + (size_t)c->row[e] * c->k;
}

static inline uint32_t clock_of(const struct clocks *c, uint32_t e, uint32_t u)
{
	return c->x->tid[e] == u ? execution_index(c->x, e) + 1 : clock_row(c, e)[u];
}

/* Does a happen before b, or is it b? */
static inline bool clock_before(const struct clocks *c, uint32_t a, uint32_t b)
{
	return clock_of(c, b, c->x->tid[a]) > execution_index(c->x, a);
}

#endif
