/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.h - strategy `mix`: the others take turns, and those that find more have more of them
 *
 * What an execution found is what it shows for the first time: pairs of a write and a read in the source, and its
 * graph. Of each strategy the mean of that, with less weight on what is long ago, is divided by the mean of operations; as likely
 * is it chosen, but none less than one in SHARE of the best. (Operations stand for time, so that a seed draws the same again.)
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/graph/graph.h"
#include "wire/search.h"

enum {
	MIX_GRAPHS =
		1
		<< 16 /* that are remembered, some of them for as long as no other one comes in their place */
};

struct mix {
	uint64_t turns;                                      /* executions so far */
	uint64_t gain[STRATEGY_COUNT], cost[STRATEGY_COUNT]; /* means */
	uint64_t graph[MIX_GRAPHS];
};

/* A session begins. */
void mix_begin(struct mix *m);
/* The strategy of the next execution. */
unsigned mix_draw(struct mix *m, uint64_t *random);
/* An execution by that strategy is over; fresh: pairs that it showed first. */
void mix_over(struct mix *m, unsigned strategy, const struct graph *g, uint32_t fresh);
/* How deep, of those that take a number. */
uint32_t mix_depth(unsigned strategy, uint64_t *random);

#endif
