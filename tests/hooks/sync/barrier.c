/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier.c - pthread_barrier_*
 *
 * case nobody_leaves_before_all_arrived: ok 2
 * case one_thread_is_told_to_be_serial: ok 6
 * case a_barrier_begins_again: ok 4
 * case a_barrier_orders_what_came_before: ok 2
 * case what_comes_after_is_not_ordered: bug data-race at data[0]++
 * case more_threads_than_a_round_takes: ok 48
 * case one_too_few: bug deadlock at THREADS(2, count_serial)
 * case one_too_few_before_the_first_thread: bug deadlock
 * case destroyed_by_the_first_to_leave: ok 2
 * case destroyed_while_a_thread_waits: bug lock-misuse at int result = pthread_barrier_wait
 * case use_after_destroy: bug lock-misuse at int result = pthread_barrier_wait
 * case use_before_init: bug lock-misuse at int result = pthread_barrier_wait
 * case init_races_with_wait: bug data-race at assert(pthread_barrier_init(&b, NULL, count
 * case init_again_with_another_count: ok 12
 * case used_before_the_first_thread: ok 2
 * case init_of_one_that_exists: bug lock-misuse at pthread_barrier_init(&b, NULL, 3)
 * case init_again_before_the_first_thread: bug lock-misuse
 * case init_of_a_block_that_is_one: bug lock-misuse
 * case init_of_a_static_variable: ok 1
 * case init_where_one_was_left_on_a_stack: ok 1
 * case init_of_a_copy: ok 1
 * case init_of_a_block_used_again: ok 1
 * case init_again_in_a_child: ok 1
 *
 * ways pthread_barrier_init: EINVAL; not EAGAIN ENOMEM (glibc needs nothing for one)
 * ways pthread_barrier_wait: SERIAL
 * never fails: pthread_barrier_destroy
 *
 * case pthread_barrier_init_EINVAL: ok 1
 * case pthread_barrier_wait_SERIAL: ok 2
 * case pthread_barrier_wait_SERIAL_of_one: ok 1
 * case pthread_barrierattr_setpshared_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/fails.h"

static pthread_barrier_t b;
static int data[2], serial;

static int wait_at(pthread_barrier_t *barrier)
{
	int result = pthread_barrier_wait(barrier);

	assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
	return result;
}

static void init(unsigned count)
{
	assert(pthread_barrier_init(&b, NULL, count) == 0);
}

static void destroy(void)
{
	assert(pthread_barrier_destroy(&b) == 0);
}

/* The two stores are to different places: only the barrier has two orders. */
static void *meet(void *arg)
{
	long me = (long)arg;

	__atomic_store_n(&data[me], 1, __ATOMIC_RELAXED);
	wait_at(&b);
	assert(__atomic_load_n(&data[1 - me], __ATOMIC_RELAXED) == 1);
	return arg;
}

static void nobody_leaves_before_all_arrived(void)
{
	init(2);
	THREADS(2, meet);
	destroy();
}

static void *count_serial(void *arg)
{
	if (wait_at(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	return arg;
}

/* Three threads arrive in six orders. */
static void one_thread_is_told_to_be_serial(void)
{
	init(3);
	THREADS(3, count_serial);
	destroy();
	assert(serial == 1);
}

static void *two_rounds(void *arg)
{
	long me = (long)arg;

	data[me] = 1;
	wait_at(&b);
	assert(data[1 - me] == 1);
	wait_at(&b);
	data[me] = 2;
	return arg;
}

static void a_barrier_begins_again(void)
{
	init(2);
	THREADS(2, two_rounds);
	destroy();
}

static void *write_then_read(void *arg)
{
	long me = (long)arg;

	data[me] = 1;
	wait_at(&b);
	assert(data[1 - me] == 1);
	return arg;
}

static void a_barrier_orders_what_came_before(void)
{
	init(2);
	THREADS(2, write_then_read);
}

static void *write_after(void *arg)
{
	wait_at(&b);
	data[0]++;
	return arg;
}

static void what_comes_after_is_not_ordered(void)
{
	init(2);
	THREADS(2, write_after);
}

static void *count_serials(void *arg)
{
	if (wait_at(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
		__atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
	return arg;
}

static void more_threads_than_a_round_takes(void)
{
	init(2);
	THREADS(4, count_serials);
	assert(serial == 2);
	destroy();
}

static void one_too_few(void)
{
	init(3);
	THREADS(2, count_serial);
}

static void one_too_few_before_the_first_thread(void)
{
	init(2);
	pthread_barrier_wait(&b); /* bug: one_too_few_before_the_first_thread */
}

static pthread_barrier_t *shortlived;

static void *leave_and_free(void *arg)
{
	if (wait_at(shortlived) == PTHREAD_BARRIER_SERIAL_THREAD) {
		assert(pthread_barrier_destroy(shortlived) == 0);
		free(shortlived);
	}
	return arg;
}

static void destroyed_by_the_first_to_leave(void)
{
	shortlived = malloc(sizeof(*shortlived));
	assert(pthread_barrier_init(shortlived, NULL, 2) == 0);
	THREADS(2, leave_and_free);
}

static void *wait_once(void *arg)
{
	wait_at(&b);
	return arg;
}

static void destroyed_while_a_thread_waits(void)
{
	pthread_t t;

	init(2);
	assert(pthread_create(&t, NULL, wait_once, NULL) == 0);
	pthread_barrier_destroy(&b);
}

static void use_after_destroy(void)
{
	init(1);
	destroy();
	THREADS(1, wait_once);
}

static void use_before_init(void)
{
	THREADS(1, wait_once);
}

static void *init_or_wait(void *arg)
{
	if (arg)
		init(1);
	else
		wait_at(&b);
	return arg;
}

static void init_races_with_wait(void)
{
	init(1);
	THREADS(2, init_or_wait);
}

static void init_again_with_another_count(void)
{
	init(3);
	THREADS(3, wait_once);
	destroy();
	init(2);
	THREADS(2, write_then_read);
	destroy();
}

static void used_before_the_first_thread(void)
{
	init(1);
	wait_once(NULL);
	destroy();
	init(2);
	THREADS(2, write_then_read);
	destroy();
}

static void init_of_one_that_exists(void)
{
	init(2);
	THREADS(2, wait_once);
	pthread_barrier_init(&b, NULL, 3);
}

static void init_again_before_the_first_thread(void)
{
	init(2);
	pthread_barrier_init(&b, NULL, 1); /* bug: init_again_before_the_first_thread */
	THREADS(1, wait_once);
}

static void *init_block(void *arg)
{
	assert(pthread_barrier_init(shortlived, NULL, 1) == 0);
	pthread_barrier_wait(shortlived);
	return arg;
}

static void init_of_a_block_that_is_one(void)
{
	shortlived = malloc(sizeof(*shortlived));
	THREADS(1, init_block);
	pthread_barrier_init(shortlived, NULL, 1); /* bug: init_of_a_block_that_is_one */
}

static void *init_and_destroy(void *arg)
{
	init(1);
	wait_once(arg);
	destroy();
	return arg;
}

static void init_of_a_static_variable(void)
{
	for (int i = 0; i < 3; i++)
		THREADS(1, init_and_destroy);
}

/* Nobody destroys them, and POSIX asks nobody to. */
static __attribute__((noinline)) void leave_one(void)
{
	pthread_barrier_t on_stack;

	assert(pthread_barrier_init(&on_stack, NULL, 1) == 0);
	pthread_barrier_wait(&on_stack);
}

static void *leave_two(void *arg)
{
	leave_one();
	leave_one();
	return arg;
}

static void init_where_one_was_left_on_a_stack(void)
{
	leave_two(NULL);
	THREADS(1, leave_two);
	leave_two(NULL);
}

static void init_of_a_copy(void)
{
	static pthread_barrier_t copy;

	init(1);
	memcpy(&copy, &b, sizeof(b));
	assert(pthread_barrier_init(&copy, NULL, 1) == 0);
	THREADS(1, wait_once);
}

static void *block_after_block(void *arg)
{
	for (int i = 0; i < 3; i++) {
		shortlived = malloc(sizeof(*shortlived));
		assert(pthread_barrier_init(shortlived, NULL, 1) == 0);
		free(shortlived);
	}
	return arg;
}

static void init_of_a_block_used_again(void)
{
	for (int i = 0; i < 1000; i++)
		block_after_block(NULL);
	THREADS(1, block_after_block);
}

static void init_again_in_a_child(void)
{
	int status;
	pid_t child;

	init(1);
	child = fork();
	assert(child >= 0);
	if (!child) {
		init(1);
		THREADS(1, wait_once);
		_exit(0);
	}
	assert(waitpid(child, &status, 0) == child && status == 0);
	THREADS(1, wait_once);
}

/* --- how they fail ---------------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static int results[2];

static void *init_for_nobody(void *arg)
{
	pthread_barrier_t b;

	GIVES(EINVAL, pthread_barrier_init(&b, NULL, 0));
	return arg;
}

static void pthread_barrier_init_EINVAL(void)
{
	BOTH(init_for_nobody);
}

static void *arrive(void *arg)
{
	results[(long)arg] = pthread_barrier_wait(&barrier);
	return arg;
}

/* One of the threads, whichever, is told SERIAL, the others 0. */
static void pthread_barrier_wait_SERIAL(void)
{
	GIVES(0, pthread_barrier_init(&barrier, NULL, 2));
	THREADS(2, arrive);
	assert(results[0] == PTHREAD_BARRIER_SERIAL_THREAD || results[0] == 0);
	assert(results[0] + results[1] == PTHREAD_BARRIER_SERIAL_THREAD);
	GIVES(0, pthread_barrier_destroy(&barrier));
}

static void *meet_nobody(void *arg)
{
	pthread_barrier_t b;

	GIVES(0, pthread_barrier_init(&b, NULL, 1));
	GIVES(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&b));
	GIVES(PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&b));
	GIVES(0, pthread_barrier_destroy(&b));
	return arg;
}

static void pthread_barrier_wait_SERIAL_of_one(void)
{
	BOTH(meet_nobody);
}

static void *set_what_there_is_not(void *arg)
{
	pthread_barrierattr_t attr;

	GIVES(0, pthread_barrierattr_init(&attr));
	GIVES(EINVAL, pthread_barrierattr_setpshared(&attr, 2));
	GIVES(0, pthread_barrierattr_destroy(&attr));
	return arg;
}

static void pthread_barrierattr_setpshared_EINVAL(void)
{
	BOTH(set_what_there_is_not);
}

CASES(CASE(nobody_leaves_before_all_arrived), CASE(one_thread_is_told_to_be_serial),
      CASE(a_barrier_begins_again), CASE(a_barrier_orders_what_came_before),
      CASE(what_comes_after_is_not_ordered), CASE(more_threads_than_a_round_takes),
      CASE(one_too_few), CASE(one_too_few_before_the_first_thread),
      CASE(destroyed_by_the_first_to_leave), CASE(destroyed_while_a_thread_waits),
      CASE(use_after_destroy), CASE(use_before_init), CASE(init_races_with_wait),
      CASE(init_again_with_another_count), CASE(used_before_the_first_thread),
      CASE(init_of_one_that_exists), CASE(init_again_before_the_first_thread),
      CASE(init_of_a_block_that_is_one), CASE(init_of_a_static_variable),
      CASE(init_where_one_was_left_on_a_stack), CASE(init_of_a_copy),
      CASE(init_of_a_block_used_again), CASE(init_again_in_a_child),
      CASE(pthread_barrier_init_EINVAL), CASE(pthread_barrier_wait_SERIAL),
      CASE(pthread_barrier_wait_SERIAL_of_one), CASE(pthread_barrierattr_setpshared_EINVAL))
