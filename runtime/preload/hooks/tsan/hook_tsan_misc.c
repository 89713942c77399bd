/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_tsan_misc.c - the rest of the ThreadSanitizer interface that compilers call,
 */
/*
 * intercepts: Plain accesses
 *
 * internal __tsan_init - tells that a file was instrumented
 * ignored __tsan_func_entry __tsan_func_exit - call stacks come from the unwinder
 * ignored __tsan_ignore_thread_begin __tsan_ignore_thread_end - heddle looks at everything
 */
#include "preload/hooks/hook.h"

#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"

/* Called by a constructor of every instrumented file. */
HEDDLE_HOOK void __tsan_init(void)
{
	tsan_seen = true;
	if (rooted)
		memory_modules(); /* one was loaded */
	else
		memory_modules_early();
}

/* Call stacks come from libunwind: these need to do nothing. */
HEDDLE_HOOK void __tsan_func_entry(void *pc)
{
	(void)pc;
}

HEDDLE_HOOK void __tsan_func_exit(void)
{
}

/* Around code that ThreadSanitizer is not to look at; heddle looks at everything. */
HEDDLE_HOOK void __tsan_ignore_thread_begin(void)
{
}

HEDDLE_HOOK void __tsan_ignore_thread_end(void)
{
}

static void say_uninstrumented(void)
{
	/* relaxed: the controller looks at it in the end */
	atomic_store_explicit(&shared->uninstrumented, !tsan_seen, memory_order_relaxed);
}

AT_ROOT(say_uninstrumented);
