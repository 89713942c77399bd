/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peterson.c - Peterson's lock for two threads guarding a plain counter
 *
 * -DK rounds, -DORDER=memory_order_seq_cst (correct) or memory_order_acq_rel-like weaker:
 * -DWEAK (broken)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#ifndef K
#define K 1
#endif
#ifdef WEAK
#define ST memory_order_release
#define LD memory_order_acquire
#else
#define ST memory_order_seq_cst
#define LD memory_order_seq_cst
#endif
static atomic_int flag[2], turn;
static int counter;

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < K; i++) {
		atomic_store_explicit(&flag[me], 1, ST);
		atomic_store_explicit(&turn, 1 - me, ST);
		while (atomic_load_explicit(&flag[1 - me], LD) &&
		       atomic_load_explicit(&turn, LD) == 1 - me)
			;
		counter++;
		atomic_store_explicit(&flag[me], 0, ST);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, (void *)0);
	pthread_create(&b, NULL, worker, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counter == 2 * K);
	return 0;
}
