/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ckfifo.c - Concurrency Kit's queue of nodes for one producer and one consumer (pair.h)
 */
#include <ck_fifo.h>

#include "pair.h"

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entry[ITEMS];

static void begin(void)
{
	ck_fifo_spsc_init(&fifo, &stub);
}

static bool add(long number)
{
	ck_fifo_spsc_enqueue(&fifo, &entry[number - 1], (void *)number);
	return true;
}

static bool take(long *number)
{
	void *p;

	if (!ck_fifo_spsc_dequeue(&fifo, &p))
		return false;
	*number = (long)p;
	return true;
}
