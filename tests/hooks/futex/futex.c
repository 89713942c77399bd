/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.c - syscall(SYS_futex, ...), as futex(2) has it
 *
 * case wait_is_woken: ok 2
 * case a_change_without_a_wake_is_lost: bug deadlock
 * case a_wake_before_the_change_is_lost: bug deadlock
 * case a_shared_wake_of_a_private_wait_is_lost: bug deadlock
 * case a_private_wake_of_a_shared_wait_is_lost: bug deadlock
 * case a_shared_wake_of_a_shared_wait: ok 2
 * case nobody_wakes: bug deadlock at end(begin(await_one, NULL))
 * case nobody_wakes_main: bug deadlock at return futex(w, FUTEX_WAIT_PRIVATE
 * case wait_for_another_value: ok 1
 * case wait_with_a_timeout_ends: ok 2
 * case wait_with_a_timeout_may_be_woken: ok 3
 * case timeouts_take_their_time: ok 1
 * case a_loop_of_timeouts_ends_when_it_may: ok 1
 * case a_loop_of_timeouts_without_end: bug await-stuck at bug: polls
 * case wakes_as_many_as_asked: ok 7
 * case wakes_one_of_two: bug deadlock
 * case wakes_any_of_them: bug assertion
 * case bits_choose_the_sleeper: ok 11
 * case other_bits_wake_nobody: bug deadlock
 * case moved_to_another_word: ok 7
 * case moved_and_forgotten: bug deadlock
 * case compares_before_it_moves: ok 1
 * case wrong_arguments: ok 1
 * case unknown_commands: ok 1
 * case of_memory_to_read: ok 1
 * case of_memory_to_read_alone: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

static atomic_uint word, other, done;
int data; /* not static: gcc 12 takes syscall() for a leaf, and keeps what no other file can see in a
	   * register across it, locks or not */

/* A macro, so that each call is a place of its own: time-outs are counted by place. */
#define futex(w, op, val, timeout, w2, val3) syscall(SYS_futex, w, op, val, timeout, w2, val3)

static long wait_for(atomic_uint *w, unsigned val)
{
	return futex(w, FUTEX_WAIT_PRIVATE, val, NULL, NULL, 0);
}

static long wake(atomic_uint *w, int n)
{
	return futex(w, FUTEX_WAKE_PRIVATE, (unsigned)n, NULL, NULL, 0);
}

/* A number of things to count in other places of a timespec. */
static const void *count(unsigned long n)
{
	return (const void *)n;
}

static void *await_one(void *arg)
{
	while (!atomic_load_explicit(&word, memory_order_acquire)) {
		long r = wait_for(&word, 0);

		assert(r == 0 || (r == -1 && (errno == EAGAIN || errno == EINTR)));
	}
	assert(data == 1);
	return arg;
}

static void *set_and_wake(void *arg)
{
	data = 1;
	atomic_store_explicit(&word, 1, memory_order_release);
	assert(wake(&word, 1) <= 1);
	return arg;
}

static void wait_is_woken(void)
{
	pthread_t t = begin(await_one, NULL);

	set_and_wake(NULL);
	end(t);
}

static void a_change_without_a_wake_is_lost(void)
{
	pthread_t t = begin(await_one, NULL);

	data = 1;
	atomic_store(&word, 1);
	end(t); /* bug: a_change_without_a_wake_is_lost */
}

static void a_wake_before_the_change_is_lost(void)
{
	pthread_t t = begin(await_one, NULL);

	data = 1;
	wake(&word, 1);
	atomic_store(&word, 1);
	end(t); /* bug: a_wake_before_the_change_is_lost */
}

static void a_shared_wake_of_a_private_wait_is_lost(void)
{
	pthread_t t = begin(await_one, NULL);

	data = 1;
	atomic_store_explicit(&word, 1, memory_order_release);
	assert(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
	end(t); /* bug: a_shared_wake_of_a_private_wait_is_lost */
}

static void *await_shared(void *arg)
{
	while (!atomic_load_explicit(&word, memory_order_acquire))
		futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return arg;
}

static void a_private_wake_of_a_shared_wait_is_lost(void)
{
	pthread_t t = begin(await_shared, NULL);

	atomic_store_explicit(&word, 1, memory_order_release);
	assert(wake(&word, 1) == 0);
	end(t); /* bug: a_private_wake_of_a_shared_wait_is_lost */
}

static void a_shared_wake_of_a_shared_wait(void)
{
	pthread_t t = begin(await_shared, NULL);

	atomic_store_explicit(&word, 1, memory_order_release);
	assert(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0) <= 1);
	end(t);
}

static void nobody_wakes(void)
{
	end(begin(await_one, NULL));
}

static void nobody_wakes_main(void)
{
	wait_for(&word, 0);
}

static void *wait_for_seven(void *arg)
{
	errno = 0;
	assert(wait_for(&word, 7) == -1 && errno == EAGAIN);
	return arg;
}

static void wait_for_another_value(void)
{
	wait_for_seven(NULL);
	THREADS(1, wait_for_seven);
}

static const struct timespec a_millisecond = { .tv_nsec = 1000000 };

static void *wait_a_millisecond(void *arg)
{
	errno = 0;
	assert(futex(&word, FUTEX_WAIT, 0, &a_millisecond, NULL, 0) == -1 && errno == ETIMEDOUT);
	atomic_store_explicit(&done, 1, memory_order_relaxed);
	return arg;
}

/* Whether it has ended then shows in what main sees. */
static void wait_with_a_timeout_ends(void)
{
	pthread_t t;

	wait_a_millisecond(NULL);
	atomic_store(&done, 0);
	t = begin(wait_a_millisecond, NULL);
	(void)atomic_load_explicit(&done, memory_order_relaxed);
	end(t);
	assert(atomic_load(&done) == 1);
}

static void *wait_some(void *arg)
{
	struct timespec long_time = { .tv_nsec = 50000000 };
	long r = futex(&word, FUTEX_WAIT_PRIVATE, 0, &long_time, NULL, 0);

	assert(r == 0 || (r == -1 && (errno == EAGAIN || errno == ETIMEDOUT)));
	return arg;
}

static void wait_with_a_timeout_may_be_woken(void)
{
	pthread_t t = begin(wait_some, NULL);

	atomic_store(&word, 1);
	wake(&word, 1);
	end(t);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *wait_in_all_ways(void *arg)
{
	int64_t start = now(CLOCK_MONOTONIC);
	struct timespec t = { .tv_nsec = 2000000 };

	assert(futex(&word, FUTEX_WAIT, 0, &t, NULL, 0) == -1 && errno == ETIMEDOUT);
	assert(now(CLOCK_MONOTONIC) >= start + 2000000);
	t = soon(CLOCK_MONOTONIC);
	assert(futex(&word, FUTEX_WAIT_BITSET, 0, &t, NULL, 1) == -1 && errno == ETIMEDOUT);
	assert(now(CLOCK_MONOTONIC) >= (int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
	t = soon(CLOCK_REALTIME);
	assert(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &t, NULL, 1) == -1 &&
	       errno == ETIMEDOUT);
	assert(now(CLOCK_REALTIME) >= (int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
	t = (struct timespec){ .tv_sec = 1 };
	assert(futex(&word, FUTEX_WAIT_BITSET, 0, &t, NULL, 1) == -1 && errno == ETIMEDOUT);
	return arg;
}

static void timeouts_take_their_time(void)
{
	wait_in_all_ways(NULL);
	THREADS(1, wait_in_all_ways);
}

static void *poll_word(void *arg)
{
	while (!atomic_load_explicit(&word, memory_order_acquire)) /* bug: polls */
		futex(&word, FUTEX_WAIT, 0, &a_millisecond, NULL, 0);
	return arg;
}

static void a_loop_of_timeouts_ends_when_it_may(void)
{
	pthread_t t = begin(poll_word, NULL);

	atomic_store(&word, 1);
	end(t);
}

static void a_loop_of_timeouts_without_end(void)
{
	end(begin(poll_word, NULL));
}

/* ---- How many, and who ---- */

static void *sleep_once(void *arg)
{
	if (wait_for(&word, 0) == 0)
		atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
	return arg;
}

static void wakes_as_many_as_asked(void)
{
	pthread_t t[2] = { begin(sleep_once, NULL), begin(sleep_once, NULL) };
	long woken;

	atomic_store(&word, 1);
	woken = wake(&word, INT_MAX);
	assert(woken >= 0 && woken <= 2);
	end(t[0]);
	end(t[1]);
	assert(atomic_load(&done) == woken);
}

static void wakes_one_of_two(void)
{
	pthread_t t[2] = { begin(sleep_once, NULL), begin(sleep_once, NULL) };

	atomic_store(&word, 1);
	assert(wake(&word, 1) <= 1);
	end(t[0]); /* bug: wakes_one_of_two */
	end(t[1]);
}

static void *sleep_and_say_so(void *arg)
{
	while (wait_for(&word, 0) != 0)
		if (atomic_load(&word))
			return arg;
	atomic_store(&done, (unsigned)(long)arg);
	return arg;
}

static void wakes_any_of_them(void)
{
	pthread_t t[2] = { begin(sleep_and_say_so, (void *)1), begin(sleep_and_say_so, (void *)2) };

	if (wake(&word, 1) == 1) {
		while (!atomic_load(&done))
			;
		assert(atomic_load(&done) == 1); /* bug: wakes_any_of_them */
	}
	atomic_store(&word, 1);
	wake(&word, 2);
	end(t[0]);
	end(t[1]);
}

static void *sleep_with_bits(void *arg)
{
	while (!atomic_load(&word))
		futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, (unsigned)(long)arg);
	return arg;
}

static long wake_bits(int n, unsigned bits)
{
	return futex(&word, FUTEX_WAKE_BITSET_PRIVATE, (unsigned)n, NULL, NULL, bits);
}

static void bits_choose_the_sleeper(void)
{
	pthread_t t[2] = { begin(sleep_with_bits, (void *)1), begin(sleep_with_bits, (void *)6) };

	assert(wake_bits(2, 8) == 0);
	atomic_store(&word, 1);
	assert(wake_bits(2, 1) <= 1);
	assert(wake_bits(2, 2) <= 1);
	assert(wake_bits(2, FUTEX_BITSET_MATCH_ANY) == 0);
	end(t[0]);
	end(t[1]);
}

static void other_bits_wake_nobody(void)
{
	pthread_t t = begin(sleep_with_bits, (void *)4);

	atomic_store(&word, 1);
	wake_bits(INT_MAX, 3);
	end(t); /* bug: other_bits_wake_nobody */
}

/* ---- Moving ---- */

static void *sleep_until_set(void *arg)
{
	while (!atomic_load(&word))
		wait_for(&word, 0);
	return arg;
}

static void moved_to_another_word(void)
{
	pthread_t t[2] = { begin(sleep_until_set, NULL), begin(sleep_until_set, NULL) };
	long moved, woken;

	atomic_store(&word, 1);
	moved = futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, count(INT_MAX), &other, 1);
	assert(moved >= 0 && moved <= 2);
	assert(wake(&word, INT_MAX) == 0);
	woken = wake(&other, INT_MAX);
	assert(woken == (moved > 1 ? moved - 1 : 0));
	end(t[0]);
	end(t[1]);
}

static void moved_and_forgotten(void)
{
	pthread_t t = begin(sleep_until_set, NULL);

	atomic_store(&word, 1);
	assert(futex(&word, FUTEX_REQUEUE_PRIVATE, 0, count(1), &other, 0) <= 1);
	wake(&word, 1);
	end(t); /* bug: moved_and_forgotten */
}

static void *compare_and_move(void *arg)
{
	assert(futex(&word, FUTEX_CMP_REQUEUE, 1, count(1), &other, 7) == -1 && errno == EAGAIN);
	assert(futex(&word, FUTEX_CMP_REQUEUE, 1, count(1), &other, 0) == 0);
	return arg;
}

static void compares_before_it_moves(void)
{
	compare_and_move(NULL);
	THREADS(1, compare_and_move);
}

/* ---- Memory that nobody can write to ---- */

static const unsigned seven = 7;

/* Shared futexes are known by a file and a place there, which memory of no file does not have. */
static void *waits_to_read(void *arg)
{
	const struct timespec soon = { .tv_nsec = 1000 };
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(page != MAP_FAILED);
	assert(syscall(SYS_futex, page, FUTEX_WAIT, 0, &soon) == -1 && errno == EFAULT);
	assert(syscall(SYS_futex, page, FUTEX_WAIT, 1, &soon) == -1 && errno == EFAULT);
	assert(syscall(SYS_futex, page, FUTEX_WAKE, 1) == -1 && errno == EFAULT);
	assert(syscall(SYS_futex, page, FUTEX_WAIT_PRIVATE, 1, &soon) == -1 && errno == EAGAIN);
	assert(syscall(SYS_futex, page, FUTEX_WAKE_PRIVATE, 1) == 0);
	assert(syscall(SYS_futex, &seven, FUTEX_WAIT, 8, &soon) == -1 && errno == EAGAIN);
	assert(syscall(SYS_futex, &seven, FUTEX_WAKE, 1) == 0);
	assert(syscall(SYS_futex, &seven, FUTEX_WAIT, 7, &soon) == -1 && errno == ETIMEDOUT);
	return arg;
}

static void of_memory_to_read(void)
{
	THREADS(1, waits_to_read);
}

static void *ends(void *arg)
{
	return arg;
}

static void of_memory_to_read_alone(void)
{
	waits_to_read(NULL);
	end(begin(ends, NULL));
}

/* ---- Errors ---- */

static void *fail_in_all_ways(void *arg)
{
	struct timespec bad = { .tv_nsec = 1000000000 }, negative = { .tv_sec = -1 };
	atomic_uint *odd = (atomic_uint *)((char *)&word + 1);
	unsigned *nowhere = NULL;

	assert(futex(odd, FUTEX_WAIT, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(odd, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT, 0, &bad, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT, 0, &negative, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT, 7, &bad, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT, 0, count(8), NULL, 0) == -1 && errno == EFAULT);
	assert(syscall(SYS_futex, nowhere, FUTEX_WAIT_PRIVATE, 0, NULL) == -1 && errno == EFAULT);
	assert(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_REQUEUE, 1, count(1), odd, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_REQUEUE, -1u, count(1), &other, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_REQUEUE, 1, count(-1ul), &other, 0) == -1 && errno == EINVAL);
	return arg;
}

static void wrong_arguments(void)
{
	fail_in_all_ways(NULL);
	THREADS(1, fail_in_all_ways);
}

static void *ask_for_what_is_not(void *arg)
{
	assert(futex(&word, 99, 0, NULL, NULL, 0) == -1 && errno == ENOSYS);
	assert(futex(&word, FUTEX_FD, 0, NULL, NULL, 0) == -1 && errno == ENOSYS);
	return arg;
}

static void unknown_commands(void)
{
	ask_for_what_is_not(NULL);
	THREADS(1, ask_for_what_is_not);
}

CASES(CASE(wait_is_woken), CASE(a_change_without_a_wake_is_lost),
      CASE(a_wake_before_the_change_is_lost), CASE(a_shared_wake_of_a_private_wait_is_lost),
      CASE(a_private_wake_of_a_shared_wait_is_lost), CASE(a_shared_wake_of_a_shared_wait),
      CASE(nobody_wakes), CASE(nobody_wakes_main), CASE(wait_for_another_value),
      CASE(wait_with_a_timeout_ends), CASE(wait_with_a_timeout_may_be_woken),
      CASE(timeouts_take_their_time), CASE(a_loop_of_timeouts_ends_when_it_may),
      CASE(a_loop_of_timeouts_without_end), CASE(wakes_as_many_as_asked), CASE(wakes_one_of_two),
      CASE(wakes_any_of_them), CASE(bits_choose_the_sleeper), CASE(other_bits_wake_nobody),
      CASE(moved_to_another_word), CASE(moved_and_forgotten), CASE(compares_before_it_moves),
      CASE(wrong_arguments), CASE(unknown_commands), CASE(of_memory_to_read),
      CASE(of_memory_to_read_alone))
