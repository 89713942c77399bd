/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Up to tens of thousands of executions, complete and blocked; with `bugs`, two assertions fail.
 *
 *	many THREADS ROUNDS [bugs | kill]
 *
 * Each thread takes a lock that it may have to wait for, adds to a counter, and marks itself in a
 * word of all; with `kill` the process kills itself in one of the executions.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock, marks, sum;
static int rounds, bugs, kills;

static void find_bugs(int me)
{
	if (me < 3)
		assert(atomic_load_explicit(&marks, memory_order_relaxed) / 10 != 3);
	else
		assert(atomic_load_explicit(&sum, memory_order_relaxed) != 2);
}

static void *worker(void *arg)
{
	int me = (int)(long)arg;

	for (int i = 0; i < rounds; i++) {
		while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
			;
		atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
		atomic_store_explicit(&lock, 0, memory_order_release);
		atomic_store_explicit(&marks, me * 10 + i, memory_order_relaxed);
	}
	if (bugs)
		find_bugs(me);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t t[8];

	rounds = argc > 2 ? atoi(argv[2]) : 1;
	bugs = argc > 3 && !strcmp(argv[3], "bugs");
	kills = argc > 3 && !strcmp(argv[3], "kill");
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, worker, (void *)(long)(i + 1));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	if (kills && atomic_load(&marks) == 10)
		syscall(SYS_kill, getpid(), SIGKILL);
	return 0;
}
