/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mutual.c - mutual exclusion by loads and stores alone: no false alarms, and the true ones
 *
 * Of Nidhugg it was measured that it raises a false alarm on one of its own benchmarks, not on which.
 * These are the algorithms that such benchmarks are made of, written from their publications:
 * Dekker (in Dijkstra 1965), Dijkstra (1965), Lamport's bakery (1974), Peterson (1981), Burns
 * (1981), Lamport's fast mutual exclusion (1987), Szymanski (1988); and two things of practice, a
 * latch with a flag beside it and a permit to run (park).
 *
 * What they protect is plain data, so an alarm is a data race. All of them need stores not to be overtaken by
 * later loads: with release and acquire alone each one of the locks is broken, as x86 breaks it
 * without fences. Loops that take back what they asked for do so once at most. Where all accesses
 * are sequentially consistent, there are as many executions under each model.
 *
 * case dekker -m sc: ok 4
 * case dekker -m tso: ok 4
 * case dekker: ok 4
 * case dekker_released -m tso: bug data-race at data++
 * case dijkstra -m sc: ok 15
 * case dijkstra -m tso: ok 15
 * case dijkstra: ok 15
 * case dijkstra_released -m tso: bug data-race at data++
 * case bakery -m sc: ok 9
 * case bakery -m tso: ok 9
 * case bakery: ok 9
 * case bakery_released -m tso: bug data-race at data++
 * case peterson -m sc: ok 4
 * case peterson -m tso: ok 4
 * case peterson: ok 4
 * case peterson_released -m tso: bug data-race at data++
 * case burns -m sc: ok 24
 * case burns -m tso: ok 24
 * case burns: ok 24
 * case burns_released -m tso: bug data-race at data++
 * case fast -m sc: ok 12
 * case fast -m tso: ok 12
 * case fast: ok 12
 * case fast_released -m tso: bug data-race at data++
 * case szymanski -m sc: ok 29
 * case szymanski -m tso: ok 29
 * case szymanski: ok 29
 * case szymanski_released -m tso: bug data-race at data++
 * case latch -m sc: ok 1
 * case latch -m tso: ok 1
 * case latch: ok 1
 * case park -m sc: ok 3
 * case park -m tso: ok 3
 * case park: ok 3
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"

enum {
	N = 2
};

static bool released; /* release and acquire only */
static int data;

static int get(atomic_int *from)
{
	return released ? atomic_load_explicit(from, memory_order_acquire) : atomic_load(from);
}

static void put(atomic_int *to, int v)
{
	if (released)
		atomic_store_explicit(to, v, memory_order_release);
	else
		atomic_store(to, v);
}

static void enter(void)
{
	data++;
}

/* Two threads through a lock; lock() is false when it was given up. */
#define LOCK(name, lock, unlock)              \
	static void *name##_thread(void *arg) \
	{                                     \
		int me = (int)(long)arg;      \
                                              \
		if (lock(me)) {               \
			enter();              \
			unlock(me);           \
		}                             \
		return arg;                   \
	}                                     \
	static void name(void)                \
	{                                     \
		THREADS(N, name##_thread);    \
	}                                     \
	static void name##_released(void)     \
	{                                     \
		released = true;              \
		THREADS(N, name##_thread);    \
	}

/* ---- Dekker ------------------------------------------------------------------------------------ */

static atomic_int wants[N], turn;

static bool dekker_lock(int me)
{
	put(&wants[me], 1);
	while (get(&wants[1 - me])) {
		if (get(&turn) == me)
			continue;
		put(&wants[me], 0);
		while (get(&turn) != me)
			;
		put(&wants[me], 1);
	}
	return true;
}

static void dekker_unlock(int me)
{
	put(&turn, 1 - me);
	put(&wants[me], 0);
}

LOCK(dekker, dekker_lock, dekker_unlock)

/* ---- Dijkstra ---------------------------------------------------------------------------------- */

static atomic_int trying[N], inside[N];

static bool dijkstra_lock(int me)
{
	put(&trying[me], 1);
	for (int round = 0; round < 2; round++) {
		while (get(&turn) != me) {
			if (!get(&trying[get(&turn)]))
				put(&turn, me);
		}
		put(&inside[me], 1);
		if (!get(&inside[1 - me]))
			return true;
		put(&inside[me], 0);
	}
	put(&trying[me], 0);
	return false;
}

static void dijkstra_unlock(int me)
{
	put(&inside[me], 0);
	put(&trying[me], 0);
}

LOCK(dijkstra, dijkstra_lock, dijkstra_unlock)

/* ---- Lamport's bakery ---------------------------------------------------------------------------- */

static atomic_int choosing[N], number[N];

static bool is_before(int other, int me)
{
	int n = get(&number[other]), mine = get(&number[me]);

	return n && (n < mine || (n == mine && other < me));
}

static bool bakery_lock(int me)
{
	put(&choosing[me], 1);
	put(&number[me], 1 + get(&number[1 - me]));
	put(&choosing[me], 0);
	while (get(&choosing[1 - me]))
		;
	while (is_before(1 - me, me))
		;
	return true;
}

static void bakery_unlock(int me)
{
	put(&number[me], 0);
}

LOCK(bakery, bakery_lock, bakery_unlock)

/* ---- Peterson ------------------------------------------------------------------------------------ */

static bool peterson_lock(int me)
{
	put(&wants[me], 1);
	put(&turn, 1 - me);
	while (get(&wants[1 - me]) && get(&turn) == 1 - me)
		;
	return true;
}

static void peterson_unlock(int me)
{
	put(&wants[me], 0);
}

LOCK(peterson, peterson_lock, peterson_unlock)

/* ---- Burns --------------------------------------------------------------------------------------- */

static bool burns_lock(int me)
{
	for (int round = 0; round < 2; round++) {
		put(&wants[me], 0);
		if (me == 1 && get(&wants[0]))
			continue;
		put(&wants[me], 1);
		if (me == 1 && get(&wants[0]))
			continue;
		while (me == 0 && get(&wants[1]))
			;
		return true;
	}
	put(&wants[me], 0);
	return false;
}

LOCK(burns, burns_lock, peterson_unlock)

/* ---- Lamport's fast mutual exclusion ------------------------------------------------------------- */

static atomic_int x, y; /* 1 + who */

static bool fast_lock(int me)
{
	for (int round = 0; round < 2; round++) {
		put(&wants[me], 1);
		put(&x, 1 + me);
		if (get(&y)) {
			put(&wants[me], 0);
			while (get(&y))
				;
			continue;
		}
		put(&y, 1 + me);
		if (get(&x) == 1 + me)
			return true;
		put(&wants[me], 0);
		while (get(&wants[1 - me]))
			;
		if (get(&y) == 1 + me)
			return true;
		while (get(&y))
			;
	}
	return false;
}

static void fast_unlock(int me)
{
	put(&y, 0);
	put(&wants[me], 0);
}

LOCK(fast, fast_lock, fast_unlock)

/* ---- Szymanski ----------------------------------------------------------------------------------- */

enum {
	OUTSIDE,
	ASKS,
	WAITS,
	IN_THE_DOOR,
	IN
};

static atomic_int place[N];

static bool szymanski_lock(int me)
{
	int other = 1 - me;

	put(&place[me], ASKS);
	while (get(&place[other]) >= IN_THE_DOOR)
		;
	put(&place[me], IN_THE_DOOR);
	if (get(&place[other]) == ASKS) {
		put(&place[me], WAITS);
		while (get(&place[other]) != IN)
			;
	}
	put(&place[me], IN);
	while (other < me && get(&place[other]) >= WAITS)
		;
	return true;
}

static void szymanski_unlock(int me)
{
	int other = 1 - me, there;

	while (other > me && ((there = get(&place[other])) == WAITS || there == IN_THE_DOOR))
		;
	put(&place[me], OUTSIDE);
}

LOCK(szymanski, szymanski_lock, szymanski_unlock)

/* ---- A latch, and a permit ----------------------------------------------------------------------- */

static atomic_int latch_of[N], flag_of[N];

/* Who finds its latch set and its flag, too, works, and passes both on. */
static void *latch_thread(void *arg)
{
	int me = (int)(long)arg;

	while (!get(&latch_of[me]))
		;
	put(&latch_of[me], 0);
	assert(get(&flag_of[me]));
	put(&flag_of[me], 0);
	enter();
	put(&flag_of[1 - me], 1);
	put(&latch_of[1 - me], 1);
	return arg;
}

static void latch(void)
{
	put(&flag_of[0], 1);
	put(&latch_of[0], 1);
	THREADS(2, latch_thread);
	assert(data == 2);
}

static atomic_int permit;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t unparked = PTHREAD_COND_INITIALIZER;

static void *park_or_unpark(void *arg)
{
	if (arg) {
		enter();
		pthread_mutex_lock(&mutex);
		if (!atomic_exchange(&permit, 1))
			pthread_cond_signal(&unparked);
		pthread_mutex_unlock(&mutex);
		return arg;
	}
	if (!atomic_exchange(&permit, 0)) {
		pthread_mutex_lock(&mutex);
		while (!atomic_exchange(&permit, 0))
			pthread_cond_wait(&unparked, &mutex);
		pthread_mutex_unlock(&mutex);
	}
	enter();
	return arg;
}

static void park(void)
{
	THREADS(2, park_or_unpark);
	assert(data == 2);
}

CASES(CASE(dekker), CASE(dekker_released), CASE(dijkstra), CASE(dijkstra_released), CASE(bakery),
      CASE(bakery_released), CASE(peterson), CASE(peterson_released), CASE(burns),
      CASE(burns_released), CASE(fast), CASE(fast_released), CASE(szymanski),
      CASE(szymanski_released), CASE(latch), CASE(park))
