/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key_fails.c - how calls for thread-specific data fail
 *
 * ways pthread_key_create: EAGAIN; not ENOMEM (glibc needs nothing for one)
 * ways pthread_key_delete: EINVAL
 * ways pthread_setspecific: EINVAL; not ENOMEM (glibc: for want of memory only)
 * never fails: pthread_getspecific
 *
 * case pthread_key_create_EAGAIN: ok 1
 * case pthread_key_create_EAGAIN_with_threads: ok 1
 * case pthread_key_create_in_a_thread: ok 1
 * case pthread_key_delete_EINVAL: ok 1
 * case pthread_setspecific_EINVAL: ok 1
 * case pthread_getspecific_of_no_key: ok 1
 * case pthread_key_create_begins_with_NULL: ok 1
 * case pthread_key_delete_calls_no_destructor: ok 1
 * case pthread_setspecific_calls_the_destructor: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>

#include "hooks/fails.h"

static pthread_key_t keys[PTHREAD_KEYS_MAX];

/* All there are, and again when one was given back. Libraries may have some. */
static void create_all(void)
{
	pthread_key_t one_more;
	int n = 0, error;

	while ((error = pthread_key_create(&one_more, NULL)) == 0) {
		assert(n < PTHREAD_KEYS_MAX);
		keys[n++] = one_more;
	}
	GIVES(EAGAIN, error);
	assert(n > PTHREAD_KEYS_MAX / 2);
	GIVES(EAGAIN, pthread_key_create(&one_more, NULL));
	GIVES(0, pthread_key_delete(keys[n / 2]));
	GIVES(0, pthread_key_create(&keys[n / 2], NULL));
	GIVES(EAGAIN, pthread_key_create(&one_more, NULL));
	for (int i = 0; i < n; i++)
		GIVES(0, pthread_setspecific(keys[i], &keys[i]));
	for (int i = 0; i < n; i++)
		assert(pthread_getspecific(keys[i]) == &keys[i]);
	for (int i = 0; i < n; i++)
		GIVES(0, pthread_key_delete(keys[i]));
}

static void pthread_key_create_EAGAIN(void)
{
	create_all();
	create_all();
}

static void *create_some(void *arg)
{
	pthread_key_t some[32];

	for (int i = 0; i < 32; i++) {
		GIVES(0, pthread_key_create(&some[i], NULL));
		GIVES(0, pthread_setspecific(some[i], &some[i]));
	}
	for (int i = 0; i < 32; i++) {
		assert(pthread_getspecific(some[i]) == &some[i]);
		GIVES(0, pthread_key_delete(some[i]));
	}
	return arg;
}

static void pthread_key_create_EAGAIN_with_threads(void)
{
	THREADS(1, create_some);
	create_all();
}

static void pthread_key_create_in_a_thread(void)
{
	BOTH(create_some);
}

static void *delete_twice(void *arg)
{
	pthread_key_t key;

	GIVES(0, pthread_key_create(&key, NULL));
	GIVES(0, pthread_key_delete(key));
	GIVES(EINVAL, pthread_key_delete(key));
	GIVES(EINVAL, pthread_key_delete((pthread_key_t)-1));
	return arg;
}

static void pthread_key_delete_EINVAL(void)
{
	delete_twice(NULL);
	THREADS(1, delete_twice);
}

static void *set_what_is_deleted(void *arg)
{
	pthread_key_t key;

	GIVES(0, pthread_key_create(&key, NULL));
	GIVES(0, pthread_setspecific(key, &key));
	GIVES(0, pthread_key_delete(key));
	GIVES(EINVAL, pthread_setspecific(key, &key));
	GIVES(EINVAL, pthread_setspecific((pthread_key_t)-1, &key));
	GIVES(EINVAL, pthread_setspecific((pthread_key_t)-1, NULL));
	return arg;
}

static void pthread_setspecific_EINVAL(void)
{
	set_what_is_deleted(NULL);
	THREADS(1, set_what_is_deleted);
}

static void *get_what_is_none(void *arg)
{
	pthread_key_t key;

	assert(pthread_getspecific((pthread_key_t)-1) == NULL);
	GIVES(0, pthread_key_create(&key, NULL));
	assert(pthread_getspecific(key) == NULL);
	GIVES(0, pthread_setspecific(key, &key));
	assert(pthread_getspecific(key) == &key);
	GIVES(0, pthread_setspecific(key, NULL));
	assert(pthread_getspecific(key) == NULL);
	GIVES(0, pthread_key_delete(key));
	return arg;
}

static void pthread_getspecific_of_no_key(void)
{
	BOTH(get_what_is_none);
}

static void *reuse(void *arg)
{
	pthread_key_t key;

	for (int i = 0; i < 3; i++) {
		GIVES(0, pthread_key_create(&key, NULL));
		assert(pthread_getspecific(key) == NULL);
		GIVES(0, pthread_setspecific(key, &key));
		GIVES(0, pthread_key_delete(key));
	}
	return arg;
}

static void pthread_key_create_begins_with_NULL(void)
{
	BOTH(reuse);
}

static int destroyed;
static pthread_key_t shared_key;

static void count(void *value)
{
	assert(value == &destroyed);
	assert(pthread_getspecific(shared_key) == NULL);
	destroyed++;
}

static void *set_and_delete(void *arg)
{
	GIVES(0, pthread_setspecific(shared_key, &destroyed));
	GIVES(0, pthread_key_delete(shared_key));
	return arg;
}

static void pthread_key_delete_calls_no_destructor(void)
{
	GIVES(0, pthread_key_create(&shared_key, count));
	THREADS(1, set_and_delete);
	assert(destroyed == 0);
}

static void *set(void *arg)
{
	GIVES(0, pthread_setspecific(shared_key, &destroyed));
	return arg;
}

static void pthread_setspecific_calls_the_destructor(void)
{
	GIVES(0, pthread_key_create(&shared_key, count));
	THREADS(1, set);
	assert(destroyed == 1);
	set(NULL); /* the main thread's, at the end: not when the process exits */
	assert(destroyed == 1);
}

CASES(CASE(pthread_key_create_EAGAIN), CASE(pthread_key_create_EAGAIN_with_threads),
      CASE(pthread_key_create_in_a_thread), CASE(pthread_key_delete_EINVAL),
      CASE(pthread_setspecific_EINVAL), CASE(pthread_getspecific_of_no_key),
      CASE(pthread_key_create_begins_with_NULL), CASE(pthread_key_delete_calls_no_destructor),
      CASE(pthread_setspecific_calls_the_destructor))
