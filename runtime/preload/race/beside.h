/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beside.h - may accesses of two threads that conflict be beside each other, in any execution of what threads are known to do?
 *
 * For executions that the engine makes where it goes by values (engine/value/value.txt, V14). Of each granule (eight bytes) all accesses
 * that any run has had are kept, with where their threads were then by creation and join. Two of them are in order if one thread was over, or not created yet, where the
 * other one was: that is so in each execution that has both. If two that conflict are not, the program runs each time from then on, until the search begins anew.
 */
#ifndef HEDDLE_PRELOAD_BESIDE_H
#define HEDDLE_PRELOAD_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum beside_how {
	BESIDE_READS,  /* plainly */
	BESIDE_WRITES, /* likewise */
	BESIDE_HOLDS,  /* a block of the heap is allocated, or freed */
	BESIDE_LOOKS,  /* by an operation */
	BESIDE_OPERATES
};

/* The calling thread does that to bytes of the granule, while memo_watched. */
void beside_note(uint64_t granule, uint8_t mask, enum beside_how how);
/* It allocates a block. */
void beside_holds(uint64_t addr, uint64_t size);
/* A round of the thread that is left out would have done that; by an operation, or plainly. Also while nothing is watched, as it is not told again. */
void beside_round(uint64_t granule, uint8_t mask, bool is_write, bool is_plain, uint32_t tid);

#pragma GCC visibility pop

#endif
