/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex_wake_op.c - FUTEX_WAKE_OP, which changes one word and wakes sleepers of two
 *
 * case wake_op_wakes_both: ok 15
 * case wake_op_wakes_the_first_only: bug deadlock
 * case wake_op_compares: ok 6
 * case wake_op_does_all_it_can: ok 1
 * case wake_op_is_one_step: ok 4
 * case wake_op_unlocks_and_wakes: ok 29
 * case wake_op_of_one_word: ok 13
 */
#define _GNU_SOURCE
#include "futexes.h"

/* ---- FUTEX_WAKE_OP ---- */

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
	end(t[1]); /* bug: wake_op_wakes_the_first_only */
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

CASES(CASE(wake_op_wakes_both), CASE(wake_op_wakes_the_first_only), CASE(wake_op_compares),
      CASE(wake_op_does_all_it_can), CASE(wake_op_is_one_step), CASE(wake_op_unlocks_and_wakes),
      CASE(wake_op_of_one_word))
