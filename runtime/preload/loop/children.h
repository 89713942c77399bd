/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.h - processes that the program makes before it has threads
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_CHILDREN_H
#define HEDDLE_PRELOAD_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* fork(), real being libc's; with heddle, called before the root point. */
pid_t children_fork(pid_t (*real)(void));

/* How many processes lie between this one and the one that heddle started. */
unsigned children_level(void);

/* The program took note of the end of a child. */
void children_ended(pid_t pid, int status);

/* Are there processes that this one has made, and has none of them ended that was not waited for? */
bool children_alive(void);

/* A thread is created in a process that runs alone. */
void children_thread_created(void);

/* The run is over: ends the process. In a replay a child ends as its parent is to see it. */
__attribute__((noreturn)) void children_leave(void);

#pragma GCC visibility pop

#endif
