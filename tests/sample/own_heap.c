/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_heap.c - blocks that a thread allocates, where heddle gives back the memory of a long execution meanwhile
 *
 *	own_heap	two threads store to many places, so that there is much to be kept; each allocates a block before and
 *			behind that
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	PLACES = 600,
	ROUNDS = 20
};

static atomic_int place[PLACES];

static void *work(void *arg)
{
	char *before = malloc(16), *behind;

	(void)arg;
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < PLACES; i++) {
			atomic_load_explicit(&place[PLACES - 1 - i], memory_order_acquire);
			atomic_store_explicit(&place[i], r, memory_order_release);
		}
	behind = malloc(16);
	/* 16 bytes are in front of each block, and one follows the other: nobody else allocates in between. */
	assert((uintptr_t)behind - (uintptr_t)before == 32);
	free(before);
	free(behind);
	return NULL;
}

int main(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, work, NULL) != 0)
		return 2;
	work(NULL);
	return pthread_join(t, NULL) == 0 ? 0 : 2;
}
