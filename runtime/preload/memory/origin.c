/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * origin.c - in a replay: where the block that it is about was allocated, and freed
 *
 * Of every block the heap knows the two calls. Their stacks would cost too much for each, so they are
 * kept of one only, in a replay, which knows beforehand which block that is: threads allocate the
 * same blocks in the same order. One before the root point may be used again; then the last use
 * counts.
 *
 * Callers: heap.c, and the reports of bugs.
 */
#include "preload/memory/origin.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/fiber/stack.h"

struct stack {
	uint32_t n;
	uint64_t frame[SHARED_MAX_FRAMES];
};

static struct stack allocated, freed;
KEPT(allocated);
KEPT(freed);

static bool is_the_one(const struct heap_block *block)
{
	const struct place *p = shared ? &shared->config.block : NULL;

	return p && shared->config.mode == ENGINE_REPLAY && p->kind == PLACE_HEAP &&
	       p->thread == block->thread && p->count == block->rank;
}

void origin_allocated(const struct heap_block *block)
{
	if (!is_the_one(block))
		return;
	allocated.n = stack_take(allocated.frame, SHARED_MAX_FRAMES);
	freed.n = 0;
}

void origin_freed(const struct heap_block *block)
{
	if (is_the_one(block))
		freed.n = stack_take(freed.frame, SHARED_MAX_FRAMES);
}

static void put(struct bug_side *side, uint32_t thread, uint64_t pc, const struct stack *stack,
		const struct heap_block *block)
{
	memset(side, 0, sizeof(*side));
	side->thread = thread;
	side->pc = pc;
	if (!is_the_one(block))
		return;
	side->frames = stack->n;
	memcpy(side->frame, stack->frame, stack->n * sizeof(stack->frame[0]));
}

void origin_of(struct bug_side *side, const struct heap_block *block)
{
	put(side, block->thread, block->alloc_pc, &allocated, block);
	side->call = SIDE_ALLOCATES;
}

enum side_call origin_freeing(enum heap_family family)
{
	return family == HEAP_NEW     ? SIDE_DELETES
	       : family == HEAP_ARRAY ? SIDE_DELETES_ARRAY
				      : SIDE_FREES;
}

void origin_end_of(struct bug_side *side, const struct heap_block *block)
{
	put(side, block->free_thread, block->free_pc, &freed, block);
	side->call = origin_freeing((enum heap_family)block->family);
}
