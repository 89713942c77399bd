/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_once.c - pthread_once
 *
 * The state stands in the pthread_once_t as the engine counts it: 0 not begun, 1 running,
 * 2 done (glibc's own number for done is 2 as well). The first thread runs the routine,
 * the others wait for its end.
 *
 * When an exception leaves the routine (std::call_once), or pthread_exit() or a cancellation
 * unwinds it, the control goes back to "not begun", and the next thread has its turn. The
 * unwinder tells us so: it calls the personality routine of each frame that it takes away,
 * and routine_call() below is a frame with one of ours.
 */
/*
 * intercepts: Initialisation
 *
 * explored pthread_once - who runs the routine, while the others wait; an exception that
 *	leaves it lets the next one try
 */
#include "preload/hooks/hook.h"

#include <unwind.h>

#include "preload/code/fini.h"
#include "preload/core/lifecycle.h"
#include "preload/facts/memo.h"
#include "preload/hooks/world/time.h"
#include "preload/race/memo_shared.h"

enum {
	ONCE_NEW = 0,
	ONCE_RUNNING = 1,
	ONCE_DONE = 2
};

static struct value once_native_state(uint64_t addr)
{
	return value_of((uint64_t) * (const pthread_once_t *)addr);
}

INITIAL_VALUE(once_native_state, KIND(OP_ONCE_ENTER) | KIND(OP_ONCE_DONE));

/* The calls of pthread_once() that a thread is in, innermost first; they lie on its stack. */
struct running {
	pthread_once_t *once;
	struct running *outer;
	uint64_t pc;
};

static HEDDLE_IMAGE_SELDOM struct running *running[HEDDLE_MAX_THREADS] = { NULL };

static struct running **my_running(void)
{
	return &running[self_id()];
}

/* The routine came to no end: as if it had never been called. */
static void left_early(void)
{
	struct running *r = *my_running();

	*my_running() = r->outer;
	if (under_engine())
		object_op(OP_UNLOCK, r->once, r->pc);
	*r->once = ONCE_NEW;
}

#pragma GCC visibility push(hidden)
void routine_call(void (*routine)(void));
_Unwind_Reason_Code routine_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context);
#pragma GCC visibility pop

/* Called for the frame of routine_call(), in the search for a handler and when it goes. */
_Unwind_Reason_Code routine_personality(int version, _Unwind_Action actions,
					_Unwind_Exception_Class class,
					struct _Unwind_Exception *exception,
					struct _Unwind_Context *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & _UA_CLEANUP_PHASE)
		left_early();
	return _URC_CONTINUE_UNWIND;
}

__asm__(".text\n"
	".p2align 4\n"
	".hidden routine_call\n"
	".globl routine_call\n"
	".type routine_call, @function\n"
	"routine_call:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, routine_personality\n"
	"	subq $8, %rsp\n"
	".cfi_def_cfa_offset 16\n"
	"	call *%rdi\n"
	"	addq $8, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size routine_call, .-routine_call\n");

static bool enter(pthread_once_t *once, uint64_t pc)
{
	if (under_engine()) {
		if (objects_watched)
			memo_does_once((uintptr_t)once, sizeof(*once));
		/* Done before the root point: nothing is left to decide. */
		if (*once == ONCE_DONE && shadow_object((uintptr_t)once) != OBJECT_LOCKED)
			return false;
		/* Its memory was written anew after it was done. */
		if (unlikely(*once == ONCE_NEW && shadow_object((uintptr_t)once) == OBJECT_LOCKED))
			object_op(OP_UNLOCK, once, pc);
		return object_op(OP_ONCE_ENTER, once, pc).wrote;
	}
	if (*once == ONCE_RUNNING) {
		time_rings_out(pc);
		report_bug_here(BUG_DEADLOCK, (uintptr_t)once, pc,
				"pthread_once is called by its own routine");
	}
	return *once != ONCE_DONE;
}

HEDDLE_HOOK int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	uint64_t pc = CALLER();
	struct running here = { .once = once, .pc = pc };

	if (!shared)
		return REAL(pthread_once)(once, routine);
	if (!enter(once, pc))
		return 0;
	*once = ONCE_RUNNING;
	here.outer = *my_running();
	*my_running() = &here;
	routine_call(routine);
	*my_running() = here.outer;
	if (under_engine()) {
		object_op(OP_ONCE_DONE, once, here.pc);
		shadow_object_set((uintptr_t)once, OBJECT_LOCKED);
	}
	*once = ONCE_DONE;
	return 0;
}
