/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eventcount.c - lost wake-up for want of a fence
 *
 * The sleeper says that it sleeps and looks at the work, the waker gives work and looks for sleepers.
 * Without a fence between the two steps both may miss each other, and the sleeper waits for ever.
 */
#include <semaphore.h>

#include "threads.h"

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() atomic_thread_fence(memory_order_acq_rel)
#endif

static atomic_int sleepers, work;
static sem_t wake;

static void either(int self)
{
	if (self == 0) {
		PUT(sleepers, 1, relaxed);
		FENCE();
		if (!GET(work, relaxed))
			sem_wait(&wake);
	} else {
		PUT(work, 1, relaxed);
		FENCE();
		if (GET(sleepers, relaxed))
			sem_post(&wake);
	}
}

int main(void)
{
	sem_init(&wake, 0, 0);
	run_threads(2, either);
	return 0;
}
