/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * late.c - what some orders only show is found out late: two futexes are requeued there
 *
 * Their addresses are the program's, so they are others in each process where randomisation is on.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	THREADS = 6
};

static atomic_int turn, came[THREADS];
static uint32_t from, to;

static void *race(void *arg)
{
	came[(intptr_t)arg] = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, race, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (came[0] == 3 && came[1] == 1 && came[2] == 5 && came[3] == 0)
		syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE, 0, 1, &to, 0);
	return 0;
}
