/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * semaphores.c - semaphores taken in two orders
 *
 * A copier needs a buffer and a channel, and the two kinds of them take these in different orders: with one of
 * each, both wait for what the other holds.
 */
#include <semaphore.h>

#include "threads.h"

static sem_t buffers, channels;

static void copy(int self)
{
	sem_t *first = &buffers, *second = &channels;

#ifndef FIXED
	if (self) {
		first = &channels;
		second = &buffers;
	}
#endif
	(void)self;
	sem_wait(first);
	sem_wait(second);
	sem_post(second);
	sem_post(first);
}

int main(void)
{
	sem_init(&buffers, 0, 1);
	sem_init(&channels, 0, 1);
	run_threads(2, copy);
	return 0;
}
