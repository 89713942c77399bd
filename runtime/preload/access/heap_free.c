/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_free.c - the program frees a block of the heap
 *
 * For the other accesses to the block that is a write of it all, and no later one may come.
 */
#include "preload/access/heap_free.h"

#include "preload/access/shadow_plain.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/wipe.h"
#include "preload/memory/heap_region.h"
#include "preload/report/memreport.h"

void heap_free(void *p, enum heap_family family, uint64_t pc)
{
	struct region *r = heap_region_of((uint64_t)(uintptr_t)p);
	struct block *b;

	if (!p)
		return;
	b = r ? heap_block_at(r, (uint64_t)(uintptr_t)p) : NULL;
	if (!b || b->freed) {
		if (!current && rooted)
			return; /* libc, on behalf of the runtime */
		report_bad_free((uintptr_t)p, family, pc);
	}
	if (unlikely(b->family != family))
		check_family((uintptr_t)p, (enum heap_family)b->family, b->alloc_pc, family, pc);
	if (!current && rooted && r != &heap_region[REGION_RUNTIME])
		return;
	lifecycle_hidden();
	if (current)
		shadow_free((uintptr_t)p, b->size, pc);
	heap_release(r, b, pc);
	wipe_below();
}
