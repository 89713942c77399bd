/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * far_readers.c - see far_readers.h
 *
 * Cost: a look at LOCKS entries; far_forget() looks at all.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/lock/far_readers.h"

#include "preload/core/refuse.h"

enum {
	LOCKS = 8,
	FAR_THREADS = HEDDLE_MAX_THREADS - HEDDLE_EXPLORED_THREADS
};

static HEDDLE_IMAGE_SELDOM struct held {
	const void *lock;
	uint32_t times; /* 0: the entry is free */
} held[FAR_THREADS][LOCKS] = { { { .times = 0 } } };

static HEDDLE_IMAGE_SELDOM bool any = false;

/* The thread's entry of the lock; or, with NULL, a free one. NULL: there is none. */
static struct held *entry_of(uint32_t tid, const void *lock)
{
	struct held *h = held[tid - HEDDLE_EXPLORED_THREADS];

	for (unsigned i = 0; i < LOCKS; i++)
		if (lock ? h[i].times && h[i].lock == lock : !h[i].times)
			return &h[i];
	return NULL;
}

uint32_t far_depth(uint32_t tid, const void *lock)
{
	const struct held *h = entry_of(tid, lock);

	return h ? h->times : 0;
}

void far_add(uint32_t tid, const void *lock, int by)
{
	struct held *h = entry_of(tid, lock);

	if (!h && by < 0)
		return;
	if (!h)
		h = entry_of(tid, NULL);
	if (!h)
		refuse("one of more than 64 threads holds more than 8 read-write locks at once for reading: release them earlier",
		       NULL);
	any = true;
	h->lock = lock;
	h->times += (uint32_t)by;
}

void far_forget(const void *lock)
{
	struct held *h;

	for (uint32_t t = HEDDLE_EXPLORED_THREADS; any && t < HEDDLE_MAX_THREADS; t++)
		if ((h = entry_of(t, lock)))
			h->times = 0;
}
