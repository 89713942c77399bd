/* SPDX-License-Identifier: BSD-2-Clause */
/* bytes.h - what each byte of the program's memory is */
#ifndef HEDDLE_PRELOAD_BYTES_H
#define HEDDLE_PRELOAD_BYTES_H

#include <stdbool.h>

/*
 * What a byte of the granule is, in four bits each (byte 0 lowest): the first byte of an
 * atomic location of 1, 2, 4, 8 or 16 bytes, a later byte of one, freed memory, or between
 * two blocks of the heap.
 */
enum shadow_byte {
	BYTE_PLAIN = 0,
	BYTE_ATOMIC_1 = 1,
	BYTE_ATOMIC_16 = 5,
	BYTE_FREED = 7,
	BYTE_WRITTEN = 8, /* added to BYTE_ATOMIC_*: has a write event in this execution */
	BYTE_OUTSIDE = 8, /* by itself: in the heap, but in no block of it */
	BYTE_INSIDE = 15,
};

/* Is it the first byte of an atomic location? */
static inline bool byte_is_atomic(unsigned b)
{
	const unsigned size = b & ~(unsigned)BYTE_WRITTEN;

	return size >= BYTE_ATOMIC_1 && size <= BYTE_ATOMIC_16;
}

#endif
