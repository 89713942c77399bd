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

/* Of one execution. */
struct profile {
	uint32_t n;
	uint64_t addr[WALK_PLACES];
	struct thread_set threads[WALK_PLACES]; /* those that touch it */
	uint32_t count[WALK_PLACES][HEDDLE_MAX_THREADS];
	uint16_t parent[HEDDLE_MAX_THREADS];
	uint32_t nthreads; /* those that did something, or were created, have lower numbers */
};

struct walk {
	struct profile of[2]; /* of the execution before, and of this one, in turn; */
	bool turn;            /* which is which: walk_known(), walk_now() */
	bool counts;          /* a place was drawn: */
	uint64_t place;
	uint32_t left
		[HEDDLE_MAX_THREADS]; /* accesses to it that each thread has to do, as far as is known */
	uint32_t intended;            /* who does the next of them; NO_POS: to be drawn */
	uint32_t elsewhere;           /* operations that it has done since then, without; */
	uint32_t beside;              /* and that others have done */
	struct thread_set created; /* threads that there are, or were: */
	uint32_t nthreads;         /* they have lower numbers */
};

static inline struct profile *walk_known(struct walk *w)
{
	return &w->of[w->turn];
}

static inline struct profile *walk_now(struct walk *w)
{
	return &w->of[!w->turn];
}

#endif
