/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figure1.c - Figure 1 of the paper on RVF-SMC, as it is printed
 *
 * Three threads write the same values; one reads x and one reads y.
 */
#include "threads.h"

static atomic_int x, y;

static void *thread(void *arg)
{
	atomic_store(&x, 1);
	atomic_store(&y, 1);
	if ((intptr_t)arg == 1)
		(void)atomic_load(&x);
	if ((intptr_t)arg == 2)
		(void)atomic_load(&y);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	begin_all(t, 3, thread);
	join_all(t, 3);
	return 0;
}
