/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault.c - faults, and signals that are else: the program's own handlers come first
 *
 * A fault of the program, as the kernel sends it (loop/signal.c), begins the program's handler where the kernel
 * would have begun it: on the stack of the thread, or on that for signals (sigframe.h). It finds the
 * context that the kernel made, and what it changes there holds when it returns. If there is none, or the
 * signal is blocked or ignored, the fault is a bug, as is one that a handler meets again. Signals that
 * the program sends itself are like any others (deliver.c), and abort() is one that is
 * not blocked.
 *
 * A handler that ends the program (by _exit() with a status, say, or by raising the signal again, as test
 * frameworks do) only says so: the bug is what it was called for, where that was. So the cause is kept
 * while the handler runs.
 *
 * The fault may be in a hook that touches what the program named. Such a hook has the fiber's stack of hooks, and
 * what is on it is kept: the hooks that the handler calls are given the rest of that stack.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/interrupt/fault.h"

#include <string.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/core/touch.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/altstack.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/loop/signals.h"

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };

enum {
	FAULTS = sizeof(faults) / sizeof(*faults)
};

/* What the program wants done about each of them. */
HEDDLE_IMAGE_SELDOM static struct sigaction wanted[FAULTS] = { { .sa_flags = 0 } };

/* Why the handler runs that a thread is in. */
HEDDLE_IMAGE_SELDOM static struct cause {
	bool is;
	enum bug_kind kind;
	uint64_t addr, pc;
	char message[SIGNAL_TEXT];
} causes[HEDDLE_MAX_THREADS] = { { .is = false } };

/* ---- What the program wants ------------------------------------------------------------------- */

static int index_of(int sig)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == sig)
			return i;
	return -1;
}

bool signal_is_fault(int sig)
{
	return index_of(sig) >= 0;
}

const struct sigaction *fault_action(int sig)
{
	int i = index_of(sig);

	return i < 0 ? NULL : &wanted[i];
}

static bool has_handler(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

void fault_set_action(int sig, const struct sigaction *to)
{
	struct sigaction *a = &wanted[index_of(sig)];

	note_plain_write((uintptr_t)a, sizeof(*a));
	*a = *to;
	touch_writes |= has_handler(a);
}

/* ---- Causes ----------------------------------------------------------------------------------- */

static void cause_begins(enum bug_kind kind, uint64_t addr, uint64_t pc, const char *message)
{
	struct cause *c = &causes[self_id()];
	struct text t = text_in(c->message, sizeof(c->message));

	note_plain_write((uintptr_t)c, sizeof(*c));
	c->is = true;
	c->kind = kind;
	c->addr = addr;
	c->pc = pc;
	text_str(&t, message);
}

static void cause_ends(void)
{
	struct cause *c = &causes[self_id()];

	if (!c->is)
		return;
	note_plain_write((uintptr_t)c, sizeof(*c));
	c->is = false;
}

/* An id may be given to another thread after one that ended in a handler. */
static void fault_thread_started(uint32_t tid)
{
	(void)tid;
	cause_ends();
	fiber_leaves_hooks();
}

AT_STARTED(fault_thread_started);

void fault_at_end(void)
{
	const struct cause *c = &causes[self_id()];

	if (c->is)
		report_bug_here(c->kind, c->addr, c->pc, c->message);
}

void fault_ends(int sig, uint64_t pc)
{
	char buf[SIGNAL_TEXT];
	struct text t = text_in(buf, sizeof(buf));

	fault_at_end();
	text_str(&t, "the program raised SIG");
	text_str(&t, signal_name(sig));
	report_bug_here(sig == SIGABRT ? BUG_ABORT : BUG_CRASH, 0, pc, buf);
}

void fault_abort(enum bug_kind kind, const char *message, uint64_t pc)
{
	const struct signal_info with = { .code = SI_TKILL };
	bool restarts = true;

	settle(); /* others go on behind the bug */
	if (has_handler(fault_action(SIGABRT))) {
		cause_begins(kind, 0, pc, message);
		deliver_block(signal_blocked() & ~signal_bit(SIGABRT));
		deliver(SIGABRT, &with, &restarts, pc);
	}
	report_bug_here(kind, 0, pc, message);
}

/* ---- Faults that come from the kernel --------------------------------------------------------- */

/* The one that fault_begins() is to handle. */
static struct coming {
	struct sigaction action;
	struct signal_cause cause;
	uint64_t touched;    /* touching_pc */
	uint64_t hooks_left; /* the rest of the stack of hooks; 0: in no hook that is entered */
} coming;
FRESH(coming);

/* On the stack of the program. Where this returns, the kernel takes *uc. */
static void fault_begins(int sig, siginfo_t *info, void *uc)
{
	const struct coming c = coming;
	struct entry entry = { .sp = 0 };

	if (current)
		entry = current->entry;
	if (c.hooks_left) {
		current->entry.sp = 0;
		current->entry.stack = c.hooks_left;
	}
	touching_pc = 0;
	cause_begins(c.cause.kind, c.cause.addr, c.cause.pc, c.cause.text);
	deliver_fault(&c.action, sig, info, uc);
	/* libc's own abort() would set the signal's default behind our back */
	if (sig == SIGABRT)
		fault_at_end();
	cause_ends();
	if (c.hooks_left)
		current->entry = entry;
	touching_pc = c.touched;
}

/* How far below sp the calling fiber's stack of hooks is free; 0: sp is not there. */
static uint64_t below_hooks(uint64_t sp)
{
	if (!current || !current->entry.sp || sp - OWN_HOOKS >= OWN_STACKS - OWN_HOOKS)
		return 0;
	return (sp - 256) & ~15ul;
}

/* Where a handler begins: below what the thread has on its stack. */
static uint64_t top_for(const struct sigaction *a, uint64_t sp)
{
	uint64_t own = below_hooks(sp) ? current->entry.sp : sp;
	uint64_t top = altstack_top(a->sa_flags, own);

	return top ? top : own;
}

/* May a handler run where the fault came? Not on stacks that are the runtime's alone. */
static bool is_in_program(uint64_t sp)
{
	return below_hooks(sp) || !own_address(sp) || on_any_stack(sp) ||
	       sp - OWN_START < OWN_HOOKS - OWN_START;
}

static bool fault_comes(int sig, const siginfo_t *info, ucontext_t *uc,
			const struct signal_cause *cause)
{
	const struct sigaction *a = fault_action(sig);
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	bool sent = info->si_code <= 0, blocked = signal_blocked() & signal_bit(sig);
	struct signal_info with = { .code = info->si_code, .value = info->si_value };

	if (sent && blocked) {
		deliver_holds(sig, &with);
		return true;
	}
	if (sent && a->sa_handler == SIG_IGN)
		return true;
	if (!has_handler(a) || blocked || !is_in_program(sp)) {
		if (a->sa_handler == SIG_DFL)
			fault_at_end();
		return false;
	}
	coming = (struct coming){ *a, *cause, cause->touched, below_hooks(sp) };
	return sigframe_begin(uc, info, top_for(a, sp), fault_begins);
}

static void fault_wakes(void)
{
	signals_taker = fault_comes;
}

AT_WAKING(fault_wakes);

/* ---- Jumps and children ----------------------------------------------------------------------- */

void fault_jumps(void)
{
	cause_ends();
	touching_pc = 0;
	if (under_engine())
		fiber_leaves_hooks();
}

/* A child that runs alone has the kernel's signals again. */
static void fault_detach(uint32_t goes_on)
{
	sigset_t set = { { signal_blocked() & fault_bits } };

	(void)goes_on;
	for (int i = 0; i < FAULTS; i++)
		REAL(sigaction)(faults[i], &wanted[i], NULL);
	REAL(pthread_sigmask)(SIG_BLOCK, &set, NULL);
}

AT_DETACH(fault_detach);
