/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * facts.c - many places of which something is found out, each at an address of its own
 *
 * As it is, a thread reads a location again at each of them; behind that a futex is requeued,
 * which is found out as well, and then an assertion fails. With AWAITS, another thread waits at
 * each of them in some orders of six threads, and nothing is wrong.
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X3(what)  what what what
#define X10(what) X3(what) X3(what) X3(what) what
#ifndef PLACES
#define PLACES X10(PLACE)
#endif

#ifdef AWAITS
enum {
	THREADS = 6
};

static atomic_int turn, came[THREADS], flag[AWAITS];

static void *race(void *arg)
{
	came[(intptr_t)arg] = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
	return NULL;
}

#define PLACE                                                         \
	while (!atomic_load_explicit(&flag[i], memory_order_acquire)) \
		;                                                     \
	i++;

static void *reader(void *arg)
{
	int i = 0;

	PLACES
	return arg;
}

static void *writer(void *arg)
{
	for (int i = 0; i < AWAITS; i++)
		atomic_store_explicit(&flag[i], 1, memory_order_release);
	return arg;
}

int main(void)
{
	pthread_t thread[THREADS], a, b;

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, race, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (came[0] != 3 || came[1] != 1 || came[2] != 5 || came[3] != 0)
		return 0;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, writer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
#else
static atomic_int x;
static uint32_t from, to;
static int sum;

#define PLACE sum += atomic_load_explicit(&x, memory_order_relaxed);

static void *reader(void *arg)
{
	PLACES
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, reader, NULL);
	pthread_join(thread, NULL);
	syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE, 0, 1, &to, 0);
	assert(!"behind the requeue");
	return 0;
}
#endif
