/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hooks.h - what the families of hooks ask of each other
 */
#ifndef HEDDLE_TARGET_HOOKS_H
#define HEDDLE_TARGET_HOOKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/op.h"

#pragma GCC visibility push(hidden)

/* hook_tsan_misc.c: an instrumented part of the program was initialised. */
extern bool tsan_seen;

/* hook_tsan_atomic.c: an atomic operation of the calling fiber, with its effect on memory. */
void atomic_op(const struct op *op, struct op_result *res);

/* hook_thread.c: lets another thread run where the choice is random. No event. */
void thread_yield(uint64_t pc);
/* Finds the unwinder that the program uses, and lets it set itself up. */
void unwinder_root(void);

/* hook_memory.c: the module with code at pc is instrumented. */
void memory_module(uint64_t pc);
/* Is that so? */
bool memory_from_program(uint64_t pc);
/* Finds libc's functions. */
void memory_root(void);

/* hook_string.c: likewise. */
void string_root(void);

/* hook_key.c: remembers what the main thread has at the root point. */
void keys_root(void);
/* The destructors of the calling thread's values, in rounds. */
void keys_thread_end(void);

/* Calls fn for the values that a thread has. */
void keys_each_value(uint32_t tid, void (*fn)(uint64_t value));

/* hook_random.c: the main thread seeds the other threads' sequences until then. */
void random_thread_started(uint32_t tid);

/* hook_sem.c, hook_once.c: state of an object before its first operation. */
uint64_t sem_native_state(uint64_t addr);
uint64_t once_native_state(uint64_t addr);

#pragma GCC visibility pop

#endif
