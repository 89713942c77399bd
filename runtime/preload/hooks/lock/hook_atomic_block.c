/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_atomic_block.c - heddle_atomic_begin() and heddle_atomic_end(): a mutex that all such blocks share
 */
/*
 * intercepts: heddle.h
 *
 * explored heddle_atomic_begin heddle_atomic_end heddle_atomic_blocks - who is next (in reports the mutex has the last of these names). Blocks nest; the end of one that the thread has not begun is
 *	lock-misuse
 */
#include "preload/hooks/hook.h"

#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/lock/mutex.h"

/* Reports have this name. Put back with the program's memory. */
HEDDLE_IMAGE __attribute__((visibility("default"))) pthread_mutex_t heddle_atomic_blocks =
	PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* As if the program had named the mutex, by which loops that lock are known (polls.c). It has left anything in the register. */
static void name_mutex(void)
{
	if (under_engine())
		current->entry.arg[0] = (uintptr_t)&heddle_atomic_blocks;
}

ENTERED static void hook_begin(void)
{
	name_mutex();
	mutex_lock(&heddle_atomic_blocks, ENTRY_CALLER());
}
HOOK_ENTRY(heddle_atomic_begin, hook_begin, 0);

ENTERED static void hook_end(void)
{
	name_mutex();
	if (!mutex_mine(&heddle_atomic_blocks))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)&heddle_atomic_blocks, ENTRY_CALLER(),
				"heddle_atomic_end() outside of an atomic block");
	mutex_unlock(&heddle_atomic_blocks, ENTRY_CALLER());
}
HOOK_ENTRY(heddle_atomic_end, hook_end, 0);

static void atomic_block_root(void)
{
	polls_call((uintptr_t)hook_begin);
	polls_call((uintptr_t)hook_end);
}

AT_ROOT(atomic_block_root);
