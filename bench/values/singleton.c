/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * singleton.c - one thread makes an object, the others write to it, all but the last the same
 *
 * The first thread then reads it: one of two values, by reads-from one of N writes.
 *
 * -DN=writers
 */
#include "threads.h"

#ifndef N
#define N 3
#endif
static _Atomic(atomic_int *) object;

static void *maker(void *arg)
{
	static atomic_int it;

	atomic_store(&object, &it);
	return arg;
}

static void *writer(void *arg)
{
	atomic_store(atomic_load(&object), (intptr_t)arg == N - 1 ? 'Y' : 'X');
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, 1, maker);
	join_all(t, 1);
	begin_all(t, N, writer);
	join_all(t, N);
	(void)atomic_load(atomic_load(&object));
	return 0;
}
