/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.h - new threads and processes that start on the processor that we are on
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_PROCESSORS_H
#define HEDDLE_PRELOAD_PROCESSORS_H

#pragma GCC visibility push(hidden)

struct processors {
	unsigned long set[1024 / sizeof(unsigned long)]; /* for up to 8192 of them */
	long size; /* of the part that the kernel uses, in bytes; 0: they are as they were */
};

/*
 * Stays on this processor, and so do those that are made now: they inherit the set. Notes what there was
 * for processors_unpin(). When that cannot be had, nothing changes.
 */
void processors_pin(struct processors *old);
void processors_unpin(const struct processors *old);

#pragma GCC visibility pop

#endif
