/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * actions.c - a thread changes what a signal does while it is delivered to another one
 *
 * case the_handler_before: bug assertion at bug: the_handler_before
 * case the_handler_behind: bug assertion at bug: the_handler_behind
 * case either_handler: ok 2
 * case either_handler -j 2: ok 2
 * case either_handler --backend=fork: ok 2
 * case either_handler --no-memo: ok 2
 * case ignored_before: bug assertion at bug: ignored_before
 * case ignored_behind: bug assertion at bug: ignored_behind
 * case as_it_is_let_in: bug assertion at bug: as_it_is_let_in
 * case of_another_thread: bug assertion at bug: of_another_thread
 * case of_another_signal: ok 1
 * case one_thread_does_both: ok 1
 * case delivered_twice: ok 2
 * case delivered_before_there_are_others: ok 2
 * case delivered_twice_and_changed: ok 12
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "cases.h"

static int which;
static _Thread_local volatile int handled;

static void first(int sig)
{
	(void)sig;
	which = 1;
}

static void second(int sig)
{
	(void)sig;
	which = 2;
}

static void count(int sig)
{
	(void)sig;
	handled++;
}

static void *raise_it(void *arg)
{
	raise(SIGUSR1);
	return arg;
}

static void *change_it(void *arg)
{
	struct sigaction to = { .sa_handler = second };

	sigaction(SIGUSR1, &to, NULL);
	return arg;
}

static void *handle_it(void *arg)
{
	signal(SIGUSR1, second);
	return arg;
}

static void the_handler_before(void)
{
	signal(SIGUSR1, first);
	RUN(raise_it, change_it);
	assert(which != 1); /* bug: the_handler_before */
}

static void the_handler_behind(void)
{
	signal(SIGUSR1, first);
	RUN(raise_it, change_it);
	assert(which != 2); /* bug: the_handler_behind */
}

/* The delivery comes before the change, or behind it. */
static void either_handler(void)
{
	signal(SIGUSR1, first);
	RUN(raise_it, change_it);
	assert(which == 1 || which == 2);
}

static void ignored_before(void)
{
	signal(SIGUSR1, SIG_IGN);
	RUN(raise_it, handle_it);
	assert(which); /* bug: ignored_before */
}

static void ignored_behind(void)
{
	signal(SIGUSR1, SIG_IGN);
	RUN(raise_it, handle_it);
	assert(!which); /* bug: ignored_behind */
}

static void *let_it_in(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return arg;
}

static void as_it_is_let_in(void)
{
	pthread_t a, b;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, first);
	assert(!pthread_create(&a, NULL, let_it_in, NULL));
	pthread_kill(a, SIGUSR1);
	assert(!pthread_create(&b, NULL, change_it, NULL));
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(which != 2); /* bug: as_it_is_let_in */
}

static atomic_int x;

static void *look(void *arg)
{
	atomic_load(&x);
	return arg;
}

/* It was sent before the other handler was there. */
static void of_another_thread(void)
{
	pthread_t a;

	signal(SIGUSR1, first);
	assert(!pthread_create(&a, NULL, look, NULL));
	pthread_kill(a, SIGUSR1);
	change_it(NULL);
	pthread_join(a, NULL);
	assert(which != 2); /* bug: of_another_thread */
}

static void *raise_another(void *arg)
{
	raise(SIGUSR2);
	return arg;
}

static void of_another_signal(void)
{
	signal(SIGUSR2, first);
	RUN(raise_another, change_it);
	assert(which == 1);
}

static void *raise_and_change(void *arg)
{
	raise_it(arg);
	change_it(arg);
	return raise_it(arg);
}

static void one_thread_does_both(void)
{
	signal(SIGUSR1, first);
	RUN(raise_and_change);
	assert(which == 2);
}

static void *raise_and_count(void *arg)
{
	raise_it(arg);
	assert(handled == 1);
	return arg;
}

/* Nobody changes it while there are threads that may be sent it: no order of both is asked for. */
static void delivered_twice(void)
{
	signal(SIGUSR1, count);
	RUN(raise_and_count, raise_and_count);
	change_it(NULL);
}

static void delivered_before_there_are_others(void)
{
	signal(SIGUSR1, count);
	RUN(raise_and_count);
	raise(SIGUSR1);
	signal(SIGUSR1, count);
	RUN(raise_and_count, raise_and_count);
}

static void *count_it_again(void *arg)
{
	signal(SIGUSR1, count);
	return arg;
}

static void delivered_twice_and_changed(void)
{
	signal(SIGUSR1, count);
	RUN(raise_and_count, raise_and_count, count_it_again);
}

CASES(CASE(the_handler_before), CASE(the_handler_behind), CASE(either_handler),
      CASE(ignored_before), CASE(ignored_behind), CASE(as_it_is_let_in), CASE(of_another_thread),
      CASE(of_another_signal), CASE(one_thread_does_both), CASE(delivered_twice),
      CASE(delivered_before_there_are_others), CASE(delivered_twice_and_changed))
