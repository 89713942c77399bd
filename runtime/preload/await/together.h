/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * together.h - do threads whose read-modify-writes cancel out ever end each other's loops?
 *
 * Internal to runtime/preload: driver.c, and between together.c and product.c.
 */
#ifndef HEDDLE_PRELOAD_TOGETHER_H
#define HEDDLE_PRELOAD_TOGETHER_H

#include <stdbool.h>

#include "preload/await/alone.h"
#include "preload/await/walk.h"

enum {
	TOGETHER_SUMS = 64,   /* of a thread, and values of a location */
	TOGETHER_THREADS = 16 /* of which all states are looked at together */
};

/* A set of sums. */
struct sums {
	uint32_t n;
	uint64_t at[TOGETHER_SUMS];
};

/* Where a step leads to, if to no node. */
enum {
	STEP_UNTRIED = WALK_NODES,
	STEP_LEAVES
};

struct together {
	struct op at;                       /* the location */
	uint64_t last, mask;                /* its value at the end; its bits */
	uint32_t threads;                   /* that go round there, or look; */
	uint32_t first[HEDDLE_MAX_THREADS]; /* their nodes where they were stopped */
	struct sums of
		[HEDDLE_MAX_THREADS]; /* what each of the program's threads has added at its nodes; of others nothing */
	struct sums values;                       /* that were met */
	uint16_t step[WALK_NODES][TOGETHER_SUMS]; /* a node, with one of these */
	bool leaves;                              /* some step does */
};

#pragma GCC visibility push(hidden)

/*
 * After engine_end() said `together`, before the program is put back; by who is no fiber. ALONE_LEAVES: one may yet go on;
 * another execution is about that.
 */
enum alone together_follow(void);

/* product.c: the same, of the states that these threads come to at once; all of their steps are known. */
enum alone product_follow(const struct together *all);
/* What the location holds while all others together have added so much, for the thread at that node. */
uint64_t together_value(const struct together *all, uint32_t node, uint64_t others);
/* The place of a value in the set, or TOGETHER_SUMS. */
uint32_t together_find(const struct sums *s, uint64_t sum);

#pragma GCC visibility pop

#endif
