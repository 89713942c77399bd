/* SPDX-License-Identifier: BSD-2-Clause */
/* A bug in most executions, each of which takes a tenth of a second. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static __attribute__((noinline, no_sanitize("thread"))) void toil(void)
{
	for (long i = 0; i < 100000000; i++)
		__asm__ volatile("");
}

static void *adds(void *arg)
{
	for (int i = 0; i < 20; i++) {
		atomic_fetch_add(&x, 1);
		atomic_fetch_add(&y, atomic_load(&x));
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, adds, NULL);
	toil();
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&y) == 1830);
	return 0;
}
