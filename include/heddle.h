/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heddle.h - what a test program may say to heddle
 *
 * None of it is needed to run a program under heddle. A test can use it to cut executions
 * that are of no interest, to try several inputs, and to state what must hold:
 *
 *	#include <heddle.h>
 *
 *	static void *worker(void *queue)
 *	{
 *		int item = heddle_choose(3);		// every item is tried
 *
 *		heddle_assume(push(queue, item));	// not interested in a full queue
 *		heddle_assert(!is_empty(queue));
 *		return NULL;
 *	}
 *
 * heddle-cc finds this file and the library that makes the program run by itself too. Every
 * function may be called from any thread at any time, also before the first thread exists.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#if defined(__GNUC__)
#define HEDDLE_NORETURN              __attribute__((__noreturn__))
#define HEDDLE_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define HEDDLE_NORETURN
#define HEDDLE_PRINTF(format, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Goes on only where condition is true (not 0). Where it is false, this execution is dropped:
 * it counts as blocked and is no bug, whatever it would have done afterwards; what it did
 * until then is still checked. Run natively, a false condition ends the whole process at
 * once with status 0, as _exit(0) does.
 */
void heddle_assume(int condition);

/*
 * Returns any number from 0 to n - 1: heddle explore visits all of them, heddle test picks one
 * at random, a replayed execution gets the one recorded. n below 2 gives 0. Run natively, 0.
 */
int heddle_choose(int n);

/*
 * Executions begin here, unless they have begun. Otherwise they begin where the program first creates a
 * thread or calls heddle_choose(): what comes before that is done once, what comes behind it in each execution. Natively
 * nothing.
 */
void heddle_root(void);

/* 1 when the program runs under heddle, 0 when it runs by itself. */
int heddle_running(void);

/*
 * A block between these two is atomic for all other such blocks: they do not overlap, and what one has done the next one
 * sees, as if each locked a mutex that all of them share. What is done outside of blocks may come between. They nest. Natively
 * likewise. A heddle_atomic_end() without its begin is the bug lock-misuse.
 */
void heddle_atomic_begin(void);
void heddle_atomic_end(void);

/*
 * For the reader of a report: says something, as printf() does (but for %n), at this point of the calling thread. The report of a bug, and
 * heddle show, have it among the operations of the execution, the last 1,024 of them, 191 bytes of each. Otherwise nothing is printed. It
 * orders nothing, and adds nothing to what is explored. Natively nothing.
 */
HEDDLE_PRINTF(1, 2) void heddle_trace(const char *format, ...);

/*
 * Names that reports use instead of "heap block 3 of T1" and "thread T2": of `size` bytes of memory, and of the calling thread. The first
 * 1,024 of an execution count, with up to 63 bytes; a later name of the same thing replaces an earlier one. Natively nothing.
 */
void heddle_name(const volatile void *object, unsigned long size, const char *name);
void heddle_name_thread(const char *name);

/*
 * Reports a failed assertion at this place, as assert() does: a bug of kind "assertion" under
 * heddle, a message and abort() natively. heddle_assert() is the usual way to call it.
 */
HEDDLE_NORETURN void heddle_fail(const char *expression, const char *file, unsigned int line,
				 const char *function);

#ifdef __cplusplus
}
#endif

/* States that condition holds; unlike assert(), also in programs compiled with -DNDEBUG. */
#define heddle_assert(condition) \
	((condition) ? (void)0 : heddle_fail(#condition, __FILE__, __LINE__, __func__))

#endif
