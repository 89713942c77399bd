/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * around.c - programs to explore around one execution of: around.test
 *
 *	around large	more orders than one explores, then an assertion that fails if thread 2 came first, and every other read is old
 *	around small	store buffering with a lock, and a loop that waits
 *	around wait	a thread waits for good if the other one came first
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNTERS = 6,
	FLAGS = 8
};

static atomic_int counter[COUNTERS], flag[FLAGS], go, x, y;
static int first = -1, old[FLAGS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	int me = (int)(long)arg;

	if (!atomic_fetch_add(&counter[0], 1))
		first = me;
	for (int i = 1; i < COUNTERS; i++)
		atomic_fetch_add(&counter[i], 1);
	return NULL;
}

static void *raise_flags(void *arg)
{
	for (int i = 0; i < FLAGS; i++)
		atomic_store_explicit(&flag[i], 1, memory_order_relaxed);
	return arg;
}

static void *read_flags(void *arg)
{
	for (int i = 0; i < FLAGS; i++)
		old[i] = !atomic_load_explicit(&flag[i], memory_order_relaxed);
	return arg;
}

static void large(void)
{
	pthread_t t[3];
	int alternate = 1;

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_create(&t[0], NULL, raise_flags, NULL);
	pthread_create(&t[1], NULL, read_flags, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	for (int i = 0; i < FLAGS; i++)
		alternate &= old[i] == i % 2;
	assert(first != 2 || !alternate);
}

static void *left(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	old[0] = !atomic_load_explicit(&y, memory_order_relaxed);
	pthread_mutex_lock(&lock);
	first = 0;
	pthread_mutex_unlock(&lock);
	atomic_store(&go, 1);
	return arg;
}

static void *right(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	old[1] = !atomic_load_explicit(&x, memory_order_relaxed);
	pthread_mutex_lock(&lock);
	first = 1;
	pthread_mutex_unlock(&lock);
	while (!atomic_load(&go))
		;
	return arg;
}

static void small(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, left, NULL);
	pthread_create(&t[1], NULL, right, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(!old[0] || !old[1] || first);
}

static void *sets(void *arg)
{
	int zero = 0;

	if (atomic_compare_exchange_strong(&x, &zero, 1))
		atomic_store(&go, 1);
	return arg;
}

static void *waits(void *arg)
{
	atomic_fetch_add(&x, 1);
	while (!atomic_load(&go))
		;
	return arg;
}

static void wait_for_good(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, sets, NULL);
	pthread_create(&t[1], NULL, waits, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";

	if (!strcmp(which, "large"))
		large();
	else if (!strcmp(which, "small"))
		small();
	else if (!strcmp(which, "wait"))
		wait_for_good();
	else
		abort();
	return 0;
}
