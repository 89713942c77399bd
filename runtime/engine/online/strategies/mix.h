/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.h - strategy `mix`: the others take turns
 *
 * A strategy that finds a bug with a chance of h in each execution does so with s * h in a mix in which it has a share s. So the
 * shares are such that for most bugs of bench/detection the sum of s * h is about half the largest h, or more: most have those that are
 * good at much, or at what no other one finds. For bugs that one of them finds nearly always it is the first executions
 * that count: they follow a list. bench/detection says how far that holds.
 *
 * While there is something new to be seen, those that show it have more turns: the share of each grows with the part of its
 * executions that showed a pair of a write and a read in the source for the first time, up to four times.
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H

#include <stdint.h>

#include "wire/search.h"

struct mix {
	uint64_t turns; /* executions so far */
	/* Of each strategy, the part of its executions that showed new pairs, with less weight on what is long ago. */
	uint32_t gain[STRATEGY_COUNT];
};

/* A strategy, and how deep it goes (of those that take a number). */
struct turn {
	uint8_t strategy, depth;
};

/* A session begins. */
void mix_begin(struct mix *m);
/* Who has the next execution. */
struct turn mix_draw(const struct mix *m, uint64_t *random);
/* An execution by that strategy is over; fresh: pairs that it showed first. */
void mix_over(struct mix *m, unsigned strategy, uint32_t fresh);

#endif
