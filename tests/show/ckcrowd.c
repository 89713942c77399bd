/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ckcrowd.c - Concurrency Kit's stack, or with -DRING its ring, for many producers and consumers
 *
 * Two producers of a number each, a consumer that tries once; main takes what is left. -DUNSAFE: producers call
 * what only one thread at a time may.
 */
#include <ck_ring.h>
#include <ck_stack.h>
#include <heddle.h>
#include <pthread.h>

static int taken[3]; /* 0: nothing */

#ifdef RING
static ck_ring_t ring;
static ck_ring_buffer_t places[4];

static void add(long number)
{
#ifdef UNSAFE
	heddle_assert(ck_ring_enqueue_spmc(&ring, places, (void *)number));
#else
	heddle_assert(ck_ring_enqueue_mpmc(&ring, places, (void *)number));
#endif
}

static long take(void)
{
	void *p;

	return ck_ring_dequeue_mpmc(&ring, places, &p) ? (long)p : 0;
}

static void begin(void)
{
	ck_ring_init(&ring, 4);
}
#else
static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entry[3];

static void add(long number)
{
#ifdef UNSAFE
	ck_stack_push_spnc(&stack, &entry[number]);
#else
	ck_stack_push_upmc(&stack, &entry[number]);
#endif
}

static long take(void)
{
	ck_stack_entry_t *e = ck_stack_pop_upmc(&stack);

	return e ? e - entry : 0;
}

static void begin(void)
{
}
#endif

static void *produce(void *arg)
{
	add((long)arg);
	return NULL;
}

static void *consume(void *arg)
{
	*(long *)arg = take();
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	long first = 0, number;

	begin();
	pthread_create(&threads[0], NULL, produce, (void *)1);
	pthread_create(&threads[1], NULL, produce, (void *)2);
	pthread_create(&threads[2], NULL, consume, &first);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	taken[first]++;
	while ((number = take()))
		taken[number]++;
	heddle_assert(taken[1] == 1 && taken[2] == 1);
	return 0;
}
