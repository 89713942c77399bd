/* SPDX-License-Identifier: BSD-2-Clause */
/* Whoever comes first goes on when the other one has come. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t both;
static int x;

static void *other(void *arg)
{
	x = 1;
	pthread_barrier_wait(&both);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	pthread_barrier_wait(&both);
	assert(x == 2);
	return pthread_join(thread, NULL);
}
