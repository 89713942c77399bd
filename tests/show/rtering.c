/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtering.c - DPDK's ring of four places, three of which it uses
 *
 * One producer and one consumer (pair.h); -DMANY: two producers, an item each, and a consumer. The ring
 * is set up by hand, which needs nothing of DPDK but its headers.
 */
#include <rte_ring.h>

#ifdef MANY
#include <heddle.h>
#include <pthread.h>
#define KIND RTE_RING_SYNC_MT
#else
#include "pair.h"
#define KIND RTE_RING_SYNC_ST
#endif

static union {
	struct rte_ring ring;
	char room[sizeof(struct rte_ring) + 4 * sizeof(void *)];
} memory;

static void begin(void)
{
	struct rte_ring *r = &memory.ring;

	r->size = 4;
	r->mask = r->capacity = 3;
	r->prod.sync_type = r->cons.sync_type = KIND;
}

#ifndef MANY
static bool add(long number)
{
	return rte_ring_enqueue(&memory.ring, (void *)number) == 0;
}

static bool take(long *number)
{
	void *p;

	if (rte_ring_dequeue(&memory.ring, &p))
		return false;
	*number = (long)p;
	return true;
}

#else
static int taken[3];

static void *produce(void *arg)
{
	heddle_assert(rte_ring_enqueue(&memory.ring, arg) == 0);
	return NULL;
}

static void *consume(void *arg)
{
	void *p;

	while (rte_ring_dequeue(&memory.ring, &p) == 0)
		taken[(long)p]++;
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	begin();
	pthread_create(&threads[0], NULL, produce, (void *)1);
	pthread_create(&threads[1], NULL, produce, (void *)2);
	pthread_create(&threads[2], NULL, consume, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	consume(NULL);
	heddle_assert(taken[1] == 1 && taken[2] == 1);
	return 0;
}
#endif
