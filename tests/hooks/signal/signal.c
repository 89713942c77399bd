/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal.c - signals that threads send one another
 *
 * case who_sends_before_there_are_threads: ok 1
 * case raise_calls_the_handler: ok 1
 * case a_blocked_one_waits_for_its_unblocking: ok 1
 * case a_handler_blocks_its_signal: ok 1
 * case masks_are_of_threads: ok 1
 * case a_mask_is_inherited: ok 1
 * case pending_signals: ok 1
 * case pending_ones_are_not_inherited: ok 1
 * case what_is_pending_for_the_process: ok 1
 * case as_in_system_v: ok 1
 * case by_system_call: ok 1
 * case ignored: ok 1
 * case threads_change_what_is_done: ok 6
 * case the_second_to_ignore_it: bug assertion at assert(signal(SIGUSR1, SIG_IGN)
 * case who_ignores_it_first: bug assertion at assert(signal(SIGUSR1, count)
 * case a_broken_pipe_is_handled: ok 1
 * case a_broken_pipe_may_be_blocked: ok 1
 * case a_broken_pipe: bug crash at assert(write
 * case by_a_descriptor: ok 1
 * case real_time_signals_queue: ok 1
 * case too_many_to_queue: refused more than 64 signals
 * case ends_by_default: refused sends itself SIGUSR1
 * case raises_abort: bug abort at raise(SIGABRT)
 * case to_somebody_else: refused another process
 * case stops_itself: refused stops itself
 * case stops_itself_alone: refused stops itself
 * case stops_itself_as_a_terminal_does: refused stops itself
 * case stops_that_do_not: ok 1
 *
 * ways kill: EINVAL ESRCH; not EPERM (tests may run as root, to whom nothing is forbidden)
 * ways killpg: EINVAL ESRCH; not EPERM (likewise)
 * ways tgkill: EINVAL ESRCH; not EPERM EAGAIN (likewise, and a limit of the system)
 * ways raise: EINVAL
 * ways sigqueue: EINVAL ESRCH; not EPERM EAGAIN (likewise)
 * ways pthread_kill: EINVAL; not ESRCH (nobody may name a thread that is gone)
 * ways pthread_sigqueue: EINVAL; not ESRCH EAGAIN (likewise)
 * ways sigaction: EINVAL
 * ways signal: EINVAL
 * ways sigprocmask: EINVAL
 * ways pthread_sigmask: EINVAL
 * ways sigsuspend: EINTR
 * ways sigtimedwait: EAGAIN EINVAL EINTR
 * ways pause: ; not EINTR (natively the signal may come before it waits)
 * ways sigwaitinfo: EINTR
 * ways gsignal: EINVAL
 * ways sighold: EINVAL
 * ways sigrelse: EINVAL
 * ways sigignore: EINVAL
 * ways sigset: EINVAL
 * ways bsd_signal: EINVAL
 * ways ssignal: EINVAL
 * ways sysv_signal: EINVAL
 * ways __sysv_signal: EINVAL
 * never fails: sigpending sigwait
 *
 * case kill_EINVAL: ok 1
 * case kill_ESRCH: ok 1
 * case kill_asks: ok 1
 * case killpg_EINVAL: ok 1
 * case killpg_ESRCH: ok 1
 * case tgkill_EINVAL: ok 1
 * case tgkill_ESRCH: ok 1
 * case raise_EINVAL: ok 1
 * case sigqueue_EINVAL: ok 1
 * case sigqueue_ESRCH: ok 1
 * case pthread_kill_EINVAL: ok 1
 * case pthread_kill_asks: ok 1
 * case pthread_sigqueue_EINVAL: ok 1
 * case sigaction_EINVAL: ok 1
 * case sigaction_tells_what_was_there: ok 1
 * case signal_EINVAL: ok 1
 * case bsd_signal_EINVAL: ok 1
 * case ssignal_EINVAL: ok 1
 * case sysv_signal_EINVAL: ok 1
 * case __sysv_signal_EINVAL: ok 1
 * case gsignal_EINVAL: ok 1
 * case sighold_EINVAL: ok 1
 * case sigrelse_EINVAL: ok 1
 * case sigignore_EINVAL: ok 1
 * case sigset_EINVAL: ok 1
 * case sigprocmask_EINVAL: ok 1
 * case pthread_sigmask_EINVAL: ok 1
 * case sigsuspend_EINTR: ok 1
 * case sigtimedwait_EAGAIN: ok 1
 * case sigtimedwait_EINVAL: ok 1
 * case waits_for_what_is_pending: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"
#include "signals.h"

/* sigset() and its kin */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void *raise_it(void *arg)
{
	assert(raise(SIGUSR1) == 0);
	assert(handled == 1);
	assert(pthread_kill(pthread_self(), SIGUSR1) == 0);
	assert(handled == 2);
	return arg;
}

static void raise_calls_the_handler(void)
{
	handle(count);
	alone(raise_it);
}

static void *ignore_it(void *arg)
{
	signal(SIGUSR1, SIG_IGN);
	return arg;
}

static void *handle_it(void *arg)
{
	signal(SIGUSR1, count);
	return arg;
}

/* Of three calls any may be the first, and the second. */
static void threads_change_what_is_done(void)
{
	handle(count);
	THREADS(3, handle_it);
}

static void *ignore_what_was_handled(void *arg)
{
	assert(signal(SIGUSR1, SIG_IGN) == count);
	return arg;
}

/* Which of them, the program cannot say: it is the one that is second in the trace, too. */
static void the_second_to_ignore_it(void)
{
	handle(count);
	THREADS(2, ignore_what_was_handled);
}

static void *handle_what_was_handled(void *arg)
{
	assert(signal(SIGUSR1, count) == count);
	return arg;
}

static void who_ignores_it_first(void)
{
	pthread_t t[2];

	handle(count);
	assert(pthread_create(&t[0], NULL, handle_what_was_handled, NULL) == 0);
	assert(pthread_create(&t[1], NULL, ignore_it, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0 && pthread_join(t[1], NULL) == 0);
}

static void *unblock_it(void *arg)
{
	mask(SIG_BLOCK, SIGUSR1);
	assert(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0 && handled == 0);
	mask(SIG_UNBLOCK, SIGUSR1);
	assert(handled == 1);
	return arg;
}

static void a_blocked_one_waits_for_its_unblocking(void)
{
	handle(count);
	alone(unblock_it);
}

static void raise_again(int sig)
{
	int before = handled;

	assert(blocks(sig));
	if (handled++ < 2)
		assert(raise(sig) == 0);
	assert(handled == before + 1);
}

static void *raise_once(void *arg)
{
	assert(raise(SIGUSR1) == 0);
	assert(handled == 3 && !blocks(SIGUSR1));
	return arg;
}

static void a_handler_blocks_its_signal(void)
{
	handle(raise_again);
	alone(raise_once);
}

static void *block_in_one(void *arg)
{
	if (!arg)
		mask(SIG_BLOCK, SIGUSR1);
	assert(blocks(SIGUSR1) == !arg);
	return arg;
}

static void masks_are_of_threads(void)
{
	THREADS(2, block_in_one);
	assert(!blocks(SIGUSR1));
}

static void *inherits(void *arg)
{
	assert(blocks(SIGUSR1) && !blocks(SIGUSR2));
	return arg;
}

static void *inherits_again(void *arg)
{
	inherits(arg);
	alone(inherits);
	return arg;
}

static void a_mask_is_inherited(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	alone(inherits_again);
}

static void *look(void *arg)
{
	sigset_t set;

	assert(sigpending(&set) == 0 && !sigismember(&set, SIGUSR1));
	assert(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR2) == 0);
	assert(sigpending(&set) == 0 && sigismember(&set, SIGUSR1) && sigismember(&set, SIGUSR2));
	return arg;
}

static void pending_signals(void)
{
	sigset_t set;

	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGUSR2);
	alone(look);
	assert(sigpending(&set) == 0 && !sigismember(&set, SIGUSR1) && sigismember(&set, SIGUSR2));
}

static void *find_nothing(void *arg)
{
	sigset_t set;

	assert(blocks(SIGUSR1));
	assert(sigpending(&set) == 0 && !sigismember(&set, SIGUSR1));
	return arg;
}

static void *raise_and_create(void *arg)
{
	sigset_t set;

	assert(raise(SIGUSR1) == 0);
	alone(find_nothing);
	assert(sigpending(&set) == 0 && sigismember(&set, SIGUSR1));
	return arg;
}

/* Neither those of main, from before there were threads, nor those of other threads. */
static void pending_ones_are_not_inherited(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	raise_and_create(NULL);
	alone(raise_and_create);
}

static void what_is_pending_for_the_process(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	tell(NULL);
	alone(wait_for_it);
	find_nothing(NULL);
}

static void count_any(int sig)
{
	(void)sig;
	handled++;
}

static void *hold_some(void *arg)
{
	static const int some[] = { SIGUSR1, SIGSEGV };

	for (int i = 0; i < 2; i++) {
		handled = 0;
		assert(sigset(some[i], count_any) == SIG_DFL &&
		       sigset(some[i], SIG_HOLD) == count_any);
		assert(blocks(some[i]) && raise(some[i]) == 0 && handled == 0);
		assert(sigset(some[i], count_any) == SIG_HOLD && handled == 1 && !blocks(some[i]));
		assert(sighold(some[i]) == 0 && blocks(some[i]) && raise(some[i]) == 0);
		assert(sigrelse(some[i]) == 0 && handled == 2 && !blocks(some[i]));
		assert(sigignore(some[i]) == 0 && raise(some[i]) == 0 && handled == 2);
		assert(sigset(some[i], SIG_DFL) == SIG_IGN);
	}
	return arg;
}

static void as_in_system_v(void)
{
	hold_some(NULL);
	alone(hold_some);
}

static void *call_system(void *arg)
{
	assert(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0);
	wait_for_it(NULL);
	assert(syscall(SYS_tkill, gettid(), SIGUSR1) == 0);
	wait_for_it(NULL);
	assert(syscall(SYS_kill, getpid(), SIGUSR1) == 0);
	wait_for_it(NULL);
	return arg;
}

static void by_system_call(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	alone(call_system);
}

static void *ignore(void *arg)
{
	assert(raise(SIGUSR1) == 0 && raise(SIGCHLD) == 0);
	return arg;
}

static void ignored(void)
{
	handle(SIG_IGN);
	alone(ignore);
}

static void break_a_pipe(void)
{
	int fd[2];

	assert(pipe(fd) == 0 && close(fd[0]) == 0);
	assert(write(fd[1], "x", 1) == -1 && errno == EPIPE);
	close(fd[1]);
}

static void count_broken(int sig)
{
	handled += sig == SIGPIPE;
}

static void *break_it(void *arg)
{
	break_a_pipe();
	assert(handled == 1);
	return arg;
}

static void a_broken_pipe_is_handled(void)
{
	signal(SIGPIPE, count_broken);
	alone(break_it);
}

static void *break_it_and_look(void *arg)
{
	sigset_t set;

	mask(SIG_BLOCK, SIGPIPE);
	break_a_pipe();
	assert(sigpending(&set) == 0 && sigismember(&set, SIGPIPE));
	return arg;
}

static void a_broken_pipe_may_be_blocked(void)
{
	alone(break_it_and_look);
}

static void a_broken_pipe(void)
{
	signal(SIGPIPE, SIG_DFL); /* whoever started it may ignore it */
	alone(break_it);
}

static void by_a_descriptor(void)
{
	sigset_t set = only(SIGUSR1);
	struct signalfd_siginfo info;
	pthread_t t;
	int fd;

	mask(SIG_BLOCK, SIGUSR1);
	fd = signalfd(-1, &set, 0);
	t = begin(tell, NULL);
	end(t);
	assert(fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info));
}

static int queued;

static void in_order(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (sig == SIGRTMIN)
		assert(info->si_value.sival_int == ++queued);
	else
		assert(queued == 3); /* those with lower numbers came first */
}

static void queue(int sig, int number)
{
	assert(pthread_sigqueue(pthread_self(), sig, (union sigval){ .sival_int = number }) == 0);
}

static void *queue_some(void *arg)
{
	sigset_t both = only(SIGRTMIN);

	sigaddset(&both, SIGRTMIN + 1);
	queue(SIGRTMIN + 1, 0);
	for (int i = 1; i <= 3; i++)
		queue(SIGRTMIN, i);
	assert(pthread_sigmask(SIG_UNBLOCK, &both, NULL) == 0);
	return arg;
}

static void real_time_signals_queue(void)
{
	struct sigaction a = { .sa_sigaction = in_order, .sa_flags = SA_SIGINFO };

	/* The kernel handles the last one first, where several are let in, as handlers interrupt each other. */
	sigfillset(&a.sa_mask);
	assert(sigaction(SIGRTMIN, &a, NULL) == 0 && sigaction(SIGRTMIN + 1, &a, NULL) == 0);
	mask(SIG_BLOCK, SIGRTMIN);
	mask(SIG_BLOCK, SIGRTMIN + 1);
	alone(queue_some);
	assert(queued == 3);
}

static void *queue_many(void *arg)
{
	mask(SIG_BLOCK, SIGRTMIN);
	for (int i = 0; i < 65; i++)
		queue(SIGRTMIN, i);
	return arg;
}

static void too_many_to_queue(void)
{
	alone(queue_many);
}

static void *raise_only(void *arg)
{
	raise(SIGUSR1);
	return arg;
}

static void ends_by_default(void)
{
	alone(raise_only);
}

static void *raise_abort(void *arg)
{
	raise(SIGABRT);
	return arg;
}

static void raises_abort(void)
{
	alone(raise_abort);
}

static void *tell_parent(void *arg)
{
	kill(getppid(), SIGUSR1);
	return arg;
}

static void to_somebody_else(void)
{
	alone(tell_parent);
}

/* --- how they fail ---------------------------------------------------------------------------- */

enum {
	NO_SIGNAL = 100,
	NOBODY = INT_MAX /* more than ids of processes can be */
};

static const union sigval nothing;

EACH_FAILS(kill_ESRCH, ESRCH, kill(NOBODY, 0))
EACH_FAILS(killpg_ESRCH, ESRCH, killpg(NOBODY, 0))
EACH_FAILS(raise_EINVAL, EINVAL, raise(NO_SIGNAL))
EACH_FAILS(gsignal_EINVAL, EINVAL, gsignal(NO_SIGNAL))
EACH_FAILS(sighold_EINVAL, EINVAL, sighold(NO_SIGNAL))
EACH_FAILS(sigrelse_EINVAL, EINVAL, sigrelse(NO_SIGNAL))
EACH_FAILS(sigignore_EINVAL, EINVAL, sigignore(NO_SIGNAL))
EACH_FAILS(sigset_EINVAL, EINVAL, sigset(NO_SIGNAL, SIG_IGN) == SIG_ERR ? -1 : 0)
EACH_FAILS(sigqueue_ESRCH, ESRCH, sigqueue(NOBODY, 0, nothing))

IN_EACH(kill_EINVAL)
{
	FAILS(EINVAL, kill(getpid(), NO_SIGNAL));
	FAILS(EINVAL, kill(getpid(), -1));
	return arg;
}

/* Signal 0 is none: is there such a process? */
IN_EACH(kill_asks)
{
	assert(kill(getpid(), 0) == 0 && kill(0, 0) == 0);
	assert(tgkill(getpid(), gettid(), 0) == 0);
	return arg;
}

IN_EACH(killpg_EINVAL)
{
	FAILS(EINVAL, killpg(0, NO_SIGNAL));
	FAILS(EINVAL, killpg(-1, 0));
	return arg;
}

IN_EACH(tgkill_EINVAL)
{
	FAILS(EINVAL, tgkill(getpid(), gettid(), NO_SIGNAL));
	FAILS(EINVAL, tgkill(-1, gettid(), 0));
	FAILS(EINVAL, tgkill(getpid(), 0, 0));
	return arg;
}

IN_EACH(tgkill_ESRCH)
{
	FAILS(ESRCH, tgkill(getpid(), NOBODY, 0));
	FAILS(ESRCH, tgkill(NOBODY, gettid(), 0));
	return arg;
}

EACH_FAILS(sigqueue_EINVAL, EINVAL, sigqueue(getpid(), NO_SIGNAL, nothing))

IN_EACH(pthread_kill_EINVAL)
{
	GIVES(EINVAL, pthread_kill(pthread_self(), NO_SIGNAL));
	GIVES(EINVAL, pthread_kill(pthread_self(), -1));
	return arg;
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

IN_EACH(pthread_kill_asks)
{
	pthread_t t;

	GIVES(0, pthread_kill(pthread_self(), 0));
	GIVES(0, pthread_create(&t, NULL, nothing_to_do, NULL));
	GIVES(0, pthread_kill(t, 0));
	GIVES(0, pthread_join(t, NULL));
	return arg;
}

IN_EACH(pthread_sigqueue_EINVAL)
{
	GIVES(EINVAL, pthread_sigqueue(pthread_self(), NO_SIGNAL, nothing));
	return arg;
}

static void take_note_of_nothing(int sig)
{
	(void)sig;
}

IN_EACH(sigaction_EINVAL)
{
	struct sigaction act = { .sa_handler = take_note_of_nothing }, old;

	FAILS(EINVAL, sigaction(0, &act, NULL));
	FAILS(EINVAL, sigaction(NO_SIGNAL, &act, NULL));
	FAILS(EINVAL, sigaction(NO_SIGNAL, NULL, &old));
	FAILS(EINVAL, sigaction(SIGKILL, &act, NULL));
	FAILS(EINVAL, sigaction(SIGSTOP, &act, NULL));
	return arg;
}

/* Of faults as of others. */
IN_EACH(sigaction_tells_what_was_there)
{
	static const int sig[] = { SIGUSR1, SIGSEGV };
	struct sigaction act = { .sa_handler = take_note_of_nothing }, old;

	for (int i = 0; i < 2; i++) {
		act.sa_flags = SA_NODEFER;
		assert(sigaction(sig[i], &act, &old) == 0 && old.sa_handler == SIG_DFL);
		assert(sigaction(sig[i], NULL, &old) == 0 &&
		       old.sa_handler == take_note_of_nothing);
		assert((old.sa_flags & SA_NODEFER) &&
		       signal(sig[i], SIG_DFL) == take_note_of_nothing);
	}
	return arg;
}

/* Their names are as old as their headers. */
extern sighandler_t bsd_signal(int sig, sighandler_t handler);

#define FAILS_WITH_EINVAL(name)                                                    \
	IN_EACH(name##_EINVAL)                                                     \
	{                                                                          \
		static const int wrong[] = { 0, -1, NO_SIGNAL, SIGKILL, SIGSTOP }; \
		static const int right[] = { SIGUSR1, SIGSEGV };                   \
                                                                                   \
		for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {    \
			errno = 0;                                                 \
			assert(name(wrong[i], take_note_of_nothing) == SIG_ERR);   \
			assert(errno == EINVAL);                                   \
		}                                                                  \
		for (unsigned i = 0; i < sizeof(right) / sizeof(*right); i++) {    \
			errno = 0;                                                 \
			assert(name(right[i], SIG_ERR) == SIG_ERR);                \
			assert(errno == EINVAL);                                   \
			assert(name(right[i], take_note_of_nothing) == SIG_DFL);   \
			assert(name(right[i], SIG_DFL) == take_note_of_nothing);   \
		}                                                                  \
		return arg;                                                        \
	}

FAILS_WITH_EINVAL(signal)
FAILS_WITH_EINVAL(bsd_signal)
FAILS_WITH_EINVAL(ssignal)
FAILS_WITH_EINVAL(sysv_signal)
FAILS_WITH_EINVAL(__sysv_signal)

IN_EACH(sigprocmask_EINVAL)
{
	sigset_t set;

	sigemptyset(&set);
	FAILS(EINVAL, sigprocmask(77, &set, NULL));
	assert(sigprocmask(77, NULL, &set) == 0); /* nothing is changed: how does not matter */
	return arg;
}

IN_EACH(pthread_sigmask_EINVAL)
{
	sigset_t set;

	sigemptyset(&set);
	GIVES(EINVAL, pthread_sigmask(77, &set, NULL));
	GIVES(0, pthread_sigmask(77, NULL, &set));
	return arg;
}

static sigset_t block_one(void)
{
	sigset_t set;

	signal(SIGUSR1, take_note_of_nothing);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	GIVES(0, pthread_sigmask(SIG_BLOCK, &set, NULL));
	return set;
}

IN_EACH(sigsuspend_EINTR)
{
	sigset_t none;

	block_one();
	assert(raise(SIGUSR1) == 0);
	sigemptyset(&none);
	FAILS(EINTR, sigsuspend(&none));
	return arg;
}

IN_EACH(sigtimedwait_EAGAIN)
{
	struct timespec none = { 0, 0 };
	sigset_t set = block_one();

	FAILS(EAGAIN, sigtimedwait(&set, NULL, &none));
	return arg;
}

IN_EACH(sigtimedwait_EINVAL)
{
	struct timespec wrong = { 0, 1000000000 };
	sigset_t set = block_one();

	FAILS(EINVAL, sigtimedwait(&set, NULL, &wrong));
	return arg;
}

IN_EACH(waits_for_what_is_pending)
{
	sigset_t set = block_one(), pending;
	siginfo_t info;
	int sig = 0;

	assert(raise(SIGUSR1) == 0);
	assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
	GIVES(0, sigwait(&set, &sig));
	assert(sig == SIGUSR1);
	assert(kill(getpid(), SIGUSR1) == 0);
	assert(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
	return arg;
}

static volatile sig_atomic_t told_pid, told_code, told_number;

static void be_told(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	told_pid = info->si_pid;
	told_code = info->si_code;
	told_number = info->si_value.sival_int;
}

/* The process is who it says that it is. */
static void who_sends_before_there_are_threads(void)
{
	struct sigaction action = { .sa_sigaction = be_told, .sa_flags = SA_SIGINFO };

	assert(sigaction(SIGUSR1, &action, NULL) == 0);
	assert(raise(SIGUSR1) == 0 && told_pid == getpid() && told_code == SI_TKILL);
	told_pid = 0;
	assert(kill(getpid(), SIGUSR1) == 0 && told_pid == getpid() && told_code == SI_USER);
	told_pid = 0;
	assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && told_pid == getpid());
	assert(told_code == SI_TKILL);
	told_pid = 0;
	assert(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 7 }) == 0);
	assert(told_pid == getpid() && told_code == SI_QUEUE && told_number == 7);
}

/* ---- Stops ---- */

static void *raises_stop(void *arg)
{
	raise(SIGSTOP);
	return arg;
}

static void stops_itself(void)
{
	THREADS(1, raises_stop);
}

static void stops_itself_alone(void)
{
	raise(SIGSTOP);
	THREADS(1, raises_stop);
}

static void stops_itself_as_a_terminal_does(void)
{
	kill(getpid(), SIGTSTP);
	THREADS(1, raises_stop);
}

static int stops;

static void counts_stops(int sig)
{
	assert(sig == SIGTTIN);
	stops++;
}

static void *looks_at_stops(void *arg)
{
	assert(stops == 1);
	return arg;
}

/* Ignored, handled, or blocked. */
static void stops_that_do_not(void)
{
	sigset_t set;

	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTIN, counts_stops);
	assert(raise(SIGTSTP) == 0 && raise(SIGTTIN) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	assert(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGTTOU) == 0);
	assert(sigpending(&set) == 0 && sigismember(&set, SIGTTOU) && !sigismember(&set, SIGTSTP));
	THREADS(1, looks_at_stops);
}

CASES(CASE(who_sends_before_there_are_threads), CASE(raise_calls_the_handler),
      CASE(a_blocked_one_waits_for_its_unblocking), CASE(a_handler_blocks_its_signal),
      CASE(masks_are_of_threads), CASE(a_mask_is_inherited), CASE(pending_signals),
      CASE(pending_ones_are_not_inherited), CASE(what_is_pending_for_the_process),
      CASE(as_in_system_v), CASE(by_system_call), CASE(ignored), CASE(threads_change_what_is_done),
      CASE(the_second_to_ignore_it), CASE(who_ignores_it_first), CASE(a_broken_pipe_is_handled),
      CASE(a_broken_pipe_may_be_blocked), CASE(a_broken_pipe), CASE(by_a_descriptor),
      CASE(real_time_signals_queue), CASE(too_many_to_queue), CASE(ends_by_default),
      CASE(raises_abort), CASE(to_somebody_else), CASE(stops_itself), CASE(stops_itself_alone),
      CASE(stops_itself_as_a_terminal_does), CASE(stops_that_do_not), CASE(kill_EINVAL),
      CASE(kill_ESRCH), CASE(kill_asks), CASE(killpg_EINVAL), CASE(killpg_ESRCH),
      CASE(tgkill_EINVAL), CASE(tgkill_ESRCH), CASE(raise_EINVAL), CASE(sigqueue_EINVAL),
      CASE(sigqueue_ESRCH), CASE(pthread_kill_EINVAL), CASE(pthread_kill_asks),
      CASE(pthread_sigqueue_EINVAL), CASE(sigaction_EINVAL), CASE(sigaction_tells_what_was_there),
      CASE(signal_EINVAL), CASE(bsd_signal_EINVAL), CASE(ssignal_EINVAL), CASE(sysv_signal_EINVAL),
      CASE(__sysv_signal_EINVAL), CASE(gsignal_EINVAL), CASE(sighold_EINVAL), CASE(sigrelse_EINVAL),
      CASE(sigignore_EINVAL), CASE(sigset_EINVAL), CASE(sigprocmask_EINVAL),
      CASE(pthread_sigmask_EINVAL), CASE(sigsuspend_EINTR), CASE(sigtimedwait_EAGAIN),
      CASE(sigtimedwait_EINVAL), CASE(waits_for_what_is_pending))
