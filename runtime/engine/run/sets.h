/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sets.h - a member of a set of threads, drawn at random
 */
#ifndef HEDDLE_ENGINE_RUN_SETS_H
#define HEDDLE_ENGINE_RUN_SETS_H

#include "base/prng.h"
#include "base/thread_set.h"

/* Each member of the set, which is not empty, as likely as the others. */
static inline uint32_t set_draw(const struct thread_set *set, uint64_t *random)
{
	const uint32_t n = thread_set_count(set);

	return n == 1 ? thread_set_first(set) : thread_set_nth(set, prng_below(random, n));
}

#endif
