/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dcl.c - double-checked initialisation, N threads
 *
 * -DN, -DBUGGY: relaxed publish (data race on the object)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
#ifdef BUGGY
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
struct object {
	int value;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct object *) instance;

static struct object *get(void)
{
	struct object *o = atomic_load_explicit(&instance, memory_order_acquire);

	if (o)
		return o;
	pthread_mutex_lock(&m);
	o = atomic_load_explicit(&instance, memory_order_relaxed);
	if (!o) {
		o = malloc(sizeof(*o));
		o->value = 42;
		atomic_store_explicit(&instance, o, PUBLISH);
	}
	pthread_mutex_unlock(&m);
	return o;
}

static void *worker(void *arg)
{
	(void)arg;
	assert(get()->value == 42);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	return 0;
}
