/* SPDX-License-Identifier: BSD-2-Clause */
/* touch.h - memory that the program named */
#ifndef HEDDLE_PRELOAD_TOUCH_H
#define HEDDLE_PRELOAD_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* While the runtime touches memory that the program named: a fault there is the program's,
 * at this pc. */
extern volatile uint64_t touching_pc;

/* The program may go on behind a fault, in a handler: what cannot be written is found out before the operation. */
extern bool touch_writes;

/* Copies like memcpy(), but stops at a fault; returns how many bytes were not copied. */
uint64_t copy_safely(void *to, const void *from, uint64_t n);
extern const char copy_safely_at[], copy_safely_end[]; /* for signal.c: faults at, goes on at */

/* What the kernel answers with EFAULT: is memory to be read, or to be written, at the first and at the
 * last of these bytes? Nothing is changed. n may be 0: yes. */
bool memory_readable(const void *p, uint64_t n);
bool memory_writable(void *p, uint64_t n);

/*
 * What reads, or writes, at p whatever it comes to: a fault here is the program's, as any in a hook
 * (loop/blame.c). What stands there stays.
 */
static inline void touch_to_read(const volatile void *p)
{
	(void)*(const volatile char *)p;
}

static inline void touch_to_write(volatile void *p)
{
	/* clang makes a load of __atomic_fetch_or() with 0 */
	__asm__ volatile("lock orb $0, %0" : "+m"(*(volatile char *)p) : : "cc", "memory");
}

#pragma GCC visibility pop

#endif
