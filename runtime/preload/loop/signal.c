/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal.c - a fault is a bug of the program, not the end of heddle
 *
 * SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGABRT come here, on a stack of their own. The
 * program's handler comes first (hooks/interrupt/fault.c). Without one a
 * fault in a fiber is recorded with thread, code address and data address, and ends the
 * execution: control goes to the driver, and never back to the handler's caller. A fault in
 * the runtime is the program's if the runtime was touching memory that the program named
 * (touching_pc, blame.c), and heddle's own failure otherwise.
 */
#define _GNU_SOURCE 1
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "preload/access/bare_traps.h"
#include "preload/await/await.h"
#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/fiber/fiber.h"
#include "preload/image/entered.h"
#include "preload/image/snapshot.h"
#include "preload/liveness/taken.h"
#include "preload/loop/blame.h"
#include "preload/loop/driver.h"
#include "preload/loop/signals.h"
#include "preload/report/report.h"

enum {
	ALT_STACK = 1 << 16,
	GUARD_REACH = 1 << 16,
	SEARCHED = 64 /* words of a stack */
};

bool (*signals_asks)(ucontext_t *uc);
KEPT(signals_asks);
bool (*signals_taker)(int sig, const siginfo_t *info, ucontext_t *uc,
		      const struct signal_cause *cause);

static const char *signal_text(int sig)
{
	switch (sig) {
	case SIGSEGV:
		return "segmentation fault";
	case SIGBUS:
		return "bus error";
	case SIGFPE:
		return "arithmetic error (SIGFPE)";
	case SIGILL:
		return "illegal instruction";
	case SIGTRAP:
		return "trap (SIGTRAP)";
	default:
		return "aborted (SIGABRT)";
	}
}

/* True when addr is below the calling thread's stack, where nothing else is. */
static bool overflows_stack(uint64_t addr, uint64_t sp)
{
	const struct fiber *f = current ? fiber_self() : &fibers[0];

	if (f->self.tid == 0)
		return addr + GUARD_REACH > sp && addr < sp + GUARD_REACH && addr < sp + 4096;
	return addr < f->stack_low &&
	       addr >= (fiber_has_given_stack(f) ? f->stack_low : f->mapped_low) - 4096;
}

/* call: of the runtime, that the program made with a bad pointer; NULL if it was none. */
static void describe(struct text *t, int sig, const siginfo_t *info, uint64_t sp, const char *call)
{
	uint64_t addr = (uint64_t)(uintptr_t)info->si_addr;

	if (sig == SIGSEGV && overflows_stack(addr, sp)) {
		text_str(t, "stack overflow of thread ");
		text_int(t, self_id());
		return;
	}
	text_str(t, signal_text(sig));
	if (fault_is_wild(sig, info)) {
		text_str(t, " at a non-canonical address");
	} else if (sig == SIGSEGV || sig == SIGBUS) {
		text_str(t, " at address ");
		text_hex(t, addr);
	}
	if (call) {
		text_str(t, ", in ");
		text_str(t, call);
		text_str(t, "()");
	}
}

static heddle_noreturn void runtime_fault(int sig, uint64_t pc, uint64_t addr)
{
	char buf[128];
	struct text t = text_in(buf, sizeof(buf));

	text_str(&t, signal_text(sig));
	text_str(&t, " in the runtime at ");
	text_hex(&t, pc - (uint64_t)(uintptr_t)runtime_fault);
	text_str(&t, " (relative), address ");
	text_hex(&t, addr);
	internal_error(buf, NULL);
}

/*
 * The program called what is no code, by a pointer to a function that was never set, say. Then the
 * place is where it was called from; or 0.
 */
static uint64_t call_of(const ucontext_t *uc, uint64_t fault)
{
	const greg_t *regs = uc->uc_mcontext.gregs;
	const uint64_t *sp = (const uint64_t *)(uintptr_t)regs[REG_RSP];

	if ((uint64_t)regs[REG_RIP] != fault || module_of(fault) >= 0 ||
	    !memory_readable(sp, sizeof(*sp)) || module_of(*sp) < 0)
		return 0;
	return *sp;
}

/* The context goes back to there. */
static void back_to_call(ucontext_t *uc)
{
	greg_t *regs = uc->uc_mcontext.gregs;

	regs[REG_RIP] = (greg_t) * (const uint64_t *)(uintptr_t)regs[REG_RSP];
	regs[REG_RSP] += (greg_t)sizeof(uint64_t);
}

/* A hook that the program called ran out of stack: where the stack has an address in the program. */
static uint64_t caller_near(uint64_t sp)
{
	for (const uint64_t *at = (const uint64_t *)sp; at < (const uint64_t *)sp + SEARCHED; at++)
		if (memory_readable(at, sizeof(*at)) && !in_runtime(*at) && module_of(*at) >= 0)
			return *at;
	return progress->op_pc;
}

static void on_fault(int sig, siginfo_t *info, void *arg)
{
	ucontext_t *uc = arg;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP], at = 0;
	const bool lifted = code_lifted != 0;
	const char *call = NULL;
	char buf[160];
	struct text t = text_in(buf, sizeof(buf));
	struct signal_cause cause = {
		.kind = BUG_CRASH,
		.addr = (uint64_t)(uintptr_t)info->si_addr,
		.touched = touching_pc,
		.text = buf,
	};

	if (lifted)
		code_put_back();
	if (sig == SIGTRAP && (taken_trap(uc) || bare_trap(uc, info->si_code)))
		return;
	if (sig == SIGSEGV && snapshot_fault((uint64_t)(uintptr_t)info->si_addr))
		return;
	if (sig == SIGSEGV && !lifted && signals_asks && signals_asks(uc))
		return;
	if (sig == SIGSEGV && pc == cause.addr && entered_fault(pc))
		return;
	bare_steps_no_more(uc);
	if (stack_walks())
		stack_walk_fails();
	if (pc == (uint64_t)(uintptr_t)copy_safely_at) {
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)copy_safely_end;
		return;
	}
	if (current && current->probing)
		probe_differs();
	if (sig == SIGTRAP && shared->config.stop_at_bug && in_runtime(pc))
		return; /* no debugger took the stop */
	if (touching_pc) {
		pc = touching_pc > 1 ? touching_pc : progress->op_pc;
		call = call_before(pc);
	} else if (rooted && !current) {
		runtime_fault(sig, pc, cause.addr);
	} else if (sig == SIGSEGV && rooted && in_runtime(pc) && overflows_stack(cause.addr, sp)) {
		pc = caller_near(sp);
	} else if (in_runtime(pc)) {
		if (!fault_of_caller(sig, info, uc, &pc))
			runtime_fault(sig, pc, cause.addr);
		call = call_before(pc);
	} else if (sig == SIGSEGV && (at = call_of(uc, cause.addr))) {
		pc = at;
	} else {
		pc++; /* a side's pc is a return address: behind the instruction */
	}
	describe(&t, sig, info, sp, call);
	cause.pc = pc;
	if (signals_taker(sig, info, uc, &cause))
		return;
	touching_pc = 0;
	if (at)
		back_to_call(uc);
	stack_fault_context(uc);
	report_bug_here(cause.kind, cause.addr, pc, buf);
}

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

void signals_init(void)
{
	struct sigaction sa;
	stack_t ss;

	memset(&ss, 0, sizeof(ss));
	ss.ss_sp = map_own(ALT_STACK);
	ss.ss_size = ALT_STACK;
	sys3(SYS_sigaltstack, (long)&ss, 0, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_fault;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
	for (unsigned i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		REAL(sigaction)(fatal[i], &sa, NULL);
}
