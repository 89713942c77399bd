/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guide.h - random executions that follow another one, as far as that is possible
 *
 * The guide (engine_config.replay) is a list of steps: which thread is to make the next one, and which write it
 * is to observe. It may be a recorded execution, the beginning of one, or one that somebody made
 * up: steps in another order, or without what reads observe (STEP_NEWEST: the newest write that they may). What
 * cannot be had is left out. So whatever the guide says, what comes of it is an execution of the model, like
 * any other random one, and is judged like one.
 *
 * Behind the guide, and where it does not say, the first execution of a session is as calm as can be: a thread goes on
 * as long as it can, reads observe the newest write, writes come last in mo. All others are drawn.
 *
 * A step is known by its thread and number, so steps may be taken away from the end of a thread, but
 * not from its middle.
 */
#ifndef HEDDLE_ENGINE_ONLINE_GUIDE_H
#define HEDDLE_ENGINE_ONLINE_GUIDE_H

#include "engine/graph/event.h"
#include "engine/run/config.h"

struct guide {
	const struct engine_step_record *step; /* n of them */
	size_t n, at;                          /* at: those before are over */
	uint32_t done[HEDDLE_MAX_THREADS];     /* operations of each thread */
	size_t looked[HEDDLE_MAX_THREADS]; /* before that there is no step of it that is to come */
	uint32_t row;                      /* operations of one thread in a row, behind the guide */
	bool calm;                         /* the first execution */
	bool strayed;                      /* something was not as the guide has it */
};

/* What the next read of a thread is to observe. */
enum guide_read {
	GUIDE_FREE,   /* whatever is drawn */
	GUIDE_NEWEST, /* the newest write that it may */
	GUIDE_NAMED   /* *write */
};

void guide_init(struct guide *g, const struct engine_config *config);

/* There is one; else no other function may be called. */
static inline bool guide_is(const struct guide *g)
{
	return g->n;
}

/* An execution begins. */
void guide_begin(struct engine *e);

/* Whose turn it is, or ENGINE_OVER: it is to be drawn. */
int guide_pick(struct engine *e);

enum guide_read guide_read(const struct engine *e, const struct event *read, uint32_t *write);

/* Of n choices of the thread's next operation the one that it is to take; false: it is to be drawn. */
bool guide_choice(const struct engine *e, uint32_t tid, uint32_t n, uint32_t *choice);

/* Is the next write to come last in mo, and no time to pass for store buffers? */
bool guide_is_calm(const struct engine *e);

/* The thread's operation has happened; its event, or the first of two, is at pos. */
void guide_happened(struct engine *e, uint32_t tid, uint32_t pos);

/* Has this execution all that the guide has, and in this order? */
bool guide_followed(struct engine *e);

#endif
