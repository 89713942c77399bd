/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_long.c - rounds of more operations than are looked back at one by one
 *
 * Who waits for long looks a thousand times before it yields, or at a hundred places. A round is left out as any other one is: the
 * older operations are passed over, and one of them, further back, tells whether the thread is back. (preload/await/window.c;
 * await.txt, A0)
 *
 * case looks_before_it_yields: ok 1
 * case looks_before_it_yields -m sc: ok 1
 * case looks_before_it_yields -j 2: ok 1
 * case looks_before_it_yields --no-memo: ok 1
 * case takes_turns: ok 6
 * case gives_up: bug assertion at assert(seen);
 * case never_written: bug await-stuck at if (atomic_load(&x))
 * case looks_at_many_places: ok 1
 * case looks_at_many_places -m tso: ok 1
 * case written_in_between: ok 2
 * case counted_in_between: bug assertion at assert(other != 3);
 * case counted_behind: bug assertion at assert(other != PLACES - 1);
 * case changes_in_between: bug assertion at assert(count != 3);
 * case read_behind_the_way_out: bug data-race at other = 1;
 * case read_behind_the_way_out -m relaxed: bug data-race at other = 1;
 * case read_behind_the_way_out -j 2: bug data-race at other = 1;
 * case read_behind_the_way_out -m sc: ok 2
 * case looked_behind_the_way_out: bug data-race at *(volatile int *)&places[7] = 1;
 * case looked_behind_the_way_out -m sc: ok 2
 * case released_behind_the_way_out -k: bug data-race at other = 1;
 * case stays_once: ok 2
 * case stays_once --no-memo: ok 2
 * without notes: inline assembly stands for what nobody announces
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "three.h"

#define RLX memory_order_relaxed

enum {
	MANY = 1000,
	PLACES = 100
};

static atomic_int x, y, passed;
static atomic_int places[PLACES];
static int other, count;
static volatile int sink;

static void *set_x(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

static void two(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t[2];

	assert(pthread_create(&t[0], NULL, a, NULL) == 0);
	assert(pthread_create(&t[1], NULL, b, NULL) == 0);
	assert(pthread_join(t[0], NULL) == 0);
	assert(pthread_join(t[1], NULL) == 0);
}

/* ---- Bounded looks ----------------------------------------------------------------------------- */

static bool looks(void)
{
	for (int i = 0; i < MANY; i++)
		if (atomic_load(&x))
			return true;
	return false;
}

static void *looks_and_yields(void *arg)
{
	while (!looks())
		sched_yield();
	return arg;
}

static void looks_before_it_yields(void)
{
	two(looks_and_yields, set_x);
}

static atomic_int ticket, turn;

static void *takes_a_turn(void *arg)
{
	int mine = atomic_fetch_add(&ticket, 1);

	while (atomic_load(&turn) != mine) {
		for (int i = 0; i < MANY && atomic_load(&turn) != mine; i++)
			;
		sched_yield();
	}
	count++;
	atomic_store(&turn, mine + 1);
	return arg;
}

static void takes_turns(void)
{
	two(takes_a_turn, takes_a_turn);
	assert(count == 2);
}

static void *looks_once(void *arg)
{
	bool seen = looks();

	assert(seen);
	return arg;
}

static void gives_up(void)
{
	two(looks_once, set_x);
}

static void *nothing(void *arg)
{
	return arg;
}

static void never_written(void)
{
	two(looks_and_yields, nothing);
}

/* ---- Other rounds ------------------------------------------------------------------------------- */

static void look_at_y(int times)
{
	for (int i = 0; i < times; i++)
		(void)atomic_load_explicit(&y, RLX);
}

/* The value of one of them ends it. What the thread did before is no part of any round. */
static void *looks_everywhere(void *arg)
{
	look_at_y(3);
	for (;;)
		for (int i = 0; i < PLACES; i++)
			if (atomic_load_explicit(&places[i], memory_order_acquire))
				return arg;
}

static void *set_a_place(void *arg)
{
	atomic_store_explicit(&places[70], 1, memory_order_release);
	return arg;
}

static void looks_at_many_places(void)
{
	two(looks_everywhere, set_a_place);
}

/* Each of them once, so none of these repeats another one. */
static void look_at_places(int from, int to)
{
	for (int i = from; i < to; i++)
		(void)atomic_load_explicit(&places[i], RLX);
}

/* What it reads is in no register any more when it returns. */
__attribute__((noinline)) static void add_one(void)
{
	other++;
}

/* Each time it looks it writes, and in the end all is as it was. */
static void *writes_and_takes_back(void *arg)
{
	while (!atomic_load(&x))
		for (int i = 0; i < PLACES; i++) {
			*(volatile int *)&other = i;
			look_at_y(1);
			*(volatile int *)&other = 0;
		}
	return arg;
}

static void written_in_between(void)
{
	two(writes_and_takes_back, set_x);
	assert(other == 0);
}

/* What a round wrote is there in the next one, behind many that wrote and took back. */
static void *counts_behind(void *arg)
{
	for (int i = 0; i < PLACES; i++) {
		*(volatile int *)&other = i;
		look_at_y(1);
		*(volatile int *)&other = 0;
	}
	while (other < PLACES && !atomic_load(&x))
		add_one();
	return arg;
}

static void counted_behind(void)
{
	two(counts_behind, set_x);
	assert(other != PLACES - 1);
}

/* Here it is not. */
static void *writes_more(void *arg)
{
	while (other < 4 && !atomic_load(&x)) {
		look_at_places(0, 70);
		add_one();
		look_at_places(70, PLACES);
	}
	return arg;
}

static void counted_in_between(void)
{
	two(writes_more, set_x);
	assert(other != 3);
}

/* Memory is another one in each round, and nobody announces that. */
static void *counts_in_assembly(void *arg)
{
	while (!atomic_load(&x)) {
		look_at_places(0, 70);
		__asm__ volatile("incl %0" : "+m"(count));
		look_at_places(70, PLACES);
	}
	return arg;
}

static void changes_in_between(void)
{
	two(counts_in_assembly, set_x);
	assert(count != 3);
}

/* ---- Races of what is passed over (L2) ------------------------------------------------------------ */

/* It is back where it was before it comes to the way out again: no execution has what it does behind that, and goes on. */
static void *goes_round(void (*behind)(void), memory_order order)
{
	for (;;) {
		look_at_y(40);
		if (atomic_load_explicit(&x, RLX))
			break;
		behind();
		look_at_y(40);
	}
	atomic_store_explicit(&passed, 1, order);
	return NULL;
}

static void read_other(void)
{
	sink = other;
}

static void *reads_behind(void *arg)
{
	(void)arg;
	return goes_round(read_other, RLX);
}

static void *writes_other(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		other = 1;
	return arg;
}

static void read_behind_the_way_out(void)
{
	run(reads_behind, set_x, writes_other);
}

static void look_at_place(void)
{
	sink = atomic_load_explicit(&places[7], RLX);
}

static void *looks_behind(void *arg)
{
	(void)arg;
	return goes_round(look_at_place, RLX);
}

static void *writes_place(void *arg)
{
	if (atomic_load_explicit(&passed, RLX))
		*(volatile int *)&places[7] = 1;
	return arg;
}

static void looked_behind_the_way_out(void)
{
	run(looks_behind, set_x, writes_place);
}

/* Nothing that was done before counts, since each round releases. */
static void read_and_release(void)
{
	sink = other;
	(void)atomic_exchange_explicit(&y, 0, memory_order_release);
}

static void *releases_behind(void *arg)
{
	(void)arg;
	return goes_round(read_and_release, RLX);
}

static void released_behind_the_way_out(void)
{
	run(releases_behind, set_x, writes_other);
}

/* What would race with the round is done by who knows that it is over: the round stays, once. */
static void *writes_when_it_is_over(void *arg)
{
	if (atomic_load_explicit(&passed, memory_order_acquire))
		other = 2;
	return arg;
}

static void *reads_and_releases(void *arg)
{
	(void)arg;
	return goes_round(read_other, memory_order_release);
}

static void stays_once(void)
{
	run(reads_and_releases, set_x, writes_when_it_is_over);
}

CASES(CASE(looks_before_it_yields), CASE(takes_turns), CASE(gives_up), CASE(never_written),
      CASE(looks_at_many_places), CASE(written_in_between), CASE(counted_in_between),
      CASE(counted_behind), CASE(changes_in_between), CASE(read_behind_the_way_out),
      CASE(looked_behind_the_way_out), CASE(released_behind_the_way_out), CASE(stays_once))
