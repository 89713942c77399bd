/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap.h - the program's heap under heddle
 *
 * Internal to runtime/preload; hook_heap.c gives it the names that programs call.
 */
#ifndef HEDDLE_PRELOAD_HEAP_H
#define HEDDLE_PRELOAD_HEAP_H

#include "preload/core/context.h"
#include "preload/core/wipe.h"

#pragma GCC visibility push(hidden)

/* Which family of functions a block comes from, or is given back to. */
enum heap_family {
	HEAP_C,     /* malloc(), free() */
	HEAP_NEW,   /* operator new, operator delete */
	HEAP_ARRAY, /* operator new[], operator delete[] */
};

struct heap_block {
	uint64_t addr, size;
	uint32_t thread, rank; /* "block #rank of thread" */
	uint8_t family;        /* enum heap_family (heap.h) */
	uint64_t alloc_pc;     /* caller of malloc */
	bool freed, again;     /* again: its memory was another block's before */
	uint64_t free_pc;      /* caller of free, when freed */
	uint32_t free_thread;
};

/* What a fresh block of at most HEAP_FILLED bytes is filled with, and the beginning of a
 * larger one: neither zero nor an address. */
enum {
	HEAP_POISON = UNWRITTEN,
	HEAP_FILLED = 1 << 16,
};

/*
 * A block of size bytes at a multiple of align (a power of two), from the region of whoever
 * calls: a thread, the program before the root point, or the runtime. Its first bytes are
 * HEAP_POISON, the others zero (or, before the root point, what was there). NULL when the
 * region is full.
 */
void *heap_alloc(uint64_t size, uint64_t align, enum heap_family family, uint64_t pc);

/* Bytes a live block has; 0 for a pointer that is no live block. */
uint64_t heap_size(const void *p);

/*
 * Of the eight bytes of a granule: those that lie in no block of the heap. *freed: the others
 * are of a freed one.
 */
uint8_t heap_outside(uint64_t granule, bool *freed);
/* Are all of these bytes in one block that is not freed? */
bool heap_is_one(uint64_t start, uint64_t size);

/*
 * When the block of a granule was allocated, by the clock of the thread that did; false if all that touch it
 * are behind that: it was before the root point. Or if nobody can tell how they got to know of it: who allocates
 * in a library that is not instrumented may hand it over there, too. Nor is it asked with --plain=explore,
 * where that a plain pointer was read orders as little as a relaxed one.
 */
struct heap_birth {
	uint32_t tid, clock;
	uint64_t pc;
};
bool heap_birth(uint64_t granule, struct heap_birth *out);

/* Was the block allocated before the root point? */
bool heap_early(uint64_t addr);
/* The thread that allocates at such addresses, or HEAP_NOBODY: they are in no heap of a thread. */
uint32_t heap_owner(uint64_t addr);
#define HEAP_NOBODY UINT32_MAX

/* A granule in front of each block, which is in none: it stands for what is known of the block, that there is one, of that size. */
static inline uint64_t heap_header(uint64_t block)
{
	return block - 16;
}

/* Is called, if it is set, when a thread has allocated a block. */
extern void (*heap_allocates)(uint64_t addr, uint64_t size);

/* The block of the heap that is nearest to addr; false if there is none in its region. */
bool heap_nearest(uint64_t addr, struct heap_block *out);

/* The block of the heap that addr lies in (or right behind); false if there is none. */
bool heap_block_of(uint64_t addr, struct heap_block *out);
/* Quick test: can addr be in the heap at all? */
static inline bool heap_covers(uint64_t addr)
{
	return addr - 0x100000000000ul < 0x1f000000000ul;
}

/* The used part of the memory allocated before the root point: belongs to the image. */
void heap_image(uint64_t *start, uint64_t *end);

#pragma GCC visibility pop

#endif
