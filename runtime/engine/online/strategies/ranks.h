/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ranks.h - priorities of threads, drawn when they are first asked for
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_RANKS_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_RANKS_H

#include <stdint.h>

#include "base/prng.h"
#include "base/thread_set.h"
#include "wire/op.h"

/* Those that were drawn are above this; what is below is set on purpose. */
#define RANK_DRAWN ((uint64_t)1 << 63)

/* The i-th of some steps sets a rank that much above this; below are threads that have lost their turn. */
#define RANK_POINTS ((uint64_t)1 << 32)

struct ranks {
	struct thread_set has; /* the threads that have one */
	uint64_t of[HEDDLE_MAX_THREADS];
};

static inline void rank_draw(struct ranks *r, uint32_t tid, uint64_t *random)
{
	r->of[tid] = RANK_DRAWN | prng_next(random) >> 1;
	thread_set_add(&r->has, tid);
}

/* Of the set, which is not empty, the one with the highest. */
static inline uint32_t ranks_highest(struct ranks *r, const struct thread_set *set,
				     uint64_t *random)
{
	uint32_t best = thread_set_first(set);

	THREAD_SET_EACH(tid, set) {
		if (!thread_set_has(&r->has, tid))
			rank_draw(r, tid, random);
		if (r->of[tid] > r->of[best])
			best = tid;
	}
	return best;
}

#endif
