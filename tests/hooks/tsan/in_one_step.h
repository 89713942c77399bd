/* SPDX-License-Identifier: BSD-2-Clause */
/* in_one_step.h - inline assembly that accesses memory in one step */
#ifndef IN_ONE_STEP_H
#define IN_ONE_STEP_H

#include <stdbool.h>

static inline int load(const int *p)
{
	int v;

	__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
	return v;
}

static inline void store(int *p, int v)
{
	__asm__ volatile("movl %1, %0" : "=m"(*p) : "ri"(v) : "memory");
}

static inline int exchange(int *p, int v)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

static inline int add(int *p, int v)
{
	__asm__ volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
	return v;
}

static inline bool compare(int *p, int expected, int v)
{
	bool did;

	__asm__ volatile("lock; cmpxchgl %3, %1; sete %0"
			 : "=q"(did), "+m"(*p), "+a"(expected)
			 : "r"(v)
			 : "memory", "cc");
	return did;
}

#endif
