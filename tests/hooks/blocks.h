/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h - what cases about blocks of the heap are written with
 */
#ifndef BLOCKS_H
#define BLOCKS_H

/* Keeps the compiler from knowing what is done with a block. */
static inline void *hide(void *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

#define IN_A_THREAD(name)                  \
	static void *do_##name(void *arg); \
	static void name(void)             \
	{                                  \
		THREADS(1, do_##name);     \
	}                                  \
	static void *do_##name(void *arg)

#endif
