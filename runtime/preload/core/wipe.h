/* SPDX-License-Identifier: BSD-2-Clause */
/* wipe.h - what the runtime leaves on the program's stack is written over */
#ifndef HEDDLE_PRELOAD_WIPE_H
#define HEDDLE_PRELOAD_WIPE_H

#include <stdint.h>

/*
 * What memory holds that is the program's, and that it has not written to: fresh blocks of the heap, and stacks
 * where no frame was yet. Neither zero nor, eight times, an address. An atomic read of that is an
 * uninitialised-read (report/memreport.c).
 */
enum {
	UNWRITTEN = 0xcb
};

/*
 * Writes over what the runtime's calls left below the stack pointer. The program's next frames lie
 * there, and what their unset variables hold must be the same in every execution. Done by
 * perform(); to be called at the end of other hooks that do much, in a function that calls
 * others (so that it has no red zone).
 */
static inline __attribute__((always_inline)) void wipe_below(void)
{
	uint64_t at, n = 768 / 8;

	__asm__ volatile("leaq -768(%%rsp), %0\n\trep stosq"
			 : "=&D"(at), "+c"(n)
			 : "a"(UNWRITTEN * 0x0101010101010101ul)
			 : "memory");
}

/* So much, a multiple of eight. */
static inline __attribute__((always_inline)) void wipe_so_much(uint64_t bytes)
{
	uint64_t at = bytes, n = bytes / 8;

	__asm__ volatile("negq %0\n\taddq %%rsp, %0\n\trep stosq"
			 : "+&D"(at), "+c"(n)
			 : "a"(UNWRITTEN * 0x0101010101010101ul)
			 : "memory", "cc");
}

#endif
