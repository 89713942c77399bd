/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rwlock_kinds.c - read-write locks that prefer writers, and those that do not
 *
 * case nested_reads_do_not_mind_a_writer_that_waits: ok 3
 * case nested_reads_and_a_preferred_writer: bug deadlock at bug: read_twice
 * case preferred_by_an_attribute: bug deadlock at bug: read_twice
 * case preferred_only_if_not_recursive: ok 3
 * case a_try_does_not_mind_a_writer_that_waits: ok 1
 * case a_try_minds_a_preferred_writer: bug assertion at assert(pthread_rwlock_tryrdlock
 * case preferred_writers_exclude: ok 32
 * case a_read_after_the_lock_races: bug data-race at shared++
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "cases.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k;
static int shared;

static pthread_rwlock_t preferring = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *write_once(void *lock)
{
	assert(pthread_rwlock_wrlock(lock) == 0);
	shared++;
	assert(pthread_rwlock_unlock(lock) == 0);
	return NULL;
}

/* Reads within what it reads, beside a writer. */
static void read_twice(pthread_rwlock_t *lock)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, write_once, lock) == 0);
	assert(pthread_rwlock_rdlock(lock) == 0);
	assert(pthread_rwlock_rdlock(lock) == 0); /* bug: read_twice */
	assert(pthread_rwlock_unlock(lock) == 0);
	assert(pthread_rwlock_unlock(lock) == 0);
	assert(pthread_rwlock_rdlock(lock) == 0);
	assert(pthread_rwlock_unlock(lock) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void nested_reads_do_not_mind_a_writer_that_waits(void)
{
	read_twice(&l);
}

static void nested_reads_and_a_preferred_writer(void)
{
	read_twice(&preferring);
}

static void with_kind(int kind)
{
	pthread_rwlockattr_t attr;

	assert(pthread_rwlockattr_init(&attr) == 0);
	assert(pthread_rwlockattr_setkind_np(&attr, kind) == 0);
	assert(pthread_rwlock_init(&k, &attr) == 0);
	assert(pthread_rwlockattr_destroy(&attr) == 0);
	read_twice(&k);
	assert(pthread_rwlock_destroy(&k) == 0);
}

static void preferred_by_an_attribute(void)
{
	with_kind(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
}

/* glibc takes this for the default. */
static void preferred_only_if_not_recursive(void)
{
	with_kind(PTHREAD_RWLOCK_PREFER_WRITER_NP);
}

static void try_again(pthread_rwlock_t *lock)
{
	pthread_t t;

	assert(pthread_rwlock_rdlock(lock) == 0);
	assert(pthread_create(&t, NULL, write_once, lock) == 0);
	assert(pthread_rwlock_tryrdlock(lock) == 0);
	assert(pthread_rwlock_unlock(lock) == 0);
	assert(pthread_rwlock_unlock(lock) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void a_try_does_not_mind_a_writer_that_waits(void)
{
	try_again(&l);
}

static void a_try_minds_a_preferred_writer(void)
{
	try_again(&preferring);
}

static void preferred_writers_exclude(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, write_once, &preferring) == 0);
	assert(pthread_rwlock_rdlock(&preferring) == 0);
	assert(shared >= 0 && shared <= 2);
	assert(pthread_rwlock_unlock(&preferring) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	assert(shared == 2);
}

/* Only while it has the lock. */
static void a_read_after_the_lock_races(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, write_once, &preferring) == 0);
	assert(pthread_rwlock_rdlock(&preferring) == 0);
	assert(pthread_rwlock_unlock(&preferring) == 0);
	assert(shared <= 1);
	assert(pthread_join(t, NULL) == 0);
}

CASES(CASE(nested_reads_do_not_mind_a_writer_that_waits), CASE(nested_reads_and_a_preferred_writer),
      CASE(preferred_by_an_attribute), CASE(preferred_only_if_not_recursive),
      CASE(a_try_does_not_mind_a_writer_that_waits), CASE(a_try_minds_a_preferred_writer),
      CASE(preferred_writers_exclude), CASE(a_read_after_the_lock_races))
