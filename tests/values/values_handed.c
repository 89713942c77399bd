/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), what a thread does next is a matter of what it has read, and of what was handed over to it: by whom it joined, and by
 * who created it
 *
 * Two threads hand over what they have read. What each does is known from executions in which the other one read something else; so in the
 * last one it may seem to be known what comes behind both.
 *
 * case returned -e value: ok 8
 * case returned -e value -j 2: ok 8
 * case returned -e rf: ok 8
 * case left_in_memory -e value: ok 8
 * case left_in_memory -e value --backend=fork: ok 8
 * case left_in_memory -e rf: ok 8
 * case left_by_whom_they_joined -e value: ok 8
 * case left_by_whom_they_joined -e rf: ok 8
 * case found_by_who_was_created -e value: ok 8
 * case found_by_who_was_created -e rf: ok 8
 * case found_by_whom_that_created -e value: ok 8
 * case found_by_whom_that_created -e rf: ok 8
 * case held_at_first -e value: ok 8
 * case held_at_first -e rf: ok 8
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "cases.h"

#define RLX memory_order_relaxed

static atomic_int told[2], late;
static int left[2];

/* One of two, by its argument. */
static int number(const void *arg)
{
	return (int)(intptr_t)arg;
}

static pthread_t begun(void *(*f)(void *), int n)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, f, (void *)(intptr_t)n) == 0);
	return t;
}

static intptr_t end_of(pthread_t t)
{
	void *got;

	assert(pthread_join(t, &got) == 0);
	return (intptr_t)got;
}

static int looks(const void *arg)
{
	return atomic_load_explicit(&told[number(arg)], RLX);
}

static void *tells(void *arg)
{
	atomic_store_explicit(&told[0], 1, RLX);
	atomic_store_explicit(&told[1], 1, RLX);
	return arg;
}

static void *comes_late(void *arg)
{
	atomic_store_explicit(&late, 1, RLX);
	return arg;
}

/* Who knows of both. */
static void goes_by(int both)
{
	atomic_load_explicit(&late, RLX);
	if (both)
		atomic_exchange_explicit(&told[0], 2, RLX);
}

static void *returns(void *arg)
{
	return (void *)(intptr_t)looks(arg);
}

static void *leaves(void *arg)
{
	left[number(arg)] = looks(arg);
	return arg;
}

static void *joins_one(void *arg)
{
	end_of(begun(leaves, number(arg)));
	return arg;
}

static void *goes_by_these(void *arg)
{
	goes_by(left[0] && left[1]);
	return arg;
}

static void *creates_one(void *arg)
{
	end_of(begun(goes_by_these, 0));
	return arg;
}

/* What two threads have returned, both. */
static int joined(void *(*f)(void *))
{
	pthread_t a = begun(f, 0), b = begun(f, 1);
	intptr_t got[2];

	tells(NULL);
	got[0] = end_of(a);
	got[1] = end_of(b);
	return got[0] && got[1];
}

static void returned(void)
{
	pthread_t other = begun(comes_late, 0);

	goes_by(joined(returns));
	end_of(other);
}

static void left_in_memory(void)
{
	pthread_t other = begun(comes_late, 0);

	joined(leaves);
	goes_by(left[0] && left[1]);
	end_of(other);
}

static void left_by_whom_they_joined(void)
{
	pthread_t other = begun(comes_late, 0);

	joined(joins_one);
	goes_by(left[0] && left[1]);
	end_of(other);
}

static void found_by_who_was_created(void)
{
	pthread_t other = begun(comes_late, 0);

	joined(leaves);
	end_of(begun(goes_by_these, 0));
	end_of(other);
}

static void found_by_whom_that_created(void)
{
	pthread_t other = begun(comes_late, 0);

	joined(leaves);
	end_of(begun(creates_one, 0));
	end_of(other);
}

static union {
	_Atomic int atomic;
	int plain;
} word;

/* What a location holds at first, likewise. */
static void held_at_first(void)
{
	pthread_t other = begun(comes_late, 0);

	joined(leaves);
	word.plain = left[0] && left[1];
	atomic_load_explicit(&late, RLX);
	assert(atomic_exchange(&word.atomic, 2) == (left[0] && left[1]));
	end_of(other);
}

CASES(CASE(returned), CASE(left_in_memory), CASE(left_by_whom_they_joined),
      CASE(found_by_who_was_created), CASE(found_by_whom_that_created), CASE(held_at_first))
