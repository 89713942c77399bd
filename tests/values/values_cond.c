/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), with condition variables: who waits and whom a signal takes are values, who woke a thread is none
 *
 * case is_told -e value: ok 3
 * case is_told -e value --backend=fork: ok 3
 * case is_told -e rf: ok 8
 * case is_told -e value --spurious-wakeups: ok 6
 * case is_told -e rf --spurious-wakeups: ok 16
 * case slot_for_one -e value: ok 14
 * case slot_for_one -e value -m wra -j 2: ok 14
 * case slot_for_one -e rf: ok 16
 * case all_are_told -e value: ok 5
 * case all_are_told -e value -m sra -j 2: ok 5
 * case all_are_told -e rf: ok 10
 * case waits_for_a_time -e value: ok 4
 * case waits_for_a_time -e rf: ok 14
 * case one_of_two_is_woken -e value: bug assertion
 * case one_of_two_is_woken -e value -m sc -j 2: bug assertion
 * case woken_by_another -e value: bug data-race
 * case woken_by_another -e value -m wra -j 2: bug data-race
 * case signals_too_early -e value: bug deadlock
 * case signals_too_early -e value -m tso -j 2: bug deadlock
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "cases.h"

#define RLX memory_order_relaxed

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int told, data, got;
static atomic_int woken;
static const struct timespec until = { .tv_sec = 1 };

static void run(int n, void *(*const fn[])(void *))
{
	pthread_t t[4];

	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_join(t[i], NULL) == 0); /* bug: signals_too_early */
}

static void *tells(void *arg)
{
	pthread_mutex_lock(&mutex);
	told = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *hears(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!told)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Two tell, and it is the same whoever does. */
static void is_told(void)
{
	run(3, (void *(*const[])(void *)){ tells, tells, hears });
}

static void *tells_all(void *arg)
{
	pthread_mutex_lock(&mutex);
	told = 1;
	pthread_mutex_unlock(&mutex);
	pthread_cond_broadcast(&cond);
	return arg;
}

static void all_are_told(void)
{
	run(3, (void *(*const[])(void *)){ tells_all, hears, hears });
}

static void *fills(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (told)
		pthread_cond_wait(&room, &mutex);
	told = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *empties_twice(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&mutex);
		while (!told)
			pthread_cond_wait(&cond, &mutex);
		told = 0;
		pthread_cond_broadcast(&room);
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void slot_for_one(void)
{
	run(3, (void *(*const[])(void *)){ fills, fills, empties_twice });
}

static void *waits_for_a_while(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (!told)
		pthread_cond_timedwait(&cond, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void waits_for_a_time(void)
{
	run(3, (void *(*const[])(void *)){ tells, tells, waits_for_a_while });
}

static void wait_as(int number)
{
	pthread_mutex_lock(&mutex);
	if (!told)
		pthread_cond_wait(&cond, &mutex);
	atomic_store_explicit(&woken, number, RLX);
	pthread_mutex_unlock(&mutex);
}

static void *is_the_first(void *arg)
{
	wait_as(1);
	return arg;
}

static void *is_the_second(void *arg)
{
	wait_as(2);
	return arg;
}

/* Where both wait, whom the signal takes is a choice. */
static void *wakes_one_first(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	assert(atomic_load_explicit(&woken, RLX) != 2); /* bug: one_of_two_is_woken */
	return tells_all(arg);
}

static void one_of_two_is_woken(void)
{
	run(3, (void *(*const[])(void *)){ is_the_first, is_the_second, wakes_one_first });
}

static void *signals_alone(void *arg)
{
	pthread_cond_signal(&cond);
	return arg;
}

static void *signals_with_data(void *arg)
{
	data = 1; /* bug: woken_by_another */
	return signals_alone(arg);
}

static void *waits_twice(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (!pthread_cond_timedwait(&cond, &mutex, &until) &&
	    !pthread_cond_timedwait(&cond, &mutex, &until))
		got = data;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Which of three signals came first, and which too late, is no matter of values. */
static void woken_by_another(void)
{
	run(4, (void *(*const[])(void *)){ waits_twice, signals_alone, signals_with_data,
					   signals_alone });
}

static void *waits_whatever_was_told(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void signals_too_early(void)
{
	run(2, (void *(*const[])(void *)){ waits_whatever_was_told, tells });
}

CASES(CASE(is_told), CASE(all_are_told), CASE(slot_for_one), CASE(waits_for_a_time),
      CASE(one_of_two_is_woken), CASE(woken_by_another), CASE(signals_too_early))
