/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_moved.c - sleepers that are moved to such a lock, that a signal wakes, and that use one word in two ways
 *
 * case wake_of_lock_sleepers: ok 4
 * case lock_where_others_wait: ok 10
 * case handlers_do_not_end_a_lock: ok 8
 * case handlers_end_a_wait: ok 7
 * case handlers_begin_waits_again: ok 8
 * case handlers_do_not_end_a_wait_to_move: ok * (loops as compiled)
 * case condition_variable: ok 45
 * case condition_variable_of_two: ok 72354
 * case condition_variable_that_is_never_signalled: bug deadlock
 * case condition_variable_with_timeout: ok 4
 * case moved_to_another_than_named: ok 6
 * case wrong_word: ok 1
 * case a_mixture: refused different ones
 * case a_wait_for_several: refused futex_waitv
 */
#define _GNU_SOURCE
#include <signal.h>

#include "futexes.h"

/* ---- Words that are used in two ways ---- */

static void *lock_later(void *arg)
{
	lock_now(&word);
	unlock_now(&word);
	return arg;
}

static void wake_of_lock_sleepers(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(lock_later, NULL);
	if (futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
		assert(errno == EINVAL);
	if (futex(&word, FUTEX_REQUEUE_PRIVATE, 1, count(1), &other, 0))
		assert(errno == EINVAL);
	unlock_now(&word);
	end(t);
}

static void *wait_plainly(void *arg)
{
	unsigned seen = atomic_load(&word);

	if (seen)
		futex(&word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	return arg;
}

static void *lock_or_fail(void *arg)
{
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, &passed, NULL, 0))
		assert(errno == EINVAL || errno == ETIMEDOUT);
	else if (futex(&word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0))
		assert(errno == EINVAL);
	return arg;
}

/* Somebody sleeps there, and not for the lock. */
static void lock_where_others_wait(void)
{
	pthread_t t;
	long r;

	atomic_store(&word, (unsigned)gettid());
	t = begin(wait_plainly, NULL);
	THREADS(1, lock_or_fail);
	while ((r = futex(&word, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0)) && errno == EINVAL)
		futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	assert(r == 0);
	futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	end(t);
}

/* ---- Handlers ---- */

static atomic_int handled;

static void handle(int sig)
{
	(void)sig;
	atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
}

static void handle_usr1(int flags)
{
	struct sigaction a = { .sa_handler = handle, .sa_flags = flags };

	assert(sigaction(SIGUSR1, &a, NULL) == 0);
}

static void *lock_and_count(void *arg)
{
	lock_now(&word);
	data++;
	unlock_now(&word);
	while (!atomic_load(&done)) /* it is there while it is sent a signal */
		sched_yield();
	return arg;
}

static void handlers_do_not_end_a_lock(void)
{
	pthread_t t;

	handle_usr1(0);
	lock_now(&word);
	t = begin(lock_and_count, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	unlock_now(&word);
	atomic_store(&done, 1);
	end(t);
	assert(data == 1 && atomic_load(&handled) <= 1 && atomic_load(&word) == 0);
}

static void *wait_once(void *arg)
{
	long r = futex(&other, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);

	if (arg)
		assert(r == 0 || errno == EAGAIN);
	else
		assert(r == 0 || errno == EAGAIN || errno == EINTR);
	while (!atomic_load(&done))
		sched_yield();
	return arg;
}

static void interrupt_waits(int flags)
{
	pthread_t t;

	handle_usr1(flags);
	t = begin(wait_once, flags ? &word : NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	assert(wake_op(1, 1, FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0) <= 1);
	atomic_store(&done, 1);
	end(t);
	assert(atomic_load(&handled) <= 1);
}

static void handlers_end_a_wait(void)
{
	interrupt_waits(0);
}

static void handlers_begin_waits_again(void)
{
	interrupt_waits(SA_RESTART);
}

static void *wait_to_be_moved(void *arg)
{
	if (futex(&other, FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, NULL, &word, 0) == 0)
		unlock_now(&word);
	else
		assert(errno == EAGAIN);
	while (!atomic_load(&done))
		sched_yield();
	return arg;
}

static void handlers_do_not_end_a_wait_to_move(void)
{
	pthread_t t;

	handle_usr1(0);
	lock_now(&word);
	t = begin(wait_to_be_moved, NULL);
	assert(pthread_kill(t, SIGUSR1) == 0);
	atomic_store(&other, 1);
	assert(futex(&other, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, count(1), &word, 1) <= 1);
	unlock_now(&word);
	atomic_store(&done, 1);
	end(t);
	assert(atomic_load(&handled) <= 1 && atomic_load(&word) == 0);
}

/* ---- FUTEX_WAIT_REQUEUE_PI ---- */

/* A condition variable: `other` counts, the mutex is `word`. Signals come with the mutex held. */
static void *wait_for_condition(void *arg)
{
	lock(&word);
	while (!data) {
		unsigned seen = atomic_load(&other);

		unlock(&word);
		if (futex(&other, FUTEX_WAIT_REQUEUE_PI_PRIVATE, seen, NULL, &word, 0) == 0) {
			assert((atomic_load(&word) & FUTEX_TID_MASK) == (unsigned)gettid());
			continue;
		}
		assert(errno == EAGAIN);
		lock(&word);
	}
	atomic_fetch_add(&done, 1);
	unlock(&word);
	return arg;
}

static long broadcast(void)
{
	unsigned now = atomic_fetch_add(&other, 1) + 1;

	return futex(&other, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, count(INT_MAX), &word, now);
}

static void wake_waiters(int n)
{
	long moved;

	lock(&word);
	data = 1;
	moved = broadcast();
	assert(moved >= 0 && moved <= n);
	unlock(&word);
}

static void condition_variable(void)
{
	pthread_t t = begin(wait_for_condition, NULL);

	wake_waiters(1);
	end(t);
	assert(atomic_load(&done) == 1 && atomic_load(&word) == 0);
}

static void condition_variable_of_two(void)
{
	pthread_t t[2] = { begin(wait_for_condition, NULL), begin(wait_for_condition, NULL) };

	wake_waiters(2);
	end(t[0]);
	end(t[1]);
	assert(atomic_load(&done) == 2 && atomic_load(&word) == 0);
}

static void condition_variable_that_is_never_signalled(void)
{
	pthread_t t = begin(wait_for_condition, NULL);

	lock(&word);
	data = 1;
	unlock(&word);
	end(t); /* bug: condition_variable_that_is_never_signalled */
}

static void *wait_for_a_while(void *arg)
{
	long r = futex(&other, FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, &passed, &word, 0);

	if (r == 0)
		unlock_now(&word);
	else
		assert(errno == EAGAIN || errno == ETIMEDOUT);
	return arg;
}

static void condition_variable_with_timeout(void)
{
	pthread_t t = begin(wait_for_a_while, NULL);

	assert(broadcast() <= 1); /* the mutex is free */
	end(t);
	assert(atomic_load(&word) == 0);
}

static void *wait_for_another_word(void *arg)
{
	futex(&other, FUTEX_WAIT_REQUEUE_PI_PRIVATE, 0, &passed, &turn, 0);
	return arg;
}

static void moved_to_another_than_named(void)
{
	pthread_t t = begin(wait_for_another_word, NULL);

	if (futex(&other, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, count(1), &word, 0))
		assert(errno == EINVAL);
	if (futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
		assert(errno == EINVAL);
	end(t);
}

static void *fail_with_words(void *arg)
{
	atomic_uint *odd = (atomic_uint *)((char *)&word + 1);

	assert(futex(odd, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(odd, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EINVAL);
	assert(futex(odd, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
	assert(futex(odd, FUTEX_WAKE_OP, 1, count(1), &other, 0) == -1 && errno == EINVAL);
	assert(futex(&other, FUTEX_WAKE_OP, 1, count(1), odd, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &word, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_CMP_REQUEUE_PI, 1, count(1), &word, 0) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_CMP_REQUEUE_PI, 2, count(1), &other, 0) == -1 && errno == EINVAL);
	return arg;
}

static void wrong_word(void)
{
	fail_with_words(NULL);
	THREADS(1, fail_with_words);
}

static void a_mixture(void)
{
	pthread_t t[2] = { begin(wait_for_another_word, NULL), begin(wait_for_a_while, NULL) };

	futex(&other, FUTEX_CMP_REQUEUE_PI_PRIVATE, 1, count(1), &word, 0);
	end(t[0]);
	end(t[1]);
}

static void *wait_for_several(void *arg)
{
	syscall(449, NULL, 0, 0, NULL, 0);
	return arg;
}

static void a_wait_for_several(void)
{
	THREADS(1, wait_for_several);
}

CASES(CASE(wake_of_lock_sleepers), CASE(lock_where_others_wait), CASE(handlers_do_not_end_a_lock),
      CASE(handlers_end_a_wait), CASE(handlers_begin_waits_again),
      CASE(handlers_do_not_end_a_wait_to_move), CASE(condition_variable),
      CASE(condition_variable_of_two), CASE(condition_variable_that_is_never_signalled),
      CASE(condition_variable_with_timeout), CASE(moved_to_another_than_named), CASE(wrong_word),
      CASE(a_mixture), CASE(a_wait_for_several))
