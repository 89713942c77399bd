/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), programs that have no executions but sequentially consistent ones: the search goes by states of threads and memory once it has come
 * to some nodes (runtime/engine/value/value.txt, V15)
 *
 * Three threads use what only one of them may use at a time, and who finds it taken goes on. What each case has besides comes when one of them has seen
 * something that is seldom.
 *
 * case counts -e value: ok 1106
 * case counts -e value -j 2: ok 1106
 * case counts -e value -m sc: ok 1106
 * case counts -e value --no-memo: ok 1106
 * case begins_late -e value: ok 1106
 * case begins_late -e value -m sc: ok 1106
 * case fails -e value: bug assertion at assert(seen != 3)
 * case races -e value: bug data-race
 * case races -e value -m sc: bug data-race
 * case waits_for_each_other -e value: bug deadlock
 * case stays -e value: bug await-stuck
 * case goes -e value: ok 1106
 * case goes -e value -m sc: ok 1106
 * case is_relaxed -e value: ok 1127
 * case is_relaxed -e value -m sc: ok 1120
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cases.h"

enum {
	ROUNDS = 3
};

static atomic_int inside, size, data, flag, x, y;
static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER, lock2 = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static int take(void)
{
	int nobody = 0;

	return atomic_compare_exchange_strong(&inside, &nobody, 1);
}

/* How often what is there was not trimmed. */
static int reads(void)
{
	int seen = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (!take())
			continue;
		if (atomic_load(&size)) {
			(void)atomic_load(&data);
			seen++;
		}
		atomic_store(&inside, 0);
	}
	return seen;
}

static void writes(void)
{
	for (int i = 0; i < ROUNDS; i++)
		if (take()) {
			atomic_store(&data, 1);
			atomic_store(&size, 1);
			atomic_store(&inside, 0);
		}
}

/* How often it came to that. */
static int trims(void)
{
	int trimmed = 0;

	for (int i = 0; i < ROUNDS; i++)
		if (take()) {
			atomic_store(&size, 0);
			atomic_store(&inside, 0);
			trimmed++;
		}
	return trimmed;
}

static void *just_reads(void *arg)
{
	reads();
	return arg;
}

static void *just_writes(void *arg)
{
	writes();
	return arg;
}

static void *just_trims(void *arg)
{
	trims();
	return arg;
}

static void in_three(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, just_writes, NULL);
	pthread_create(&t[2], NULL, other, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void counts(void)
{
	in_three(just_reads, just_trims);
}

/* What the last thread reads was written before it was created. */
static void *finds_it(void *arg)
{
	assert(atomic_load(&flag) == 1);
	trims();
	return arg;
}

static void begins_late(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, just_reads, NULL);
	pthread_create(&t[1], NULL, just_writes, NULL);
	atomic_store(&flag, 1);
	pthread_create(&t[2], NULL, finds_it, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *reads_thrice(void *arg)
{
	int seen = reads();

	assert(seen != 3); /* bug: fails */
	return arg;
}

static void fails(void)
{
	in_three(reads_thrice, just_trims);
}

static void *reads_and_writes_plainly(void *arg)
{
	if (reads() == 3)
		shared = 1; /* bug: races */
	return arg;
}

static void *trims_and_writes_plainly(void *arg)
{
	if (trims() == 3)
		shared = 2;
	return arg;
}

static void races(void)
{
	in_three(reads_and_writes_plainly, trims_and_writes_plainly);
}

static void both(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_mutex_lock(other); /* bug: waits_for_each_other */
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void *reads_and_locks(void *arg)
{
	if (reads() == 3)
		both(&lock1, &lock2);
	return arg;
}

static void *trims_and_locks(void *arg)
{
	if (trims() == 3)
		both(&lock2, &lock1);
	return arg;
}

static void waits_for_each_other(void)
{
	in_three(reads_and_locks, trims_and_locks);
}

static void *reads_and_waits(void *arg)
{
	if (reads() == 3)
		while (!atomic_load(&flag)) /* bug: stays */
			;
	return arg;
}

static void stays(void)
{
	in_three(reads_and_waits, just_trims);
}

static void *trims_and_tells(void *arg)
{
	trims();
	atomic_store(&flag, 1);
	return arg;
}

static void goes(void)
{
	in_three(reads_and_waits, trims_and_tells);
}

/* These two may both read 0, which no order of all operations has. */
static void *reads_and_looks(void *arg)
{
	if (reads() == 3) {
		atomic_store_explicit(&x, 1, memory_order_relaxed);
		(void)atomic_load_explicit(&y, memory_order_relaxed);
	}
	return arg;
}

static void *trims_and_looks(void *arg)
{
	if (trims() == 3) {
		atomic_store_explicit(&y, 1, memory_order_relaxed);
		(void)atomic_load_explicit(&x, memory_order_relaxed);
	}
	return arg;
}

static void is_relaxed(void)
{
	in_three(reads_and_looks, trims_and_looks);
}

CASES(CASE(counts), CASE(begins_late), CASE(fails), CASE(races), CASE(waits_for_each_other),
      CASE(stays), CASE(goes), CASE(is_relaxed))
