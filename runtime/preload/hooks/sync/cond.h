/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cond.h - condition variables for other families of hooks (C11 threads)
 *
 * As the functions of POSIX, for the calling thread at pc.
 */
#ifndef HEDDLE_PRELOAD_COND_H
#define HEDDLE_PRELOAD_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

void cond_init(pthread_cond_t *c, clockid_t clock, uint64_t pc);
void cond_destroy(pthread_cond_t *c, uint64_t pc);
/* Until NULL: for ever. */
int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until,
	      uint64_t pc);
/* The same for ever, as a part of another call: true if the caller is to be cancelled; it has the mutex
 * either way. Under the engine. */
bool cond_wait_interrupted(pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc);
void cond_signal(pthread_cond_t *c, uint64_t pc);
void cond_broadcast(pthread_cond_t *c, uint64_t pc);

#pragma GCC visibility pop

#endif
