/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * verdict.h - what an execution that came to its end is
 */
#ifndef HEDDLE_ENGINE_VERDICT_H
#define HEDDLE_ENGINE_VERDICT_H

#include "engine/run/state.h"

void verdict_judge(struct engine *e, struct engine_outcome *outcome);

/* Where the last round begins, among its events, of a thread that the redundant-round rule stopped. */
uint32_t verdict_round_from(const struct engine *e, uint32_t tid);

/* Do all threads that the rule stopped stay in their loops for good? (S5) */
bool verdict_is_stuck(struct engine *e);

/* verdict_cancels.c: was the thread stopped since its read-modify-writes cancel out? */
bool verdict_cancels(const struct engine *e, uint32_t tid);
/* Then: would the next round, done alone, be the same? */
bool verdict_cancels_again(const struct engine *e, uint32_t tid);
/*
 * How many threads that were stopped in loops have a last round at a location of such ones; CANCEL_ANYWHERE: several, and one of
 * them is in the middle of its round; CANCEL_TOGETHER: several, of which it is known (from a trace) that none ever leaves.
 */
enum {
	CANCEL_ANYWHERE = HEDDLE_MAX_THREADS + 1,
	CANCEL_TOGETHER
};
uint32_t verdict_cancel_parties(const struct engine *e);

#endif
