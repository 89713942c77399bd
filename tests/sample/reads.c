/* SPDX-License-Identifier: BSD-2-Clause */
/* reads.c - an update is lost, of a number that comes from standard input; its threads count besides */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total, noise;
static int number;

static void *adds(void *arg)
{
	for (int i = 0; i < 4; i++)
		atomic_fetch_add(&noise, 1);
	atomic_store(&total, atomic_load(&total) + number);
	return arg;
}

int main(void)
{
	pthread_t thread[3];

	if (scanf("%d", &number) != 1)
		return 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	assert(total == 3 * number);
	return 0;
}
