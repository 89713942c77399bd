/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds.c - threads that are created and joined one after the other
 *
 *	rounds BEFORE ROUNDS [lost]
 *
 * BEFORE threads, each joined at once; then ROUNDS rounds of two threads that add to a counter,
 * each at the same time as the other; with `lost`, by a load and a store, and no update may be lost.
 * Each thread finds itself as new as the first: no value of a key, no name, its own variables as
 * they were initialised, and cancellation enabled.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_key_t key;
static _Thread_local int variable = 7;
static atomic_int sum;
static int careless;

static void look_new(void)
{
	static char value;
	char name[16];
	int state;

	assert(!pthread_getspecific(key));
	assert(variable == 7);
	assert(!pthread_getname_np(pthread_self(), name, sizeof(name)) &&
	       strcmp(name, "used before"));
	assert(!pthread_setspecific(key, &value));
	variable = 8;
	assert(!pthread_setname_np(pthread_self(), "used before"));
	assert(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state));
	assert(state == PTHREAD_CANCEL_ENABLE);
}

static void *add(void *arg)
{
	look_new();
	if (careless) {
		int seen = atomic_load_explicit(&sum, memory_order_relaxed);

		atomic_store_explicit(&sum, seen + 1, memory_order_relaxed);
	} else {
		atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
	}
	return arg;
}

static void *stand(void *arg)
{
	look_new();
	return arg;
}

int main(int argc, char **argv)
{
	int before = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread[2];

	careless = argc > 3;
	assert(!pthread_key_create(&key, NULL));
	for (int i = 0; i < before; i++) {
		void *value = NULL;

		assert(!pthread_create(&thread[0], NULL, stand, &thread[0]));
		assert(!pthread_join(thread[0], &value) && value == &thread[0]);
	}
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 2; k++)
			assert(!pthread_create(&thread[k], NULL, add, NULL));
		for (int k = 0; k < 2; k++)
			assert(!pthread_join(thread[k], NULL));
		assert(atomic_load(&sum) == 2 * (i + 1));
	}
	return 0;
}
