/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executions that are made without the program where threads read variables of main in a block that it leaves (runtime/engine/memo.txt, K13)
 *
 * case leaves_block: bug use-after-return
 * case leaves_block --no-memo: bug use-after-return
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define RLX memory_order_relaxed

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn, asked;
static int got;
static pthread_t t[2];

/* If main has asked for it, under the lock. */
static void *reads_late(void *arg)
{
	atomic_fetch_add_explicit(&turn, 1, RLX);
	if (atomic_load_explicit(&asked, RLX)) {
		int value;

		pthread_mutex_lock(&lock);
		value = *(const int *)arg; /* bug: leaves_block */
		pthread_mutex_unlock(&lock);
		assert(value != 6);
	}
	return arg;
}

/* So that all is done twice at least. */
static void *does_something_else(void *arg)
{
	atomic_fetch_add_explicit(&turn, 1, RLX);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	atomic_fetch_add_explicit(&turn, 1, RLX);
	return arg;
}

static void start(int *variable)
{
	pthread_create(&t[0], NULL, reads_late, variable);
	pthread_create(&t[1], NULL, does_something_else, NULL);
}

static __attribute__((noinline)) int fill(int n)
{
	volatile int room[40];

	for (int i = 0; i < 40; i++)
		room[i] = n;
	return room[n];
}

int main(int argc, char **argv)
{
	(void)argv;
	{
		int room[argc + 4];

		room[1] = 7;
		start(&room[1]);
	}
	got = fill(argc);
	atomic_store_explicit(&asked, 1, RLX);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t[0], NULL);
	return pthread_join(t[1], NULL);
}
