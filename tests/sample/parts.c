/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.c - threads that access a word, and its halves, more often than can be judged
 *
 * An argument: `fine`; or `seen`, where the assertion fails once a thread has seen both halves changed by others in between.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum {
	ROUNDS = 500 /* more events than are kept for good */
};

static _Alignas(8) uint64_t word, counts;
static atomic_int beside;
static int is_bug;

#define HALF(p, i) ((uint32_t *)(void *)(p) + (i))

static uint64_t both(uint32_t v)
{
	return (uint64_t)v << 32 | v;
}

static void *stores(void *arg)
{
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		__atomic_store_n(&word, both(i), __ATOMIC_RELEASE);
		__atomic_fetch_add(HALF(&counts, i & 1), 1, __ATOMIC_RELAXED);
		atomic_store_explicit(&beside, (int)i, memory_order_relaxed);
	}
	return arg;
}

static void *looks(void *arg)
{
	uint64_t last = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t now = __atomic_load_n(&word, i & 1 ? __ATOMIC_SEQ_CST : __ATOMIC_ACQUIRE);
		uint32_t half = __atomic_load_n(HALF(&word, i & 1), __ATOMIC_RELAXED);

		assert(now == both((uint32_t)now) && now >= last && half >= (uint32_t)now);
		assert(!is_bug || half == (uint32_t)now || half < ROUNDS / 4);
		last = now;
	}
	return arg;
}

static void *adds(void *arg)
{
	uint64_t was = 0;

	for (int i = 0; i < ROUNDS; i++) {
		__atomic_fetch_add(&counts, both(1), __ATOMIC_RELAXED);
		was = __atomic_load_n(&counts, __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&counts, &was, was + both(1), 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED);
		if (was != __atomic_load_n(&counts, __ATOMIC_RELAXED))
			atomic_fetch_add_explicit(&beside, 1, memory_order_relaxed);
	}
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const run[])(void *) = { stores, looks, adds };
	pthread_t t[3];
	uint64_t sum;

	is_bug = argc > 1 && !strcmp(argv[1], "seen");
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	sum = __atomic_load_n(&counts, __ATOMIC_RELAXED);
	assert((uint32_t)sum == sum >> 32 && sum >= both(ROUNDS + ROUNDS / 2));
	return 0;
}
