/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growth.c - an exploration whose number of executions does not depend on their length
 *
 * Two threads race in ROUNDS rounds of store buffering, which alone decides how many executions
 * there are. Everything else has one outcome and only makes executions longer: each of THREADS
 * threads adds LENGTH / THREADS atomic accesses, a store and a load in turn, where SHAPE says:
 *
 * BEFORE	to places of its own, before the race: every execution only repeats them
 * AFTER	the same behind the race: every execution adds them anew, and revisits delete them
 * ONE	behind the race, all of them to one place of the thread's own: a long modification order
 * SHARED	behind the race; the loads are of one place that the first thread wrote as often before
 *	it created the others: a long modification order of which the last write alone can be read
 * POLL	behind the race, loads alone, of one place: each may be an await, and is looked into
 * LOCK	behind the race: in the place of accesses each thread takes a mutex of its own, and frees it
 * TURNS	behind the race: two threads each go on in turn, by two semaphores
 *
 * The first two threads are those that race.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef LENGTH
#define LENGTH 100
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef THREADS
#define THREADS 2
#endif

#define BEFORE 1
#define AFTER  2
#define ONE    3
#define SHARED 4
#define POLL   5
#define LOCK   6
#define TURNS  7
#ifndef SHAPE
#define SHAPE AFTER
#endif

enum {
	PLACES = SHAPE == ONE ? 1 : 64,
	PAIRS = LENGTH / THREADS / 2
};

static atomic_int x, y, shared;
static atomic_int own[THREADS][PLACES];
static pthread_mutex_t mutex[THREADS];
static sem_t turn[THREADS]; /* of each thread */

/* Two of the accesses. */
static void take_and_free(intptr_t me)
{
	pthread_mutex_lock(&mutex[me]);
	pthread_mutex_unlock(&mutex[me]);
}

static void take_turn(intptr_t me)
{
	if (me & 1)
		sem_wait(&turn[me]);
	sem_post(&turn[me ^ 1]);
	if (!(me & 1))
		sem_wait(&turn[me]);
}

static void pad(intptr_t me)
{
	for (int i = 0; i < PAIRS; i++) {
		atomic_int *mine = &own[me][i % PLACES];

		if (SHAPE == LOCK)
			take_and_free(me);
		if (SHAPE == TURNS)
			take_turn(me);
		if (SHAPE >= LOCK)
			continue;
		if (SHAPE == POLL)
			(void)atomic_load_explicit(&shared, memory_order_acquire);
		else
			atomic_store_explicit(mine, i, memory_order_release);
		(void)atomic_load_explicit(SHAPE < SHARED ? mine : &shared, memory_order_acquire);
	}
}

static void race(atomic_int *mine, atomic_int *other)
{
	for (int i = 1; i <= ROUNDS; i++) {
		atomic_store_explicit(mine, i, memory_order_release);
		(void)atomic_load_explicit(other, memory_order_acquire);
	}
}

static void *worker(void *arg)
{
	intptr_t me = (intptr_t)arg;

	if (SHAPE == BEFORE)
		pad(me);
	if (me == 0)
		race(&x, &y);
	if (me == 1)
		race(&y, &x);
	if (SHAPE != BEFORE)
		pad(me);
	return NULL;
}

static void *idle(void *arg)
{
	return arg;
}

/* The first creation is where heddle begins to follow the program: what is before is no event. */
static void write_shared(void)
{
	pthread_t t;

	pthread_create(&t, NULL, idle, NULL);
	pthread_join(t, NULL);
	for (int i = 0; i < PAIRS * THREADS; i++)
		atomic_store_explicit(&shared, i, memory_order_release);
}

int main(void)
{
	pthread_t t[THREADS];

	if (SHAPE == SHARED)
		write_shared();
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
