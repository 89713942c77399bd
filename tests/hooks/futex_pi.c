/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_pi.c - futexes that change words: FUTEX_WAKE_OP, and priority inheritance
 *
 * case wake_op_wakes_both: ok *
 * case wake_op_wakes_the_first_only: bug deadlock
 * case wake_op_compares: ok *
 * case wake_op_does_all_it_can: ok 1
 * case wake_op_is_one_step: ok *
 * case wake_op_unlocks_and_wakes: ok *
 * case wake_op_of_one_word: ok *
 * case lock_without_others: ok 1
 * case lock_twice: ok 1
 * case lock_excludes: ok *
 * case lock_in_user_space_excludes: ok *
 * case lock_of_three: ok *
 * case any_of_two_gets_it: bug assertion
 * case unlock_in_user_space_forgets_waiters: bug deadlock
 * case never_unlocked: bug deadlock
 * case a_shared_unlock_finds_no_private_sleeper: bug deadlock
 * case what_a_lock_protects_is_seen: ok *
 * case what_is_not_protected_races: bug data-race
 * case trylock_of_a_taken_one: ok *
 * case trylock_in_a_loop: ok *
 * case unlock_of_another_one: ok 1
 * case timed_lock_times_out: ok *
 * case timed_lock_may_get_it: ok 2
 * case timed_lock_of_an_ended_one: ok *
 * case stale_bits_are_taken_over: ok 1
 * case a_circle_is_found: ok *
 * case a_chain_is_none: ok *
 * case owner_ends: ok *
 * case owner_ends_first: ok 1
 * case owner_ends_before_a_timeout: bug assertion
 * case owner_ends_before_a_try: bug assertion
 * case owner_ends_and_nobody_recovers: bug deadlock
 * case wake_of_lock_sleepers: ok *
 * case lock_where_others_wait: ok *
 * case handlers_do_not_end_a_lock: ok *
 * case handlers_end_a_wait: ok *
 * case handlers_begin_waits_again: ok *
 * case handlers_do_not_end_a_wait_to_move: ok *
 * case condition_variable: ok *
 * case condition_variable_of_two: ok *
 * case condition_variable_that_is_never_signalled: bug deadlock
 * case condition_variable_with_timeout: ok *
 * case moved_to_another_than_named: ok *
 * case wrong_word: ok 1
 * case a_mixture: refused different ones
 * case a_wait_for_several: refused futex_waitv
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "threads.h"

static atomic_uint word, other, done, turn;
int data; /* not static: see futex.c */

#define futex(w, op, val, timeout, w2, val3) syscall(SYS_futex, w, op, val, timeout, w2, val3)

static const void *count(unsigned long n)
{
	return (const void *)n;
}

static const struct timespec passed = { .tv_sec = 1 };

/* ---- FUTEX_WAKE_OP ---- */

static long wake_op(unsigned n1, unsigned n2, unsigned op, unsigned arg, unsigned cmp,
		    unsigned with)
{
	return futex(&word, FUTEX_WAKE_OP_PRIVATE, n1, count(n2), &other,
		     FUTEX_OP(op, arg, cmp, with));
}

static void *sleep_on(void *arg)
{
	atomic_uint *w = arg;

	while (!atomic_load(w))
		assert(futex(w, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0 || errno == EAGAIN);
	return arg;
}

static void wake_op_wakes_both(void)
{
	pthread_t t[2] = { begin(sleep_on, &word), begin(sleep_on, &other) };
	long n;

	atomic_store(&word, 1);
	n = wake_op(1, 1, FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0);
	assert(n >= 0 && n <= 2);
	assert(atomic_load(&other) == 1);
	end(t[0]);
	end(t[1]);
}

static void wake_op_wakes_the_first_only(void)
{
	pthread_t t[2] = { begin(sleep_on, &word), begin(sleep_on, &other) };

	atomic_store(&word, 1);
	wake_op(1, 1, FUTEX_OP_SET, 1, FUTEX_OP_CMP_NE, 0);
	end(t[0]);
	end(t[1]);
}

/* With 0 in the word; each comparison in turn, true and false. */
static void *compare(void *arg)
{
	static const struct {
		int cmp, yes, no;
	} all[] = {
		{ FUTEX_OP_CMP_EQ, 5, 4 }, { FUTEX_OP_CMP_NE, 4, 5 }, { FUTEX_OP_CMP_LT, 6, 5 },
		{ FUTEX_OP_CMP_LE, 5, 4 }, { FUTEX_OP_CMP_GT, 4, 5 }, { FUTEX_OP_CMP_GE, 5, 6 },
	};
	pthread_t t;

	for (unsigned i = 0; i < 2 * sizeof(all) / sizeof(*all); i++) {
		unsigned with = (unsigned)(i & 1 ? all[i / 2].no : all[i / 2].yes);

		atomic_store(&word, 0);
		atomic_store(&other, 5);
		assert(wake_op(1, 1, FUTEX_OP_ADD, 0, (unsigned)all[i / 2].cmp, with) == 0);
		assert(atomic_load(&other) == 5);
	}
	atomic_store(&other, 0);
	t = begin(sleep_on, &other);
	/* A negative one: -1 is less than 0 */
	assert(wake_op(1, 1, FUTEX_OP_ADD, 0xfff, FUTEX_OP_CMP_LT, 0) == 0);
	assert(atomic_load(&other) == (unsigned)-1);
	assert(wake_op(1, 1, FUTEX_OP_SET, 1, FUTEX_OP_CMP_LT, 0) <= 1);
	end(t);
	return arg;
}

static void wake_op_compares(void)
{
	compare(NULL);
}

static unsigned after(unsigned before, unsigned op, unsigned arg)
{
	atomic_store(&other, before);
	assert(wake_op(1, 1, op, arg, FUTEX_OP_CMP_EQ, 77) == 0);
	return atomic_load(&other);
}

static void *do_all(void *arg)
{
	assert(after(6, FUTEX_OP_SET, 9) == 9);
	assert(after(6, FUTEX_OP_SET, 0xfff) == (unsigned)-1);
	assert(after(6, FUTEX_OP_ADD, 9) == 15);
	assert(after(6, FUTEX_OP_ADD, 0xffe) == 4);
	assert(after(6, FUTEX_OP_OR, 9) == 15);
	assert(after(6, FUTEX_OP_ANDN, 3) == 4);
	assert(after(6, FUTEX_OP_XOR, 3) == 5);
	assert(after(6, FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 31) == (6 | 1u << 31));
	assert(after(6, FUTEX_OP_ADD | FUTEX_OP_OPARG_SHIFT, 4) == 22);
	assert(after(6, FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 0) == 1);
	assert(after(6, FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 33) == 2); /* five bits count */
	assert(futex(&word, FUTEX_WAKE_OP, 1, count(1), &other, 5u << 28) == -1 && errno == ENOSYS);
	atomic_store(&other, 3);
	assert(wake_op(1, 1, FUTEX_OP_ADD, 1, 9, 0) == -1 && errno == ENOSYS);
	assert(atomic_load(&other) == 4); /* that was done before */
	return arg;
}

static void wake_op_does_all_it_can(void)
{
	do_all(NULL);
	THREADS(1, do_all);
}

/* Who waits for what the operation has written comes after it, and is not woken by it. */
static void *wait_for_the_new_one(void *arg)
{
	if (futex(&other, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == 0)
		assert(atomic_load(&done) == 1);
	else
		assert(errno == EAGAIN);
	return arg;
}

static void wake_op_is_one_step(void)
{
	pthread_t t = begin(wait_for_the_new_one, NULL);

	assert(wake_op(1, 1, FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0) == 0);
	atomic_store(&done, 1);
	atomic_store(&other, 2);
	futex(&other, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	end(t);
}

/* As it was made for: `other` is a mutex of three states, which the operation unlocks. */
static void lock_other(void)
{
	unsigned c = 0;

	if (atomic_compare_exchange_strong(&other, &c, 1))
		return;
	while (atomic_exchange(&other, 2))
		futex(&other, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void *wait_for_data(void *arg)
{
	lock_other();
	while (!data) {
		unsigned seen = atomic_load(&word);

		/* Unlock. */
		wake_op(0, 1, FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1);
		futex(&word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
		lock_other();
	}
	wake_op(0, 1, FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1);
	return arg;
}

static void wake_op_unlocks_and_wakes(void)
{
	pthread_t t = begin(wait_for_data, NULL);

	lock_other();
	data = 1;
	atomic_fetch_add(&word, 1);
	assert(wake_op(1, 1, FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1) <= 2);
	end(t);
}

static void wake_op_of_one_word(void)
{
	pthread_t t[2] = { begin(sleep_on, &word), begin(sleep_on, &word) };

	assert(futex(&word, FUTEX_WAKE_OP_PRIVATE, 1, count(1), &word,
		     FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0)) <= 2);
	end(t[0]);
	end(t[1]);
}

/* ---- Locks with priority inheritance ---- */

static void lock_now(atomic_uint *w)
{
	assert(futex(w, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
	assert((atomic_load(w) & FUTEX_TID_MASK) == (unsigned)gettid());
}

static void unlock_now(atomic_uint *w)
{
	assert(futex(w, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0);
}

static void lock(atomic_uint *w)
{
	unsigned c = 0;

	if (!atomic_compare_exchange_strong(w, &c, (unsigned)gettid()))
		lock_now(w);
}

static void unlock(atomic_uint *w)
{
	unsigned c = (unsigned)gettid();

	if (!atomic_compare_exchange_strong(w, &c, 0))
		unlock_now(w);
}

static void *lock_alone(void *arg)
{
	lock_now(&word);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI2, 0, &passed, NULL, 0) == 0);
	unlock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, 0, &passed, NULL, 0) == 0);
	unlock_now(&word);
	return arg;
}

static void lock_without_others(void)
{
	lock_alone(NULL);
	THREADS(1, lock_alone);
}

static void *fail_with_one(void *arg)
{
	lock_now(&word);
	assert(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	assert(futex(&word, FUTEX_LOCK_PI2, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EDEADLK);
	unlock_now(&word);
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
	return arg;
}

static void lock_twice(void)
{
	fail_with_one(NULL);
	THREADS(1, fail_with_one);
}

static void *count_now(void *arg)
{
	lock_now(&word);
	data++;
	unlock_now(&word);
	return arg;
}

static void lock_excludes(void)
{
	THREADS(2, count_now);
	assert(data == 2 && atomic_load(&word) == 0);
}

static void *count_up(void *arg)
{
	lock(&word);
	data++;
	unlock(&word);
	return arg;
}

static void lock_in_user_space_excludes(void)
{
	THREADS(2, count_up);
	assert(data == 2 && atomic_load(&word) == 0);
}

static void lock_of_three(void)
{
	THREADS(3, count_now);
	assert(data == 3 && atomic_load(&word) == 0);
}

static void *lock_and_say_so(void *arg)
{
	lock_now(&word);
	if (!data)
		data = (int)(long)arg;
	unlock_now(&word);
	return arg;
}

static void any_of_two_gets_it(void)
{
	pthread_t t[2];

	lock_now(&word);
	t[0] = begin(lock_and_say_so, (void *)1);
	t[1] = begin(lock_and_say_so, (void *)2);
	unlock_now(&word);
	end(t[0]);
	end(t[1]);
	assert(data == 1);
}

/* Would main end, the other got it. */
static void unlock_in_user_space_forgets_waiters(void)
{
	pthread_t t;

	lock(&word);
	t = begin(count_up, NULL);
	atomic_store(&word, 0);
	end(t);
}

static void never_unlocked(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(count_now, NULL);
	end(t);
}

static void a_shared_unlock_finds_no_private_sleeper(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(count_now, NULL);
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert((atomic_load(&word) & FUTEX_TID_MASK) != (unsigned)gettid());
	end(t);
}

static void *add(void *arg)
{
	for (int i = 0; i < 2; i++)
		count_up(NULL);
	return arg;
}

static void what_a_lock_protects_is_seen(void)
{
	THREADS(2, add);
	assert(data == 4);
}

static void *count_behind(void *arg)
{
	lock(&word);
	unlock(&word);
	data++;
	return arg;
}

static void what_is_not_protected_races(void)
{
	THREADS(2, count_behind);
}

static void *try_once(void *arg)
{
	if (futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) {
		data++;
		unlock_now(&word);
	} else {
		assert(errno == EAGAIN);
		atomic_fetch_add(&done, 1);
	}
	return arg;
}

static void trylock_of_a_taken_one(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(try_once, NULL);
	data++;
	unlock_now(&word);
	end(t);
	assert(data + (int)atomic_load(&done) == 2 && atomic_load(&word) == 0);
}

static void *try_again(void *arg)
{
	while (futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0))
		assert(errno == EAGAIN);
	data++;
	unlock_now(&word);
	return arg;
}

static void trylock_in_a_loop(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(try_again, NULL);
	data++;
	unlock_now(&word);
	end(t);
	assert(data == 2);
}

static void *unlock_what_is_not_mine(void *arg)
{
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
	return arg;
}

static void unlock_of_another_one(void)
{
	lock_now(&word);
	THREADS(1, unlock_what_is_not_mine);
	unlock_now(&word);
}

static void *lock_for_a_while(void *arg)
{
	errno = 0;
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, &passed, NULL, 0) == 0) {
		data++;
		unlock_now(&word);
	} else {
		assert(errno == ETIMEDOUT);
		atomic_fetch_add(&done, 1);
	}
	return arg;
}

static void timed_lock_times_out(void)
{
	lock_now(&word);
	THREADS(1, lock_for_a_while);
	assert(atomic_load(&done) == 1);
	assert(atomic_load(&word) == (FUTEX_WAITERS | (unsigned)gettid())); /* as it was left */
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
}

static void *lock_for_long(void *arg)
{
	struct timespec t;

	assert(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
	t.tv_sec += 20;
	errno = 0;
	if (futex(&word, FUTEX_LOCK_PI2_PRIVATE, 0, &t, NULL, 0) == 0) {
		data = 1;
		unlock_now(&word);
	} else {
		assert(errno == ETIMEDOUT);
	}
	return arg;
}

static void timed_lock_may_get_it(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(lock_for_long, NULL);
	while (!(atomic_load(&word) & FUTEX_WAITERS))
		sched_yield();
	unlock_now(&word);
	end(t);
	assert(atomic_load(&word) == 0);
}

/* An owner of which nothing is left but its id, and what an owner that died left behind. */
static void *take_over(void *arg)
{
	atomic_store(&word, FUTEX_WAITERS);
	lock_now(&word);
	assert(atomic_load(&word) == (unsigned)gettid());
	unlock_now(&word);
	atomic_store(&word, FUTEX_WAITERS | FUTEX_OWNER_DIED);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == 0);
	assert(atomic_load(&word) == (FUTEX_OWNER_DIED | (unsigned)gettid()));
	unlock_now(&word);
	assert(atomic_load(&word) == 0);
	return arg;
}

static void stale_bits_are_taken_over(void)
{
	take_over(NULL);
	THREADS(1, take_over);
}

/* ---- Chains ---- */

static void *lock_the_other_way(void *arg)
{
	lock_now(&other);
	atomic_store(&turn, 1);
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0)
		unlock_now(&word);
	else
		atomic_fetch_add(&done, errno == EDEADLK);
	unlock_now(&other);
	return arg;
}

/* One of them is told, at least. */
static void a_circle_is_found(void)
{
	pthread_t t;

	lock_now(&word);
	t = begin(lock_the_other_way, NULL);
	while (!atomic_load(&turn))
		sched_yield();
	if (futex(&other, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0)
		unlock_now(&other);
	else
		atomic_fetch_add(&done, errno == EDEADLK);
	unlock_now(&word);
	end(t);
	assert(atomic_load(&done) >= 1);
	assert(atomic_load(&word) == 0 && atomic_load(&other) == 0);
}

static void *lock_both(void *arg)
{
	lock_now(&other);
	lock_now(&word);
	data++;
	unlock_now(&word);
	unlock_now(&other);
	return arg;
}

static void a_chain_is_none(void)
{
	pthread_t t[2];

	lock_now(&word);
	t[0] = begin(lock_both, NULL);
	t[1] = begin(lock_both, NULL);
	data++;
	unlock_now(&word);
	end(t[0]);
	end(t[1]);
	assert(data == 3);
}

/* ---- Owners that end ---- */

static atomic_uint dead;

static void *lock_and_end(void *arg)
{
	lock_now(&word);
	data = 1;
	atomic_store(&dead, (unsigned)gettid());
	atomic_store(&turn, 1);
	return arg;
}

/* Gets it from a thread that has ended, if it asked before that. */
static void *inherit(void *arg)
{
	while (!atomic_load(&turn))
		sched_yield();
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0) {
		assert(data == 1);
		assert(atomic_load(&word) ==
		       (FUTEX_WAITERS | FUTEX_OWNER_DIED | (unsigned)gettid()));
		unlock_now(&word);
		assert(atomic_load(&word) == 0);
	} else {
		assert(errno == ESRCH);
		assert((atomic_load(&word) & ~FUTEX_WAITERS) == atomic_load(&dead));
	}
	return arg;
}

static void owner_ends(void)
{
	pthread_t t[2] = { begin(lock_and_end, NULL), begin(inherit, NULL) };

	end(t[0]);
	end(t[1]);
}

static void timed_lock_of_an_ended_one(void)
{
	THREADS(1, lock_and_end);
	assert(futex(&word, FUTEX_LOCK_PI, 0, &passed, NULL, 0) == -1 && errno == ESRCH);
	assert(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == ESRCH);
}

static void owner_ends_first(void)
{
	THREADS(1, lock_and_end);
	assert(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1 && errno == ESRCH);
	assert(atomic_load(&word) == (FUTEX_WAITERS | atomic_load(&dead)));
	assert(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == -1 && errno == EPERM);
}

static void *take_and_end(void *arg)
{
	lock(&word);
	return arg;
}

/* Who waits for a while may get it of the dead. */
static void owner_ends_before_a_timeout(void)
{
	pthread_t t = begin(take_and_end, NULL);

	while (!atomic_load(&word))
		sched_yield();
	if (futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, &passed, NULL, 0) == 0)
		assert(!(atomic_load(&word) & FUTEX_OWNER_DIED));
	end(t);
}

static void *take_wait_and_end(void *arg)
{
	lock(&word);
	while (!atomic_load(&turn))
		futex(&turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

/* However the threads are run: the try may come behind the end. */
static void owner_ends_before_a_try(void)
{
	pthread_t t = begin(take_wait_and_end, NULL);

	while (!atomic_load(&word))
		sched_yield();
	atomic_store(&turn, 1);
	futex(&turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	assert(futex(&word, FUTEX_TRYLOCK_PI_PRIVATE, 0, NULL, NULL, 0) == -1);
	assert(errno == EAGAIN);
	end(t);
}

static void *inherit_and_end(void *arg)
{
	futex(&word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

/* The third waits in user space for what a thread that has ended will not do. */
static void *wait_for_0(void *arg)
{
	while (atomic_load(&word))
		futex(&other, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return arg;
}

static void owner_ends_and_nobody_recovers(void)
{
	pthread_t t[3] = { begin(lock_and_end, NULL), begin(inherit_and_end, NULL),
			   begin(wait_for_0, NULL) };

	for (int i = 0; i < 3; i++)
		end(t[i]);
}

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
	end(t);
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

CASES(CASE(wake_op_wakes_both), CASE(wake_op_wakes_the_first_only), CASE(wake_op_compares),
      CASE(wake_op_does_all_it_can), CASE(wake_op_is_one_step), CASE(wake_op_unlocks_and_wakes),
      CASE(wake_op_of_one_word), CASE(lock_without_others), CASE(lock_twice), CASE(lock_excludes),
      CASE(lock_in_user_space_excludes), CASE(lock_of_three), CASE(any_of_two_gets_it),
      CASE(unlock_in_user_space_forgets_waiters), CASE(never_unlocked),
      CASE(a_shared_unlock_finds_no_private_sleeper), CASE(what_a_lock_protects_is_seen),
      CASE(what_is_not_protected_races), CASE(trylock_of_a_taken_one), CASE(trylock_in_a_loop),
      CASE(unlock_of_another_one), CASE(timed_lock_times_out), CASE(timed_lock_may_get_it),
      CASE(timed_lock_of_an_ended_one), CASE(stale_bits_are_taken_over), CASE(a_circle_is_found),
      CASE(a_chain_is_none), CASE(owner_ends), CASE(owner_ends_first),
      CASE(owner_ends_before_a_timeout), CASE(owner_ends_before_a_try),
      CASE(owner_ends_and_nobody_recovers), CASE(wake_of_lock_sleepers),
      CASE(lock_where_others_wait), CASE(handlers_do_not_end_a_lock), CASE(handlers_end_a_wait),
      CASE(handlers_begin_waits_again), CASE(handlers_do_not_end_a_wait_to_move),
      CASE(condition_variable), CASE(condition_variable_of_two),
      CASE(condition_variable_that_is_never_signalled), CASE(condition_variable_with_timeout),
      CASE(moved_to_another_than_named), CASE(wrong_word), CASE(a_mixture),
      CASE(a_wait_for_several))
