/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By values (-e value), what a location held before anybody accessed it as an event is a matter of plain writes that came before
 *
 * case begins_with_what_was_chosen -e value: ok 3
 * case begins_with_what_was_chosen -e value --backend=fork: ok 3
 * case begins_with_what_was_chosen -e rf: ok 3
 * case never_beside_each_other -e value: ok 3
 * case never_beside_each_other -e value -m sra -j 2: ok 3
 * case never_beside_each_other -e rf: ok 3
 * case in_turn -e value: ok 6
 * case in_turn -e rf: ok 6
 * case on_a_stack -e value: ok 5
 * case on_a_stack -e value -m ra -j 2: ok 5
 * case on_a_stack -e rf: ok 12
 */
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cases.h"

static _Atomic int first, second, third;
/* The same, plainly. */
static int *const plainly = (int *)&first;

static void *nothing(void *arg)
{
	return arg;
}

static sem_t sem;

static void *tries(void *arg)
{
	if (sem_trywait(&sem))
		atomic_store(&second, 1 + atomic_exchange(&first, 7));
	return arg;
}

/* By main, before it creates the thread: that is no read. */
static void begins_with_what_was_chosen(void)
{
	pthread_t t[2];
	int chosen, got;

	sem_init(&sem, 0, 0);
	pthread_create(&t[0], NULL, nothing, NULL);
	chosen = heddle_choose(2);
	*plainly = chosen;
	pthread_create(&t[1], NULL, tries, NULL);
	if (chosen)
		sem_post(&sem);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	got = atomic_load(&second);
	assert(got == 0 || got == 1 + chosen);
}

static void *looks_or_tells(void *arg)
{
	if (atomic_load(&second))
		atomic_store(&third, 1);
	else
		assert(atomic_load(&first) == 0);
	return arg;
}

static void *writes_if_told(void *arg)
{
	if (atomic_load(&third)) {
		*plainly = 7;
		assert(atomic_load(&first) == 7);
	}
	return arg;
}

static void *lets_tell(void *arg)
{
	atomic_store(&second, 1);
	return arg;
}

/* Who has a look never does so where the other one writes, so that is no event. What the one found is nothing to the other. */
static void never_beside_each_other(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, looks_or_tells, NULL);
	pthread_create(&t[1], NULL, writes_if_told, NULL);
	pthread_create(&t[2], NULL, lets_tell, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *arg)
{
	pthread_mutex_lock(&mutex);
	atomic_fetch_add(&first, (int)(long)arg);
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Each of three may be first, and finds what was written before they began. */
static void in_turn(void)
{
	pthread_t t[3];

	*plainly = 100;
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, adds, (void *)(1l << i));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&first) == 107);
}

/* ---- What memory holds later ---------------------------------------------------------------------------- */

static _Atomic int *on_stack;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

static void *reads_and_locks(void *arg)
{
	atomic_load_explicit(on_stack, memory_order_relaxed);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *sets_a_bit(void *arg)
{
	atomic_fetch_or_explicit(on_stack, 1, memory_order_relaxed);
	return arg;
}

static void *writes_twice(void *arg)
{
	atomic_store_explicit(on_stack, 1, memory_order_relaxed);
	if (pthread_mutex_trylock(&other) == 0)
		atomic_store_explicit(on_stack, 2, memory_order_relaxed);
	return arg;
}

/* What is left there by who was last when the program ran is nothing that main has stored, whatever the order is in the execution that is made of it. */
static void on_a_stack(void)
{
	_Atomic int room = 1;
	pthread_t t[3];

	on_stack = &room;
	pthread_create(&t[0], NULL, reads_and_locks, NULL);
	pthread_create(&t[1], NULL, sets_a_bit, NULL);
	pthread_create(&t[2], NULL, writes_twice, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load_explicit(on_stack, memory_order_relaxed) != 1);
}

CASES(CASE(begins_with_what_was_chosen), CASE(never_beside_each_other), CASE(in_turn),
      CASE(on_a_stack))
