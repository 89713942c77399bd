/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.h - other processes of the program, and what they could do to this one
 *
 * Of processes that live side by side each is explored by itself, or runs alone (loop/children.c). So what one of them
 * does to another one is in no execution. Here it is known who there is and what memory they share, and what would be
 * done through that is refused by name: a semaphore that a child posts, a signal between parent and child, a thread
 * that waits for a child. Where nobody else lives any more, all of that is the process's own business.
 */
#ifndef HEDDLE_PRELOAD_KIN_H
#define HEDDLE_PRELOAD_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* There may be some. */
extern bool kin_any;
/* And objects are to be looked at for that, or since memory is mapped twice (alias.h). */
extern bool kin_watches;

/* Around a fork(): before it, and then in the parent, or in the child of that parent. */
void kin_forks(void);
void kin_made(pid_t child);
void kin_born(pid_t of);
/* A process of another program was made. */
void kin_spawned(pid_t child);
/* The program took note of the end of a child. */
void kin_ended(pid_t child);

/* Does a process live that this one has made, or its parent? */
bool kin_lives(void);
/* The i-th, from 0, of those that this process has made and nobody has waited for; 0: there are no more. */
pid_t kin_child(uint32_t i);
/* Is this one a child? */
bool kin_is_child(void);

/* Memory that others may have, too, whenever they get it; and that is not so any more. */
void kin_shares(const volatile void *at, size_t size);
void kin_keeps(const volatile void *at, size_t size);

/* What kin_any and alias_any() say has changed. */
void kin_watch(void);
/* Refuses, if another process that lives has the object, too, or this one has it twice; what: "a semaphore". */
void kin_look(const volatile void *object, const char *what);
static inline void kin_uses(const volatile void *object, const char *what)
{
	if (unlikely(kin_watches))
		kin_look(object, what);
}

/* In a hook of an object: is it to do what libc's function does, in a process without heddle? */
static inline bool kin_native(const volatile void *object, const char *what)
{
	kin_uses(object, what);
	return !shared;
}

/*
 * In a process that has let go of heddle: an object that was made before is as heddle keeps it, and has to become libc's.
 * True there, for one thread at a time, up to kin_took_over().
 */
bool kin_takes_over(void);
void kin_took_over(void);

/* Refuses a signal that another process of the program would get; target as kill() has it, of the kernel. */
void kin_signals(pid_t target, int sig);
/* Refuses, if one lives: "the program WHAT, and ..." */
void kin_refuses(const char *what, const char *cure);

#pragma GCC visibility pop

#endif
