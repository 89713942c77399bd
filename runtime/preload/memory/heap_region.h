/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_region.h - the tables of the heap
 *
 * Internal to heap.c, which says what they mean, heap_free.c, leak.c and unseen.c.
 */
#ifndef HEDDLE_PRELOAD_HEAP_REGION_H
#define HEDDLE_PRELOAD_HEAP_REGION_H

#include "preload/core/context.h"

enum {
	REGIONS = HEDDLE_MAX_THREADS + 2,
	REGION_RUNTIME = REGIONS - 1,
};

struct block {
	uint64_t start;    /* of what the program got */
	uint64_t size;     /* what it asked for */
	uint64_t capacity; /* region 0: what there is, for using it again */
	uint64_t alloc_pc, free_pc;
	union {
		uint32_t next_free; /* region 0: in the list of its class, + 1 */
		uint32_t clock;     /* others: its thread's own entry then, or BIRTH_UNTOLD */
	};
	uint8_t freed : 1, again : 1; /* again: its memory was another block's before */
	uint8_t reached;              /* leak.c */
	uint16_t free_thread : 12, family : 4;
};

struct region {
	uint64_t base, next; /* next: first byte never handed out (in this execution) */
	uint64_t high;       /* bytes at and above it were never written */
	uint64_t mapped;     /* end of what is accessible */
	struct block *block;
	uint32_t nblocks;
};

struct heap_block;

#pragma GCC visibility push(hidden)

extern struct region heap_region[REGIONS];

/* The region in use that addr lies in, or NULL. */
struct region *heap_region_of(uint64_t addr);

/* The block that starts exactly at addr, or NULL. */
struct block *heap_block_at(const struct region *r, uint64_t addr);

/* The block, a live one, is freed by a call at pc. */
void heap_release(struct region *r, struct block *b, uint64_t pc);

/* What reports say of it. */
void heap_describe(const struct region *r, const struct block *b, struct heap_block *out);

/* The last block of the region that starts at or before addr, or NULL. */
struct block *heap_block_before(const struct region *r, uint64_t addr);

#pragma GCC visibility pop

#endif
