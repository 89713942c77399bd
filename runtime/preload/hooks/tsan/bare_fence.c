/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_fence.c - inline assembly that is a fence: mfence, or a locked instruction that changes nothing on the stack
 *
 * Programs that were written for x86 have these where others call atomic_thread_fence(), and so it is that, sequentially
 * consistent, under each model. A breakpoint stands in its place (hooks/world/asks.c). From there the fence
 * is an operation like that of a hook which the program calls, but that the program keeps all of its registers: so it happens where a
 * handler of the signal would be, and the kernel puts them back.
 *
 * What the kernel tells such a handler of the last fault is of no concern to the thread, and differs: it is taken out, for
 * all this lies on the program's stack.
 */
#include "preload/hooks/hook.h"

#include <signal.h>

#include "preload/arch/x86_64/sigframe.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/world/asks.h"

/* On the program's stack, at an instruction of it. */
static void happens(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	struct op op = {
		.kind = OP_FENCE,
		.order = ORDER_SC,
		.pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP],
	};
	struct op_result res;

	(void)sig;
	(void)info;
	interrupt_point(op.pc);
	operate(&op, &res);
}

/* In a handler on the runtime's stack. False: the program has no stack left for it. */
static bool begins(ucontext_t *uc)
{
	const siginfo_t info = { .si_signo = SIGSEGV };
	greg_t *regs = uc->uc_mcontext.gregs;

	if (!under_engine())
		return true;
	regs[REG_CR2] = regs[REG_ERR] = regs[REG_TRAPNO] = 0;
	return sigframe_begin(uc, &info, (uint64_t)regs[REG_RSP], happens);
}

static void bare_fence_root(void)
{
	asks_fence = begins;
}

AT_ROOT(bare_fence_root);
