/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_once.c - pthread_once
 *
 * The state stands in the pthread_once_t as the engine counts it: 0 not begun, 1 running,
 * 2 done (glibc's own number for done is 2 as well). The first thread runs the routine,
 * the others wait for its end.
 */
#include "target/hook.h"

#include "target/hooks.h"

enum {
	ONCE_NEW = 0,
	ONCE_RUNNING = 1,
	ONCE_DONE = 2
};

uint64_t once_native_state(uint64_t addr)
{
	return (uint64_t) * (const pthread_once_t *)addr;
}

static bool enter(pthread_once_t *once, uint64_t pc)
{
	if (under_engine()) {
		/* Done before the root point: nothing is left to decide. */
		if (*once == ONCE_DONE && shadow_object((uintptr_t)once) != BYTE_LOCKED)
			return false;
		/* Its memory was written anew after it was done. */
		if (unlikely(*once == ONCE_NEW && shadow_object((uintptr_t)once) == BYTE_LOCKED))
			object_op(OP_UNLOCK, once, pc);
		return object_op(OP_ONCE_ENTER, once, pc).wrote;
	}
	if (*once == ONCE_RUNNING)
		report_bug_here(BUG_DEADLOCK, (uintptr_t)once, pc,
				"pthread_once is called by its own routine");
	return *once != ONCE_DONE;
}

HEDDLE_HOOK int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL(pthread_once)(once, routine);
	if (!enter(once, pc))
		return 0;
	*once = ONCE_RUNNING;
	routine();
	if (under_engine()) {
		object_op(OP_ONCE_DONE, once, pc);
		shadow_object_set((uintptr_t)once, BYTE_LOCKED);
	}
	*once = ONCE_DONE;
	return 0;
}
