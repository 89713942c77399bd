/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.h - what each thread does next is known, and executions are made without the program
 *
 * What a thread does next is a function of what it has read. The memo is a tree of steps for each thread: a step is a place
 * behind so many of its operations, which read such values, and says what comes next. Where that is known of all threads, the
 * exploration makes the execution by itself, as the program would (engine/memo_run.h). memo.txt: why nothing is lost, and
 * when it holds.
 *
 *	memo_learn(e, tid, op);		the program is there: the thread does that next
 *	memo_told(e, tid, mask);	likewise, and that is what values would do to it
 *	s = memo_step(e, tid);		what it does next, where it is now; NULL: not known
 *
 * Cost: a step for each history of a thread; O(events) for each execution.
 */
#ifndef HEDDLE_ENGINE_MEMO_H
#define HEDDLE_ENGINE_MEMO_H

#include "engine/run/state.h"

struct memo_step {
	uint32_t above, first,
		other; /* the step that leads here; the first that this one leads to, the next one of `above`; 0: none */
	uint32_t index;         /* events of the thread before it */
	struct value came;      /* what the operation of `above` read */
	struct op op;           /* OP_KINDS: not known yet */
	struct await_mask mask; /* op.await: what values would do */
};

struct memo {
	bool lost;   /* nothing is known any more */
	bool making; /* an execution, without the program */
	bool unknown; /* which it needs: a location that nobody has met */
	const char *why;
	uint32_t nsteps, most; /* step 0 is none */
	struct memo_step *step;
	uint32_t *behind; /* by place in the graph: the step behind that operation, as far as threads were followed */
	/* Of each thread: its first step, the one where it is, and how many of its events come before that. */
	uint32_t root[HEDDLE_EXPLORED_THREADS], at[HEDDLE_EXPLORED_THREADS],
		index[HEDDLE_EXPLORED_THREADS];
	uint64_t made, given_up; /* executions */
};

size_t memo_bytes(uint32_t capacity);
void memo_init(struct engine *e, struct arena *a, uint32_t capacity);
/* No step is known: the exploration begins. */
void memo_empty(struct engine *e);
/* A run begins. */
void memo_begin(struct engine *e);

void memo_learn(struct engine *e, uint32_t tid, const struct op *op);
void memo_told(struct engine *e, uint32_t tid, const struct await_mask *told);
const struct memo_step *memo_step(struct engine *e, uint32_t tid);
/* The location, which the run meets for the first time, holds that; it is what it always held. */
void memo_meets(struct engine *e, const struct location *l, struct value now);

/* From now on the program runs, for a reason; again: what was made is made again, since it is not certain. */
void memo_lose(struct engine *e, const char *why, bool again);

#endif
