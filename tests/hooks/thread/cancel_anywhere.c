/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancel_anywhere.c - threads whose cancellation is asynchronous
 *
 * case before_each_access: ok 6
 * case before_each_access -j 2: ok 6
 * case before_each_access --backend=fork: ok 6
 * case before_each_access -m tso --no-memo: ok 6
 * case one_that_returns: ok 3
 * case one_that_ends_itself: ok 3
 * case not_while_it_is_disabled: ok 5
 * case not_while_it_is_deferred: ok 5
 * case a_loop_is_cancelled: ok * (loops as compiled)
 * case a_volatile_loop_is_cancelled: ok * (loops as compiled)
 * case handlers_run: ok * (loops as compiled)
 * case a_wait_for_a_lock_is_cancelled: ok 2
 * case a_wait_at_a_barrier_is_cancelled: ok 2
 * case a_wait_for_a_semaphore_is_cancelled: ok 2
 * case one_that_holds_a_lock: bug deadlock
 * case one_that_is_deferred_lets_go: ok 1
 * case nobody_cancels_a_loop: bug await-stuck
 * case nobody_cancels_a_wait: bug deadlock
 * case what_it_did_is_joined: bug data-race at data = 1
 * case main_is_cancelled: bug assertion at bug: main_is_cancelled
 * case a_number_is_used_again: ok 3
 * case a_signal_comes_first: ok * (loops as compiled)
 * case a_signal_and_a_request: bug assertion at bug: a_signal_and_a_request
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int x, y, z;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static int data, handled;

static void at_once(void)
{
	assert(!pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
}

static void later(void)
{
	assert(!pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL));
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_t t;

	assert(!pthread_create(&t, NULL, fn, NULL));
	return t;
}

static void *end(pthread_t t)
{
	void *value;

	assert(!pthread_join(t, &value));
	return value;
}

/* What a thread comes to that is sent a request. */
static void *cancelled(void *(*fn)(void *))
{
	pthread_t t = start(fn);

	assert(!pthread_cancel(t));
	return end(t);
}

/* ---- Where a request may come: at the call that allows it, before what follows, at the end, or too late ----------------- */

static void *store_three(void *arg)
{
	at_once();
	atomic_store_explicit(&x, 1, RLX);
	atomic_store_explicit(&y, 1, RLX);
	atomic_store_explicit(&z, 1, RLX);
	return arg;
}

static void before_each_access(void)
{
	void *value = cancelled(store_three);

	assert(x >= y && y >= z);
	assert(value == PTHREAD_CANCELED || z);
}

static void *do_nothing(void *arg)
{
	at_once();
	return arg;
}

static void one_that_returns(void)
{
	void *value = cancelled(do_nothing);

	assert(!value || value == PTHREAD_CANCELED);
}

static void *end_itself(void *arg)
{
	(void)arg;
	at_once();
	pthread_exit(&data);
}

static void one_that_ends_itself(void)
{
	void *value = cancelled(end_itself);

	assert(value == &data || value == PTHREAD_CANCELED);
}

static void *disable(void *arg)
{
	at_once();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	atomic_store_explicit(&x, 1, RLX);
	atomic_store_explicit(&y, 1, RLX);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	return arg;
}

static void not_while_it_is_disabled(void)
{
	cancelled(disable);
	assert(x == y);
}

static void *defer(void *arg)
{
	at_once();
	later();
	atomic_store_explicit(&x, 1, RLX);
	atomic_store_explicit(&y, 1, RLX);
	at_once();
	return arg;
}

static void not_while_it_is_deferred(void)
{
	cancelled(defer);
	assert(x == y);
}

/* ---- Loops that nothing else ends ----------------------------------------------------------------------------------- */

static void *look_for_ever(void *arg)
{
	at_once();
	for (;;)
		atomic_load_explicit(&x, RLX); /* bug: nobody_cancels_a_loop */
	return arg;
}

static void a_loop_is_cancelled(void)
{
	assert(cancelled(look_for_ever) == PTHREAD_CANCELED);
}

static volatile int flag;

static void *look_at_a_flag(void *arg)
{
	at_once();
	while (!flag)
		continue;
	return arg;
}

static void a_volatile_loop_is_cancelled(void)
{
	assert(cancelled(look_at_a_flag) == PTHREAD_CANCELED);
}

static void count(void *arg)
{
	(void)arg;
	handled++;
}

static void *look_with_a_handler(void *arg)
{
	pthread_cleanup_push(count, NULL);
	look_for_ever(arg);
	pthread_cleanup_pop(0);
	return arg;
}

static void handlers_run(void)
{
	assert(cancelled(look_with_a_handler) == PTHREAD_CANCELED);
	assert(handled == 1);
}

static void nobody_cancels_a_loop(void)
{
	end(start(look_for_ever));
}

static pthread_t the_first;

static void *cancel_the_first(void *arg)
{
	assert(!pthread_cancel(the_first));
	return arg;
}

static void it_was_cancelled(void *arg)
{
	assert(arg); /* bug: main_is_cancelled */
}

/* It asked for that before there were others. */
static void main_is_cancelled(void)
{
	the_first = pthread_self();
	at_once();
	start(cancel_the_first);
	pthread_cleanup_push(it_was_cancelled, NULL);
	for (;;)
		atomic_load_explicit(&x, RLX);
	pthread_cleanup_pop(0);
}

/* ---- Calls that wait: none of these but sem_wait() is a cancellation point --------------------------------------------- */

static void *lock(void *arg)
{
	at_once();
	pthread_mutex_lock(&m);
	return arg;
}

static void a_wait_for_a_lock_is_cancelled(void)
{
	pthread_mutex_lock(&m);
	assert(cancelled(lock) == PTHREAD_CANCELED);
	pthread_mutex_unlock(&m);
}

static void *pass(void *arg)
{
	at_once();
	pthread_barrier_wait(&b);
	return arg;
}

static void a_wait_at_a_barrier_is_cancelled(void)
{
	pthread_barrier_init(&b, NULL, 2);
	assert(cancelled(pass) == PTHREAD_CANCELED);
}

static void *take(void *arg)
{
	at_once();
	sem_wait(&s);
	return arg;
}

static void a_wait_for_a_semaphore_is_cancelled(void)
{
	sem_init(&s, 0, 0);
	assert(cancelled(take) == PTHREAD_CANCELED);
}

static void nobody_cancels_a_wait(void)
{
	pthread_mutex_lock(&m);
	end(start(lock)); /* bug: nobody_cancels_a_wait */
}

static void *lock_and_unlock(void *arg)
{
	pthread_mutex_lock(&m);
	atomic_store_explicit(&x, 1, RLX);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *lock_and_unlock_at_once(void *arg)
{
	at_once();
	return lock_and_unlock(arg);
}

static void one_that_holds_a_lock(void)
{
	cancelled(lock_and_unlock_at_once);
	pthread_mutex_lock(&m); /* bug: one_that_holds_a_lock */
	pthread_mutex_unlock(&m);
}

static void one_that_is_deferred_lets_go(void)
{
	cancelled(lock_and_unlock);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}

/* ---- What it had done, who comes then, and what else may come --------------------------------------------------------------- */

static void *write_then_look(void *arg)
{
	at_once();
	data = 1;
	return look_for_ever(arg);
}

static void what_it_did_is_joined(void)
{
	pthread_t t = start(write_then_look);

	pthread_cancel(t);
	data = 2;
	end(t);
}

/* It is one of its own, and deferred. */
static void *look_twice(void *arg)
{
	atomic_load_explicit(&x, RLX);
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void a_number_is_used_again(void)
{
	pthread_t t;

	cancelled(do_nothing);
	t = start(look_twice);
	pthread_cancel(t);
	assert(!end(t));
}

static void interrupt(int sig)
{
	(void)sig;
	atomic_store_explicit(&y, 1, RLX);
}

static void a_signal_comes_first(void)
{
	pthread_t t;

	signal(SIGUSR1, interrupt);
	t = start(look_for_ever);
	pthread_kill(t, SIGUSR1);
	pthread_cancel(t);
	assert(end(t) == PTHREAD_CANCELED);
}

static void note_what_is_there(int sig)
{
	const int there = atomic_load_explicit(&x, RLX);

	(void)sig;
	handled = 1 + there;
}

static void see_what_was_handled(void *arg)
{
	(void)arg;
	data = handled;
}

static void *store_with_a_handler(void *arg)
{
	pthread_cleanup_push(see_what_was_handled, NULL);
	store_three(arg);
	pthread_cleanup_pop(0);
	return arg;
}

/* A handler that ran to its end behind the first store is the last that the thread did. */
static void a_signal_and_a_request(void)
{
	pthread_t t;

	signal(SIGUSR1, note_what_is_there);
	t = start(store_with_a_handler);
	pthread_kill(t, SIGUSR1);
	pthread_cancel(t);
	end(t);
	assert(data < 2 || y); /* bug: a_signal_and_a_request */
}

CASES(CASE(before_each_access), CASE(one_that_returns), CASE(one_that_ends_itself),
      CASE(not_while_it_is_disabled), CASE(not_while_it_is_deferred), CASE(a_loop_is_cancelled),
      CASE(a_volatile_loop_is_cancelled), CASE(handlers_run), CASE(a_wait_for_a_lock_is_cancelled),
      CASE(a_wait_at_a_barrier_is_cancelled), CASE(a_wait_for_a_semaphore_is_cancelled),
      CASE(one_that_holds_a_lock), CASE(one_that_is_deferred_lets_go), CASE(nobody_cancels_a_loop),
      CASE(nobody_cancels_a_wait), CASE(what_it_did_is_joined), CASE(main_is_cancelled),
      CASE(a_number_is_used_again), CASE(a_signal_comes_first), CASE(a_signal_and_a_request))
