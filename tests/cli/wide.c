/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread stores to more places than heddle has room for, in blocks that it frees. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	BLOCKS = 5000,
	PLACES = 1000
};

static void *stores(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		atomic_int *place = malloc(PLACES * sizeof(*place));

		for (int k = 0; k < PLACES; k++)
			atomic_store(&place[k], 1);
		free(place);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, stores, NULL);
	pthread_join(t, NULL);
	return 0;
}
