/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.h - strategy `mix`: the others take turns
 *
 * A strategy that finds a bug with a chance of h in each execution does so with s * h in a mix in which it has a share s. So the
 * shares are such that for most bugs of bench/detection the sum of s * h is about half the largest h, or more. For bugs that one of
 * them finds nearly always it is the first executions that count: they follow a list.
 *
 * The strategies are too many, and too unlike, for a share each. So a turn is a strategy for who moves, and what reads observe
 * (reads.c), which need not be what the strategy itself says: one such turn does half as well as two strategies, or better, at what
 * either finds, and finds what neither does. bench/detection says how far that holds.
 *
 * While there is something new to be seen, those that show it have more turns: the share of each grows with the part of its
 * executions that showed a pair of a write and a read in the source for the first time, up to four times.
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/search.h"

struct mix {
	uint64_t turns; /* executions so far */
	/* Of each strategy, the part of its executions that showed new pairs, with less weight on what is long ago. */
	uint32_t gain[STRATEGY_COUNT];
};

/* What the reads of an execution observe, if the model lets them, and that lets the thread go on. */
enum reads {
	READS_USUAL,         /* what the strategy says */
	READS_ANY,           /* whatever the model lets them */
	READS_KNOWN,         /* what their thread knows already */
	READS_LAST_OR_KNOWN, /* as it is drawn for each: the last write, or what is known; */
	READS_LAST_OR_ANY    /* the last write, or any */
};

/* A strategy, how deep it goes (of those that take a number), and what reads observe. */
struct turn {
	uint8_t strategy, depth, reads;
};

/* A session begins. */
void mix_begin(struct mix *m);
/* Who has the next execution. views: under the model, what a thread knows can be something else than the last write. */
struct turn mix_draw(const struct mix *m, bool views, uint64_t *random);
/* An execution by that strategy is over; fresh: pairs that it showed first. */
void mix_over(struct mix *m, unsigned strategy, uint32_t fresh);

#endif
