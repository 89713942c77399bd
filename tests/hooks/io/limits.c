/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limits.c - where the system has more room than heddle's tables, and what is kept beside them
 *
 * case a_deep_read_lock_keeps_writers_out: ok 2
 * case a_deep_read_lock_is_unlocked_too_often: bug lock-misuse
 * case a_deep_read_lock_whose_memory_is_written_anew: ok 1
 * case too_many_deep_read_locks: refused more than 15 times
 * case too_many_keys_of_a_thread: refused more than 72 keys
 * case too_many_names: refused more than 64 named semaphores
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#include "cases.h"

enum {
	DEEP = 20
};

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *read_deep(void *arg)
{
	for (int i = 0; i < DEEP; i++)
		assert(pthread_rwlock_rdlock(&l) == 0);
	for (int i = 0; i < DEEP; i++) {
		assert(data == 0 || data == 2);
		assert(pthread_rwlock_unlock(&l) == 0);
	}
	return arg;
}

static void *write_once(void *arg)
{
	assert(pthread_rwlock_wrlock(&l) == 0);
	data = 1;
	data = 2;
	assert(pthread_rwlock_unlock(&l) == 0);
	return arg;
}

static void a_deep_read_lock_keeps_writers_out(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, write_once, NULL) == 0);
	read_deep(NULL);
	assert(pthread_join(t, NULL) == 0);
}

static void a_deep_read_lock_is_unlocked_too_often(void)
{
	read_deep(NULL);
	pthread_rwlock_unlock(&l); /* bug: a_deep_read_lock_is_unlocked_too_often */
}

/* As on a stack that is used again: how deep it was is over with it. */
static void *forget_and_read(void *arg)
{
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < DEEP; k++)
			assert(pthread_rwlock_rdlock(&l) == 0);
		memset(&l, 0, sizeof(l));
		read_deep(NULL);
		assert(pthread_rwlock_trywrlock(&l) == 0);
		assert(pthread_rwlock_unlock(&l) == 0);
	}
	return arg;
}

static void a_deep_read_lock_whose_memory_is_written_anew(void)
{
	forget_and_read(NULL);
	THREADS(1, forget_and_read);
}

static void too_many_deep_read_locks(void)
{
	static pthread_rwlock_t many[17];

	for (int i = 0; i < 17; i++) {
		pthread_rwlock_init(&many[i], NULL);
		for (int k = 0; k < 16; k++)
			pthread_rwlock_rdlock(&many[i]);
	}
}

static void *create_many(void *arg)
{
	pthread_key_t key;

	while (pthread_key_create(&key, NULL) == 0)
		;
	return arg;
}

static void too_many_keys_of_a_thread(void)
{
	THREADS(1, create_many);
}

static void too_many_names(void)
{
	char name[32];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "/heddle-%d", i);
		sem_open(name, O_CREAT, 0600, 0);
	}
}

CASES(CASE(a_deep_read_lock_keeps_writers_out), CASE(a_deep_read_lock_is_unlocked_too_often),
      CASE(a_deep_read_lock_whose_memory_is_written_anew), CASE(too_many_deep_read_locks),
      CASE(too_many_keys_of_a_thread), CASE(too_many_names))
