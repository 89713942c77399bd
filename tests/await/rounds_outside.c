/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_outside.c - rounds that change what nobody announces, in a function around the one that looks
 *
 * A thread looks at x, counts unseen in the function that called, and looks again. With what it reads then it goes on within
 * the function that looks, where all is announced. So would a run from its first look with that value, to the same operation in
 * the same state; but such a run has not counted. So the thread must not be stopped there, nor may the engine be told
 * beforehand that it would be. (preload/await/await.txt, A3)
 *
 * The engine asks only at places where a thread is known to wait. So in the first executions a thread does, for y.
 *
 * case stopped_behind_it: bug assertion at "counted once, then two looks"
 * case asked_beforehand: bug assertion at "counted once, then two looks at one place"
 * case asked_where_it_was: bug assertion at "counted once, then back"
 */
#include "cases.h"
#include "waits_first.h"

/* What the functions that look are given and return, but for values that they have read. */
enum {
	FIRST = 0,
	COUNTED = 8,
	AGAIN = 16,
	OTHER
};

static int z;
static int count;

__attribute__((no_sanitize("thread"), noinline)) static void add_one(void)
{
	count++;
}

/* Returns the number that `looks` was done with. Behind the look at z all is announced up to the next one. */
#define COUNTS(name, looks)                                                         \
	static void *name(void *arg)                                                \
	{                                                                           \
		long how;                                                           \
                                                                                    \
		(void)arg;                                                          \
		for (how = FIRST; (how = looks(&x, how)) == AGAIN; how = COUNTED) { \
			add_one();                                                  \
			LOOK(&z);                                                   \
		}                                                                   \
		return (void *)how;                                                 \
	}

/* Whoever reads the same twice is done: no look is in the state of an earlier one. */
static __attribute__((noinline)) long looks_at_one_place(const int *from, long last)
{
	for (;;) {
		int v = LOOK(from);

		if (v == DONE)
			return last;
		if (v == last)
			return OTHER;
		if (v == COUNT)
			return last == COUNTED ? OTHER : AGAIN;
		last = v;
	}
}

COUNTS(counts_at_one_place, looks_at_one_place)

static void stopped_behind_it(void)
{
	void *last;

	with(counts_at_one_place, &last);
	assert((last != (void *)STAY || count != 1) && "counted once, then two looks");
}

/* The first look is at a place of its own. Where it looks again later it waits, too. */
static __attribute__((noinline)) long looks_first(const int *from, long last)
{
	int v;

	if (last == COUNTED)
		goto again;
	v = LOOK(from);
	for (;;) {
		if (v == DONE)
			return last;
		if (v == COUNT)
			return last == COUNTED ? OTHER : AGAIN;
		if (v == STAY)
			last = v;
again:
		v = LOOK(from);
	}
}

COUNTS(counts_after_the_first, looks_first)

static void *waits_after_the_first(void *arg)
{
	looks_first(&y, FIRST);
	return arg;
}

static void asked_beforehand(void)
{
	void *last;

	if (waits_for_y(waits_after_the_first))
		return;
	with(counts_after_the_first, &last);
	assert((last != (void *)STAY || count != 1) && "counted once, then two looks at one place");
}

/* With STAY the second look leads back to the first one. */
static __attribute__((noinline)) long looks_in_turn(const int *from, long how)
{
	int v;

	if (how == COUNTED)
		goto second;
	for (;;) {
		v = LOOK(from);
		if (v == DONE)
			return FIRST;
		return v == COUNT ? AGAIN : OTHER;
second:
		do
			v = LOOK(from);
		while (v == WAIT);
		if (v != STAY)
			return OTHER;
	}
}

COUNTS(counts_in_turn, looks_in_turn)

static void *waits_at_the_second(void *arg)
{
	looks_in_turn(&y, COUNTED);
	return arg;
}

static void asked_where_it_was(void)
{
	void *how;

	if (waits_for_y(waits_at_the_second))
		return;
	with(counts_in_turn, &how);
	assert((how != (void *)FIRST || count != 1) && "counted once, then back");
}

CASES(CASE(stopped_behind_it), CASE(asked_beforehand), CASE(asked_where_it_was))
