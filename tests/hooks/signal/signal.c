/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal.c - signals that threads send one another
 *
 * case raise_calls_the_handler: ok 1
 * case a_blocked_one_waits_for_its_unblocking: ok 1
 * case a_handler_blocks_its_signal: ok 1
 * case masks_are_of_threads: ok 1
 * case a_mask_is_inherited: ok 1
 * case pending_signals: ok 1
 * case by_system_call: ok 1
 * case ignored: ok 1
 * case a_broken_pipe_is_handled: ok 1
 * case a_broken_pipe_may_be_blocked: ok 1
 * case a_broken_pipe: bug crash at assert(write
 * case by_a_descriptor: refused SIGUSR1 from a descriptor
 * case real_time_signals_queue: ok 1
 * case too_many_to_queue: refused more than 64 signals
 * case ends_by_default: refused sends itself SIGUSR1
 * case raises_abort: bug abort at raise(SIGABRT)
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
#include "hooks/threads.h"
#include "signals.h"

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

CASES(CASE(raise_calls_the_handler), CASE(a_blocked_one_waits_for_its_unblocking),
      CASE(a_handler_blocks_its_signal), CASE(masks_are_of_threads), CASE(a_mask_is_inherited),
      CASE(pending_signals), CASE(by_system_call), CASE(ignored), CASE(a_broken_pipe_is_handled),
      CASE(a_broken_pipe_may_be_blocked), CASE(a_broken_pipe), CASE(by_a_descriptor),
      CASE(real_time_signals_queue), CASE(too_many_to_queue), CASE(ends_by_default),
      CASE(raises_abort), CASE(to_somebody_else))
