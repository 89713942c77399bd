/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal.c - signals that threads send one another
 *
 * case raise_calls_the_handler: ok 1
 * case a_blocked_one_waits_for_its_unblocking: ok 1
 * case a_handler_blocks_its_signal: ok 1
 * case masks_are_of_threads: ok 1
 * case a_mask_is_inherited: ok 1
 * case sigwait_takes_what_was_sent: ok 2
 * case sigwait_for_one_of_two: ok *
 * case sigwait_in_vain: bug deadlock
 * case sent_twice_taken_once: ok *
 * case sigtimedwait_times_out: ok 2
 * case sigwaitinfo_tells_who_and_what: ok 2
 * case each_gets_its_own: ok *
 * case only_one_of_two_gets_it: bug deadlock
 * case sigsuspend_handles: ok 2
 * case sigsuspend_too_late_is_in_time: ok 2
 * case pause_handles: ok *
 * case a_signal_thread_that_is_cancelled: ok *
 * case a_signal_thread_that_is_told_to_end: ok *
 * case what_was_written_before: ok 2
 * case pending_signals: ok 1
 * case by_system_call: ok 1
 * case ignored: ok 1
 * case a_broken_pipe_is_handled: ok 1
 * case a_broken_pipe_may_be_blocked: ok 1
 * case a_broken_pipe: bug crash
 * case by_a_descriptor: refused SIGUSR1 from a descriptor
 * case interrupts_another: refused sends SIGUSR1 to a thread that does not block it
 * case ends_by_default: refused sends itself SIGUSR1
 * case raises_abort: bug abort
 * case to_somebody_else: refused another process
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "threads.h"

static volatile sig_atomic_t handled;
static int data;

static void count(int sig)
{
	assert(sig == SIGUSR1);
	handled++;
}

static void handle(void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler };

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
}

static sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	if (sig)
		sigaddset(&set, sig);
	return set;
}

static void mask(int how, int sig)
{
	sigset_t set = only(sig);

	assert(pthread_sigmask(how, &set, NULL) == 0);
}

static bool blocks(int sig)
{
	sigset_t set;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
	return sigismember(&set, sig);
}

static void alone(void *(*fn)(void *))
{
	end(begin(fn, NULL));
}

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

static void *wait_for_it(void *arg)
{
	sigset_t set = only(SIGUSR1);
	int sig = 0;

	assert(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
	return arg;
}

/* It is there before the thread waits, or comes while it does. */
static void sigwait_takes_what_was_sent(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(wait_for_it, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void *wait_for_both(void *arg)
{
	sigset_t set = only(SIGUSR1);
	int first, second;

	sigaddset(&set, SIGUSR2);
	assert(sigwait(&set, &first) == 0 && sigwait(&set, &second) == 0);
	assert(first + second == SIGUSR1 + SIGUSR2);
	return arg;
}

static void sigwait_for_one_of_two(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGUSR2);
	t = begin(wait_for_both, NULL);
	assert(kill(getpid(), SIGUSR2) == 0);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void sigwait_in_vain(void)
{
	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGUSR2);
	pthread_t t = begin(wait_for_it, NULL);
	assert(pthread_kill(t, SIGUSR2) == 0);
	end(t);
}

static void *try_again(void *arg)
{
	const struct timespec now = { 0 };
	sigset_t set = only(SIGUSR1);

	wait_for_it(NULL);
	atomic_thread_fence(memory_order_seq_cst);
	if (sigtimedwait(&set, NULL, &now) < 0)
		assert(errno == EAGAIN);
	return arg;
}

static void sent_twice_taken_once(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(try_again, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0 && pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void *wait_for_a_while(void *arg)
{
	const struct timespec wrong = { .tv_nsec = 1000000000 }, little = { .tv_nsec = 1000000 };
	sigset_t set = only(SIGUSR1);
	int sig;

	assert(sigtimedwait(&set, NULL, &wrong) == -1 && errno == EINVAL);
	sig = sigtimedwait(&set, NULL, &little);
	assert(sig == SIGUSR1 || (sig == -1 && errno == EAGAIN));
	return arg;
}

static void sigtimedwait_times_out(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(wait_for_a_while, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void *learn(void *arg)
{
	sigset_t set = only(SIGUSR1);
	siginfo_t info;

	assert(sigwaitinfo(&set, &info) == SIGUSR1);
	assert(info.si_signo == SIGUSR1 && info.si_pid == getpid());
	assert(info.si_code == SI_QUEUE && info.si_value.sival_int == 5);
	return arg;
}

static void sigwaitinfo_tells_who_and_what(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(learn, NULL);
	assert(sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_int = 5 }) == 0);
	end(t);
}

static void each_gets_its_own(void)
{
	pthread_t t[2];

	mask(SIG_BLOCK, SIGUSR1);
	t[0] = begin(wait_for_it, NULL);
	t[1] = begin(wait_for_it, NULL);
	/* The second one is not lost in the first, for whom it is. */
	assert(pthread_kill(t[0], SIGUSR1) == 0);
	assert(pthread_kill(t[1], SIGUSR1) == 0);
	end(t[0]);
	end(t[1]);
}

static void only_one_of_two_gets_it(void)
{
	pthread_t t[2];

	mask(SIG_BLOCK, SIGUSR1);
	t[0] = begin(wait_for_it, NULL);
	t[1] = begin(wait_for_it, NULL);
	assert(kill(getpid(), SIGUSR1) == 0);
	end(t[0]);
	end(t[1]);
}

static void *suspend(void *arg)
{
	sigset_t none = only(0);

	assert(sigsuspend(&none) == -1 && errno == EINTR);
	assert(handled == 1 && blocks(SIGUSR1));
	return arg;
}

static void sigsuspend_handles(void)
{
	pthread_t t;

	handle(count);
	mask(SIG_BLOCK, SIGUSR1);
	t = begin(suspend, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void *tell(void *arg)
{
	assert(kill(getpid(), SIGUSR1) == 0);
	return arg;
}

static void sigsuspend_too_late_is_in_time(void)
{
	pthread_t t;

	handle(count);
	mask(SIG_BLOCK, SIGUSR1);
	t = begin(tell, NULL);
	suspend(NULL);
	end(t);
}

static atomic_int ready;

static void *tell_to_pause(void *arg)
{
	assert(pthread_kill(*(pthread_t *)arg, SIGUSR2) == 0);
	return arg;
}

static void nothing(int sig)
{
	assert(sig == SIGUSR2);
}

/* What the mask of the thread lets in ends it; here a handler that runs in another one. */
static void *pauses(void *arg)
{
	struct sigaction a = { .sa_handler = nothing };
	sigset_t all_but_this;

	assert(sigaction(SIGUSR2, &a, NULL) == 0);
	sigfillset(&all_but_this);
	sigdelset(&all_but_this, SIGUSR2);
	atomic_store(&ready, 1);
	assert(sigsuspend(&all_but_this) == -1 && errno == EINTR);
	return arg;
}

static void pause_handles(void)
{
	pthread_t t, u;

	mask(SIG_BLOCK, SIGUSR2);
	t = begin(pauses, NULL);
	while (!atomic_load(&ready))
		;
	u = begin(tell_to_pause, &t);
	end(t);
	end(u);
}

static void a_signal_thread_that_is_cancelled(void)
{
	pthread_t t;
	void *result;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(wait_for_it, NULL);
	assert(pthread_cancel(t) == 0);
	assert(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
	mask(SIG_UNBLOCK, SIGUSR1); /* nobody holds what guards the signals */
}

static void *serve(void *arg)
{
	sigset_t set = only(SIGUSR1);
	int sig;

	sigaddset(&set, SIGTERM);
	do {
		assert(sigwait(&set, &sig) == 0);
		handled += sig == SIGUSR1;
	} while (sig != SIGTERM);
	return arg;
}

static void a_signal_thread_that_is_told_to_end(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	mask(SIG_BLOCK, SIGTERM);
	t = begin(serve, NULL);
	assert(kill(getpid(), SIGUSR1) == 0);
	assert(pthread_kill(t, SIGTERM) == 0);
	end(t);
	assert(handled <= 1);
}

static void *read_after(void *arg)
{
	wait_for_it(NULL);
	assert(data == 1);
	return arg;
}

static void what_was_written_before(void)
{
	pthread_t t;

	mask(SIG_BLOCK, SIGUSR1);
	t = begin(read_after, NULL);
	data = 1;
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
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

static void interrupts_another(void)
{
	pthread_t t;

	handle(count);
	t = begin(inherits, NULL);
	pthread_kill(t, SIGUSR1);
	end(t);
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

CASES(CASE(raise_calls_the_handler), CASE(a_blocked_one_waits_for_its_unblocking),
      CASE(a_handler_blocks_its_signal), CASE(masks_are_of_threads), CASE(a_mask_is_inherited),
      CASE(sigwait_takes_what_was_sent), CASE(sigwait_for_one_of_two), CASE(sigwait_in_vain),
      CASE(sent_twice_taken_once), CASE(sigtimedwait_times_out),
      CASE(sigwaitinfo_tells_who_and_what), CASE(each_gets_its_own), CASE(only_one_of_two_gets_it),
      CASE(sigsuspend_handles), CASE(sigsuspend_too_late_is_in_time), CASE(pause_handles),
      CASE(a_signal_thread_that_is_cancelled), CASE(a_signal_thread_that_is_told_to_end),
      CASE(what_was_written_before), CASE(pending_signals), CASE(by_system_call), CASE(ignored),
      CASE(a_broken_pipe_is_handled), CASE(a_broken_pipe_may_be_blocked), CASE(a_broken_pipe),
      CASE(by_a_descriptor), CASE(interrupts_another), CASE(ends_by_default), CASE(raises_abort),
      CASE(to_somebody_else))
