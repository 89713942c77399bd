/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deliver.c - which signals a thread blocks, and what becomes of one that it does not block
 *
 * A signal that the receiver blocks is pending, for it or for the process, until a thread takes it (signal_send.c) or
 * unblocks it. Then it is delivered: its handler runs.
 *
 * A thread that does not block it is interrupted (interrupt.c). That it can be is to be learned, also where in the order in which
 * this execution happens to run the signal is sent only when the thread blocks it again, or has ended, or before it lets it in: no
 * operation orders these. So all is kept that was sent, and all that threads let in as they begin, or in a call; where the two meet there
 * may be an execution in which the signal interrupts the thread. Where there is none, it looks at its bell in vain. What a thread
 * unblocks later, or a handler lets in that runs in sigsuspend(), needs no such note of what was sent before: it takes what is there with the guard held (signal_let_in()),
 * so an execution in which the signal is sent right before that is explored, and finds it let in. What is sent later finds that it was unblocked.
 *
 * What a signal does may be changed by a thread while another one is about to run its handler, and no operation of both says which
 * comes first. Where both are seen in one execution, the search begins again, and from then on each delivery of that
 * signal is in one order with the calls that set or ask for its action, or send it (signal_action_order()).
 *
 * The kernel knows nothing of all this: threads are fibers, and masks are kept here. It keeps the
 * handlers (hook_signal.c). Only programs that can send signals at all have operations for this.
 *
 * Before there are threads all of it is the kernel's, but for the signals of fault.c: those it never
 * blocks, so whether the program does is kept here as well.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/interrupt/deliver.h"

#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/access/bare_meet.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/await/await.h"
#include "preload/code/imports.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/facts/facts.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/interrupt/altstack.h"
#include "preload/hooks/interrupt/anybody.h"
#include "preload/hooks/interrupt/fault.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"

static HEDDLE_IMAGE_SELDOM uint64_t masks[HEDDLE_MAX_THREADS] = { 0 };
/* Whose actions threads have changed in this execution; which were delivered. */
static HEDDLE_IMAGE_SELDOM uint64_t changed = 0, delivered = 0;
/* What others have sent to a thread, or anybody to the process, in this execution, and what a thread has let in at some time. */
static HEDDLE_IMAGE_SELDOM uint64_t sent[PENDING_PROCESS + 1] = { 0 };
static HEDDLE_IMAGE_SELDOM uint64_t let_in[HEDDLE_MAX_THREADS] = { 0 };
/* What a thread that suspends itself takes by itself, so that it hears no bell for that. */
static HEDDLE_IMAGE_SELDOM uint64_t takes[HEDDLE_MAX_THREADS] = { 0 };

HEDDLE_IMAGE_SELDOM pthread_mutex_t signals_guard = PTHREAD_MUTEX_INITIALIZER;

/* What a thread blocks behind a call for which its mask is another. */
static HEDDLE_IMAGE_SELDOM struct swapped {
	uint64_t mask;
	bool is;
} swapped[HEDDLE_MAX_THREADS] = { { .mask = 0 } };

/* Set at the root point. */
static bool can_send;

#define NEVER_BLOCKED (1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1))
#define LIBCS_OWN     (3ul << 31) /* it lets nobody block those */

static void sigset_of(sigset_t *set, uint64_t bits)
{
	sigemptyset(set);
	set->__val[0] = bits;
}

/* ---- At the root point, and for new threads -------------------------------------------------------- */

static void deliver_root(void)
{
	uint64_t kernel = 0;

	static const char *const senders[] = { "kill",     "killpg",       "tgkill",
					       "raise",    "pthread_kill", "pthread_sigqueue",
					       "sigqueue", "syscall" };

	for (size_t i = 0; i < sizeof(senders) / sizeof(*senders); i++)
		can_send |= program_imports(senders[i]);
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&kernel, sizeof(kernel));
	masks[0] |= kernel;
	if (can_send)
		let_in[0] = ~masks[0];
	pending_root();
}

AT_ROOT(deliver_root);

/* The signal interrupts the thread, or does in another order of this execution. */
static void learn(uint32_t tid, int sig)
{
	if (!interrupt_known(tid, sig))
		interrupt_learn(tid, sig);
}

/* It blocks these now, and may have been sent others. */
static void lets_in(uint32_t tid, uint64_t blocked)
{
	uint64_t more = ~blocked & ~let_in[tid];

	if (!more)
		return;
	write_noted(&let_in[tid], let_in[tid] | more);
	more &= sent[tid] | sent[PENDING_PROCESS];
	for (int sig = 1; more && sig <= SIGRTMAX; sig++)
		if (more & signal_bit(sig))
			learn(tid, sig);
}

static void deliver_thread_created(uint32_t tid)
{
	if (masks[tid] != masks[self_id()]) /* else the image need not change */
		masks[tid] = masks[self_id()];
	if (can_send) {
		lets_in(tid, masks[tid]);
		anybody_begins(tid, masks[tid]);
	}
	while (pending_of((int)tid)) /* to another one that had its id */
		pending_take((int)tid, UINT64_MAX, NULL);
}

AT_CREATED(deliver_thread_created);

void deliver_begins_with(uint32_t tid, const sigset_t *set)
{
	masks[tid] = signal_bits(set) & ~NEVER_BLOCKED;
	if (can_send) {
		lets_in(tid, masks[tid]);
		anybody_begins(tid, masks[tid]);
	}
}

/* ---- Handlers ------------------------------------------------------------------------------------ */

static bool ignored_by_default(int sig)
{
	return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

static bool is_ignored(int sig, const struct sigaction *a)
{
	return a->sa_handler == SIG_IGN || (a->sa_handler == SIG_DFL && ignored_by_default(sig));
}

/*
 * All threads have the same actions, and each call learns the last one, as does who sends the signal. So in which order they call is explored: a count
 * for each signal, of which the address is known.
 */
static uint32_t calls[SIGNALS];

void signal_action_order(int sig, uint64_t pc)
{
	object_op(OP_SEM_POST, &calls[sig], pc);
}

bool deliver_asks;

static struct sigaction action_of(int sig)
{
	struct sigaction a = { .sa_handler = SIG_DFL };

	deliver_asks = true;
	sigaction(sig, NULL, &a);
	return a;
}

static void set_back(int sig, const struct sigaction *to)
{
	deliver_asks = true;
	sigaction(sig, to, NULL);
}

const char *signal_name(int sig)
{
	const char *name = sigabbrev_np(sig);

	return name ? name : "RTMIN";
}

void deliver_inform(siginfo_t *info, int sig, const struct signal_info *with)
{
	memset(info, 0, sizeof(*info));
	info->si_signo = sig;
	info->si_code = with->code;
	info->si_pid = getpid();
	info->si_uid = getuid();
	info->si_value = with->value;
}

/* The signal, which the calling thread has sent, ends the program. */
static heddle_noreturn void end_by(int sig, uint64_t pc)
{
	if (signal_is_fault(sig))
		fault_ends(sig, pc);
	if (sig == SIGPIPE) /* a bug of the program's, and no choice of its own */
		report_bug_here(BUG_CRASH, 0, pc,
				"SIGPIPE ends the program: nobody can read what it writes");
	refuse("the program sends itself SIG", signal_name(sig),
	       ", and has no handler for it: let it call exit(), or handle the signal", NULL);
}

/* Where its handler is to begin, and on the way back: what does the thread block then? */
static uint64_t handle(const struct sigaction *a, int sig, siginfo_t *info, ucontext_t *context)
{
	const struct sigaction once = { .sa_handler = SIG_DFL };
	uint64_t before = signal_blocked();
	uint64_t top = altstack_top(a->sa_flags, (uintptr_t)__builtin_frame_address(0));

	if (a->sa_flags & SA_RESETHAND)
		set_back(sig, &once);
	context->uc_sigmask.__val[0] = before;
	deliver_block(before | signal_bits(&a->sa_mask) |
		      (a->sa_flags & SA_NODEFER ? 0 : signal_bit(sig)));
	/* Between the thread's code and the handler's there is no way in either (stretch_frames.c). */
	note_hidden_state();
	if (top)
		sigframe_call(a->sa_sigaction, sig, info, context, top);
	else
		a->sa_sigaction(sig, info, context); /* without SA_SIGINFO it takes one of these */
	note_hidden_state();
	return context->uc_sigmask.__val[0] & ~NEVER_BLOCKED;
}

/* Who sees one of both, and then the other, learns of it; but for one that comes before or behind all that others do. */
static void note_action(uint64_t *these, const uint64_t *those, int sig)
{
	if (facts->actions & signal_bit(sig) || bare_is_alone())
		return;
	write_noted(these, *these | signal_bit(sig));
	if (!(*those & signal_bit(sig)) || shared->config.mode == ENGINE_REPLAY)
		return;
	fact_learn_of_signal(FACT_ACTIONS, sig);
	repeat_execution();
}

void deliver_changes(int sig)
{
	note_action(&changed, &delivered, sig);
}

/* It is about to be delivered to the caller, who reads what that does. */
static void delivers(int sig, uint64_t pc)
{
	if (!under_engine())
		return;
	note_action(&delivered, &changed, sig);
	if (facts->actions & signal_bit(sig))
		signal_action_order(sig, pc);
}

/* False if it is ignored. What is kept off while the handler runs is the caller's to let in. */
static bool deliver_one(int sig, const struct signal_info *with, bool *restarts, uint64_t pc)
{
	struct sigaction a;
	ucontext_t context;
	siginfo_t info;

	delivers(sig, pc);
	a = action_of(sig);
	if (is_ignored(sig, &a))
		return false;
	if (a.sa_handler == SIG_DFL)
		end_by(sig, pc);
	if (a.sa_flags & SA_SIGINFO) {
		memset(&context, 0, sizeof(context));
		deliver_inform(&info, sig, with);
	}
	deliver_block(handle(&a, sig, &info, &context));
	*restarts &= a.sa_flags / SA_RESTART & 1;
	return true;
}

bool deliver(int sig, const struct signal_info *with, bool *restarts, uint64_t pc)
{
	if (!deliver_one(sig, with, restarts, pc))
		return false;
	*restarts &= signal_let_in(pc);
	return true;
}

void deliver_fault(const struct sigaction *a, int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t kernel = uc->uc_sigmask.__val[0], now = handle(a, sig, info, uc);

	uc->uc_sigmask.__val[0] = under_engine() ? kernel : now & ~fault_bits;
	deliver_block(now);
	if (can_send || !rooted)
		signal_let_in(0);
}

/* ---- Taking -------------------------------------------------------------------------------------- */

int deliver_take(uint64_t wanted, struct signal_info *with)
{
	int sig = pending_take((int)self_id(), wanted, with);

	return sig ? sig : pending_take(PENDING_PROCESS, wanted, with);
}

int deliver_take_now(uint64_t wanted, struct signal_info *with, uint64_t pc)
{
	int sig;

	if (!under_engine())
		return deliver_take(wanted, with);
	mutex_lock(&signals_guard, pc);
	sig = deliver_take(wanted, with);
	mutex_unlock(&signals_guard, pc);
	return sig;
}

static void discard(int sig)
{
	for (int to = 0; to <= PENDING_PROCESS; to++)
		while (pending_of(to) & signal_bit(sig))
			pending_take(to, signal_bit(sig), NULL);
}

void deliver_discard(int sig, uint64_t pc)
{
	struct sigaction a = action_of(sig);

	if (!is_ignored(sig, &a) || (rooted && !can_send))
		return;
	if (under_engine())
		mutex_lock(&signals_guard, pc);
	discard(sig);
	if (under_engine())
		mutex_unlock(&signals_guard, pc);
}

bool signal_let_in(uint64_t pc)
{
	bool restarts = true;
	struct signal_info with;
	int sig;

	/* One after the other: a handler that begins where the last one has ended needs no more of the stack. */
	while ((sig = deliver_take_now(~signal_blocked(), &with, pc)))
		deliver_one(sig, &with, &restarts, pc);
	return restarts;
}

void deliver_holds(int sig, const struct signal_info *with)
{
	pending_put(with->code == SI_TKILL ? (int)self_id() : PENDING_PROCESS, sig, with);
}

/* Who blocks a signal that the process was sent leaves it to others. */
static void blocks(uint64_t bits)
{
	const uint64_t more = bits & ~masks[self_id()];

	if (can_send && bits != masks[self_id()])
		anybody_blocks(bits);
	write_noted(&masks[self_id()], bits);
	anybody_leaves(more);
}

void deliver_ends(void)
{
	if (can_send)
		anybody_blocks(UINT64_MAX);
	anybody_leaves(~masks[self_id()]);
}

void deliver_block(uint64_t bits)
{
	uint64_t kernel = bits & ~(fault_bits | LIBCS_OWN);

	if (under_engine()) {
		blocks(bits);
		return;
	}
	masks[0] = bits & fault_bits;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&kernel, 0, sizeof(kernel));
}

void deliver_takes(uint64_t bits)
{
	write_noted(&takes[self_id()], bits);
}

uint64_t deliver_hears(uint32_t tid)
{
	return ~(masks[tid] | takes[tid]);
}

uint64_t signal_blocked(void)
{
	uint64_t kernel = 0;

	if (under_engine())
		return masks[self_id()];
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&kernel, sizeof(kernel));
	return kernel | masks[0];
}

/* The signal interrupts the thread in this order. */
static void learn_of(uint32_t tid, int sig, uint64_t pc)
{
	if (!interrupt_known(tid, sig) && action_of(sig).sa_handler == SIG_DFL &&
	    !ignored_by_default(sig))
		end_by(sig, pc);
	learn(tid, sig);
}

static bool is_addressee(uint32_t t, int to)
{
	return to == TO_PROCESS || t == (uint32_t)to;
}

bool deliver_drops(int to, int sig)
{
	struct sigaction a = action_of(sig);

	return is_ignored(sig, &a) && !(masks[to == TO_PROCESS ? 0 : to] & signal_bit(sig));
}

void deliver_learn(int to, int sig, uint64_t pc)
{
	uint64_t *all = &sent[to == TO_PROCESS ? PENDING_PROCESS : to];

	write_noted(all, *all | signal_bit(sig));
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		if (!is_addressee(t, to) || t == self_id())
			continue;
		if (fibers[t].alive && !(masks[t] & signal_bit(sig)))
			learn_of(t, sig, pc);
		else if (let_in[t] & signal_bit(sig))
			learn(t, sig);
	}
}

void deliver_ring(int to, int sig, uint64_t pc)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (is_addressee(t, to))
			interrupt_ring(t, sig, pc);
}

bool deliver_may_leave(int sig, uint64_t pc)
{
	struct sigaction a;

	if (current->probing) /* what it knows of then is not what it will */
		probe_differs();
	if (!anybody_else(sig))
		return false;
	delivers(sig, pc);
	a = action_of(sig);
	if (a.sa_handler == SIG_DFL || a.sa_handler == SIG_IGN)
		return false;
	learn(self_id(), sig); /* others may leave it to the sender */
	return anybody_takes(sig, pc);
}

/*
 * What is there already interrupts the call at once. Whether it is is looked up as it is now, too: from then
 * on the bell is rung for it.
 */
void signal_mask_swap(const sigset_t *set)
{
	struct swapped *s = &swapped[self_id()];
	uint64_t there = pending_of((int)self_id()) | pending_of(PENDING_PROCESS);

	if (!set || !can_send)
		return;
	note_plain_write((uintptr_t)s, sizeof(*s));
	*s = (struct swapped){ masks[self_id()], true };
	blocks(signal_bits(set) & ~NEVER_BLOCKED);
	lets_in(self_id(), masks[self_id()]);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (there & signal_bit(sig) & ~signal_bits(set))
			learn_of(self_id(), sig, progress->op_pc);
}

void signal_mask_swap_back(void)
{
	struct swapped *s = &swapped[self_id()];

	if (!s->is)
		return;
	blocks(s->mask);
	note_plain_write((uintptr_t)s, sizeof(*s));
	s->is = false;
}

bool deliver_may_interrupt(void)
{
	if (interrupt_other.is_due && interrupt_other.is_due())
		return true;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		uint64_t there =
			fibers[t].alive ? pending_of((int)t) | pending_of(PENDING_PROCESS) : 0;

		for (int sig = 1; there && sig <= SIGRTMAX; sig++)
			if ((there & ~masks[t] & signal_bit(sig)) && interrupt_known(t, sig))
				return true;
	}
	return false;
}

static void look_at_end(void)
{
	lifecycle_may_hear = deliver_may_interrupt();
}

AT_END(look_at_end);

/* ---- What calls do ------------------------------------------------------------------------------- */

void signal_mask(int how, const sigset_t *set, sigset_t *old, uint64_t pc)
{
	uint64_t before, now;

	if (set) /* handlers may begin until it is over what the thread let in */
		interrupt_point(pc);
	now = before = signal_blocked();
	if (old)
		sigset_of(old, before);
	if (!set)
		return;
	if (how == SIG_SETMASK)
		now = signal_bits(set);
	else if (how == SIG_BLOCK)
		now |= signal_bits(set);
	else
		now &= ~signal_bits(set);
	now &= ~NEVER_BLOCKED;
	if (now == before)
		return;
	deliver_block(now);
	if ((can_send || !rooted) && before & ~now)
		signal_let_in(pc);
	if (can_send && ~now & ~let_in[self_id()])
		write_noted(&let_in[self_id()], let_in[self_id()] | ~now);
}

void signal_pending(sigset_t *set, uint64_t pc)
{
	uint64_t blocked = signal_blocked(), kernel = 0;

	if (!under_engine()) {
		sys4(SYS_rt_sigpending, (long)&kernel, sizeof(kernel), 0, 0);
		sigset_of(set, (kernel | pending_of(0) | pending_of(PENDING_PROCESS)) & blocked);
		return;
	}
	mutex_lock(&signals_guard, pc);
	sigset_of(set, (pending_of((int)self_id()) | pending_of(PENDING_PROCESS)) & blocked);
	mutex_unlock(&signals_guard, pc);
}
