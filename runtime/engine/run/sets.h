/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sets.h - a member of a set of threads, drawn at random
 */
#ifndef HEDDLE_ENGINE_RUN_SETS_H
#define HEDDLE_ENGINE_RUN_SETS_H

#include "base/prng.h"

/* Each member of the set, which is not empty, as likely as the others. */
static inline uint32_t set_draw(uint64_t set, uint64_t *random)
{
	uint32_t n = (uint32_t)__builtin_popcountll(set), skip = n == 1 ? 0 : prng_below(random, n);

	while (skip--)
		set &= set - 1;
	return (uint32_t)__builtin_ctzll(set);
}

#endif
