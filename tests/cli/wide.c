/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread stores to more places than heddle has room for. */
#include <pthread.h>
#include <stdatomic.h>

enum {
	PLACES = 5000000
};
static atomic_int place[PLACES];

static void *stores(void *arg)
{
	for (int i = 0; i < PLACES; i++)
		atomic_store(&place[i], 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, stores, NULL);
	pthread_join(t, NULL);
	return 0;
}
