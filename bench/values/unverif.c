/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unverif.c - N threads that each take a number, and then another one, after SV-COMP's 13_unverif
 *
 * -DN=threads
 */
#include "threads.h"

#ifndef N
#define N 3
#endif
static atomic_int first, second;

static void *takes_two(void *arg)
{
	atomic_fetch_add(&first, 1);
	atomic_fetch_add(&second, 1);
	return arg;
}

int main(void)
{
	pthread_t t[N];

	begin_all(t, N, takes_two);
	join_all(t, N);
	return 0;
}
