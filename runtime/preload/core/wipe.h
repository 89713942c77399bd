/* SPDX-License-Identifier: BSD-2-Clause */
/* wipe.h - what the runtime leaves on the program's stack is cleared */
#ifndef HEDDLE_PRELOAD_WIPE_H
#define HEDDLE_PRELOAD_WIPE_H

#include <stdint.h>

/*
 * Clears what the runtime's calls left below the stack pointer. The program's next frames lie
 * there, and what their unset variables hold must be the same in every execution. Done by
 * perform(); to be called at the end of other hooks that do much, in a function that calls
 * others (so that it has no red zone).
 */
static inline __attribute__((always_inline)) void wipe_below(void)
{
	uint64_t at, n = 768 / 8;

	__asm__ volatile("leaq -768(%%rsp), %0\n\trep stosq"
			 : "=&D"(at), "+c"(n)
			 : "a"(0)
			 : "memory");
}

#endif
