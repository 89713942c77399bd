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
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cases.h"

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

CASES(CASE(each_thread_has_its_own_value), CASE(a_new_key_is_null_in_every_thread),
      CASE(destructors_run_in_rounds), CASE(no_destructor_for_null),
      CASE(a_number_used_again_is_a_new_key),
      CASE(values_of_main_survive_from_before_the_first_thread), CASE(keys_made_by_threads))
