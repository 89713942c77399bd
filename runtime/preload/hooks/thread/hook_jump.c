/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_jump.c - jumps to where another thread was
 *
 * longjmp() leaves a test that failed, in frameworks without exceptions. Called in a thread that the
 * test created, it would go on on the stack of the thread that the framework runs in (undefined: ISO C,
 * 7.13.2.1), and threads would seem to be others than they are. The stack pointer in the buffer
 * tells. Stacks that belong to no thread are the program's own business.
 *
 * The masks of threads are kept in deliver.c, not by the kernel. So sigsetjmp() notes the caller's in the
 * buffer, where sigset_t has room for signals that no kernel has, and jumps leave the kernel's alone.
 */
/*
 * intercepts: Non-local jumps
 *
 * internal __sigsetjmp - notes the thread's own signal mask (sigsetjmp)
 * checked longjmp _longjmp siglongjmp __longjmp_chk - a jump to where another thread was
 *	is thread-misuse
 */
#include "preload/hooks/hook.h"

#include <setjmp.h>

#include "preload/code/fini.h"
#include "preload/core/context.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/thread/thread.h"
#include "preload/step/perform.h"

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

/* ---- Masks ------------------------------------------------------------------------------ */

enum {
	NOTED_MASK = 1, /* words of __saved_mask; the kernel has the first */
	NOTED_MARK = 2
};

#define NOTED 0x6d61736b6d61736bul

typedef int sigsetjmp_fn(struct __jmp_buf_tag buf[1], int save_mask);

#pragma GCC visibility push(hidden)
sigsetjmp_fn *note_mask(struct __jmp_buf_tag buf[1], int save_mask);
#pragma GCC visibility pop

/* Called by __sigsetjmp(), which goes on where this says. */
sigsetjmp_fn *note_mask(struct __jmp_buf_tag buf[1], int save_mask)
{
	if (save_mask) {
		buf->__saved_mask.__val[NOTED_MARK] = 0;
		if (signals_are_ours()) {
			sigset_t now;

			signal_mask(SIG_BLOCK, NULL, &now, 0);
			buf->__saved_mask.__val[NOTED_MASK] = now.__val[0];
			buf->__saved_mask.__val[NOTED_MARK] = NOTED;
		}
	}
	return REAL(__sigsetjmp);
}

/* It must not leave a frame behind: the place to come back to is the caller's. */
__asm__(".text\n"
	".p2align 4\n"
	".globl __sigsetjmp\n"
	".type __sigsetjmp, @function\n"
	"__sigsetjmp:\n"
	".cfi_startproc\n"
	"	pushq %rdi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	".cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	".cfi_adjust_cfa_offset 8\n"
	"	call note_mask\n"
	"	addq $8, %rsp\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	".cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
	".cfi_endproc\n"
	".size __sigsetjmp, .-__sigsetjmp\n");

/* The mask that the thread had at sigsetjmp(), which the kernel need not know of. */
static void restore_mask(struct __jmp_buf_tag *buf, uint64_t pc)
{
	sigset_t then = buf->__saved_mask;

	if (!signals_are_ours() || !buf->__mask_was_saved)
		return;
	if (then.__val[NOTED_MARK] == NOTED)
		then.__val[0] = then.__val[NOTED_MASK];
	buf->__mask_was_saved = 0;
	signal_mask(SIG_SETMASK, &then, NULL, pc);
}

#define JUMP(name)                                                                           \
	heddle_noreturn void name(struct __jmp_buf_tag buf[1], int value);                   \
	HEDDLE_HOOK void name(struct __jmp_buf_tag buf[1], int value)                        \
	{                                                                                    \
		struct __jmp_buf_tag copy = *buf;                                            \
                                                                                             \
		note_hidden_state(); /* no way in the code leads there (stretch_frames.c) */ \
		check_jump(buf, CALLER());                                                   \
		if (signals_are_ours())                                                      \
			fault_jumps();                                                       \
		restore_mask(&copy, CALLER());                                               \
		REAL(name)(&copy, value);                                                    \
		__builtin_unreachable();                                                     \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
