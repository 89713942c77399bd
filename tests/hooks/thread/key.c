/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * key.c - thread-specific data
 *
 * case each_thread_has_its_own_value: ok 1
 * case a_new_key_is_null_in_every_thread: ok 1
 * case destructors_run_in_rounds: ok 1
 * case no_destructor_for_null: ok 1
 * case a_number_used_again_is_a_new_key: ok 1
 * case values_of_main_survive_from_before_the_first_thread: ok 2
 * case keys_made_by_threads: ok 2
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
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "hooks/fails.h"

static pthread_key_t key;
static int rounds;

static void *own_value(void *arg)
{
	assert(pthread_getspecific(key) == NULL);
	assert(pthread_setspecific(key, &arg) == 0);
	assert(pthread_getspecific(key) == &arg);
	return NULL;
}

static void each_thread_has_its_own_value(void)
{
	assert(pthread_key_create(&key, NULL) == 0);
	assert(pthread_setspecific(key, &key) == 0);
	THREADS(2, own_value);
	assert(pthread_getspecific(key) == &key);
}

static void a_new_key_is_null_in_every_thread(void)
{
	pthread_key_t other;

	each_thread_has_its_own_value();
	assert(pthread_key_create(&other, NULL) == 0);
	assert(pthread_getspecific(other) == NULL);
}

static void again(void *value)
{
	rounds++;
	assert(pthread_getspecific(key) == NULL);
	assert(pthread_setspecific(key, value) == 0);
}

static void *with_destructor(void *arg)
{
	assert(pthread_setspecific(key, &rounds) == 0);
	return arg;
}

static void destructors_run_in_rounds(void)
{
	assert(pthread_key_create(&key, again) == 0);
	THREADS(1, with_destructor);
	assert(rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
}

static void *set_and_clear(void *arg)
{
	assert(pthread_setspecific(key, &rounds) == 0);
	assert(pthread_setspecific(key, NULL) == 0);
	return arg;
}

static void no_destructor_for_null(void)
{
	assert(pthread_key_create(&key, again) == 0);
	THREADS(1, set_and_clear);
	assert(rounds == 0);
}

static void *fresh(void *arg)
{
	pthread_key_t k;

	assert(pthread_key_create(&k, NULL) == 0);
	assert(pthread_getspecific(k) == NULL);
	assert(pthread_setspecific(k, &k) == 0);
	assert(pthread_key_delete(k) == 0);
	assert(pthread_key_create(&k, NULL) == 0);
	assert(pthread_getspecific(k) == NULL);
	return arg;
}

static void a_number_used_again_is_a_new_key(void)
{
	fresh(NULL);
	THREADS(1, fresh);
}

static atomic_int x;

static void *touch(void *arg)
{
	atomic_store(&x, (int)(intptr_t)arg);
	return NULL;
}

static void values_of_main_survive_from_before_the_first_thread(void)
{
	assert(pthread_key_create(&key, NULL) == 0);
	assert(pthread_setspecific(key, &key) == 0);
	THREADS(2, touch);
	assert(pthread_getspecific(key) == &key);
	assert(pthread_setspecific(key, NULL) == 0);
	atomic_load(&x);
}

static pthread_key_t made[2];

static void *make(void *arg)
{
	intptr_t i = (intptr_t)arg;

	assert(pthread_key_create(&made[i], NULL) == 0);
	assert(pthread_setspecific(made[i], arg) == 0);
	atomic_fetch_add(&x, 1);
	return NULL;
}

static void keys_made_by_threads(void)
{
	THREADS(2, make);
	assert(made[0] != made[1]);
	assert(pthread_getspecific(made[0]) == NULL);
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

CASES(CASE(each_thread_has_its_own_value), CASE(a_new_key_is_null_in_every_thread),
      CASE(destructors_run_in_rounds), CASE(no_destructor_for_null),
      CASE(a_number_used_again_is_a_new_key),
      CASE(values_of_main_survive_from_before_the_first_thread), CASE(keys_made_by_threads),
      CASE(pthread_key_create_EAGAIN), CASE(pthread_key_create_EAGAIN_with_threads),
      CASE(pthread_key_create_in_a_thread), CASE(pthread_key_delete_EINVAL),
      CASE(pthread_setspecific_EINVAL), CASE(pthread_getspecific_of_no_key),
      CASE(pthread_key_create_begins_with_NULL), CASE(pthread_key_delete_calls_no_destructor),
      CASE(pthread_setspecific_calls_the_destructor))
