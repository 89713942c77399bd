/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h - what cases about blocks of the heap are written with
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdint.h>
#include <stdlib.h>

/* Keeps the compiler from knowing what is done with a block. */
static inline void *hide(const void *p)
{
	__asm__ volatile("" : "+r"(p));
	return (void *)(uintptr_t)p;
}

/* A block that is there no more. */
static inline void *freed(size_t n)
{
	char *p = hide(calloc(1, n)), *q = hide(p);

	free(p);
	return q;
}

#define IN_A_THREAD(name)                  \
	static void *do_##name(void *arg); \
	static void name(void)             \
	{                                  \
		THREADS(1, do_##name);     \
	}                                  \
	static void *do_##name(void *arg)

/* A case that is no more than these statements. */
#define DO_IN_THREAD(name, ...) \
	IN_A_THREAD(name)       \
	{                       \
		__VA_ARGS__;    \
		return arg;     \
	}

#endif
