/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sem.c - sem_*
 *
 * case post_wakes_wait: ok 1
 * case a_semaphore_is_a_lock: ok 2
 * case wait_at_zero_for_ever: bug deadlock
 * case trywait_at_zero_is_again: ok 2
 * case the_count_before_the_first_thread_counts: ok *
 * case getvalue_of_an_idle_semaphore: ok *
 * case init_again_with_another_count: ok *
 * case too_large_a_count_is_invalid: ok 1
 * case post_orders_what_came_before: ok *
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

#include "cases.h"

static sem_t s;
static int data;

static void *post(void *arg)
{
	data = 1;
	assert(sem_post(&s) == 0);
	return arg;
}

static void post_wakes_wait(void)
{
	pthread_t t;

	assert(sem_init(&s, 0, 0) == 0);
	assert(pthread_create(&t, NULL, post, NULL) == 0);
	assert(sem_wait(&s) == 0);
	assert(data == 1);
	assert(pthread_join(t, NULL) == 0);
	assert(sem_destroy(&s) == 0);
}

static void *enter(void *arg)
{
	assert(sem_wait(&s) == 0);
	assert(data++ == 0);
	data--;
	assert(sem_post(&s) == 0);
	return arg;
}

static void a_semaphore_is_a_lock(void)
{
	sem_init(&s, 0, 1);
	THREADS(2, enter);
}

static void wait_at_zero_for_ever(void)
{
	sem_init(&s, 0, 1);
	assert(sem_wait(&s) == 0);
	THREADS(1, enter);
}

static void *try(void *arg)
{
	if (sem_trywait(&s))
		assert(errno == EAGAIN);
	return arg;
}

static void trywait_at_zero_is_again(void)
{
	sem_init(&s, 0, 1);
	THREADS(2, try);
	errno = 0;
	assert(sem_trywait(&s) == -1);
	assert(errno == EAGAIN);
}

static void *take(void *arg)
{
	assert(sem_wait(&s) == 0);
	return arg;
}

static void the_count_before_the_first_thread_counts(void)
{
	sem_init(&s, 0, 0);
	for (int i = 0; i < 3; i++)
		assert(sem_post(&s) == 0);
	THREADS(3, take);
	assert(sem_trywait(&s) == -1);
}

static void getvalue_of_an_idle_semaphore(void)
{
	int value = -1;

	sem_init(&s, 0, 3);
	assert(sem_getvalue(&s, &value) == 0);
	assert(value == 3);
	THREADS(2, take);
	assert(sem_getvalue(&s, &value) == 0);
	assert(value == 1);
}

static void init_again_with_another_count(void)
{
	for (unsigned count = 2; count < 4; count++) {
		sem_init(&s, 0, count);
		THREADS(2, take);
		sem_destroy(&s);
	}
	sem_init(&s, 0, 0);
	assert(sem_trywait(&s) == -1);
}

static void too_large_a_count_is_invalid(void)
{
	assert(sem_init(&s, 0, (unsigned)INT_MAX + 1u) == -1);
	assert(errno == EINVAL);
	assert(sem_init(&s, 0, INT_MAX) == 0);
	assert(sem_post(&s) == -1);
	assert(errno == EOVERFLOW);
}

static void *see(void *arg)
{
	assert(sem_wait(&s) == 0);
	assert(data == 1);
	return arg;
}

static void post_orders_what_came_before(void)
{
	pthread_t t[2];

	sem_init(&s, 0, 0);
	assert(pthread_create(&t[0], NULL, see, NULL) == 0);
	assert(pthread_create(&t[1], NULL, post, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

CASES(CASE(post_wakes_wait), CASE(a_semaphore_is_a_lock), CASE(wait_at_zero_for_ever),
      CASE(trywait_at_zero_is_again), CASE(the_count_before_the_first_thread_counts),
      CASE(getvalue_of_an_idle_semaphore), CASE(init_again_with_another_count),
      CASE(too_large_a_count_is_invalid), CASE(post_orders_what_came_before))
