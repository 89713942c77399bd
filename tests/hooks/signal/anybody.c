/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * anybody.c - who takes a signal that a thread sends the process without blocking it
 *
 * case the_sender_takes_it_at_once: bug assertion at bug: the_sender_takes_it_at_once
 * case another_one_takes_it: bug assertion at bug: another_one_takes_it
 * case it_comes_later: bug assertion at bug: it_comes_later
 * case it_has_come_when_the_others_are_over: ok 28
 * case it_has_come_when_the_others_are_over -j 2: ok 28
 * case it_has_come_when_the_others_are_over --backend=fork: ok 28
 * case who_blocks_it_leaves_it_to_others: ok 24
 * case who_handles_another_one_leaves_it_to_others: ok 30
 * case nobody_else_could_have_it: ok 1
 * case nobody_else_is_left: ok 1
 * case nobody_else_has_begun: ok 1
 * case begun_but_blocking: ok 1
 * case begun_by_another_one: bug assertion at bug: begun_by_another_one
 * case it_comes_behind_what_the_sender_does_next: bug assertion at bug: it_comes_behind_what_the_sender_does_next
 * case unblocked_later: bug assertion at bug: unblocked_later
 * case sent_behind_its_last_operation: bug assertion at bug: sent_behind_its_last_operation
 * case to_wait_for_it_ends: ok 49
 * case raise_is_for_the_caller: ok 1
 * case ignored: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cases.h"

static atomic_int by = -1, go, handled;
static _Thread_local int number;

static void note(int sig)
{
	(void)sig;
	by = number;
	handled++;
}

static void handles(void)
{
	struct sigaction to = { .sa_handler = note };

	sigaction(SIGUSR1, &to, NULL);
}

static void blocks(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(how, &set, NULL);
}

static void *looks(void *arg)
{
	number = 1;
	(void)atomic_load(&go);
	return arg;
}

static void *is_begun(void *arg)
{
	number = 2;
	blocks(SIG_UNBLOCK);
	atomic_store(&go, 1);
	return arg;
}

static void *is_deaf(void *arg)
{
	number = 1;
	blocks(SIG_BLOCK);
	atomic_store(&go, 1);
	return arg;
}

static void the_sender_takes_it_at_once(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	assert(by != 0); /* bug: the_sender_takes_it_at_once */
	pthread_join(t, NULL);
}

static void another_one_takes_it(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	assert(by != 1); /* bug: another_one_takes_it */
	pthread_join(t, NULL);
}

static void it_comes_later(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	assert(handled); /* bug: it_comes_later */
	pthread_join(t, NULL);
}

static void it_has_come_when_the_others_are_over(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(t, NULL);
	assert(handled == 1);
}

static void who_blocks_it_leaves_it_to_others(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, is_deaf, NULL);
	kill(getpid(), SIGUSR1);
	while (!atomic_load(&go))
		;
	assert(handled == 1);
	pthread_join(t, NULL);
}

static void nobody_else_could_have_it(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, is_deaf, NULL);
	while (!atomic_load(&go))
		;
	kill(getpid(), SIGUSR1);
	assert(by == 0);
	pthread_join(t, NULL);
}

static void nobody_else_is_left(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	pthread_join(t, NULL);
	kill(getpid(), SIGUSR1);
	assert(by == 0);
}

static void nobody_else_has_begun(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, is_deaf, NULL);
	pthread_join(t, NULL);
	kill(getpid(), SIGUSR1);
	assert(by == 0);
	pthread_create(&t, NULL, looks, NULL);
	pthread_join(t, NULL);
}

static void to_wait_for_it_ends(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	while (!atomic_load(&handled))
		;
	pthread_join(t, NULL);
}

static void *handles_another(void *arg)
{
	number = 1;
	raise(SIGUSR2);
	return arg;
}

static void waits_in_handler(int sig)
{
	(void)sig;
	atomic_store(&go, 1);
	while (!atomic_load(&handled))
		;
}

static void who_handles_another_one_leaves_it_to_others(void)
{
	struct sigaction to = { .sa_handler = waits_in_handler };
	pthread_t t;

	handles();
	sigaddset(&to.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &to, NULL);
	pthread_create(&t, NULL, handles_another, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(t, NULL);
	assert(handled == 1);
}

static void begun_but_blocking(void)
{
	pthread_t t;

	handles();
	blocks(SIG_BLOCK);
	pthread_create(&t, NULL, looks, NULL);
	blocks(SIG_UNBLOCK);
	kill(getpid(), SIGUSR1);
	assert(by == 0);
	pthread_join(t, NULL);
}

static pthread_t grandchild;

static void *begins_another(void *arg)
{
	blocks(SIG_BLOCK);
	pthread_create(&grandchild, NULL, is_begun, NULL);
	return arg;
}

static void begun_by_another_one(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, begins_another, NULL);
	while (!atomic_load(&go))
		;
	kill(getpid(), SIGUSR1);
	assert(by != 2); /* bug: begun_by_another_one */
	pthread_join(t, NULL);
	pthread_join(grandchild, NULL);
}

static int seen;

static void note_late(int sig)
{
	(void)sig;
	assert(number != 1 || !seen); /* bug: it_comes_behind_what_the_sender_does_next */
}

static void *sees(void *arg)
{
	number = 1;
	seen = atomic_load(&go);
	(void)atomic_load(&handled);
	return arg;
}

static void it_comes_behind_what_the_sender_does_next(void)
{
	pthread_t t;

	signal(SIGUSR1, note_late);
	pthread_create(&t, NULL, sees, NULL);
	kill(getpid(), SIGUSR1);
	atomic_store(&go, 1);
	pthread_join(t, NULL);
}

static void unblocked_later(void)
{
	pthread_t t;

	handles();
	blocks(SIG_BLOCK);
	pthread_create(&t, NULL, is_begun, NULL);
	blocks(SIG_UNBLOCK);
	while (!atomic_load(&go))
		;
	kill(getpid(), SIGUSR1);
	assert(by != 2); /* bug: unblocked_later */
	pthread_join(t, NULL);
}

static void *sends_to_it(void *arg)
{
	if (atomic_load(&go))
		pthread_kill(grandchild, SIGUSR1);
	return arg;
}

static void sent_behind_its_last_operation(void)
{
	pthread_t t;

	handles();
	blocks(SIG_BLOCK);
	pthread_create(&grandchild, NULL, is_begun, NULL);
	pthread_create(&t, NULL, sends_to_it, NULL);
	pthread_join(t, NULL);
	pthread_join(grandchild, NULL);
	assert(by != 2); /* bug: sent_behind_its_last_operation */
}

static void ignored(void)
{
	pthread_t t;

	signal(SIGUSR1, SIG_IGN);
	pthread_create(&t, NULL, looks, NULL);
	kill(getpid(), SIGUSR1);
	assert(!handled);
	pthread_join(t, NULL);
}

static void raise_is_for_the_caller(void)
{
	pthread_t t;

	handles();
	pthread_create(&t, NULL, looks, NULL);
	raise(SIGUSR1);
	assert(by == 0);
	pthread_join(t, NULL);
}

CASES(CASE(the_sender_takes_it_at_once), CASE(another_one_takes_it), CASE(it_comes_later),
      CASE(it_has_come_when_the_others_are_over), CASE(who_blocks_it_leaves_it_to_others),
      CASE(nobody_else_could_have_it), CASE(nobody_else_is_left), CASE(nobody_else_has_begun),
      CASE(to_wait_for_it_ends), CASE(raise_is_for_the_caller), CASE(ignored),
      CASE(begun_by_another_one), CASE(begun_but_blocking),
      CASE(who_handles_another_one_leaves_it_to_others),
      CASE(it_comes_behind_what_the_sender_does_next), CASE(unblocked_later),
      CASE(sent_behind_its_last_operation))
