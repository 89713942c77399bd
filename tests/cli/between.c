/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * between.c - a bug that needs two orderings: a thread looks while another one is between two writes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *set_and_clear(void *unused)
{
	atomic_store(&x, 1);
	atomic_store(&x, 0);
	return unused;
}

static void *look(void *unused)
{
	assert(atomic_load(&x) != 1);
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, set_and_clear, NULL);
	pthread_create(&second, NULL, look, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
