/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bsd.c - masks of signals, and waits, as BSD had them
 *
 * case sigblock_keeps_it_off: ok 1
 * case sigsetmask_lets_it_in: ok 1
 * case a_mask_of_the_first_thread: ok 1
 * case threads_have_their_own: ok 1
 * case siginterrupt_ends_a_wait: bug assertion at read(end_of_pipe[0]
 * case siginterrupt_lets_it_go_on: ok 4
 * case sigpause_by_mask: ok 2
 * case sigpause_by_signal: ok 2
 * case sigpause_in_vain: bug deadlock at end(in_vain)
 *
 * never fails: sigblock sigsetmask siggetmask sigpause
 * ways siginterrupt: EINVAL
 * ways __sigpause: EINVAL; not EINTR (sigpause_by_signal)
 * ways __xpg_sigpause: EINVAL; not EINTR (sigpause_by_signal)
 *
 * case siginterrupt_EINVAL: ok 1
 * case __sigpause_EINVAL: ok 1
 * case __xpg_sigpause_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"
#include "signals.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int bsd_sigpause(int mask) __asm__("sigpause");
int __xpg_sigpause(int sig);
int __sigpause(int sig_or_mask, int is_sig);

static void *keeps_it_off(void *arg)
{
	assert(sigblock(sigmask(SIGUSR1)) == 0);
	assert(raise(SIGUSR1) == 0 && handled == 0);
	assert(sigblock(0) == sigmask(SIGUSR1) && siggetmask() == sigmask(SIGUSR1));
	return arg;
}

static void sigblock_keeps_it_off(void)
{
	handle(count);
	alone(keeps_it_off);
}

static void *lets_it_in(void *arg)
{
	sigblock(sigmask(SIGUSR1));
	raise(SIGUSR1);
	assert(handled == 0 && sigsetmask(sigmask(SIGUSR2)) == sigmask(SIGUSR1));
	assert(handled == 1 && blocks(SIGUSR2) && !blocks(SIGUSR1));
	return arg;
}

static void sigsetmask_lets_it_in(void)
{
	handle(count);
	alone(lets_it_in);
}

static void *has_it(void *arg)
{
	assert(blocks(SIGUSR1) && siggetmask() == sigmask(SIGUSR1));
	return arg;
}

static void a_mask_of_the_first_thread(void)
{
	handle(count);
	assert(sigblock(sigmask(SIGUSR1)) == 0 && raise(SIGUSR1) == 0 && handled == 0);
	alone(has_it);
	assert(sigsetmask(0) == sigmask(SIGUSR1) && handled == 1);
}

static void *has_none(void *arg)
{
	sigblock(sigmask(SIGUSR2));
	return arg;
}

static void threads_have_their_own(void)
{
	alone(has_none);
	assert(siggetmask() == 0);
}

static int end_of_pipe[2];

static void *reads(void *arg)
{
	char c;

	assert(read(end_of_pipe[0], &c, 1) == 1);
	return arg;
}

static void told_while_it_reads(int interrupts)
{
	pthread_t t;

	assert(pipe(end_of_pipe) == 0);
	signal(SIGUSR1, count);
	assert(siginterrupt(SIGUSR1, interrupts) == 0);
	t = begin(reads, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	assert(write(end_of_pipe[1], "a", 1) == 1);
	end(t);
}

static void siginterrupt_ends_a_wait(void)
{
	told_while_it_reads(1);
}

static void siginterrupt_lets_it_go_on(void)
{
	told_while_it_reads(0);
}

static void *pauses_with_mask(void *arg)
{
	assert(bsd_sigpause(sigmask(SIGUSR2)) == -1 && errno == EINTR);
	assert(handled == 1 && blocks(SIGUSR1) && !blocks(SIGUSR2));
	return arg;
}

static void *pauses_for_signal(void *arg)
{
	assert(sigpause(SIGUSR1) == -1 && errno == EINTR);
	assert(handled == 1 && blocks(SIGUSR1));
	return arg;
}

static void told(void *(*pauses)(void *))
{
	pthread_t t;

	handle(count);
	sigblock(sigmask(SIGUSR1));
	t = begin(pauses, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	end(t);
}

static void sigpause_by_mask(void)
{
	told(pauses_with_mask);
}

static void sigpause_by_signal(void)
{
	told(pauses_for_signal);
}

static void *pauses_for_another(void *arg)
{
	sigpause(SIGUSR2);
	return arg;
}

static void sigpause_in_vain(void)
{
	pthread_t in_vain;

	handle(count);
	sigblock(sigmask(SIGUSR1));
	in_vain = begin(pauses_for_another, NULL);
	assert(pthread_kill(in_vain, SIGUSR1) == 0);
	end(in_vain);
}

EACH_FAILS(siginterrupt_EINVAL, EINVAL, siginterrupt(1000, 1))
EACH_FAILS(__sigpause_EINVAL, EINVAL, __sigpause(1000, 1))
EACH_FAILS(__xpg_sigpause_EINVAL, EINVAL, __xpg_sigpause(1000))

CASES(CASE(sigblock_keeps_it_off), CASE(sigsetmask_lets_it_in), CASE(a_mask_of_the_first_thread),
      CASE(threads_have_their_own), CASE(siginterrupt_ends_a_wait),
      CASE(siginterrupt_lets_it_go_on), CASE(sigpause_by_mask), CASE(sigpause_by_signal),
      CASE(sigpause_in_vain), CASE(siginterrupt_EINVAL), CASE(__sigpause_EINVAL),
      CASE(__xpg_sigpause_EINVAL))
