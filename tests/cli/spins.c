/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spins.c - threads that spin, for heddle test: `spins HOW [ITEMS]`
 *
 * Two producers put ITEMS together into a bounded queue, two consumers take them all. Who finds it full or empty spins:
 *
 *	loads		looks again
 *	yields		likewise, and calls sched_yield()
 *	naps		likewise, and waits for no descriptor with poll()
 *	flags		looks at two things: whether there is something, and whether there will be
 *	cas		tries to exchange what it wants to find
 *	trylock		tries a lock that others hold, and looks under it
 *	counts		counts its looks in an atomic that all share
 *
 * Then what nobody ends: loads_forever, yields_forever, naps_forever, flags_forever, trylock_forever, aligned_forever (in a
 * function that aligns its stack), counts_forever, and what looks like that and ends: gives_up (after 3,000 looks), late (a thread
 * sets the flag after 20,000 operations). And impatient: an assertion fails if
 * a thread gives up before another one, which would end its wait, has done anything.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 8
};

static long items;
static _Atomic long tail, head, looks, sum, done;
static _Atomic long slot[SLOTS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void (*spin)(void);

static void look(void)
{
}

static void yield(void)
{
	sched_yield();
}

static void nap(void)
{
	poll(NULL, 0, 1);
}

static void count(void)
{
	atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
}

/* Slots of a ring, taken by turns: 0 is empty. */
static void put(long i, long what)
{
	while (atomic_load_explicit(&slot[i % SLOTS], memory_order_acquire))
		spin();
	atomic_store_explicit(&slot[i % SLOTS], what, memory_order_release);
}

static long take(long i)
{
	long what;

	while (!(what = atomic_load_explicit(&slot[i % SLOTS], memory_order_acquire)))
		spin();
	atomic_store_explicit(&slot[i % SLOTS], 0, memory_order_release);
	return what;
}

static void *producer(void *half)
{
	for (long i = (long)half; i < items; i += 2)
		put(i, i + 1);
	return NULL;
}

static void *consumer(void *half)
{
	for (long i = (long)half; i < items; i += 2)
		assert(take(i) == i + 1);
	return NULL;
}

/* A slot of its own for each pair, which goes on until both flags say that it is over. */
static void *flags_producer(void *half)
{
	_Atomic long *mine = &slot[(long)half];

	for (long i = (long)half; i < items; i += 2) {
		while (atomic_load_explicit(mine, memory_order_acquire))
			;
		atomic_store_explicit(mine, i + 1, memory_order_release);
	}
	atomic_fetch_add_explicit(&done, 1, memory_order_release);
	return NULL;
}

static void *flags_consumer(void *half)
{
	_Atomic long *mine = &slot[(long)half];
	long n = 0;

	for (;;) {
		if (atomic_load_explicit(&done, memory_order_acquire) == 2 &&
		    !atomic_load_explicit(mine, memory_order_acquire))
			break;
		if (!atomic_load_explicit(mine, memory_order_acquire))
			continue;
		atomic_store_explicit(mine, 0, memory_order_release);
		n++;
	}
	assert(n == (items + 1 - (long)half) / 2);
	return NULL;
}

static void *cas_producer(void *half)
{
	for (long i = (long)half; i < items; i += 2) {
		long empty = 0;

		while (!atomic_compare_exchange_weak(&slot[i % SLOTS], &empty, i + 1))
			empty = 0;
	}
	return NULL;
}

static void *cas_consumer(void *half)
{
	for (long i = (long)half; i < items; i += 2) {
		long full = i + 1;

		while (!atomic_compare_exchange_weak(&slot[i % SLOTS], &full, 0))
			full = i + 1;
	}
	return NULL;
}

static void lock(void)
{
	while (pthread_mutex_trylock(&mutex))
		;
}

static void *lock_producer(void *unused)
{
	for (;;) {
		lock();
		if (tail == items)
			break;
		if (tail - head < SLOTS)
			tail++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *lock_consumer(void *unused)
{
	for (;;) {
		lock();
		if (head == items)
			break;
		if (head < tail)
			head++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* ---- Nobody ends these, or after long ------------------------------------------------------------------- */

static void *waits(void *unused)
{
	while (!atomic_load_explicit(&slot[0], memory_order_acquire))
		spin();
	return unused;
}

/* As the queue locks do, whose nodes want a cache line. */
static void *waits_aligned(void *unused)
{
	_Alignas(64) _Atomic long mine = 1;

	atomic_store(&head, (long)&mine);
	while (atomic_load_explicit(&mine, memory_order_acquire))
		;
	return unused;
}

static void *waits_for_two(void *unused)
{
	while (!atomic_load(&slot[0]) && !atomic_load(&slot[1]))
		;
	return unused;
}

static void *tries(void *unused)
{
	while (pthread_mutex_trylock(&mutex))
		;
	return unused;
}

static void *holds(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

static void *gives_up(void *unused)
{
	for (int i = 0; i < 3000 && !atomic_load(&slot[0]); i++)
		;
	return unused;
}

static void *sets_late(void *unused)
{
	for (int i = 0; i < 20000; i++)
		(void)atomic_load_explicit(&slot[1 + i % 4], memory_order_relaxed);
	atomic_store(&slot[0], 1);
	return unused;
}

static void *gives_up_soon(void *half)
{
	if (half)
		return NULL;
	for (int i = 0; i < 4 && !atomic_load(&slot[0]); i++)
		;
	atomic_store(&done, 1);
	return NULL;
}

static void *comes_first(void *half)
{
	if (half)
		return NULL;
	assert(!atomic_load(&done) || atomic_load(&slot[0]));
	atomic_store(&slot[0], 1);
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

static const struct how {
	const char *name;
	void (*spin)(void);
	void *(*put)(void *), *(*take)(void *);
} hows[] = {
	{ "loads", look, producer, consumer },
	{ "yields", yield, producer, consumer },
	{ "naps", nap, producer, consumer },
	{ "counts", count, producer, consumer },
	{ "flags", look, flags_producer, flags_consumer },
	{ "cas", look, cas_producer, cas_consumer },
	{ "trylock", look, lock_producer, lock_consumer },
	{ "loads_forever", look, nothing, waits },
	{ "yields_forever", yield, nothing, waits },
	{ "naps_forever", nap, nothing, waits },
	{ "counts_forever", count, nothing, waits },
	{ "flags_forever", look, nothing, waits_for_two },
	{ "trylock_forever", look, holds, tries },
	{ "aligned_forever", look, nothing, waits_aligned },
	{ "gives_up", look, nothing, gives_up },
	{ "impatient", look, comes_first, gives_up_soon },
	{ "late", look, sets_late, waits },
};

int main(int argc, char **argv)
{
	pthread_t t[4];

	items = argc > 2 ? atol(argv[2]) : 10000;
	for (size_t i = 0; argc > 1 && i < sizeof(hows) / sizeof(hows[0]); i++) {
		const struct how *h = &hows[i];

		if (strcmp(h->name, argv[1]))
			continue;
		spin = h->spin;
		for (long k = 0; k < 2; k++) {
			pthread_create(&t[k], NULL, h->take, (void *)k);
			pthread_create(&t[2 + k], NULL, h->put, (void *)k);
		}
		for (int k = 0; k < 4; k++)
			pthread_join(t[k], NULL);
		return 0;
	}
	fprintf(stderr, "no such way\n");
	return 2;
}
