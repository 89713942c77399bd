/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * long.c - one long execution, of LENGTH operations of two threads
 *
 *	long none	there is no bug
 *	long end	an assertion at the end fails
 *	long stuck	at the end a thread waits for what never comes
 *	long race	at the end two threads write a plain variable
 *	long old	a thread only writes where another one never reads, so nothing gets too old to be read
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#ifndef LENGTH
#define LENGTH 100000
#endif

static _Atomic int x, y, ready, never, other;
static int plain;
static const char *what;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void *thread(void *arg)
{
	long self = (long)arg;
	int sum = 0;

	for (int i = 0; i < LENGTH / 4; i++) {
		if (is("old") && self) {
			atomic_store_explicit(&other, i, memory_order_relaxed);
			continue;
		}
		atomic_fetch_add_explicit(&x, 1, memory_order_acq_rel);
		sum += atomic_load_explicit(&y, memory_order_acquire);
		atomic_store_explicit(&y, i, memory_order_release);
	}
	atomic_fetch_add_explicit(&ready, sum != -1, memory_order_relaxed);
	if (is("race"))
		plain = (int)self;
	while (is("stuck") && self && !atomic_load_explicit(&never, memory_order_relaxed))
		;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	what = argc > 1 ? argv[1] : "none";
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(!is("end") || x != LENGTH / 4 * 2);
	return 0;
}
