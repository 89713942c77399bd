/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sigwait.c - threads that wait for signals of others
 *
 * case sigwait_takes_what_was_sent: ok 2
 * case sigwait_for_one_of_two: ok 6
 * case sigwait_in_vain: bug deadlock
 * case sent_twice_taken_once: ok 6
 * case sigtimedwait_times_out: ok 2
 * case sigwaitinfo_tells_who_and_what: ok 2
 * case each_gets_its_own: ok 35
 * case only_one_of_two_gets_it: bug deadlock
 * case sigsuspend_handles: ok 2
 * case sigsuspend_too_late_is_in_time: ok 2
 * case pause_handles: ok 2
 * case a_signal_thread_that_is_cancelled: ok 2
 * case a_signal_thread_that_is_told_to_end: ok 6
 * case what_was_written_before: ok 2
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
#include "hooks/threads.h"
#include "signals.h"

static int data;

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
	end(t); /* bug: sigwait_in_vain */
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
	end(t[1]); /* bug: only_one_of_two_gets_it */
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

CASES(CASE(sigwait_takes_what_was_sent), CASE(sigwait_for_one_of_two), CASE(sigwait_in_vain),
      CASE(sent_twice_taken_once), CASE(sigtimedwait_times_out),
      CASE(sigwaitinfo_tells_who_and_what), CASE(each_gets_its_own), CASE(only_one_of_two_gets_it),
      CASE(sigsuspend_handles), CASE(sigsuspend_too_late_is_in_time), CASE(pause_handles),
      CASE(a_signal_thread_that_is_cancelled), CASE(a_signal_thread_that_is_told_to_end),
      CASE(what_was_written_before))
