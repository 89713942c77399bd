/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noisy.c - bugs that take little, in programs that do much more: `noisy BUG [ROUNDS]`
 *
 * Beside the threads of the bug two others count, ROUNDS times each.
 *
 *	none	there is none
 *	lost	an update is lost: one switch of threads in the middle of another's two operations
 *	old	a message is announced before it is there: one read of an old value
 *	both	either of these, at different places
 *	stuck	two threads lock two mutexes in both orders
 *	doomed	the first operation decides: which thread came first
 *	always	each execution has it
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int counter, total, message, ready, first, noise[4];
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int rounds = 8;

static int load(atomic_int *at)
{
	return atomic_load_explicit(at, memory_order_relaxed);
}

static void store(atomic_int *at, int value)
{
	atomic_store_explicit(at, value, memory_order_relaxed);
}

static void *counts(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		store(&noise[i % 4], load(&noise[(i + 1) % 4]) + 1);
		atomic_fetch_add(&counter, 1);
	}
	return arg;
}

static void *adds(void *arg)
{
	store(&total, load(&total) + 1);
	return arg;
}

static void *says(void *arg)
{
	store(&message, 42);
	store(&ready, 1);
	return arg;
}

static void *hears(void *arg)
{
	if (load(&ready))
		assert(load(&message) == 42);
	return arg;
}

static void *locks(void *arg)
{
	pthread_mutex_t *one = arg, *other = one == &left ? &right : &left;

	pthread_mutex_lock(one);
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
	return NULL;
}

/* Who comes first; the others do nothing that could help. */
static void *comes(void *arg)
{
	int none = 0;

	atomic_compare_exchange_strong(&first, &none, arg == &left ? 1 : 2);
	counts(NULL);
	return NULL;
}

static void run(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t thread[4];

	pthread_create(&thread[0], NULL, counts, NULL);
	pthread_create(&thread[1], NULL, one, &left);
	pthread_create(&thread[2], NULL, other, &right);
	pthread_create(&thread[3], NULL, counts, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
	const char *bug = argc > 1 ? argv[1] : "none";

	if (argc > 2)
		rounds = atoi(argv[2]);
	if (!strcmp(bug, "none"))
		run(counts, counts);
	if (!strcmp(bug, "old") || !strcmp(bug, "both"))
		run(says, hears);
	if (!strcmp(bug, "lost") || !strcmp(bug, "both")) {
		run(adds, adds);
		assert(total == 2);
	}
	if (!strcmp(bug, "stuck"))
		run(locks, locks);
	if (!strcmp(bug, "doomed")) {
		run(comes, comes);
		assert(first == 1);
	}
	if (!strcmp(bug, "always")) {
		run(counts, counts);
		assert(!strcmp(bug, "none"));
	}
	return 0;
}
