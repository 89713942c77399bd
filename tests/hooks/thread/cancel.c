/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancel.c - pthread_cancel, pthread_testcancel, pthread_setcancelstate, pthread_setcanceltype
 *
 * case a_loop_of_tests_is_cancelled: ok 1
 * case a_request_may_come_too_late: ok 2
 * case a_request_comes_too_late_for_a_thread_without_tests: ok 1
 * case handlers_run_from_the_innermost: ok 1
 * case handlers_that_defer: ok 3
 * case destructors_of_keys_run: ok 1
 * case a_wait_for_a_condition_is_cancelled: ok 2
 * case a_timed_wait_is_cancelled: ok 3
 * case a_signal_is_not_lost: ok 22
 * case a_wait_for_a_semaphore_is_cancelled: ok 1
 * case a_join_is_cancelled: ok 1
 * case a_sleep_is_cancelled: ok 1
 * case a_read_is_cancelled: ok 1
 * case a_write_is_cancelled: ok 2
 * case a_poll_is_cancelled: ok 1
 * case a_lock_is_not_cancelled: ok 1
 * case not_while_it_is_disabled: ok 1
 * case enabled_again: ok 1
 * case not_in_a_handler: ok 1
 * case oneself: ok 1
 * case oneself_at_once: ok 1
 * case nobody_cancels_a_wait: bug deadlock at assert(pthread_join
 * case a_disabled_wait_is_not_cancelled: bug deadlock at assert(pthread_join
 * case a_handler_that_forgets_the_mutex: bug deadlock
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int ready, order[4], handled;

static pthread_t start(void *(*fn)(void *))
{
	pthread_t t;

	assert(pthread_create(&t, NULL, fn, NULL) == 0);
	return t;
}

static void *join(pthread_t t)
{
	void *value = NULL;

	assert(pthread_join(t, &value) == 0);
	return value;
}

static void cancel_and_join(void *(*fn)(void *))
{
	pthread_t t = start(fn);

	assert(pthread_cancel(t) == 0);
	assert(join(t) == PTHREAD_CANCELED);
}

static void *test_for_ever(void *arg)
{
	for (;;)
		pthread_testcancel();
	return arg;
}

static void a_loop_of_tests_is_cancelled(void)
{
	cancel_and_join(test_for_ever);
}

static void *test_once(void *arg)
{
	pthread_testcancel();
	return arg;
}

static void a_request_may_come_too_late(void)
{
	pthread_t t = start(test_once);
	void *value;

	assert(pthread_cancel(t) == 0);
	value = join(t);
	assert(value == NULL || value == PTHREAD_CANCELED);
}

static void *never_test(void *arg)
{
	return arg;
}

static void a_request_comes_too_late_for_a_thread_without_tests(void)
{
	pthread_t t = start(never_test);

	assert(pthread_cancel(t) == 0);
	assert(join(t) == NULL);
}

static void note(void *what)
{
	order[handled++] = (int)(intptr_t)what;
}

static void *test_with_handlers(void *arg)
{
	pthread_cleanup_push(note, (void *)1);
	pthread_cleanup_push(note, (void *)2);
	pthread_cleanup_push(note, (void *)3);
	pthread_cleanup_pop(0);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

static void handlers_run_from_the_innermost(void)
{
	cancel_and_join(test_with_handlers);
	assert(handled == 2);
	assert(order[0] == 2 && order[1] == 1);
}

static void *test_with_deferring_handlers(void *arg)
{
	int type = -1;

	assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
	pthread_cleanup_push_defer_np(note, (void *)1);
	assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) == 0);
	assert(type == PTHREAD_CANCEL_DEFERRED);
	pthread_cleanup_push_defer_np(note, (void *)2);
	pthread_cleanup_pop_restore_np(0);
	test_for_ever(arg);
	pthread_cleanup_pop_restore_np(0);
	return arg;
}

static void handlers_that_defer(void)
{
	pthread_t t = start(test_with_deferring_handlers);

	assert(pthread_cancel(t) == 0);
	assert(join(t) == PTHREAD_CANCELED);
	assert(handled <= 1); /* none, if it was cancelled before it had one */
	assert(!handled || order[0] == 1);
}

static pthread_key_t key;

static void *leave_a_value(void *arg)
{
	assert(pthread_setspecific(key, (void *)7) == 0);
	return test_with_handlers(arg);
}

static void destructors_of_keys_run(void)
{
	assert(pthread_key_create(&key, note) == 0);
	cancel_and_join(leave_a_value);
	assert(handled == 3);
	assert(order[2] == 7);
}

static void unlock(void *mutex)
{
	handled++;
	assert(pthread_mutex_trylock(mutex) == EBUSY);
	assert(pthread_mutex_unlock(mutex) == 0);
}

static void *wait_for_ever(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	pthread_cleanup_push(unlock, &m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return arg;
}

static void a_wait_for_a_condition_is_cancelled(void)
{
	cancel_and_join(wait_for_ever);
	assert(handled == 1);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_cond_destroy(&c) == 0);
}

static void *wait_in_time(void *arg)
{
	struct timespec until;

	assert(clock_gettime(CLOCK_REALTIME, &until) == 0);
	until.tv_sec += 100;
	assert(pthread_mutex_lock(&m) == 0);
	pthread_cleanup_push(unlock, &m);
	if (pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT)
		test_for_ever(NULL);
	pthread_cleanup_pop(1);
	return arg;
}

static void a_timed_wait_is_cancelled(void)
{
	cancel_and_join(wait_in_time);
}

static void *wait_ready(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	pthread_cleanup_push(unlock, &m);
	while (!ready)
		assert(pthread_cond_wait(&c, &m) == 0);
	pthread_cleanup_pop(1);
	return arg;
}

/* Cancelled or not, the first never takes the signal away from the second. */
static void a_signal_is_not_lost(void)
{
	pthread_t t[2] = { start(wait_ready), start(wait_ready) };

	assert(pthread_mutex_lock(&m) == 0);
	ready = 1;
	assert(pthread_cond_signal(&c) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_cancel(t[0]) == 0);
	join(t[0]);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_cond_signal(&c) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(join(t[1]) == NULL);
}

static void *wait_for_post(void *arg)
{
	assert(sem_wait(&s) == 0);
	return arg;
}

static void a_wait_for_a_semaphore_is_cancelled(void)
{
	assert(sem_init(&s, 0, 0) == 0);
	cancel_and_join(wait_for_post);
	assert(sem_post(&s) == 0);
	assert(sem_trywait(&s) == 0);
}

static pthread_t joined;

static void *join_for_ever(void *arg)
{
	pthread_join(joined, NULL);
	return arg;
}

static void a_join_is_cancelled(void)
{
	assert(sem_init(&s, 0, 0) == 0);
	joined = start(wait_for_post);
	cancel_and_join(join_for_ever);
	assert(sem_post(&s) == 0);
}

static void *sleep_for_ever(void *arg)
{
	for (;;)
		usleep(100);
	return arg;
}

static void a_sleep_is_cancelled(void)
{
	cancel_and_join(sleep_for_ever);
}

static int fd[2];

static void *read_one(void *arg)
{
	char byte;

	assert(read(fd[0], &byte, 1) == 1);
	return arg;
}

static void a_read_is_cancelled(void)
{
	assert(pipe(fd) == 0);
	cancel_and_join(read_one);
}

static char much[1 << 16];

static void *write_much(void *arg)
{
	for (;;)
		assert(write(fd[1], much, sizeof(much)) > 0);
	return arg;
}

static void a_write_is_cancelled(void)
{
	assert(pipe(fd) == 0);
	cancel_and_join(write_much);
}

static void *poll_one(void *arg)
{
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	assert(poll(&p, 1, -1) == 1);
	return arg;
}

static void a_poll_is_cancelled(void)
{
	assert(pipe(fd) == 0);
	cancel_and_join(poll_one);
}

static void *lock_and_test(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	order[0] = 1;
	assert(pthread_mutex_unlock(&m) == 0);
	return test_for_ever(arg);
}

static void a_lock_is_not_cancelled(void)
{
	pthread_t t;

	assert(pthread_mutex_lock(&m) == 0);
	t = start(lock_and_test);
	assert(pthread_cancel(t) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(join(t) == PTHREAD_CANCELED);
	assert(order[0] == 1);
}

static void *disable_and_test(void *arg)
{
	int old = -1;

	assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
	assert(old == PTHREAD_CANCEL_ENABLE);
	assert(sem_post(&s) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	pthread_testcancel();
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void not_while_it_is_disabled(void)
{
	pthread_t t;

	assert(sem_init(&s, 0, 0) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	t = start(disable_and_test);
	assert(sem_wait(&s) == 0);
	assert(pthread_cancel(t) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(join(t) == NULL);
}

static void *disable_and_enable(void *arg)
{
	int old = -1;

	disable_and_test(arg);
	order[0] = 1;
	assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
	assert(old == PTHREAD_CANCEL_DISABLE);
	pthread_testcancel();
	assert(0);
	return arg;
}

static void enabled_again(void)
{
	pthread_t t;

	assert(sem_init(&s, 0, 0) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	t = start(disable_and_enable);
	assert(sem_wait(&s) == 0);
	assert(pthread_cancel(t) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(join(t) == PTHREAD_CANCELED);
	assert(order[0] == 1);
}

static void test_again(void *arg)
{
	pthread_testcancel();
	usleep(1);
	note(arg);
}

static void *test_in_a_handler(void *arg)
{
	pthread_cleanup_push(test_again, NULL);
	test_for_ever(arg);
	pthread_cleanup_pop(0);
	return arg;
}

static void not_in_a_handler(void)
{
	cancel_and_join(test_in_a_handler);
	assert(handled == 1);
}

static void *cancel_oneself(void *arg)
{
	assert(pthread_cancel(pthread_self()) == 0);
	handled = 1;
	pthread_testcancel();
	assert(0);
	return arg;
}

static void oneself(void)
{
	assert(join(start(cancel_oneself)) == PTHREAD_CANCELED);
	assert(handled == 1);
}

static void *cancel_oneself_at_once(void *arg)
{
	int old = -1;

	assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
	assert(old == PTHREAD_CANCEL_DEFERRED);
	pthread_cancel(pthread_self());
	assert(0);
	return arg;
}

static void oneself_at_once(void)
{
	assert(join(start(cancel_oneself_at_once)) == PTHREAD_CANCELED);
}

static void nobody_cancels_a_wait(void)
{
	sem_init(&s, 0, 0);
	join(start(wait_for_post));
}

static void *disable_and_wait(void *arg)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return wait_for_post(arg);
}

static void a_disabled_wait_is_not_cancelled(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	t = start(disable_and_wait);
	pthread_cancel(t);
	join(t);
}

static void *wait_without_handler(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void a_handler_that_forgets_the_mutex(void)
{
	pthread_t t = start(wait_without_handler);

	pthread_cancel(t);
	join(t);
	pthread_mutex_lock(&m); /* bug: a_handler_that_forgets_the_mutex */
}

CASES(CASE(a_loop_of_tests_is_cancelled), CASE(a_request_may_come_too_late),
      CASE(a_request_comes_too_late_for_a_thread_without_tests),
      CASE(handlers_run_from_the_innermost), CASE(handlers_that_defer),
      CASE(destructors_of_keys_run), CASE(a_wait_for_a_condition_is_cancelled),
      CASE(a_timed_wait_is_cancelled), CASE(a_signal_is_not_lost),
      CASE(a_wait_for_a_semaphore_is_cancelled), CASE(a_join_is_cancelled),
      CASE(a_sleep_is_cancelled), CASE(a_read_is_cancelled), CASE(a_write_is_cancelled),
      CASE(a_poll_is_cancelled), CASE(a_lock_is_not_cancelled), CASE(not_while_it_is_disabled),
      CASE(enabled_again), CASE(not_in_a_handler), CASE(oneself), CASE(oneself_at_once),
      CASE(nobody_cancels_a_wait), CASE(a_disabled_wait_is_not_cancelled),
      CASE(a_handler_that_forgets_the_mutex))
