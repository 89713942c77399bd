/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_fails.c - how creating, joining, detaching and ending threads fails
 *
 * ways pthread_create: EAGAIN EINVAL EPERM
 * ways pthread_join: EDEADLK EINVAL; not ESRCH (undefined: thread-misuse)
 * ways pthread_detach: EINVAL; not ESRCH (as above)
 * never fails: pthread_exit sched_yield
 *
 * case pthread_create_EAGAIN: ok 1
 * case pthread_join_EDEADLK: ok 1
 * case pthread_join_EINVAL: ok 1
 * case pthread_join_EINVAL_of_one_born_detached: ok 1
 * case pthread_detach_EINVAL: ok 1
 * case pthread_detach_EINVAL_of_oneself: ok 1
 * case pthread_join_gives_the_value: ok 1
 * case pthread_exit_of_main: ok 1
 * case pthread_exit_runs_what_was_pushed: ok 1
 * case pthread_cleanup_pop_runs_it_or_not: ok 1
 * case pthread_equal_of_threads: ok 1
 * case sched_yield_gives_0: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "hooks/fails.h"

static void *nothing(void *arg)
{
	return arg;
}

/* No process has room for such a stack. */
static void *ask_for_too_much(void *arg)
{
	pthread_attr_t attr;
	pthread_t t;

	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setstacksize(&attr, 1ul << 47));
	GIVES(EAGAIN, pthread_create(&t, &attr, nothing, NULL));
	GIVES(0, pthread_attr_setstacksize(&attr, 1ul << 62));
	GIVES(EAGAIN, pthread_create(&t, &attr, nothing, NULL));
	GIVES(0, pthread_attr_destroy(&attr));
	return arg;
}

static void pthread_create_EAGAIN(void)
{
	BOTH(ask_for_too_much);
}

static void *join_oneself(void *arg)
{
	void *value = &value;

	GIVES(EDEADLK, pthread_join(pthread_self(), &value));
	assert(value == &value);
	return arg;
}

static void pthread_join_EDEADLK(void)
{
	BOTH(join_oneself);
}

static sem_t go;

/* Detached threads must be there when others ask for them. */
static void *wait_to_go(void *arg)
{
	assert(sem_wait(&go) == 0);
	return arg;
}

static void pthread_join_EINVAL(void)
{
	pthread_t t;
	void *value = &t;

	assert(sem_init(&go, 0, 0) == 0);
	GIVES(0, pthread_create(&t, NULL, wait_to_go, NULL));
	GIVES(0, pthread_detach(t));
	GIVES(EINVAL, pthread_join(t, &value));
	GIVES(EINVAL, pthread_join(t, NULL));
	assert(value == &t);
	assert(sem_post(&go) == 0);
}

static void pthread_join_EINVAL_of_one_born_detached(void)
{
	pthread_attr_t attr;
	pthread_t t;

	assert(sem_init(&go, 0, 0) == 0);
	GIVES(0, pthread_attr_init(&attr));
	GIVES(0, pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED));
	GIVES(0, pthread_create(&t, &attr, wait_to_go, NULL));
	GIVES(EINVAL, pthread_join(t, NULL));
	GIVES(EINVAL, pthread_detach(t));
	assert(sem_post(&go) == 0);
}

static void pthread_detach_EINVAL(void)
{
	pthread_t t;

	assert(sem_init(&go, 0, 0) == 0);
	GIVES(0, pthread_create(&t, NULL, wait_to_go, NULL));
	GIVES(0, pthread_detach(t));
	GIVES(EINVAL, pthread_detach(t));
	assert(sem_post(&go) == 0);
}

static void *detach_oneself(void *arg)
{
	GIVES(0, pthread_detach(pthread_self()));
	GIVES(EINVAL, pthread_detach(pthread_self()));
	GIVES(EINVAL, pthread_join(pthread_self(), NULL));
	assert(sem_post(&go) == 0);
	return arg;
}

static void pthread_detach_EINVAL_of_oneself(void)
{
	pthread_t t;

	assert(sem_init(&go, 0, 0) == 0);
	GIVES(0, pthread_create(&t, NULL, detach_oneself, NULL));
	assert(sem_wait(&go) == 0);
}

/* ---- And what does not fail -------------------------------------------------------------- */

static void *exit_with(void *arg)
{
	pthread_exit(arg);
}

static void pthread_join_gives_the_value(void)
{
	void *value;
	pthread_t t;

	GIVES(0, pthread_create(&t, NULL, nothing, &t));
	GIVES(0, pthread_join(t, &value));
	assert(value == &t);
	GIVES(0, pthread_create(&t, NULL, exit_with, &value));
	GIVES(0, pthread_join(t, &value));
	assert(value == &value);
	GIVES(0, pthread_create(&t, NULL, exit_with, NULL));
	GIVES(0, pthread_join(t, NULL));
}

static pthread_t main_thread;

static void *join_main(void *arg)
{
	void *value;

	GIVES(0, pthread_join(main_thread, &value));
	assert(value == &main_thread);
	return arg;
}

/* The process goes on until its last thread ends, and then exits with status 0. */
static void pthread_exit_of_main(void)
{
	pthread_t t;

	main_thread = pthread_self();
	GIVES(0, pthread_create(&t, NULL, join_main, NULL));
	pthread_exit(&main_thread);
}

static int steps;

static void count(void *arg)
{
	assert(++steps == (int)(long)arg);
}

/* From the innermost on, and before the destructors of keys. */
static void *exit_within(void *arg)
{
	pthread_key_t key;

	GIVES(0, pthread_key_create(&key, count));
	GIVES(0, pthread_setspecific(key, (void *)3));
	pthread_cleanup_push(count, (void *)2);
	pthread_cleanup_push(count, (void *)1);
	pthread_exit(arg);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
}

static void pthread_exit_runs_what_was_pushed(void)
{
	THREADS(1, exit_within);
	assert(steps == 3);
}

static void *pop(void *arg)
{
	int before = steps;

	pthread_cleanup_push(count, (void *)(long)(before + 2));
	pthread_cleanup_push(count, (void *)(long)(before + 77));
	pthread_cleanup_push(count, (void *)(long)(before + 1));
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(1);
	assert(steps == before + 2);
	return arg;
}

static void pthread_cleanup_pop_runs_it_or_not(void)
{
	pop(NULL);
	THREADS(1, pop);
}

static void *compare(void *arg)
{
	assert(pthread_equal(pthread_self(), pthread_self()));
	assert(!pthread_equal(pthread_self(), main_thread));
	return arg;
}

static void pthread_equal_of_threads(void)
{
	main_thread = pthread_self();
	assert(pthread_equal(pthread_self(), main_thread));
	THREADS(2, compare);
}

static void *yield(void *arg)
{
	GIVES(0, sched_yield());
	return arg;
}

static void sched_yield_gives_0(void)
{
	BOTH(yield);
}

CASES(CASE(pthread_create_EAGAIN), CASE(pthread_join_EDEADLK), CASE(pthread_join_EINVAL),
      CASE(pthread_join_EINVAL_of_one_born_detached), CASE(pthread_detach_EINVAL),
      CASE(pthread_detach_EINVAL_of_oneself), CASE(pthread_join_gives_the_value),
      CASE(pthread_exit_of_main), CASE(pthread_exit_runs_what_was_pushed),
      CASE(pthread_cleanup_pop_runs_it_or_not), CASE(pthread_equal_of_threads),
      CASE(sched_yield_gives_0))
