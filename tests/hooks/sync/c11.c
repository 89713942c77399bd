/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * c11.c - <threads.h>
 *
 * case a_thread_returns_its_result: ok 1
 * case a_joined_thread_orders_what_it_did: ok 1
 * case threads_race: bug data-race at data++
 * case a_detached_thread: ok 1
 * case join_of_a_detached_thread: bug thread-misuse
 * case detach_twice: bug thread-misuse
 * case join_twice: bug thread-misuse
 * case current_and_equal: ok 1
 * case sleep_takes_time: ok 1
 * case yield: ok 1
 * case a_mutex_excludes: ok 2
 * case a_recursive_mutex_counts: ok 1
 * case trylock_is_busy: ok 1
 * case timedlock_gets_it_or_times_out: ok 3
 * case lock_in_two_orders: bug deadlock at assert(thrd_join(t[i], &value
 * case unlock_of_an_unlocked_mutex: bug lock-misuse
 * case a_signal_wakes: ok 2
 * case a_broadcast_wakes_all: ok 10
 * case a_lost_signal: bug deadlock at assert(thrd_join(t[i], NULL
 * case a_timed_wait_is_woken_or_times_out: ok 4
 * case storage_is_each_thread_s_own: ok 1
 * case destructors_run_in_rounds: ok 1
 * case a_deleted_key_has_no_destructor: ok 1
 * case destroy_of_a_locked_mutex: bug lock-misuse
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "cases.h"

static mtx_t m, n;
static cnd_t c;
static int data, inside, calls;
static const struct timespec past = { 0, 0 };

/* Runs fn in n threads at once and waits for them; all return 0. */
static void run(int count, int (*fn)(void *))
{
	thrd_t t[4];
	int value;

	for (intptr_t i = 0; i < count; i++)
		assert(thrd_create(&t[i], fn, (void *)i) == thrd_success);
	for (int i = 0; i < count; i++) {
		value = -1;
		assert(thrd_join(t[i], &value) == thrd_success);
		assert(value == 0);
	}
}

static int give_seven(void *arg)
{
	data = 1;
	return arg ? 7 : -7;
}

static void a_thread_returns_its_result(void)
{
	thrd_t t;
	int value = 0;

	assert(thrd_create(&t, give_seven, &data) == thrd_success);
	assert(thrd_join(t, &value) == thrd_success);
	assert(value == 7);
	assert(thrd_create(&t, give_seven, NULL) == thrd_success);
	assert(thrd_join(t, &value) == thrd_success);
	assert(value == -7);
}

static void a_joined_thread_orders_what_it_did(void)
{
	thrd_t t;

	assert(thrd_create(&t, give_seven, NULL) == thrd_success);
	assert(thrd_join(t, NULL) == thrd_success);
	assert(data == 1);
}

static int add(void *arg)
{
	(void)arg;
	data++;
	return 0;
}

static void threads_race(void)
{
	run(2, add);
}

static void a_detached_thread(void)
{
	thrd_t t;

	assert(thrd_create(&t, give_seven, NULL) == thrd_success);
	assert(thrd_detach(t) == thrd_success);
}

static int wait_for_mutex(void *arg)
{
	(void)arg;
	assert(mtx_lock(&m) == thrd_success);
	assert(mtx_unlock(&m) == thrd_success);
	return 0;
}

static void join_of_a_detached_thread(void)
{
	thrd_t t;

	assert(mtx_init(&m, mtx_plain) == thrd_success);
	assert(mtx_lock(&m) == thrd_success); /* so that it is there still */
	assert(thrd_create(&t, wait_for_mutex, NULL) == thrd_success);
	assert(thrd_detach(t) == thrd_success);
	thrd_join(t, NULL); /* bug: join_of_a_detached_thread */
}

static void detach_twice(void)
{
	thrd_t t;

	assert(thrd_create(&t, give_seven, NULL) == thrd_success);
	assert(thrd_detach(t) == thrd_success);
	thrd_detach(t); /* bug: detach_twice */
}

static void join_twice(void)
{
	thrd_t t;

	thrd_create(&t, give_seven, NULL);
	thrd_join(t, NULL);
	thrd_join(t, NULL); /* bug: join_twice */
}

static thrd_t others_view;

static int who_am_i(void *arg)
{
	others_view = thrd_current();
	return arg != NULL;
}

static void current_and_equal(void)
{
	thrd_t t;

	assert(thrd_equal(thrd_current(), thrd_current()));
	assert(thrd_create(&t, who_am_i, NULL) == thrd_success);
	assert(!thrd_equal(t, thrd_current()));
	assert(thrd_join(t, NULL) == thrd_success);
	assert(thrd_equal(others_view, t));
}

static int sleep_a_little(void *arg)
{
	const struct timespec little = { 0, 3000000 };
	struct timespec before, after;

	(void)arg;
	assert(timespec_get(&before, TIME_UTC) == TIME_UTC);
	assert(thrd_sleep(&little, NULL) == 0);
	assert(timespec_get(&after, TIME_UTC) == TIME_UTC);
	assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >=
	       little.tv_nsec);
	return 0;
}

static void sleep_takes_time(void)
{
	run(1, sleep_a_little);
}

static int yield_once(void *arg)
{
	(void)arg;
	thrd_yield();
	return 0;
}

static void yield(void)
{
	run(2, yield_once);
}

static void init(mtx_t *mutex, int type)
{
	assert(mtx_init(mutex, type) == thrd_success);
}

static int enter(void *arg)
{
	(void)arg;
	assert(mtx_lock(&m) == thrd_success);
	assert(inside++ == 0);
	inside--;
	assert(mtx_unlock(&m) == thrd_success);
	return 0;
}

static void a_mutex_excludes(void)
{
	init(&m, mtx_plain);
	run(2, enter);
	mtx_destroy(&m);
}

static int recurse(void *arg)
{
	(void)arg;
	assert(mtx_lock(&m) == thrd_success);
	assert(mtx_trylock(&m) == thrd_success);
	assert(mtx_timedlock(&m, &past) == thrd_success);
	for (int i = 0; i < 3; i++)
		assert(mtx_unlock(&m) == thrd_success);
	assert(mtx_unlock(&m) == thrd_error);
	return 0;
}

static void a_recursive_mutex_counts(void)
{
	init(&m, mtx_timed | mtx_recursive);
	run(1, recurse);
	mtx_destroy(&m);
	init(&m, mtx_plain | mtx_recursive);
	run(1, recurse);
}

static int find_busy(void *arg)
{
	(void)arg;
	assert(mtx_trylock(&m) == thrd_busy);
	return 0;
}

static void trylock_is_busy(void)
{
	init(&m, mtx_plain);
	assert(mtx_trylock(&m) == thrd_success);
	run(1, find_busy);
	assert(mtx_unlock(&m) == thrd_success);
}

static int lock_in_time(void *arg)
{
	int r = arg ? mtx_lock(&m) : mtx_timedlock(&m, &past);

	assert(r == thrd_success || (!arg && r == thrd_timedout));
	if (r == thrd_success)
		assert(mtx_unlock(&m) == thrd_success);
	return 0;
}

static void timedlock_gets_it_or_times_out(void)
{
	init(&m, mtx_timed);
	run(2, lock_in_time);
}

static int cross(void *arg)
{
	mtx_lock(arg ? &m : &n);
	mtx_lock(arg ? &n : &m);
	mtx_unlock(&m);
	mtx_unlock(&n);
	return 0;
}

static void lock_in_two_orders(void)
{
	init(&m, mtx_plain);
	init(&n, mtx_plain);
	run(2, cross);
}

static int unlock(void *arg)
{
	(void)arg;
	mtx_unlock(&m); /* bug: unlock_of_an_unlocked_mutex */
	return 0;
}

static void unlock_of_an_unlocked_mutex(void)
{
	init(&m, mtx_plain);
	run(1, unlock);
}

static int lock_only(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	return 0;
}

static void destroy_of_a_locked_mutex(void)
{
	init(&m, mtx_plain);
	run(1, lock_only);
	mtx_destroy(&m); /* bug: destroy_of_a_locked_mutex */
}

static int wait_ready(void *arg)
{
	(void)arg;
	assert(mtx_lock(&m) == thrd_success);
	while (!data)
		assert(cnd_wait(&c, &m) == thrd_success);
	assert(mtx_unlock(&m) == thrd_success);
	return 0;
}

static void set_ready(int (*wake)(cnd_t *))
{
	assert(mtx_lock(&m) == thrd_success);
	data = 1;
	assert(wake(&c) == thrd_success);
	assert(mtx_unlock(&m) == thrd_success);
}

static void wake(int waiters, int (*fn)(void *), int (*wake_them)(cnd_t *))
{
	thrd_t t[2];

	init(&m, mtx_plain);
	assert(cnd_init(&c) == thrd_success);
	for (int i = 0; i < waiters; i++)
		assert(thrd_create(&t[i], fn, NULL) == thrd_success);
	set_ready(wake_them);
	for (int i = 0; i < waiters; i++)
		assert(thrd_join(t[i], NULL) == thrd_success);
	cnd_destroy(&c);
	mtx_destroy(&m);
}

static void a_signal_wakes(void)
{
	wake(1, wait_ready, cnd_signal);
}

static void a_broadcast_wakes_all(void)
{
	wake(2, wait_ready, cnd_broadcast);
}

static int wait_always(void *arg)
{
	(void)arg;
	mtx_lock(&m);
	cnd_wait(&c, &m);
	mtx_unlock(&m);
	return 0;
}

static void a_lost_signal(void)
{
	wake(1, wait_always, cnd_signal);
}

static int wait_in_time(void *arg)
{
	int r = thrd_success;

	(void)arg;
	assert(mtx_lock(&m) == thrd_success);
	if (!data)
		r = cnd_timedwait(&c, &m, &past);
	assert(r == thrd_timedout || (r == thrd_success && data));
	assert(mtx_unlock(&m) == thrd_success);
	return 0;
}

static void a_timed_wait_is_woken_or_times_out(void)
{
	wake(1, wait_in_time, cnd_signal);
}

static tss_t key, other_key;

static int keep_own(void *arg)
{
	assert(tss_get(key) == NULL);
	assert(tss_set(key, (char *)arg + 1) == thrd_success);
	thrd_yield();
	assert(tss_get(key) == (char *)arg + 1);
	return 0;
}

static void storage_is_each_thread_s_own(void)
{
	assert(tss_create(&key, NULL) == thrd_success);
	assert(tss_set(key, &key) == thrd_success);
	run(2, keep_own);
	assert(tss_get(key) == &key);
	tss_delete(key);
}

static void set_again(void *value)
{
	calls++;
	if (calls == 1)
		assert(tss_set(key, value) == thrd_success);
}

static int leave_a_value(void *arg)
{
	(void)arg;
	assert(tss_set(key, &data) == thrd_success);
	return 0;
}

static void destructors_run_in_rounds(void)
{
	assert(tss_create(&key, set_again) == thrd_success);
	run(1, leave_a_value);
	assert(calls == 2);
}

static int leave_and_delete(void *arg)
{
	(void)arg;
	assert(tss_create(&other_key, set_again) == thrd_success);
	assert(tss_set(other_key, &data) == thrd_success);
	tss_delete(other_key);
	return 0;
}

static void a_deleted_key_has_no_destructor(void)
{
	run(1, leave_and_delete);
	assert(calls == 0);
}

CASES(CASE(a_thread_returns_its_result), CASE(a_joined_thread_orders_what_it_did),
      CASE(threads_race), CASE(a_detached_thread), CASE(join_of_a_detached_thread),
      CASE(detach_twice), CASE(join_twice), CASE(current_and_equal), CASE(sleep_takes_time),
      CASE(yield), CASE(a_mutex_excludes), CASE(a_recursive_mutex_counts), CASE(trylock_is_busy),
      CASE(timedlock_gets_it_or_times_out), CASE(lock_in_two_orders),
      CASE(unlock_of_an_unlocked_mutex), CASE(a_signal_wakes), CASE(a_broadcast_wakes_all),
      CASE(a_lost_signal), CASE(a_timed_wait_is_woken_or_times_out),
      CASE(storage_is_each_thread_s_own), CASE(destructors_run_in_rounds),
      CASE(a_deleted_key_has_no_destructor), CASE(destroy_of_a_locked_mutex))
