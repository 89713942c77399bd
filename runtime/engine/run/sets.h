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
	uint64_t word = set->word[0], rest = word & (word - 1), more = rest & (rest - 1);
	uint32_t n, rank;

	if (set->some != 1)
		return thread_set_nth(set, prng_below(random, thread_set_count(set)));
	/* Most sets have few members, all of the first word. */
	if (!rest)
		return (uint32_t)__builtin_ctzll(word);
	n = !more ? 2 : !(more & (more - 1)) ? 3 : thread_bits(word);
	for (rank = prng_below(random, n); rank; rank--)
		word &= word - 1;
	return (uint32_t)__builtin_ctzll(word);
}

#endif
