/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * announce.h - what a function of a library is about to do to memory, as plain accesses
 *
 * For the hooks of functions that are not instrumented and work on what the program hands them:
 *
 *	HEDDLE_HOOK int puts(const char *s)
 *	{
 *		uint64_t pc = CALLER();
 *
 *		if (seen(pc))
 *			reads_text(s, SIZE_MAX, pc);
 *		return REAL(puts)(s);
 *	}
 *
 * Reads come first: behind one, memory holds what the thread is to see there, and before it
 * perhaps not (promote.h); so whatever was found out by looking earlier is found out once more.
 * A write is announced right before it happens, since a thread that is only tried out has it
 * undone (probe.c), and what the engine is to know of it is taken from memory by whatever the thread
 * announces next. Any of them may run other threads, or never return: nothing half done may be kept
 * anywhere but on the stack.
 */
#ifndef HEDDLE_PRELOAD_ANNOUNCE_H
#define HEDDLE_PRELOAD_ANNOUNCE_H

#include "preload/hooks/hook.h" /* defines _GNU_SOURCE */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "preload/access/bare_traps.h"
#include "preload/code/modules.h"

/* Does the call at pc count? Those of instrumented code do (hook_memory.c), and of libraries that are looked at. */
static inline bool seen(uint64_t pc)
{
	return program_runs() &&
	       (memory_from_program(pc) || (unlikely(bare_asks) && bare_is_in(pc)));
}

static inline void accesses(const volatile void *p, size_t n, bool is_write, uint64_t pc)
{
	if (likely(memory_from_program(pc)))
		shadow_plain((uintptr_t)p, n, is_write, pc);
	else
		bare_passes(p, n, is_write, pc);
}

static inline void reads(const volatile void *p, size_t n, uint64_t pc)
{
	accesses(p, n, false, pc);
}

static inline void writes(const volatile void *p, size_t n, uint64_t pc)
{
	accesses(p, n, true, pc);
}

/*
 * A string of which at most n bytes count (SIZE_MAX: with its 0), if anybody can write to it. A thread
 * that is tried out ends at a read of what others may write, and literals are read by nearly every call.
 */
static inline void reads_text(const char *s, size_t n, uint64_t pc)
{
	size_t length;

	if (module_constant((uintptr_t)s))
		return;
	length = n > PTRDIFF_MAX ? strlen(s) : strnlen(s, n);
	reads(s, length < n ? length + 1 : n, pc);
}

/* What a call is told of when to stop waiting. */
static inline void reads_time(const struct timespec *t, uint64_t pc)
{
	if (seen(pc) && !module_constant((uintptr_t)t))
		reads(t, sizeof(*t), pc);
}

/*
 * A call is to tell the program something, which it may do or not: made with memory of ours in the place of `to`, if so, and told
 * behind it. errno stays.
 */
static inline bool may_fill(void *to, size_t n, uint64_t pc)
{
	return seen(pc) && memory_writable(to, n);
}

static inline void fill(void *to, const void *from, size_t n, uint64_t pc)
{
	int error = errno;

	writes(to, n, pc);
	memcpy(to, from, n);
	errno = error;
}

/* hook_heap.c: a block that the program is to free(); of its own malloc(), if it has one. NULL, with errno. */
void *block_for_program(size_t size, uint64_t pc);

#endif
