/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quiet.c - loops that wait, for random testing
 *
 * Each case is named on the command line.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *body(void *);

static atomic_int flag, other, turn;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t items;
static int changes;

/* ---- Loops ---------------------------------------------------------------------------------- */

static void *loads(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	return arg;
}

static void *loads_two(void *arg)
{
	while (!atomic_load(&other) && !atomic_load(&flag))
		sched_yield();
	return arg;
}

static void *exchanges(void *arg)
{
	int expected = 1;

	while (!atomic_compare_exchange_strong(&turn, &expected, 2))
		expected = 1;
	return arg;
}

static void *tries(void *arg)
{
	while (pthread_mutex_trylock(&mutex))
		;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *takes(void *arg)
{
	while (sem_trywait(&items))
		sched_yield();
	return arg;
}

static void *counts(void *arg)
{
	while (!atomic_load(&flag))
		changes++;
	return arg;
}

/* ---- What they wait for ----------------------------------------------------------------------- */

static void *nothing(void *arg)
{
	return arg;
}

static void *keeps(void *arg)
{
	pthread_mutex_lock(&mutex);
	return arg;
}

static void *holds(void *arg)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 20000; i++)
		atomic_load(&turn);
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* The others go round for longer than it takes to look at them. */
static void *reads_for_long(void *arg)
{
	for (int i = 0; i < 20000; i++)
		atomic_load(&turn);
	atomic_store(&flag, 1);
	return arg;
}

static void *posts_late(void *arg)
{
	for (int i = 0; i < 20000; i++)
		sched_yield();
	sem_post(&items);
	return arg;
}

static const struct {
	const char *name;
	body *f[3];
} cases[] = {
	{ "loads", { loads, nothing } },
	{ "exchanges", { exchanges, nothing } },
	{ "tries", { tries, keeps } },
	{ "takes", { takes, nothing } },
	{ "each_other", { loads_two, exchanges, takes } },
	{ "counts", { counts, nothing } },
	{ "late_store", { loads, reads_for_long, loads_two } },
	{ "late_unlock", { tries, holds } },
	{ "late_post", { takes, posts_late } },
};

static void run(body *const *f)
{
	pthread_t thread[3];
	int n = 0;

	for (; n < 3 && f[n]; n++)
		if (pthread_create(&thread[n], NULL, f[n], NULL))
			abort();
	while (n--)
		pthread_join(thread[n], NULL);
}

int main(int argc, char **argv)
{
	sem_init(&items, 0, 0);
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			run(cases[i].f);
			return 0;
		}
	fprintf(stderr, "there is no case '%s'\n", argc > 1 ? argv[1] : "");
	return 2;
}
