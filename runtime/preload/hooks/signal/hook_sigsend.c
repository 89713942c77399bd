/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sigsend.c - signals that the threads of a program block, send and wait for (signal_send.h)
 *
 * Before there are threads all of it is the kernel's business, but for signals that it knows too little about:
 * those of faults (fault.c), and handlers that want a stack of their own. Errors are those of POSIX; a
 * signal to another process is refused.
 */
/*
 * intercepts: Signals
 *
 * explored kill killpg tgkill raise gsignal pthread_kill sigqueue pthread_sigqueue - within the program: what is
 *	blocked waits to be taken, what a thread sends itself is handled at once, and handlers interrupt
 *	other threads before each of their operations, and where they wait. Without a handler SIGABRT is
 *	the bug abort, and a signal of faults the bug crash
 * explored sigwait sigwaitinfo sigtimedwait __sigtimedwait sigsuspend __sigsuspend pause - which of the signals that threads
 *	send is taken by whom; sigtimedwait() times out as well
 * explored sigpending - what is pending
 * checked sigprocmask pthread_sigmask - each thread has a mask of its own, as POSIX has it; what is
 *	unblocked is handled
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/loop/children.h"

enum {
	IN_VAIN = 1000, /* rings of timers that nobody hears */
	REAL_MS = 10000 /* for children that the program waits for */
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Masks ---------------------------------------------------------------------------------------- */

enum {
	KERNEL_SET = 8 /* bytes that the kernel looks at, of a set */
};

static bool readable(const sigset_t *set)
{
	return memory_readable(set, KERNEL_SET);
}

static int mask(int how, const sigset_t *set, sigset_t *old, uint64_t pc)
{
	if (!init_active())
		return REAL(pthread_sigmask)(how, set, old);
	if (!signals_are_ours())
		return old ? sigemptyset(old) : 0; /* nothing comes that could disturb */
	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	if (set)
		touch_to_read(set); /* libc does, before the kernel */
	if (old && !memory_writable(old, KERNEL_SET)) {
		signal_mask(how, set, NULL, pc); /* the kernel looks at old last */
		return EFAULT;
	}
	signal_mask(how, set, old, pc);
	if (set && how != SIG_UNBLOCK)
		timers_heard(signal_bits(set), pc);
	return 0;
}

HEDDLE_HOOK int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	int error = mask(how, set, old, CALLER());

	return error ? fail(error) : 0;
}

HEDDLE_HOOK int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	return mask(how, set, old, CALLER());
}

/* The handler would run in the middle of whatever a thread does then, in one execution of many. */
static void children_root(void)
{
	struct sigaction a;

	if (kin_any && !REAL(sigaction)(SIGCHLD, NULL, &a) && a.sa_handler != SIG_DFL &&
	    a.sa_handler != SIG_IGN)
		kin_refuses("handles SIGCHLD and creates a thread",
			    "wait for the end of that process before");
}

AT_ROOT(children_root);

HEDDLE_HOOK int sigpending(sigset_t *set)
{
	if (!signals_are_ours())
		return REAL(sigpending)(set);
	if (!memory_writable(set, KERNEL_SET))
		return fail(EFAULT);
	signal_pending(set, CALLER());
	return 0;
}

/* ---- Sending ---------------------------------------------------------------------------------- */

heddle_noreturn static void refuse_to_stop(void)
{
	refuse("the program stops itself, and nobody lets it go on: leave that out", NULL);
}

/* Valid, and one that threads may wait for? 0, or an error. What nobody can block ends the program. */
static int check(int sig)
{
	if (sig < 0 || sig > SIGRTMAX)
		return EINVAL;
	if (sig == SIGSTOP)
		refuse_to_stop();
	return sig == SIGKILL ? REAL(raise)(sig) : 0;
}

/* Is the signal, to the program itself, no business of the kernel's? (fp: where the caller's frame is) */
static bool is_ours(int sig, const void *fp)
{
	if (under_engine())
		return true;
	return signals_are_ours() && sig > 0 && sig <= SIGRTMAX &&
	       (signal_is_fault(sig) || signal_wants_stack(sig, (uintptr_t)fp));
}

#define IS_OURS(sig) is_ours(sig, __builtin_frame_address(0))

/* To the program itself, or a thread of it, and IS_OURS(); 0 or an error. */
static int post(int to, int sig, int code, const union sigval *value, uint64_t pc)
{
	struct signal_info with = { .code = code };
	int error = sig ? check(sig) : 0;

	if (error || !sig)
		return error;
	if (value)
		with.value = *value;
	signal_post(to, sig, with, pc);
	return under_engine() ? then_pause(0, pc) : 0;
}

/* Would the kernel stop the process? */
static bool stops(int sig)
{
	struct sigaction action;
	sigset_t blocked;

	if (sig == SIGSTOP)
		return true;
	return (sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU) &&
	       !sigprocmask(SIG_SETMASK, NULL, &blocked) && !sigismember(&blocked, sig) &&
	       !sigaction(sig, NULL, &action) && action.sa_handler == SIG_DFL;
}

/* Before there are threads the kernel takes it, but would tell its receiver of another process. To the calling thread,
 * or to the process. */
static int send_alone(bool to_thread, int sig, int code, const union sigval *value)
{
	long pid = sys3(SYS_getpid, 0, 0, 0), error;
	siginfo_t info;

	if (stops(sig))
		refuse_to_stop();
	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = code;
	info.si_pid = getpid();
	info.si_uid = getuid();
	if (value)
		info.si_value = *value;
	error = to_thread ? sys4(SYS_rt_tgsigqueueinfo, pid, sys3(SYS_gettid, 0, 0, 0), sig,
				 (long)&info)
			  : sys3(SYS_rt_sigqueueinfo, pid, sig, (long)&info);
	return (int)-error;
}

/* A signal of the program to itself that the kernel is to take, before there are threads? */
static bool is_alone(int sig)
{
	return signals_are_ours() && !under_engine() && sig > 0 && sig <= SIGRTMAX;
}

/* Does the id, as the kernel knows it, mean this process, or a group that is ours alone? */
static bool is_self(pid_t real)
{
	return real == 0 || real == REAL(getpid)() || real == -sys3(SYS_getpgid, 0, 0, 0);
}

static int to_process(pid_t pid, int sig, int code, const union sigval *value, uint64_t pc)
{
	pid_t real = identity_real(pid);
	int error;

	if (!is_self(real)) {
		if (!sig || sig < 0 || sig > SIGRTMAX)
			return REAL(kill)(real, sig);
		refuse("the program sends a signal to another process, which is not explored: let "
		       "threads of one process do so",
		       NULL);
	}
	error = post(TO_PROCESS, sig, code, value, pc);
	return error ? fail(error) : 0;
}

static int answer(int error)
{
	return error ? fail(error) : 0;
}

HEDDLE_HOOK int kill(pid_t pid, int sig)
{
	kin_signals(identity_real(pid), sig);
	if (!under_engine() && !(pid == getpid() && IS_OURS(sig)))
		return pid == getpid() && is_alone(sig)
			       ? answer(send_alone(false, sig, SI_USER, NULL))
			       : REAL(kill)(identity_real(pid), sig);
	return to_process(pid, sig, SI_USER, NULL, CALLER());
}

HEDDLE_HOOK int killpg(pid_t group, int sig)
{
	kin_signals(group > 0 ? identity_real(-group) : -group, sig);
	if (!under_engine())
		return REAL(killpg)(group > 0 ? -identity_real(-group) : group, sig);
	return group < 0 ? fail(EINVAL) : to_process(-group, sig, SI_USER, NULL, CALLER());
}

HEDDLE_HOOK int sigqueue(pid_t pid, int sig, const union sigval value)
{
	kin_signals(identity_real(pid), sig);
	if (!under_engine() && !(pid == getpid() && IS_OURS(sig)))
		return pid == getpid() && is_alone(sig)
			       ? answer(send_alone(false, sig, SI_QUEUE, &value))
			       : REAL(sigqueue)(identity_real(pid), sig, value);
	return to_process(pid, sig, SI_QUEUE, &value, CALLER());
}

static int to_thread(pthread_t thread, int sig, int code, const union sigval *value, uint64_t pc)
{
	int tid = under_engine() ? tid_of(thread) : 0;

	if (tid < 0)
		return no_thread(thread, code == SI_TKILL ? WRITES : 0);
	return post(tid, sig, code, value, pc);
}

static int to_self(int sig, uint64_t pc)
{
	int error;

	if (!IS_OURS(sig))
		return is_alone(sig) ? answer(send_alone(true, sig, SI_TKILL, NULL))
				     : REAL(raise)(sig);
	error = to_thread(pthread_self(), sig, SI_TKILL, NULL, pc);
	return error ? fail(error) : 0;
}

HEDDLE_HOOK int raise(int sig)
{
	return to_self(sig, CALLER());
}

HEDDLE_HOOK int gsignal(int sig)
{
	return to_self(sig, CALLER());
}

HEDDLE_HOOK int pthread_kill(pthread_t thread, int sig)
{
	if (!IS_OURS(sig))
		return thread == pthread_self() && is_alone(sig)
			       ? send_alone(true, sig, SI_TKILL, NULL)
			       : REAL(pthread_kill)(thread, sig);
	return to_thread(thread, sig, SI_TKILL, NULL, CALLER());
}

HEDDLE_HOOK int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	if (!IS_OURS(sig))
		return thread == pthread_self() && is_alone(sig)
			       ? send_alone(true, sig, SI_QUEUE, &value)
			       : REAL(pthread_sigqueue)(thread, sig, value);
	return to_thread(thread, sig, SI_QUEUE, &value, CALLER());
}

HEDDLE_HOOK int tgkill(pid_t group, pid_t id, int sig)
{
	int tid, error;

	if (!under_engine() && !(group == getpid() && id == gettid() && IS_OURS(sig)))
		return group == getpid() && id == gettid() && is_alone(sig)
			       ? answer(send_alone(true, sig, SI_TKILL, NULL))
			       : REAL(tgkill)(identity_real(group), identity_real(id), sig);
	tid = under_engine() ? identity_thread(id) : 0;
	if (tid < 0 || identity_real(group) != REAL(getpid)())
		return REAL(tgkill)(identity_real(group), identity_real(id), 0) ? -1 : fail(ESRCH);
	error = post(tid, sig, SI_TKILL, NULL, CALLER());
	return error ? fail(error) : 0;
}

/* ---- Waiting ------------------------------------------------------------------------------------ */

/* Another process may send one, or SIGCHLD come when it ends. */
void signal_only_from_threads(void)
{
	kin_refuses("waits for a signal after it created a thread",
		    "wait for the end of that process before");
}

/*
 * Before there are threads: timers of the program may bring one of them, or another one whose handler ends the wait. Others
 * come from the kernel, but for those that it never gets to know of.
 */
static int wait_alone(const sigset_t *set, siginfo_t *info, const struct timespec *timeout,
		      uint64_t pc)
{
	const struct timespec none = { 0 };
	enum timer_rung rung = TIMER_PENDING;
	uint64_t end = TIME_FOR_EVER;
	int sig;

	if (timeout && (!memory_readable(timeout, sizeof(*timeout)) || !time_valid(timeout)))
		return REAL(sigtimedwait)(set, info, timeout);
	if (timeout)
		end = time_end_ns(timeout, false, CLOCK_MONOTONIC);
	for (int i = 0; rung == TIMER_PENDING && i < IN_VAIN; i++) {
		sig = signal_take(set, info, pc);
		if (sig)
			return sig;
		sig = REAL(sigtimedwait)(set, info, &none);
		if (sig >= 0 || errno != EAGAIN)
			return sig;
		rung = timer_ring_alone(end);
	}
	if (rung == TIMER_ENDS || rung == TIMER_RESTARTS)
		return fail(EINTR);
	sig = REAL(sigtimedwait)(set, info, timeout);
	return time_waited_alone(sig, sig < 0 && errno == EAGAIN, timeout);
}

HEDDLE_HOOK int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	int taken;

	if (!signals_are_ours())
		return REAL(sigwait)(set, sig);
	if (!readable(set))
		return EFAULT;
	if (!under_engine()) {
		do /* a handler does not end it */
			taken = wait_alone(set, NULL, NULL, CALLER());
		while (taken < 0 && errno == EINTR);
		if (taken > 0)
			*sig = taken;
		return taken > 0 ? 0 : errno;
	}
	signal_only_from_threads();
	*sig = signal_wait(set, NULL, CALLER());
	return then_pause(0, CALLER());
}

int signal_interrupted(const sigset_t *set, siginfo_t *info, bool restarts, uint64_t pc)
{
	int sig;

	if (!interrupt_comes(pc))
		return 0;
	sig = signal_take(set, info, pc);
	if (sig) {
		interrupt_too_early(pc);
		return sig;
	}
	if (interrupt_ends(-1, EINTR, restarts, pc))
		return SIGNAL_RESTARTS;
	return fail(EINTR);
}

/* The kernel takes the signal, and then finds nowhere to write what it knows of it. */
static int nowhere(int taken)
{
	return taken > 0 ? fail(EFAULT) : taken;
}

static bool is_nowhere(siginfo_t *info)
{
	return info && !memory_writable(info, sizeof(*info));
}

HEDDLE_HOOK int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	int sig;

	if (!signals_are_ours())
		return REAL(sigwaitinfo)(set, info);
	if (!readable(set))
		return fail(EFAULT);
	if (is_nowhere(info))
		return nowhere(sigwaitinfo(set, NULL));
	if (!under_engine())
		return wait_alone(set, info, NULL, CALLER());
	signal_only_from_threads();
	sig = signal_interrupted(set, info, false, CALLER());
	return then_pause(sig ? sig : signal_wait(set, info, CALLER()), CALLER());
}

HEDDLE_HOOK int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			     const struct timespec *restrict timeout)
{
	int sig;

	if (!signals_are_ours())
		return REAL(sigtimedwait)(set, info, timeout);
	if (!readable(set) || (timeout && !memory_readable(timeout, sizeof(*timeout))))
		return fail(EFAULT);
	if (is_nowhere(info))
		return nowhere(sigtimedwait(set, NULL, timeout));
	if (!under_engine())
		return wait_alone(set, info, timeout, CALLER());
	if (timeout && !time_valid(timeout))
		return fail(EINVAL);
	signal_only_from_threads();
	sig = signal_interrupted(set, info, false, CALLER());
	if (!sig && !timeout)
		sig = signal_wait(set, info, CALLER());
	else if (!sig)
		sig = signal_take(set, info, CALLER());
	if (!sig && time_rings(time_end_ns(timeout, false, CLOCK_MONOTONIC), CALLER())) {
		interrupt_ends(-1, EINTR, false, CALLER());
		return fail(EINTR);
	}
	if (!sig && timers_known()) /* one may have brought it */
		sig = signal_take(set, info, CALLER());
	if (sig)
		return then_pause(sig, CALLER());
	time_waited(timeout, false, CLOCK_MONOTONIC);
	timed_out(CLOCK_MONOTONIC, NULL, CALLER());
	return fail(EAGAIN);
}

/*
 * The time of processes that the program has made is real. A timer that rings at once would tell it that
 * they take too long (timeout(1)), so they are given some of it.
 */
static void give_children_time(const sigset_t *set, uint64_t pc)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	sigset_t there;

	for (int i = 0; i < REAL_MS && children_alive(); i++) {
		signal_pending(&there, pc);
		if (signal_bits(&there) & ~signal_bits(set))
			return;
		sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&tick, 0);
	}
}

/*
 * Before there are threads. What timers bring that the mask lets in is pending when the kernel's call begins; a
 * signal that the kernel never blocks (fault.c) is handled when it comes, and ends the call.
 */
static void suspend_alone(const sigset_t *set, uint64_t pc)
{
	uint64_t before = signal_blocked();
	enum timer_rung rung = TIMER_PENDING;
	sigset_t there, kernel = *set;

	if (signal_suspend_early(set, pc))
		return;
	deliver_block(~fault_bits | signal_bits(set));
	give_children_time(set, pc);
	for (int i = 0; rung == TIMER_PENDING && i < IN_VAIN; i++) {
		signal_pending(&there, pc);
		if (signal_bits(&there) & ~signal_bits(set))
			break;
		rung = timer_ring_alone(TIME_FOR_EVER);
	}
	kernel.__val[0] &= ~fault_bits;
	if (rung == TIMER_NONE || rung == TIMER_PENDING)
		REAL(sigsuspend)(&kernel);
	deliver_block(before);
}

int signal_suspend_any(const sigset_t *set, uint64_t pc)
{
	if (!signals_are_ours())
		return REAL(sigsuspend)(set);
	if (!readable(set))
		return fail(EFAULT);
	if (!under_engine()) {
		suspend_alone(set, pc);
		return fail(EINTR);
	}
	signal_only_from_threads();
	signal_suspend(set, pc);
	return fail(EINTR);
}

HEDDLE_HOOK int sigsuspend(const sigset_t *set)
{
	return signal_suspend_any(set, CALLER());
}

HEDDLE_HOOK int pause(void)
{
	if (!under_engine())
		return time_rings(TIME_FOR_EVER, CALLER()) == RING_NONE ? REAL(pause)()
									: fail(EINTR);
	signal_only_from_threads();
	signal_suspend(NULL, CALLER());
	return fail(EINTR);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__sigsuspend, sigsuspend);
ALSO_CALLED(__sigtimedwait, sigtimedwait);
