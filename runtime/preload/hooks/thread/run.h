/* SPDX-License-Identifier: BSD-2-Clause */
/* run.h - a thread of the program is created, begins and ends */
#ifndef HEDDLE_PRELOAD_RUN_H
#define HEDDLE_PRELOAD_RUN_H

#include <pthread.h>

#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/*
 * Creates a thread that runs fn(arg) (OP_CREATE, by the caller whose return address is pc).
 * The first call ever is the root point. *out is stored before the new thread can run; tells: it is the program's.
 * Returns the new thread's id, or -errno.
 */
int spawn(void *(*fn)(void *), void *arg, const pthread_attr_t *attr, pthread_t *out, bool tells,
	  uint64_t pc);

/* What the executions begin with: the root point comes right before it. */
enum outset {
	OUTSET_THREAD, /* the program creates a thread */
	OUTSET_TIMER,  /* it sets a timer that a thread of ours rings */
	OUTSET_CHOICE, /* heddle_choose() */
	OUTSET_ASKED,  /* heddle_root() */
	OUTSET_LOOP,   /* the only thread reads the same again and again, which may be for ever */
};

/* The root point, if it was not reached before. */
void spawn_root(enum outset with);
/* From the root point on: what it was for. */
enum outset spawn_outset(void);

/* Called by the first thread that is created, when it begins; may be NULL. */
extern void (*first_thread_begins)(void);

/* fn of the calling thread returned value (as pthread_exit(value)): destructors, OP_END, end_thread(). */
heddle_noreturn void thread_returned(void *value);
/* Leaves a thread whose OP_END was performed. */
heddle_noreturn void end_thread(void);

#pragma GCC visibility pop

#endif
