/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * begins.c - where handlers begin on the stack, and with which mask a thread does
 *
 * case one_behind_the_other: ok 1
 * case a_mask_that_is_asked_for: ok 1
 * case a_mask_for_all: ok 1
 * case a_mask_keeps_signals_off: ok 2
 * case no_mask_lets_them_in: bug assertion
 *
 * A signal that came while a handler ran is taken when that has ended, and needs no more of the stack.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

enum {
	MANY = 100
};

static volatile sig_atomic_t left;
static char *highest, *lowest;

static void raise_again(int sig)
{
	char here;

	if (!lowest || &here < lowest)
		lowest = &here;
	if (&here > highest)
		highest = &here;
	if (left-- > 0)
		assert(raise(sig) == 0);
}

static void *raise_many(void *arg)
{
	left = MANY;
	assert(raise(SIGUSR1) == 0);
	assert(left == -1 && highest - lowest < 4096);
	return arg;
}

static void one_behind_the_other(void)
{
	assert(signal(SIGUSR1, raise_again) != SIG_ERR);
	RUN(raise_many);
}

static void *blocks_the_second(void *arg)
{
	sigset_t mine;

	assert(pthread_sigmask(SIG_SETMASK, NULL, &mine) == 0);
	assert(!sigismember(&mine, SIGUSR1) && sigismember(&mine, SIGUSR2));
	return arg;
}

static void one_of_both(int sig, pthread_attr_t *attr)
{
	sigset_t set;

	assert(sigemptyset(&set) == 0 && sigaddset(&set, sig) == 0);
	if (attr)
		assert(pthread_attr_init(attr) == 0 && pthread_attr_setsigmask_np(attr, &set) == 0);
	else
		assert(pthread_sigmask(SIG_SETMASK, &set, NULL) == 0);
}

static void a_mask_that_is_asked_for(void)
{
	pthread_attr_t attr;
	pthread_t t;

	one_of_both(SIGUSR1, NULL);
	one_of_both(SIGUSR2, &attr);
	assert(pthread_create(&t, &attr, blocks_the_second, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void a_mask_for_all(void)
{
	pthread_attr_t attr;

	one_of_both(SIGUSR1, NULL);
	one_of_both(SIGUSR2, &attr);
	assert(pthread_setattr_default_np(&attr) == 0);
	RUN(blocks_the_second);
}

static atomic_int interrupted, over;

static void interrupt(int sig)
{
	(void)sig;
	atomic_store(&interrupted, 1);
}

static void *see(void *arg)
{
	return (void *)(intptr_t)(arg || atomic_load(&over));
}

static void send_to(pthread_attr_t *attr)
{
	pthread_t t;

	assert(signal(SIGUSR2, interrupt) != SIG_ERR);
	assert(pthread_create(&t, attr, see, NULL) == 0);
	assert(pthread_kill(t, SIGUSR2) == 0);
	atomic_store(&over, 1);
	assert(pthread_join(t, NULL) == 0);
}

static void a_mask_keeps_signals_off(void)
{
	pthread_attr_t attr;

	one_of_both(SIGUSR2, &attr);
	send_to(&attr);
	assert(!atomic_load(&interrupted));
}

/* Which the creator blocks. */
static void no_mask_lets_them_in(void)
{
	pthread_attr_t attr;

	one_of_both(SIGUSR2, NULL);
	one_of_both(SIGUSR1, &attr);
	send_to(&attr);
	assert(!atomic_load(&interrupted)); /* bug: no_mask_lets_them_in */
}

CASES(CASE(one_behind_the_other), CASE(a_mask_that_is_asked_for), CASE(a_mask_for_all),
      CASE(a_mask_keeps_signals_off), CASE(no_mask_lets_them_in))
