/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execution.c - a bug among operations that have nothing to do with it
 *
 * execution WHAT: "noise", a third thread and the sender's own counter; "old", a read of what is overwritten; "long", 6,000 operations before it;
 * "looks", a thread that looks again and again.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int message;
static _Atomic int ready, counter, beside, before;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void *send(void *arg)
{
	if (is("old")) {
		atomic_store_explicit(&before, 1, memory_order_relaxed);
		atomic_fetch_add(&counter, 1);
		atomic_fetch_add(&counter, 1);
		atomic_store_explicit(&ready, 1, memory_order_relaxed);
		return arg;
	}
	for (int i = 0; i < (is("long") ? 6000 : 5); i++)
		atomic_fetch_add(&counter, 1);
	message = 1;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return arg;
}

static void look(void)
{
	int looks = 0;

	while (looks < 9 && atomic_load_explicit(&ready, memory_order_relaxed) &&
	       atomic_load_explicit(&counter, memory_order_relaxed) == 5)
		looks++;
	assert(looks < 9);
}

static void *receive(void *arg)
{
	if (is("looks")) {
		look();
		return arg;
	}
	if (atomic_load_explicit(&ready, memory_order_relaxed))
		assert(is("old") ? atomic_load_explicit(&before, memory_order_relaxed) : message);
	return arg;
}

static void *noise(void *arg)
{
	if (is("noise"))
		for (int i = 0; i < 5; i++)
			atomic_store_explicit(&beside, i, memory_order_relaxed);
	return arg;
}

int main(int argc, char **argv)
{
	static void *(*const run[])(void *) = { noise, send, receive };
	pthread_t thread[3];

	what = argc > 1 ? argv[1] : "noise";
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
