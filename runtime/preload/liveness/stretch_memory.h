/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_memory.h - what an instruction accesses that nobody else minds
 *
 * Internal to stretch_reach.c and tail.c.
 */
#ifndef HEDDLE_PRELOAD_STRETCH_MEMORY_H
#define HEDDLE_PRELOAD_STRETCH_MEMORY_H

#include "preload/liveness/flow_code.h"

#pragma GCC visibility push(hidden)

enum {
	TOLD_ALL = 30000 /* bytes announced: as many as there are */
};

/* What is known before an instruction: bytes that were announced and not accessed yet. */
struct told {
	bool met;
	bool ends;  /* control does not go on behind it; calls of operations among them */
	bool leads; /* stretch_way(): a way goes on from there */
	int16_t reads, writes;
	uint16_t
		constants; /* registers that hold the address of what is never written, by the code itself */
};

/* Of what callee_announces() says. */
static inline int16_t memory_bytes(uint16_t n)
{
	return n == UINT16_MAX ? TOLD_ALL : (int16_t)n;
}

/* Does nobody write there once the program runs? The addresses that the loader has put there, too. */
bool memory_is_constant(uint64_t addr);
/* Is it about the frame of the function, or what is constant? */
bool memory_needs_no_telling(const struct node *node);
/* May it access these bytes of the frame, from one offset up to the other, other than through a pointer of which nothing is known? */
bool memory_overlaps(const struct node *node, int64_t from, int64_t to);
/* Does it push something there? */
bool memory_pushes_over(const struct node *node, int64_t from, int64_t to);
/* Uses up what was announced. False: that is less than the instruction accesses. */
bool memory_take(const struct insn *in, struct told *left);
/*
 * Does it only read what nobody writes, through one of these registers, a set by number, which hold the address of some such object? Where it is
 * an element of that, the register is the base or the index.
 */
bool memory_reads_constant(const struct insn *in, uint16_t constants);
/* Those that do behind an instruction. */
uint16_t memory_constants_behind(const struct insn *in, uint16_t constants);
/* Bytes whose write was announced last, in front of a place, and that were not written yet. */
int16_t memory_announced_before(const struct flow_code *fn, uint64_t offset);
/* Of a call or a jump; 0: the code does not say. A word that the program may write to says nothing. */
uint64_t memory_target_of(const struct insn *in);

#pragma GCC visibility pop

#endif
