/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - what strategy `surw` keeps: how often which thread touched what
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_WALK_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_set.h"
#include "wire/op.h"

enum {
	WALK_PLACES = 64 /* the first that an execution touches */
};

/* Of one execution. Rows have as many entries as there were threads. */
struct profile {
	uint32_t n;
	uint32_t nthreads; /* ids of threads that there were are below */
	uint64_t addr[WALK_PLACES];
	struct thread_set threads[WALK_PLACES]; /* those that touch it */
	uint32_t count[WALK_PLACES][HEDDLE_MAX_THREADS];
	uint16_t parent[HEDDLE_MAX_THREADS];
};

struct walk {
	struct profile profile[2]; /* of the execution before, and of this one: */
	uint32_t now;              /* that one */
	bool counts;               /* a place was drawn: */
	uint64_t place;
	uint32_t left
		[HEDDLE_MAX_THREADS]; /* accesses to it that each thread has to do, as far as is known */
	uint32_t intended;            /* who does the next of them; NO_POS: to be drawn */
	struct thread_set created; /* threads that there are, or were */
};

static inline struct profile *walk_now(struct walk *w)
{
	return &w->profile[w->now];
}

static inline const struct profile *walk_known(const struct walk *w)
{
	return &w->profile[!w->now];
}

#endif
