/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_stored.c - another thread stores twice to a variable on a stack, by volatile accesses, and its owner reads it three times, by atomic ones
 *
 * The stores are in memory before heddle knows of them. What memory holds then is no store of the owner.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *writes(void *at)
{
	*(volatile int *)at = 1;
	*(volatile int *)at = 2;
	return NULL;
}

int main(void)
{
	int own = 0;
	pthread_t t;

	if (pthread_create(&t, NULL, writes, &own) != 0)
		return 2;
	for (int i = 0; i < 3; i++)
		(void)__atomic_load_n(&own, __ATOMIC_RELAXED);
	if (pthread_join(t, NULL) != 0)
		return 2;
	assert(*(volatile int *)&own == 2);
	return 0;
}
