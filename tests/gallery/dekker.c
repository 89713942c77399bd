/* SPDX-License-Identifier: BSD-2-Clause */
/* dekker.c - each thread says that it wants to go in, and does so if the other one does not want to */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int inside;

static void *thread(void *argument)
{
	int me = *(int *)argument;

	atomic_store_explicit(&wants[me], 1, memory_order_release);
	if (!atomic_load_explicit(&wants[!me], memory_order_acquire)) { /* not seq_cst */
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
	}
	atomic_store_explicit(&wants[me], 0, memory_order_release);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int names[2] = { 0, 1 };

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
