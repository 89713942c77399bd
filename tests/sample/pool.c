/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pool.c - memory that is a counter in one object and flags in the next, at many places
 *
 * An argument: `fine`, two threads use each block once; `seen`, likewise, and an assertion fails at one of them; `locked`, likewise, and a thread
 * locks what it has locked; `handed`, one thread hands something to the other by each block, whose words are stored as a whole and looked at byte by byte;
 * `announced`, likewise, but of atomics, and nobody waits: who sees the byte sees what was stored before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum {
	BLOCKS = 150
};

static _Alignas(16) uint64_t pool[BLOCKS][2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used[BLOCKS];
static char what;

static uint8_t *flag(int i, int which)
{
	return (uint8_t *)pool[i] + which;
}

/* As a counter: it begins as 0. */
static void count(int i)
{
	__atomic_store_n(pool[i], 0, __ATOMIC_RELAXED);
	for (int n = 0; n < 3; n++)
		__atomic_fetch_add(pool[i], 1, __ATOMIC_SEQ_CST);
	assert(__atomic_load_n(pool[i], __ATOMIC_RELAXED) == 3);
}

/* As two flags. */
static void raise(int i)
{
	__atomic_store_n(flag(i, 1), 1, __ATOMIC_RELEASE);
	__atomic_store_n(flag(i, 6), 2, __ATOMIC_RELAXED);
	assert(__atomic_load_n(flag(i, 1), __ATOMIC_ACQUIRE) == 1);
	assert(__atomic_exchange_n(flag(i, 6), 3, __ATOMIC_ACQ_REL) == 2);
}

static void *takes(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		int block = arg ? BLOCKS - 1 - i : i, before;

		pthread_mutex_lock(&lock);
		before = used[block]++;
		if (before)
			count(block);
		else
			raise(block);
		assert(what != 's' || !before || block != BLOCKS / 2);
		if (what == 'l' && before && block == BLOCKS / 2)
			pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static int handed;
static atomic_int taken;

static void *hands(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		handed = i;
		__atomic_store_n(pool[i], 1, __ATOMIC_RELEASE);
		while (atomic_load_explicit(&taken, memory_order_acquire) <= i)
			;
	}
	return arg;
}

static void *waits(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		while (__atomic_load_n(flag(i, 0), __ATOMIC_ACQUIRE) != 1)
			;
		assert(handed == i);
		atomic_store_explicit(&taken, i + 1, memory_order_release);
	}
	return arg;
}

static atomic_int announced[BLOCKS];

static void *announces(void *arg)
{
	for (int i = 0; i < BLOCKS; i++) {
		atomic_store_explicit(&announced[i], 1, memory_order_relaxed);
		__atomic_store_n(pool[i], 1, __ATOMIC_RELEASE);
	}
	return arg;
}

static void *looks(void *arg)
{
	for (int i = 0; i < BLOCKS; i++)
		if (__atomic_load_n(flag(i, 0), __ATOMIC_ACQUIRE))
			assert(atomic_load_explicit(&announced[i], memory_order_relaxed));
	return arg;
}

static void *(*const does[128][2])(void *arg) = {
	['f'] = { takes, takes }, ['s'] = { takes, takes },     ['l'] = { takes, takes },
	['h'] = { hands, waits }, ['a'] = { announces, looks },
};

int main(int argc, char **argv)
{
	pthread_t t[2];
	int one = 1;

	what = argc > 1 ? argv[1][0] : 'f';
	pthread_create(&t[0], NULL, does[what & 127][0], NULL);
	pthread_create(&t[1], NULL, does[what & 127][1], &one);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
