/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ckring.c - Concurrency Kit's ring of four places, three of which it uses (pair.h)
 */
#include <ck_ring.h>

#include "pair.h"

static ck_ring_t ring;
static ck_ring_buffer_t places[4];

static void begin(void)
{
	ck_ring_init(&ring, 4);
}

static bool add(long number)
{
	return ck_ring_enqueue_spsc(&ring, places, (void *)number);
}

static bool take(long *number)
{
	void *p;

	if (!ck_ring_dequeue_spsc(&ring, places, &p))
		return false;
	*number = (long)p;
	return true;
}
