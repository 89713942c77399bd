/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread.c - creating, joining, detaching, ending threads
 *
 * case begins_nowhere: bug crash at pthread_create(&t, NULL, nowhere()
 * case ends_nowhere: bug crash at pthread_create(&t, NULL, has_a_value
 * case join_twice: bug thread-misuse
 * case detach_after_join: bug thread-misuse
 * case join_of_a_detached_thread: bug thread-misuse
 * case join_of_a_detached_thread --backend=fork: bug thread-misuse
 * case join_of_a_detached_thread_that_has_ended: bug thread-misuse
 * case join_of_one_born_detached: bug thread-misuse
 * case detach_of_one_born_detached: bug thread-misuse
 * case detach_twice: bug thread-misuse
 * case detach_by_two: bug thread-misuse at detached by both
 * case detach_beside_a_join: bug thread-misuse
 * case join_of_one_that_detached_itself: bug thread-misuse at detached by both
 * case join_of_one_that_did_not_detach_itself: ok 2
 * case detaches_itself: ok 1
 * case detached_threads_run_to_their_end: ok 2
 * case exit_ends_the_thread_from_within: ok 1
 * case exit_runs_cleanup_handlers: ok 1
 * case exit_runs_key_destructors: ok 1
 * case exit_of_main_waits_for_the_others: ok 1
 * case self_is_the_same_to_all: ok 1
 * case join_orders_what_the_thread_did: ok 1
 * case create_orders_what_came_before: ok 1
 * case a_thread_creates_threads: ok 24
 * case each_creates_the_next: ok 1
 * case who_sees_the_next_too_early: bug data-race at read too early
 * case threads_in_two_rounds: ok 4
 * case errno_begins_as_0: ok 1
 * case errno_begins_as_0 --backend=fork: ok 1
 * case no_join_no_order: bug data-race
 * case cyclic_join: bug deadlock at pthread_join(ring
 *
 * ways pthread_create: EAGAIN EINVAL EPERM
 * ways pthread_join: EDEADLK; not EINVAL ESRCH (undefined: thread-misuse)
 * ways pthread_detach: ; not EINVAL ESRCH (as above)
 * never fails: pthread_exit sched_yield
 *
 * case pthread_create_EAGAIN: ok 1
 * case pthread_join_EDEADLK: ok 1
 * case pthread_join_gives_the_value: ok 1
 * case pthread_exit_of_main: ok 1
 * case pthread_exit_runs_what_was_pushed: ok 1
 * case pthread_cleanup_pop_runs_it_or_not: ok 1
 * case pthread_equal_of_threads: ok 1
 * case sched_yield_gives_0: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hooks/fails.h"

static int data;
static atomic_int counter;
static pthread_t first;

/* So many that one gets the id of one that was joined. */
static void *set_errno(void *arg)
{
	assert(errno == 0);
	errno = EDOM;
	return arg;
}

static void errno_begins_as_0(void)
{
	for (int i = 0; i < 20; i++)
		THREADS(1, set_errno);
}

static void *identity(void *arg)
{
	data++; /* bug: no_join_no_order */
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

static void join_twice(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	pthread_join(t, NULL); /* bug: join_twice */
}

static void detach_after_join(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	pthread_detach(t); /* bug: detach_after_join */
}

static sem_t go;

static void *wait_to_go(void *arg)
{
	assert(sem_wait(&go) == 0);
	return arg;
}

static pthread_t begin_detached(bool born, void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t t;

	assert(pthread_attr_init(&attr) == 0);
	if (born)
		assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, fn, NULL) == 0);
	if (!born)
		assert(pthread_detach(t) == 0);
	return t;
}

static void join_of_a_detached_thread(void)
{
	pthread_t t = begin_detached(false, wait_to_go);

	pthread_join(t, NULL); /* bug: join_of_a_detached_thread */
}

static void *is_over(void *arg)
{
	sem_post(&go);
	return arg;
}

static void join_of_a_detached_thread_that_has_ended(void)
{
	pthread_t t = begin_detached(false, is_over);

	sem_wait(&go);
	pthread_join(t, NULL); /* bug: join_of_a_detached_thread_that_has_ended */
}

static void join_of_one_born_detached(void)
{
	pthread_t t = begin_detached(true, wait_to_go);

	pthread_join(t, NULL); /* bug: join_of_one_born_detached */
}

static void detach_of_one_born_detached(void)
{
	pthread_t t = begin_detached(true, wait_to_go);

	pthread_detach(t); /* bug: detach_of_one_born_detached */
}

static void detach_twice(void)
{
	pthread_t t = begin_detached(false, wait_to_go);

	pthread_detach(t); /* bug: detach_twice */
}

static __attribute__((noinline)) void detach(pthread_t t)
{
	pthread_detach(t); /* detached by both */
}

static void *detach_oneself(void *arg)
{
	detach(pthread_self());
	return arg;
}

static void detach_by_two(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detach_oneself, NULL);
	detach(t);
}

static void *join_it(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL); /* bug: detach_beside_a_join */
	return arg;
}

static void detach_beside_a_join(void)
{
	static pthread_t t, other;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_create(&other, NULL, join_it, &t);
	detach(t);
	pthread_join(other, NULL);
}

static void *detach_oneself_perhaps(void *arg)
{
	if (atomic_load(&counter))
		detach(pthread_self());
	return arg;
}

static void join_of_one_that_detached_itself(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detach_oneself_perhaps, NULL);
	atomic_store(&counter, 1);
	pthread_join(t, NULL);
}

static void *tell_and_detach_oneself(void *arg)
{
	if (atomic_exchange(&counter, 1) == 0)
		detach(pthread_self());
	return arg;
}

/* Whoever comes first has it. */
static void join_of_one_that_did_not_detach_itself(void)
{
	pthread_t t;

	pthread_create(&t, NULL, tell_and_detach_oneself, NULL);
	if (atomic_exchange(&counter, 1) == 0)
		pthread_join(t, NULL);
}

static void detaches_itself(void)
{
	pthread_t t;

	pthread_create(&t, NULL, detach_oneself, NULL);
}

static void *count(void *arg)
{
	atomic_fetch_add(&counter, 1);
	return arg;
}

static void detached_threads_run_to_their_end(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, count, NULL) == 0);
	assert(pthread_detach(t) == 0);
	atomic_fetch_add(&counter, 1);
}

static void leave(void *value)
{
	pthread_exit(value);
}

static void *exits(void *arg)
{
	leave(arg);
	assert(!"reached");
	return NULL;
}

static void exit_ends_the_thread_from_within(void)
{
	pthread_t t;
	void *value = NULL;

	assert(pthread_create(&t, NULL, exits, &data) == 0);
	assert(pthread_join(t, &value) == 0);
	assert(value == &data);
}

static void handler(void *arg)
{
	data = data * 10 + (int)(intptr_t)arg;
}

static void *exits_with_handlers(void *arg)
{
	pthread_cleanup_push(handler, (void *)3);
	pthread_cleanup_push(handler, (void *)2);
	pthread_cleanup_push(handler, (void *)1);
	pthread_cleanup_pop(1);
	leave(arg);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void exit_runs_cleanup_handlers(void)
{
	THREADS(1, exits_with_handlers);
	assert(data == 123);
}

static pthread_key_t key;

static void destructor(void *value)
{
	*(int *)value = 1;
}

static void *exits_with_a_value(void *arg)
{
	assert(pthread_setspecific(key, &data) == 0);
	pthread_exit(arg);
}

static void exit_runs_key_destructors(void)
{
	assert(pthread_key_create(&key, destructor) == 0);
	THREADS(1, exits_with_a_value);
	assert(data == 1);
}

static void exit_of_main_waits_for_the_others(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, count, NULL) == 0);
	assert(pthread_detach(t) == 0);
	pthread_exit(NULL);
}

static void *compare(void *arg)
{
	assert(!pthread_equal(pthread_self(), *(pthread_t *)arg));
	return NULL;
}

static void self_is_the_same_to_all(void)
{
	pthread_t t;

	first = pthread_self();
	assert(pthread_equal(first, pthread_self()));
	assert(pthread_create(&t, NULL, compare, &first) == 0);
	assert(!pthread_equal(first, t));
	assert(pthread_join(t, NULL) == 0);
}

static void join_orders_what_the_thread_did(void)
{
	THREADS(1, identity);
	assert(data == 1);
}

static void *sees(void *arg)
{
	assert(data == 7);
	return arg;
}

static void create_orders_what_came_before(void)
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, nothing, NULL) == 0);
	data = 7;
	assert(pthread_create(&t[1], NULL, sees, NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *parent(void *arg)
{
	THREADS(2, count);
	return arg;
}

static void a_thread_creates_threads(void)
{
	THREADS(2, parent);
	assert(atomic_load(&counter) == 4);
}

enum {
	MANY = 40
};

static pthread_t chain[MANY];
static int length, done[MANY];
static atomic_int last_one;

static void *creates_next(void *arg)
{
	int i = *(int *)arg;

	done[i] = i + 1;
	if (i + 1 == length)
		return NULL;
	if (i + 2 == length)
		atomic_store_explicit(&last_one, 1, memory_order_release);
	pthread_create(&chain[i + 1], NULL, creates_next, &done[i]);
	return NULL;
}

/* Whoever is joined has said who comes next. */
static void each_creates_the_next(void)
{
	int first = 0;

	length = MANY;
	pthread_create(&chain[0], NULL, creates_next, &first);
	for (int i = 0; i < MANY; i++) {
		assert(pthread_join(chain[i], NULL) == 0);
		assert(done[i] == i + 1);
	}
}

static pthread_t looked;

/* The first threads are few enough for a clock of four entries, the next one is not. */
static void who_sees_the_next_too_early(void)
{
	int first = 0;

	length = 4;
	pthread_create(&chain[0], NULL, creates_next, &first);
	if (atomic_load_explicit(&last_one, memory_order_acquire))
		looked = chain[3]; /* read too early */
	for (int i = 0; i < length; i++)
		pthread_join(chain[i], NULL);
}

static void threads_in_two_rounds(void)
{
	THREADS(2, count);
	THREADS(2, count);
	assert(atomic_load(&counter) == 4);
}

static void no_join_no_order(void)
{
	pthread_t t;

	pthread_create(&t, NULL, identity, NULL);
	data++;
	pthread_join(t, NULL);
}

static pthread_t ring[2];
static atomic_int known;

static void *join_other(void *arg)
{
	while (!atomic_load(&known))
		;
	pthread_join(ring[!(intptr_t)arg], NULL);
	return NULL;
}

static void cyclic_join(void)
{
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&ring[i], NULL, join_other, (void *)i);
	atomic_store(&known, 1);
	pthread_exit(NULL);
}

/* --- how they fail ---------------------------------------------------------------------------- */

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

static void count_call(void *arg)
{
	assert(++steps == (int)(long)arg);
}

/* From the innermost on, and before the destructors of keys. */
static void *exit_within(void *arg)
{
	pthread_key_t key;

	GIVES(0, pthread_key_create(&key, count_call));
	GIVES(0, pthread_setspecific(key, (void *)3));
	pthread_cleanup_push(count_call, (void *)2);
	pthread_cleanup_push(count_call, (void *)1);
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

	pthread_cleanup_push(count_call, (void *)(long)(before + 2));
	pthread_cleanup_push(count_call, (void *)(long)(before + 77));
	pthread_cleanup_push(count_call, (void *)(long)(before + 1));
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

static void *compare_threads(void *arg)
{
	assert(pthread_equal(pthread_self(), pthread_self()));
	assert(!pthread_equal(pthread_self(), main_thread));
	return arg;
}

static void pthread_equal_of_threads(void)
{
	main_thread = pthread_self();
	assert(pthread_equal(pthread_self(), main_thread));
	THREADS(2, compare_threads);
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

/* What is no address faults where it is called, in the runtime. */
static void *(*nowhere(void))(void *)
{
	static volatile uintptr_t address = 0xdead000000000000;

	return (void *(*)(void *))address;
}

static void begins_nowhere(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nowhere(), NULL);
	pthread_join(t, NULL);
}

static pthread_key_t key_of_nowhere;

static void *has_a_value(void *arg)
{
	pthread_setspecific(key_of_nowhere, &key_of_nowhere);
	return arg;
}

static void ends_nowhere(void)
{
	pthread_t t;

	pthread_key_create(&key_of_nowhere, (void (*)(void *))nowhere());
	pthread_create(&t, NULL, has_a_value, NULL);
	pthread_join(t, NULL);
}

CASES(CASE(begins_nowhere), CASE(ends_nowhere), CASE(join_twice), CASE(detach_after_join),
      CASE(join_of_a_detached_thread), CASE(join_of_a_detached_thread_that_has_ended),
      CASE(join_of_one_born_detached), CASE(detach_of_one_born_detached), CASE(detach_twice),
      CASE(detach_by_two), CASE(detach_beside_a_join), CASE(join_of_one_that_detached_itself),
      CASE(join_of_one_that_did_not_detach_itself), CASE(detaches_itself),
      CASE(detached_threads_run_to_their_end), CASE(exit_ends_the_thread_from_within),
      CASE(exit_runs_cleanup_handlers), CASE(exit_runs_key_destructors),
      CASE(exit_of_main_waits_for_the_others), CASE(self_is_the_same_to_all),
      CASE(join_orders_what_the_thread_did), CASE(create_orders_what_came_before),
      CASE(a_thread_creates_threads), CASE(each_creates_the_next),
      CASE(who_sees_the_next_too_early), CASE(threads_in_two_rounds), CASE(errno_begins_as_0),
      CASE(no_join_no_order), CASE(cyclic_join), CASE(pthread_create_EAGAIN),
      CASE(pthread_join_EDEADLK), CASE(pthread_join_gives_the_value), CASE(pthread_exit_of_main),
      CASE(pthread_exit_runs_what_was_pushed), CASE(pthread_cleanup_pop_runs_it_or_not),
      CASE(pthread_equal_of_threads), CASE(sched_yield_gives_0))
