/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), with futexes: who sleeps and who is woken are values, and a wait that does not find what is expected is no execution
 *
 * case all_write_the_same -e value: ok 4
 * case all_write_the_same -e value --backend=fork: ok 4
 * case all_write_the_same -e value -m sra -j 2: ok 4
 * case all_write_the_same -e rf: ok 6
 * case homemade_lock -e value: ok 7
 * case homemade_lock -e value -m sra -j 2: ok 7
 * case homemade_lock -e rf: ok 10
 * case wakes_two -e value: ok 19
 * case wakes_two -e rf: ok 19
 * case bits_choose -e value: ok 5
 * case bits_choose -e rf: ok 5
 * case waits_for_a_time -e value: ok 6
 * case waits_for_a_time -e rf: ok 6
 * case loop_of_times -e value: ok 1
 * case wakes_one_of_two -e value: bug deadlock at pthread_join
 * case wakes_one_of_two -e value -m wra -j 2: bug deadlock at pthread_join
 * case wakes_too_early -e value: bug deadlock at pthread_join
 * case other_bits -e value: bug deadlock at pthread_join
 * case one_of_two_is_woken -e value: bug assertion
 * case one_of_two_is_woken -e value -m tso -j 2: bug assertion
 * case ordered_by_the_queue -e value: ok 2
 * case race_behind_a_wake -e value: bug data-race at assert(data == 1)
 * case race_behind_a_wake -e value -m sc: bug data-race at assert(data == 1)
 * case moves_sleepers -e value: ok 3
 * case moves_sleepers -e rf: ok 3
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

#define RLX                                  memory_order_relaxed
#define futex(w, op, val, timeout, w2, val3) syscall(SYS_futex, w, op, val, timeout, w2, val3)

static atomic_uint word, other;
static atomic_int x, woken;
int data; /* not static: see tests/hooks/futex/futex.c */
static const struct timespec second = { .tv_sec = 1 };

static void run(int n, void *(*const fn[])(void *))
{
	pthread_t t[4];

	for (int i = 0; i < n; i++)
		assert(pthread_create(&t[i], NULL, fn[i], NULL) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *sleeps(void *arg)
{
	futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

static void *tells(void *arg)
{
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return arg;
}

static void *tells_one(void *arg)
{
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static void *writes_one(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *waits_and_reads(void *arg)
{
	while (!atomic_load(&word))
		futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	assert(atomic_load_explicit(&x, RLX) <= 1);
	return arg;
}

static void all_write_the_same(void)
{
	run(4, (void *(*const[])(void *)){ writes_one, writes_one, tells, waits_and_reads });
}

/* As in "Futexes Are Tricky": 0 free, 1 taken, 2 taken, and perhaps somebody waits. */
static void *locks(void *arg)
{
	unsigned was = 0;

	if (!atomic_compare_exchange_strong(&word, &was, 1)) {
		if (was != 2)
			was = atomic_exchange(&word, 2);
		while (was) {
			futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
			was = atomic_exchange(&word, 2);
		}
	}
	atomic_store_explicit(&x, 1, RLX);
	if (atomic_exchange(&word, 0) == 2)
		futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static void homemade_lock(void)
{
	run(2, (void *(*const[])(void *)){ locks, locks });
}

static void *wakes_three_times(void *arg)
{
	futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
	futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0);
	return arg;
}

static void wakes_two(void)
{
	run(3, (void *(*const[])(void *)){ sleeps, sleeps, wakes_three_times });
}

static void *sleeps_for_1(void *arg)
{
	futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 1);
	return arg;
}

static void *sleeps_for_2(void *arg)
{
	futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 2);
	return arg;
}

static void *wakes_1_and_3(void *arg)
{
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 1);
	futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 2, NULL, NULL, 3);
	return arg;
}

static void *wakes_1(void *arg)
{
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 2, NULL, NULL, 1);
	return arg;
}

static void bits_choose(void)
{
	run(3, (void *(*const[])(void *)){ sleeps_for_1, sleeps_for_2, wakes_1_and_3 });
}

static void other_bits(void)
{
	run(3, (void *(*const[])(void *)){ sleeps_for_1, sleeps_for_2, wakes_1 });
}

static void *sleeps_a_second(void *arg)
{
	futex(&word, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
	atomic_load_explicit(&x, RLX);
	return arg;
}

static void waits_for_a_time(void)
{
	run(3, (void *(*const[])(void *)){ sleeps_a_second, tells, writes_one });
}

static void *tries_again(void *arg)
{
	while (!atomic_load(&word))
		futex(&word, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
	return arg;
}

static void *changes(void *arg)
{
	atomic_store(&word, 1);
	return arg;
}

static void loop_of_times(void)
{
	run(2, (void *(*const[])(void *)){ tries_again, changes });
}

static void wakes_one_of_two(void)
{
	run(3, (void *(*const[])(void *)){ sleeps, sleeps, tells_one });
}

static void *wakes_first(void *arg)
{
	futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	atomic_store(&word, 1);
	return arg;
}

static void wakes_too_early(void)
{
	run(2, (void *(*const[])(void *)){ sleeps, wakes_first });
}

static void *sleeps_as_first(void *arg)
{
	if (!futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) && atomic_fetch_add(&woken, 1) == 0)
		atomic_store(&other, 1);
	return arg;
}

static void *sleeps_as_second(void *arg)
{
	if (!futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) && atomic_fetch_add(&woken, 1) == 0)
		atomic_store(&other, 2);
	return arg;
}

static void *wakes_one_then_all(void *arg)
{
	atomic_store(&word, 1);
	if (futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1)
		assert(atomic_load(&other) != 2); /* bug: one_of_two_is_woken */
	futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	return arg;
}

static void one_of_two_is_woken(void)
{
	run(3, (void *(*const[])(void *)){ sleeps_as_first, sleeps_as_second, wakes_one_then_all });
}

/* Who sleeps is woken by an operation behind the write. */
static void *sleeps_and_takes(void *arg)
{
	if (!futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0))
		assert(data == 1);
	return arg;
}

static void *gives(void *arg)
{
	data = 1;
	atomic_store_explicit(&word, 1, RLX);
	futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static void ordered_by_the_queue(void)
{
	run(2, (void *(*const[])(void *)){ sleeps_and_takes, gives });
}

static void *wakes_only(void *arg)
{
	futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

/* Nor by another one that wakes it before. */
static void race_behind_a_wake(void)
{
	run(3, (void *(*const[])(void *)){ sleeps_and_takes, gives, wakes_only }); /* races */
}

static void *moves(void *arg)
{
	futex(&word, FUTEX_REQUEUE_PRIVATE, 0, (void *)1L, &other, 0);
	atomic_store(&word, 1);
	futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static void moves_sleepers(void)
{
	run(2, (void *(*const[])(void *)){ sleeps, moves });
}

CASES(CASE(all_write_the_same), CASE(homemade_lock), CASE(wakes_two), CASE(bits_choose),
      CASE(waits_for_a_time), CASE(loop_of_times), CASE(wakes_one_of_two), CASE(wakes_too_early),
      CASE(other_bits), CASE(one_of_two_is_woken), CASE(ordered_by_the_queue),
      CASE(race_behind_a_wake), CASE(moves_sleepers))
