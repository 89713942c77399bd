/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_left_out.h - what a round does to memory that is done nowhere else if the round is left out (await.txt, L2)
 *
 * A round is done again by the run from the operation behind it, and its thread may have done the same before it. What is left are
 * accesses that no execution has in which the thread waits instead.
 *
 * Internal to runtime/preload/await.
 */
#ifndef HEDDLE_PRELOAD_ROUNDS_LEFT_OUT_H
#define HEDDLE_PRELOAD_ROUNDS_LEFT_OUT_H

#include "preload/await/rounds.h"

/* What a round does to bytes of a granule. */
struct round_part {
	uint64_t granule;
	uint8_t bytes;
	bool write, plain;
};

/*
 * Calls fn with what the calling thread's round, from operation `from` of its window to `to`, does up to operation `end`, and that stays nowhere
 * else; stops at the first for which it returns false, and returns false then.
 */
bool rounds_each_left_out(const struct await *a, uint32_t from, uint32_t to, uint32_t end,
			  bool (*fn)(const struct round_part *p));

#endif
