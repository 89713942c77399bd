/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), what calls of the library read and write for the program passes between threads as other values do
 *
 * case id_of_a_thread -e value: bug assertion
 * case id_of_a_thread -e value -m wra -j 2: bug assertion
 * case result_of_a_thread -e value: bug assertion
 * case result_of_a_thread -e value -m sc: bug assertion
 * case result_of_a_try -e value: bug assertion
 * case count_of_a_semaphore -e value: bug assertion
 * case time_to_sleep -e value: bug assertion
 * case time_of_a_clock -e value: bug assertion
 * case time_for_a_mutex -e value: bug assertion
 * case time_for_a_condition -e value: bug assertion
 * case time_for_a_semaphore -e value: bug assertion
 * case time_for_a_reader -e value: bug assertion
 * case copies_a_structure -e value: ok 2
 * case copies_a_structure -e value -m sra -j 2: ok 2
 * case copies_a_structure -e rf: ok 2
 * case copies_at_once --plain=explore -e rf: ok 2
 * case copies_at_once --plain=explore -e mo: ok 2
 * case id_that_races -e rf: bug data-race
 * case id_that_races -e value: bug data-race
 * case exchanges_three_words -e value: ok 3
 * case exchanges_three_words -e value -m sc: ok 3
 * case exchanges_three_words -e rf: ok 3
 * case compares_three_words -e value: bug assertion
 * case own_id: ok 1
 * case own_id -e value: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static int seen;

/* Two threads, in sections of one mutex: which comes first is told by what the second finds, and by nothing else. */
static void both(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];

	assert(sem_init(&sem, 0, 0) == 0);
	assert(pthread_create(&t[0], NULL, a, NULL) == 0);
	assert(pthread_create(&t[1], NULL, b, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *returns(void *arg)
{
	return arg;
}

/* ---- What calls write ------------------------------------------------------------------------------ */

static pthread_t shared_id;
static void *shared_result;
static int shared_count;

static void *creates(void *arg)
{
	pthread_t mine;

	pthread_mutex_lock(&mutex);
	pthread_create(&shared_id, NULL, returns, NULL);
	mine = shared_id;
	pthread_mutex_unlock(&mutex);
	pthread_join(mine, NULL);
	return arg;
}

static void *looks_at_id(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = shared_id != 0;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void id_of_a_thread(void)
{
	both(creates, looks_at_id);
	assert(seen); /* bug: id_of_a_thread */
}

static void *joins(void *arg)
{
	pthread_t mine;

	pthread_create(&mine, NULL, returns, &seen);
	pthread_mutex_lock(&mutex);
	pthread_join(mine, &shared_result);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *tries_to_join(void *arg)
{
	pthread_t mine;

	pthread_create(&mine, NULL, returns, &seen);
	pthread_mutex_lock(&mutex);
	if (pthread_tryjoin_np(mine, &shared_result) == EBUSY)
		pthread_join(mine, NULL);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks_at_result(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = shared_result != NULL;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void result_of_a_thread(void)
{
	both(joins, looks_at_result);
	assert(seen); /* bug: result_of_a_thread */
}

static void result_of_a_try(void)
{
	both(looks_at_result, tries_to_join);
	assert(!seen); /* bug: result_of_a_try */
}

static void *counts(void *arg)
{
	pthread_mutex_lock(&mutex);
	sem_post(&sem);
	sem_getvalue(&sem, &shared_count);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks_at_count(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = shared_count;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void count_of_a_semaphore(void)
{
	both(counts, looks_at_count);
	assert(seen); /* bug: count_of_a_semaphore */
}

static void *creates_at_once(void *arg)
{
	pthread_create(&shared_id, NULL, returns, NULL);
	return arg;
}

static void *looks_at_once(void *arg)
{
	seen = shared_id != 0; /* bug: id_that_races */
	return arg;
}

static void id_that_races(void)
{
	both(creates_at_once, looks_at_once);
	pthread_join(shared_id, NULL);
}

static void *compares(void *arg)
{
	seen = pthread_equal(shared_id, pthread_self());
	return arg;
}

static void *creates_who_compares(void *arg)
{
	pthread_create(&shared_id, NULL, compares, NULL);
	pthread_join(shared_id, NULL);
	return arg;
}

/* As with glibc, it is there before the thread begins. */
static void own_id(void)
{
	both(returns, creates_who_compares);
	assert(seen);
}

/* ---- What they read -------------------------------------------------------------------------------- */

static struct timespec until;

/* No time that POSIX allows. */
static void *spoils(void *arg)
{
	pthread_mutex_lock(&mutex);
	until.tv_nsec = -1;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *sleeps(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = nanosleep(&until, NULL);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void time_to_sleep(void)
{
	both(sleeps, spoils);
	assert(!seen); /* bug: time_to_sleep */
}

static void *sleeps_by_a_clock(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = clock_nanosleep(CLOCK_MONOTONIC, 0, &until, NULL);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void time_of_a_clock(void)
{
	both(sleeps_by_a_clock, spoils);
	assert(!seen); /* bug: time_of_a_clock */
}

static void *locks(void *arg)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&mutex);
	seen = pthread_mutex_timedlock(&other, &until) == EINVAL;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_unlock(&other);
	return arg;
}

static void time_for_a_mutex(void)
{
	both(locks, spoils);
	assert(!seen); /* bug: time_for_a_mutex */
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = pthread_cond_timedwait(&cond, &mutex, &until) == EINVAL;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void time_for_a_condition(void)
{
	both(waits, spoils);
	assert(!seen); /* bug: time_for_a_condition */
}

static void *takes(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = sem_timedwait(&sem, &until) && errno == EINVAL;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void time_for_a_semaphore(void)
{
	both(takes, spoils);
	assert(!seen); /* bug: time_for_a_semaphore */
}

static void *reads(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = pthread_rwlock_timedrdlock(&rwlock, &until);
	if (!seen)
		pthread_rwlock_unlock(&rwlock);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void time_for_a_reader(void)
{
	both(reads, spoils);
	assert(!seen); /* bug: time_for_a_reader */
}

/* ---- What gcc announces before it reads what it is to write ---------------------------------------- */

struct number {
	int value;
};

static struct number one = { 1 }, copy;

static void *copies(void *arg)
{
	const struct number *volatile from = &one;

	pthread_mutex_lock(&mutex);
	copy = *from;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *looks_at_copy(void *arg)
{
	pthread_mutex_lock(&mutex);
	seen = copy.value;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void copies_a_structure(void)
{
	both(copies, looks_at_copy);
	assert(copy.value == 1);
}

static void *copies_without_lock(void *arg)
{
	const struct number *volatile from = &one;

	copy = *from;
	return arg;
}

static void *looks_without_lock(void *arg)
{
	seen = copy.value;
	return arg;
}

static void copies_at_once(void)
{
	both(copies_without_lock, looks_without_lock);
	assert(copy.value == 1);
}

/* Such an object has a lock of its own: what is read under it is told as well. */
struct three_words {
	long a, b, c;
};

static _Atomic struct three_words words;

static void *exchanges(void *arg)
{
	struct three_words old = atomic_exchange(&words, ((struct three_words){ 1, 2, 3 }));

	assert(old.a == 0 || old.a == 7);
	return arg;
}

static void *loads_and_stores(void *arg)
{
	struct three_words old = atomic_load(&words);

	assert(old.c == 0 || old.c == 3);
	atomic_store(&words, ((struct three_words){ 7, 8, 9 }));
	return arg;
}

static void exchanges_three_words(void)
{
	both(exchanges, loads_and_stores);
}

static void *compares_in_vain(void *arg)
{
	struct three_words old = { 7, 8, 9 };

	const int same =
		atomic_compare_exchange_strong(&words, &old, ((struct three_words){ 1, 2, 3 }));

	assert(!same); /* bug: compares_three_words */
	return arg;
}

static void compares_three_words(void)
{
	both(compares_in_vain, loads_and_stores);
}

CASES(CASE(id_of_a_thread), CASE(result_of_a_thread), CASE(result_of_a_try),
      CASE(count_of_a_semaphore), CASE(time_to_sleep), CASE(time_of_a_clock),
      CASE(time_for_a_mutex), CASE(time_for_a_condition), CASE(time_for_a_semaphore),
      CASE(time_for_a_reader), CASE(copies_a_structure), CASE(copies_at_once), CASE(id_that_races),
      CASE(exchanges_three_words), CASE(compares_three_words), CASE(own_id))
