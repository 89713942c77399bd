/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lengths.h - how long executions are; steps drawn from that, and steps without news
 *
 * Some strategies do something at a few steps of an execution, each as likely as the others. How many steps it will
 * have nobody knows beforehand, so it is taken to have as many as the longest of the last ones.
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_LENGTHS_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/prng.h"
#include "wire/search.h"

enum {
	LENGTHS_FIRST = 64, /* nothing is known */
	LENGTHS_KEPT = 32   /* executions, and as many before */
};

struct lengths {
	uint32_t longest, before, n;
};

static inline void lengths_note(struct lengths *l, uint32_t steps)
{
	if (l->n++ % LENGTHS_KEPT == 0) {
		l->before = l->longest;
		l->longest = 0;
	}
	if (l->longest < steps)
		l->longest = steps;
}

static inline uint32_t lengths_guess(const struct lengths *l)
{
	uint32_t most = l->longest < l->before ? l->before : l->longest;

	return most ? most : LENGTHS_FIRST;
}

/* Steps of an execution at which something is done, by their numbers from 1. */
struct points {
	uint32_t at[STRATEGY_DEPTH_MOST], n;
};

static inline void points_draw(struct points *p, uint32_t n, const struct lengths *l,
			       uint64_t *random)
{
	p->n = n;
	for (uint32_t i = 0; i < n; i++)
		p->at[i] = 1 + prng_below(random, lengths_guess(l));
}

/* Is it one of them? Which, from 1; 0: it is none. */
static inline uint32_t points_find(const struct points *p, uint32_t step, uint32_t from)
{
	while (from < p->n && p->at[from] != step)
		from++;
	return from < p->n ? from + 1 : 0;
}

/*
 * A strategy that lets one thread run as long as it can must not wait for one that waits for others. A thread
 * that has made so many steps, and learned of nothing that others did, loses its turn; when that happens again, after
 * fewer.
 */
enum {
	PATIENCE_FIRST = 1000,
	PATIENCE_LEAST = 8
};

struct patience {
	uint32_t steps[HEDDLE_MAX_THREADS], most[HEDDLE_MAX_THREADS];
};

static inline void patience_begin(struct patience *p)
{
	memset(p->steps, 0, sizeof(p->steps));
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		p->most[t] = PATIENCE_FIRST;
}

/* The thread has made a step. Is it to lose its turn? */
static inline bool patience_ends(struct patience *p, uint32_t tid, bool news)
{
	if (news)
		p->steps[tid] = 0;
	if (++p->steps[tid] <= p->most[tid])
		return false;
	p->steps[tid] = 0;
	if (p->most[tid] / 2 >= PATIENCE_LEAST)
		p->most[tid] /= 2;
	return true;
}

#endif
