/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.h - creating, joining and ending threads for other families of hooks
 *
 * As the functions of POSIX, for the calling thread at pc.
 */
#ifndef HEDDLE_PRELOAD_THREAD_H
#define HEDDLE_PRELOAD_THREAD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

int thread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg,
		  uint64_t pc);
/* One of the runtime's own, which tells nobody else its id. */
int thread_create_own(pthread_t *out, void *(*fn)(void *), void *arg, uint64_t pc);
/* The second is no cancellation point by itself. */
int thread_join(pthread_t thread, void **value, uint64_t pc);
int thread_join_now(pthread_t thread, void **value, uint64_t pc);
/* Who has joined a thread is given what that returned, at *to, if that is not NULL. */
void thread_hand_over(void **to, void *value, uint64_t pc);
/* Joins, and hands that over. */
int thread_join_told(pthread_t thread, void **value, uint64_t pc);
int thread_detach(pthread_t thread, uint64_t pc);
__attribute__((noreturn)) void thread_exit(void *value);
/* Called when a thread that ends has left its stack below sp; hooks/libc sets it. */
extern void (*thread_unwound)(uint64_t sp);

/* The caller joins a thread that nobody may join: a bug. */
__attribute__((noreturn)) void thread_join_detached(uint64_t pc);

/* The stack pointer in a jump buffer; glibc keeps it mangled. */
uint64_t stack_in_jump(const __jmp_buf registers);

/* The calling thread is about to end: the destructors of its values, in rounds (hook_key.c); and who joins it is told
 * (hook_join.c). */
void keys_thread_end(void);
void joins_thread_end(void);
/* A thread is detached from now on, or was created so: who tries to join it is told (hook_join.c). */
void joins_detached(uint32_t tid, uint64_t pc);

#pragma GCC visibility pop

#endif
