/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_jump.c - jumps to where another thread was
 *
 * longjmp() leaves a test that failed, in frameworks without exceptions. Called in a thread that the
 * test created, it would go on on the stack of the thread that the framework runs in (undefined: ISO C,
 * 7.13.2.1), and threads would seem to be others than they are. The stack pointer in the buffer
 * tells. Stacks that belong to no thread are the program's own business.
 */
/*
 * intercepts: Non-local jumps
 *
 * checked longjmp _longjmp siglongjmp __longjmp_chk - a jump to where another thread was
 *	is thread-misuse
 */
#include "target/hook.h"

#include <setjmp.h>

#include "target/driver.h"
#include "target/thread.h"

static void check_jump(const struct __jmp_buf_tag *buf, uint64_t pc)
{
	char message[128];
	struct text t = text_in(message, sizeof(message));
	struct place p;

	if (!under_engine() || !place_on_stack(stack_in_jump(buf->__jmpbuf), &p) ||
	    p.thread == self()->tid)
		return;
	text_str(&t, "longjmp to a place in another thread (T");
	text_int(&t, p.thread);
	text_str(&t, "), as by a check of a test framework that fails in a thread of the test");
	report_bug_here(BUG_THREAD_MISUSE, 0, pc, message);
}

#define JUMP(name)                                                         \
	heddle_noreturn void name(struct __jmp_buf_tag buf[1], int value); \
	HEDDLE_HOOK void name(struct __jmp_buf_tag buf[1], int value)      \
	{                                                                  \
		check_jump(buf, CALLER());                                 \
		REAL(name)(buf, value);                                    \
		__builtin_unreachable();                                   \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
