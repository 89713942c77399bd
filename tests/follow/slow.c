/* SPDX-License-Identifier: BSD-2-Clause */
/* slow.c - more executions than anybody waits for */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *run(void *arg)
{
	for (int i = 0; i < 100; i++)
		atomic_fetch_add(&x, 1);
	return arg;
}

int main(void)
{
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
