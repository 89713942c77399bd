/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reorder5.c - N setters write a = 1 then b = -1; one checker looks whether it sees both or none
 *
 * Four executions by value. The checker's condition reads up to four times, as in the benchmark,
 * so that there are 1 + N^3 + N^2 (N + 1) by reads-from: 54,901 with 30 setters, as the paper prints.
 *
 * -DN=setters
 */
#include "threads.h"

#ifndef N
#define N 3
#endif
static atomic_int a, b;

static void *setter(void *arg)
{
	atomic_store(&a, 1);
	atomic_store(&b, -1);
	return arg;
}

static void *checker(void *arg)
{
	int sees = (atomic_load(&a) == 0 && atomic_load(&b) == 0) ||
		   (atomic_load(&a) == 1 && atomic_load(&b) == -1);

	(void)sees;
	return arg;
}

int main(void)
{
	pthread_t t[N + 1];

	begin_all(t, N, setter);
	begin_all(t + N, 1, checker);
	join_all(t, N + 1);
	return 0;
}
