/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutex.h - mutexes for other families of hooks: condition variables, C11 threads
 */
#ifndef HEDDLE_PRELOAD_MUTEX_H
#define HEDDLE_PRELOAD_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* As the functions of POSIX, for the calling thread at pc; kind: a type and what else is in __kind. */
void mutex_init(pthread_mutex_t *m, int kind, uint64_t pc);
void mutex_destroy(pthread_mutex_t *m, uint64_t pc);
int mutex_lock(pthread_mutex_t *m, uint64_t pc);
/* Whatever the caller's priority is. */
int mutex_lock_below(pthread_mutex_t *m, uint64_t pc);
int mutex_trylock(pthread_mutex_t *m, uint64_t pc);
int mutex_timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until, uint64_t pc);
int mutex_unlock(pthread_mutex_t *m, uint64_t pc);

/* Does the calling thread own it? */
bool mutex_mine(const pthread_mutex_t *m);

/* Unlocks a mutex that the caller owns, once: who locked it more often keeps it, as POSIX has it
 * (pthread_mutexattr_settype, on waits). Returns how often it was locked. mutex_retake() gets it
 * back, and returns what pthread_mutex_lock() would. */
unsigned mutex_give(pthread_mutex_t *m, uint64_t pc);
int mutex_retake(pthread_mutex_t *m, unsigned depth, uint64_t pc);

/* Frees a mutex that the caller owns, without anything that robust mutexes make of it. */
void mutex_free(pthread_mutex_t *m, uint64_t pc);

/* In __kind, as in glibc. */
enum {
	MUTEX_KIND_ROBUST = 0x10,
	MUTEX_KIND_CEILING = 0x40
};

/* hook_ceiling.c. Of one that has a ceiling: is the caller's priority higher? */
bool ceiling_forbids(const pthread_mutex_t *m);

static inline bool mutex_is_above(const pthread_mutex_t *m)
{
	return m->__data.__kind & MUTEX_KIND_CEILING && ceiling_forbids(m);
}

static inline bool mutex_is_robust(const pthread_mutex_t *m)
{
	return m->__data.__kind & MUTEX_KIND_ROBUST;
}

/*
 * hook_robust.c. The caller has locked a robust mutex: 0, EOWNERDEAD, or ENOTRECOVERABLE, and
 * then it does not have it any more. And it has just freed one.
 */
int robust_got(pthread_mutex_t *m, uint64_t pc);
void robust_given(pthread_mutex_t *m);

/* hook_robust.c: the calling thread is about to end: its robust mutexes get free. */
void robust_thread_end(uint64_t pc);

#pragma GCC visibility pop

#endif
