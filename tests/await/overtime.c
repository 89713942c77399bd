/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overtime.c - what a thread makes of a value that it never reads may take hours
 *
 * Who waits for its turn, for longer the more come before it, is asked beforehand what it does with turns that are over.
 * (preload/await/overtime.h)
 *
 * case turns: ok 2
 * case turns -m sc: ok 2
 * case turns -m wra: ok 2
 * case turns -j 2: ok 2
 * case turns --backend=fork: ok 2
 * case turns --no-memo: ok 2
 * case turns_of_three: ok 6
 * case turns_not_released: bug data-race at data++;
 * case turns_never_end: bug await-stuck at load_explicit(&serving, memory_order_acquire)
 * case differences: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>

#include "three.h"

static atomic_uint tickets, serving, x;
static int data;
static memory_order release = memory_order_release;
static int keeps;

static void pause_for(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (int j = 0; j < 1000; j++)
			__builtin_ia32_pause();
}

static void *turn(void *arg)
{
	unsigned mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed), now;

	while ((now = atomic_load_explicit(&serving, memory_order_acquire)) != mine)
		pause_for(mine - now);
	data++;
	if (!keeps)
		atomic_store_explicit(&serving, mine + 1, release);
	return arg;
}

static void turns(void)
{
	THREADS(2, turn);
	assert(data == 2);
}

static void turns_of_three(void)
{
	run(turn, turn, turn);
	assert(data == 3);
}

static void turns_not_released(void)
{
	release = memory_order_relaxed;
	turns();
}

/* Who has had its turn gives it to nobody. */
static void turns_never_end(void)
{
	keeps = 1;
	turns();
}

static void *wait_for_three(void *arg)
{
	unsigned old = 0, now;

	while ((now = atomic_load(&x)) != 3) {
		pause_for(now - old);
		old = now;
	}
	return arg;
}

static void *count_to_three(void *arg)
{
	for (unsigned i = 1; i <= 3; i++)
		atomic_store(&x, i);
	return arg;
}

static void differences(void)
{
	RUN(wait_for_three, count_to_three);
}

CASES(CASE(turns), CASE(turns_of_three), CASE(turns_not_released), CASE(turns_never_end),
      CASE(differences))
