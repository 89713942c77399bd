/* SPDX-License-Identifier: BSD-2-Clause */
/* placed.c - see placed.h */
#include "preload/image/placed.h"

#include "preload/core/context.h"
#include "preload/core/sys.h"

enum {
	PAGE = 4096,
	MOST_ALIGNED = 1 << 30
};

/* Above everything of the runtime's (fiber.h). */
#define PLACED_START      0x300000000000ul
#define PLACED_PER_THREAD (1ul << 36)

/* Bytes of each thread's part, and whether there are any at all. */
static HEDDLE_IMAGE_SELDOM uint64_t used[HEDDLE_MAX_THREADS] = { 0 };
static HEDDLE_IMAGE_SELDOM bool any = false;

static uint64_t part_of(uint32_t tid)
{
	return PLACED_START + tid * PLACED_PER_THREAD;
}

static uint64_t alignment_of(const void *p)
{
	const uint64_t at = (uintptr_t)p | MOST_ALIGNED, lowest = at & -at;

	return p && lowest > PAGE ? lowest : PAGE;
}

void *placed_next(size_t size, const void *like)
{
	const uint64_t align = alignment_of(like);
	uint64_t *mine = &used[current->tid], at = (*mine + align - 1) & ~(align - 1);
	uint64_t whole = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (whole < size || at >= PLACED_PER_THREAD - PAGE || whole > PLACED_PER_THREAD - PAGE - at)
		return NULL;
	any = true;
	*mine = at + whole + PAGE;
	return (void *)(part_of(current->tid) + at);
}

bool placed_has(const void *at, size_t size)
{
	const uint64_t from = (uintptr_t)at - PLACED_START;
	const uint64_t tid = from / PLACED_PER_THREAD;

	return (uintptr_t)at >= PLACED_START && tid < HEDDLE_MAX_THREADS && size <= used[tid] &&
	       from % PLACED_PER_THREAD <= used[tid] - size;
}

void placed_undo(void)
{
	if (!any)
		return;
	for (uint32_t tid = 0; tid < HEDDLE_MAX_THREADS; tid++)
		if (used[tid])
			sys4(SYS_munmap, (long)part_of(tid), (long)used[tid], 0, 0);
}
