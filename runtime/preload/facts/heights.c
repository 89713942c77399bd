/* SPDX-License-Identifier: BSD-2-Clause */
/* heights.c - see heights.h */
#include "preload/facts/heights.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/values.h"

bool heights_watched;
KEPT(heights_watched);

/* The highest place where a thread was at an operation: since the latest creation of a thread, and, before that, since the creation of each other one. */
static uint64_t recent[HEDDLE_EXPLORED_THREADS];
static uint64_t before[HEDDLE_EXPLORED_THREADS][HEDDLE_EXPLORED_THREADS];
KEPT(recent);
KEPT(before);

static void heights_begin(void)
{
	heights_watched = shared->config.mode == ENGINE_EXPLORE && values_explored();
	if (!heights_watched)
		return;
	memset(recent, 0, sizeof(recent));
	memset(before, 0, sizeof(before));
}

AT_BEGIN(heights_begin);

static uint64_t higher(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void heights_arrive(const struct op *op, uint64_t sp)
{
	const uint32_t n = engine_threads(engine);

	recent[current->tid] = higher(recent[current->tid], sp);
	if (op->kind != OP_CREATE)
		return;
	/* The new one is not among them. */
	for (uint32_t owner = 0; owner < n; owner++) {
		for (uint32_t by = 0; by < n; by++)
			before[owner][by] = higher(before[owner][by], recent[owner]);
		recent[owner] = 0;
	}
}

bool heights_were_above(uint32_t owner, uint32_t by, uint64_t addr)
{
	return heights_watched && higher(recent[owner], before[owner][by]) > addr;
}
