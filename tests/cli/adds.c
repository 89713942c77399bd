/* SPDX-License-Identifier: BSD-2-Clause */
/* adds.c - long executions, and no end of them */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
	N_THREADS = 4,
	N_SUMS = 4,
	ROUNDS = 150
};

static atomic_int sum[N_SUMS];

static void *add(void *arg)
{
	for (size_t i = 0; i < ROUNDS; i++)
		atomic_fetch_add(&sum[(i + (size_t)arg) % N_SUMS], 1);
	return NULL;
}

int main(void)
{
	pthread_t t[N_THREADS];

	for (size_t i = 0; i < N_THREADS; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	for (size_t i = 0; i < N_THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
