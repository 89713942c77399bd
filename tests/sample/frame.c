/* SPDX-License-Identifier: BSD-2-Clause */
/* frame.c - a thread's own variable that another one stores to; and the creator has something else to do before it looks */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int other;

static void *stores(void *arg)
{
	atomic_store((atomic_int *)arg, 1);
	return NULL;
}

int main(void)
{
	atomic_int own = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, stores, &own);
	(void)atomic_load(&other);
	(void)atomic_load(&own);
	pthread_join(thread, NULL);
	assert(atomic_load(&own) == 1);
	return 0;
}
