/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks.h - is all that the engine keeps what it would be if it were made anew? (--enable-checks)
 *
 * The engine keeps clocks, lists and orders up to date as events come and go; a fault there shows as a
 * lost execution, thousands of steps later, or not at all. With ./configure --enable-checks everything is made
 * anew from the events after each step, in the simplest way, and compared: a difference is a failed
 * must() that names it. Without, nothing of this is compiled.
 *
 * Caller: engine.c and explore.c, where the graph is one that a program is about to execute. What is
 * checked of a graph, and where it is changed: graph/checks.h.
 */
#ifndef HEDDLE_ENGINE_CHECKS_H
#define HEDDLE_ENGINE_CHECKS_H

#include "engine/run/state.h"

#ifdef HEDDLE_CHECKS

/* An operation was added, or the graph is one to be executed from its start. */
void checks_step(struct engine *e);
/* The execution is over, and was judged. */
void checks_end(struct engine *e);
/* A graph of the stack is the current one again. */
void checks_popped(struct engine *e);

/*
 * Says whether a cut of the graph is consistent, with the modification order in its lists if `given`: NULL
 * or what is wrong. What it shares with the engine it cannot find wrong, so it is somebody
 * else's (runtime/offline); NULL: nobody is asked.
 */
extern const char *(*checks_judge)(enum engine_model model, const struct graph *g,
				   const uint32_t *cut, bool given);

#else

static inline void checks_step(struct engine *e)
{
	(void)e;
}

static inline void checks_end(struct engine *e)
{
	(void)e;
}

static inline void checks_popped(struct engine *e)
{
	(void)e;
}

#endif
#endif
