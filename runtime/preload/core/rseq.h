/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rseq.h - where the kernel writes the number of the processor
 *
 * glibc registers an area beside each thread's control block with rseq(2), from 2.35 on. The kernel writes
 * there whenever the thread was on another processor, which is no doing of the program's.
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_RSEQ_H
#define HEDDLE_PRELOAD_RSEQ_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The area of the thread with that control block; false: there is none. */
bool rseq_area(uint64_t tcb, uint64_t *start, uint64_t *end);
/* The kernel writes to the calling thread's area no more; false if that cannot be had. */
bool rseq_leave(void);

#pragma GCC visibility pop

#endif
