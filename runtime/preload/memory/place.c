/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * place.c - the name of an address, the same in every run
 *
 * A global is its module and offset; a heap block or a mapping its thread and rank; a stack slot its
 * thread and distance from the top of that stack. What is on a stack that the program gave is part of a
 * global or of a block.
 */
#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/heap.h"
#include "preload/memory/mappings.h"
#include "preload/memory/place.h"

bool place_on_stack(uint64_t addr, struct place *p)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		uint64_t top = t ? fibers[t].block_high : fibers[t].stack_high;
		uint64_t low = t ? fibers[t].own_low : top - (64ul << 20);

		if (fiber_has_given_stack(&fibers[t]) &&
		    addr - fibers[t].stack_low < fibers[t].stack_high - fibers[t].stack_low)
			top = fibers[t].stack_high; /* of one that the program gave it, too */
		else if (addr < low || addr >= top)
			continue;
		p->kind = PLACE_STACK;
		p->thread = t;
		p->offset = top - addr;
		return true;
	}
	return false;
}

uint64_t address_of_place(const struct place *p, uint64_t addr)
{
	if (p->kind == PLACE_GLOBAL && p->module < shared->nmodules && module_is_there(p->module))
		return shared->modules[p->module].base + p->offset;
	if (p->kind == PLACE_STACK && !p->thread)
		return fibers[0].stack_high - p->offset;
	return addr; /* the runtime's own part of the address space is always the same */
}

struct place place_of(uint64_t addr)
{
	struct heap_block block;
	struct mapping mapping;
	struct place p;
	int module;

	memset(&p, 0, sizeof(p));
	p.offset = addr;
	if (heap_covers(addr)) {
		if (!heap_block_of(addr, &block))
			return p;
		p.kind = PLACE_HEAP;
		p.thread = block.thread;
		p.count = block.rank;
		p.size = block.size;
		p.offset = addr - block.addr;
		return p;
	}
	module = module_of(addr);
	if (module >= 0) {
		p.kind = PLACE_GLOBAL;
		p.module = (uint32_t)module;
		p.offset = addr - shared->modules[module].base;
		return p;
	}
	if (!place_on_stack(addr, &p) && mappings_find(addr, &mapping)) {
		p.kind = PLACE_MAPPED;
		p.thread = mapping.thread;
		p.count = mapping.rank;
		p.size = mapping.size;
		p.offset = addr - mapping.at;
	}
	return p;
}
