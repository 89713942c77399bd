/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * early.h - accesses of the program before it has a second thread
 *
 * Nothing can race there, so shadow memory is not asked, and no operation is performed. Errors
 * with memory are errors all the same: each access to the heap is compared with its blocks.
 */
#ifndef HEDDLE_PRELOAD_EARLY_H
#define HEDDLE_PRELOAD_EARLY_H

#include "preload/core/context.h"
#include "preload/memory/access.h"
#include "preload/memory/heap.h"

#pragma GCC visibility push(hidden)

/* As early_access(), of an access that may be to the heap. */
void early_check(const struct access *access);

/* An atomic access to the heap, of which that said that it is good, reads what is there. Likewise. */
void early_reads(const struct access *access);

/*
 * An atomic operation of the program, without a thread, at that address, of which it was said that it is good: true when
 * it is one of a great many in a row that have found what was there before, and is not to be said again.
 */
bool early_same(uint64_t addr, unsigned size);

/*
 * The program, without a thread under the engine, is about to access these bytes. Does not return
 * from an access that is no good: the bug is reported, and the process ends. After the root point
 * (the runtime itself runs), and without heddle, nothing is looked at.
 * Cost: nothing but two instructions outside the heap; inside, 2 ns for the block of the last
 * access, else a binary search among all blocks.
 */
static inline __attribute__((always_inline)) void early_access(uint64_t addr, uint64_t size,
							       bool is_write, bool is_atomic,
							       uint64_t pc)
{
	if (unlikely(heap_covers(addr)))
		early_check(&(struct access){ .addr = addr,
					      .size = size,
					      .pc = pc,
					      .is_write = is_write,
					      .is_atomic = is_atomic });
}

#pragma GCC visibility pop

#endif
