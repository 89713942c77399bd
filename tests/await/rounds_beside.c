/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_beside.c - races of what a round writes with what other threads do meanwhile, who need know nothing of it
 *
 * A thread that has read the value before is known to go round without doing it. What it writes there is done by nobody then.
 * (preload/await/await.txt, W5)
 *
 * case read_meanwhile: bug data-race
 * case read_meanwhile -m sc: bug data-race
 * case read_meanwhile -m tso: bug data-race
 * case read_meanwhile -m ra: bug data-race
 * case read_meanwhile -m rc20: bug data-race
 * case read_meanwhile --no-memo: bug data-race
 * case read_meanwhile -e mo: bug data-race
 * case read_meanwhile -e value: bug data-race
 * case read_meanwhile -j 2: bug data-race
 * case read_meanwhile --backend=fork: bug data-race
 * case read_in_a_round: bug data-race
 * case read_in_a_round -m sc: bug data-race
 * case read_in_a_round -m wra: bug data-race
 * case read_in_a_round -m relaxed: bug data-race
 * case read_in_a_round -e value: bug data-race
 * case read_in_a_round -j 2: bug data-race
 * case written_to_a_stack_that_others_read: bug data-race
 * case written_to_a_stack_that_others_read -m sc: bug data-race
 * case to_its_own_frame: ok 4
 * case to_its_own_frame -m sc: ok 4
 */
#include <pthread.h>
#include <stdatomic.h>

#include "three.h"

#define RLX memory_order_relaxed

static atomic_int x, y, z;
static int shared, found;
static volatile int sink;

/* It has read y = 0 before it comes to the loop, so the loop does nothing new. */
static void *writes_in_vain(void *arg)
{
	if (atomic_load_explicit(&y, RLX))
		found = atomic_load_explicit(&y, RLX);
	while (atomic_load_explicit(&y, RLX) != 1)
		*(volatile int *)&shared = 0;
	return arg;
}

static void *sets_z_then_y(void *arg)
{
	atomic_store_explicit(&z, 1, RLX);
	atomic_store_explicit(&y, 1, RLX);
	return arg;
}

static void *reads_when_z(void *arg)
{
	if (atomic_load_explicit(&z, RLX) == 1)
		sink = *(volatile int *)&shared; /* bug: read_meanwhile */
	return arg;
}

static void read_meanwhile(void)
{
	run(writes_in_vain, reads_when_z, sets_z_then_y);
}

static void *sets_y_then_x(void *arg)
{
	atomic_store_explicit(&y, 1, RLX);
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void *reads_in_vain_when_y(void *arg)
{
	while (!atomic_load_explicit(&x, RLX)) {
		int got = 0;

		if (atomic_load_explicit(&y, RLX) == 1)
			got = *(volatile int *)&shared; /* bug: read_in_a_round */
		(void)got;
	}
	return arg;
}

static void read_in_a_round(void)
{
	run(writes_in_vain, reads_in_vain_when_y, sets_y_then_x);
}

static _Atomic(volatile int *) theirs;

/* The same, of a variable on its stack that it tells others of. */
static void *writes_to_its_stack(void *arg)
{
	volatile int mine = 0;

	atomic_store(&theirs, &mine);
	if (atomic_load_explicit(&y, RLX))
		found = atomic_load_explicit(&y, RLX);
	while (atomic_load_explicit(&y, RLX) != 1)
		mine = 0;
	while (!atomic_load(&x))
		;
	return arg;
}

static void *reads_their_stack(void *arg)
{
	volatile int *at = atomic_load(&theirs);

	if (at && atomic_load_explicit(&z, RLX) == 1)
		sink = *at; /* bug: written_to_a_stack_that_others_read */
	atomic_store(&x, 1);
	return arg;
}

static void written_to_a_stack_that_others_read(void)
{
	run(writes_to_its_stack, reads_their_stack, sets_z_then_y);
}

/* Nobody else can see that; no execution stands for it. */
static void *writes_to_its_frame(void *arg)
{
	volatile int mine = 0;

	if (atomic_load_explicit(&y, RLX))
		found = atomic_load_explicit(&y, RLX);
	while (atomic_load_explicit(&y, RLX) != 1)
		mine = 0;
	(void)mine;
	return arg;
}

static void *reads_z(void *arg)
{
	sink = atomic_load_explicit(&z, RLX);
	return arg;
}

static void to_its_own_frame(void)
{
	run(writes_to_its_frame, reads_z, sets_z_then_y);
}

CASES(CASE(read_meanwhile), CASE(read_in_a_round), CASE(written_to_a_stack_that_others_read),
      CASE(to_its_own_frame))
