/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_attributes.h - names, processors and priorities of threads (hook_thread_attributes.c) */
#ifndef HEDDLE_PRELOAD_THREAD_ATTRIBUTES_H
#define HEDDLE_PRELOAD_THREAD_ATTRIBUTES_H

#include <pthread.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Can a thread be made with these attributes? 0 or an error. */
int thread_attributes_check(const pthread_attr_t *attr);
/* The caller has made it: it has the caller's name, processors and priority, but for what they say. */
void thread_attributes_inherit(uint32_t tid, const pthread_attr_t *attr);
/* What the thread was called, or its creator when it was made; NULL where nobody has called it anything. */
const char *thread_attributes_name(uint32_t tid);
/* The calling thread is called that: as much of it as there is room for, as the kernel has it. */
void thread_attributes_rename(const char *name);
/* The calling thread's priority; 0 where it has none. */
int thread_attributes_priority(void);

#pragma GCC visibility pop

#endif
