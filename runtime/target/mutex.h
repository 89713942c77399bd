/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutex.h - locking and unlocking for other families of hooks (condition variables)
 */
#ifndef HEDDLE_TARGET_MUTEX_H
#define HEDDLE_TARGET_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* As pthread_mutex_lock(), by the calling thread at pc. */
int mutex_lock(pthread_mutex_t *m, uint64_t pc);

/* Does the calling thread own it? */
bool mutex_mine(const pthread_mutex_t *m);

/* Gives up a mutex that the caller owns, however often it was locked; returns how often.
 * mutex_retake() gets it back. */
unsigned mutex_give(pthread_mutex_t *m, uint64_t pc);
void mutex_retake(pthread_mutex_t *m, unsigned depth, uint64_t pc);

/* 1 if it is locked, from its own memory: the state before its first operation. */
uint64_t mutex_native_state(uint64_t addr);

#pragma GCC visibility pop

#endif
