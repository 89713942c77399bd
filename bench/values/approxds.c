/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * approxds.c - N threads append to an array whose size is known about: each looks how large it is, puts its number there if
 * nobody has, and tells that it is larger by one. So some are lost, which is the idea.
 *
 * -DN=threads
 */
#include "threads.h"

#ifndef N
#define N 6
#endif
static atomic_int size, array[N];

static void *append(void *arg)
{
	int at = atomic_load(&size);

	if (atomic_load(&array[at]) == 0) {
		atomic_store(&array[at], (int)(intptr_t)arg + 1);
		atomic_store(&size, at + 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, N, append);
	join_all(t, N);
	return 0;
}
