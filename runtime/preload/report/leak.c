/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leak.c - heap blocks that nothing points to when the program ends (--leaks)
 *
 * A block is reached when an aligned word in memory that is in use at the exit holds an
 * address in it: in a global variable, on the stack of a thread that has not ended, in its
 * registers or thread-local storage, in memory that the program has mapped, or in another block that is reached. What is not reached
 * is lost. Words that happen to look like an address hide a leak; nothing makes up one, except
 * addresses that the program keeps in another form.
 *
 * Blocks that wait to be looked at are chained through next_free, which a live block does
 * not use, in a list for each region.
 *
 * Cost: one pass over the program's writable memory for each execution.
 *
 * Caller: hook_exit.c, at the last step of an execution.
 */
#include "preload/report/leak.h"

#include <string.h>

#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/maps.h"
#include "preload/core/text.h"
#include "preload/fiber/fiber.h"
#include "preload/image/snapshot.h"
#include "preload/memory/heap.h"
#include "preload/memory/heap_region.h"
#include "preload/memory/mappings.h"
#include "preload/memory/origin.h"
#include "preload/report/report.h"

enum reached {
	LOST,     /* nothing points to it */
	LOST_TOO, /* only what is lost does */
	REACHED,
};

static uint32_t list[REGIONS]; /* index + 1 of the first that waits */

/* The live block that holds the address; *r is its region. */
static struct block *block_with(uint64_t addr, struct region **r)
{
	struct block *b;

	if (!heap_covers(addr))
		return NULL;
	*r = heap_region_of(addr);
	b = *r ? heap_block_before(*r, addr) : NULL;
	if (!b || b->freed || (addr >= b->start + b->size && addr != b->start))
		return NULL;
	return b;
}

/* Somebody of that state points there. */
static void point(uint64_t addr, enum reached how)
{
	struct region *r;
	struct block *b = block_with(addr, &r);

	if (!b || b->reached >= how)
		return;
	b->reached = (uint8_t)how;
	b->next_free = list[r - heap_region];
	list[r - heap_region] = (uint32_t)(b - r->block) + 1;
}

static void scan(uint64_t start, uint64_t end, enum reached how)
{
	for (uint64_t at = (start + 7) & ~7ul; at + 8 <= end; at += 8)
		point(*(const uint64_t *)at, how);
}

/* Looks at all blocks that wait, and at those that they lead to. */
static void follow(enum reached how)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < REGIONS; i++) {
			while (list[i]) {
				struct block *b = &heap_region[i].block[list[i] - 1];

				list[i] = b->next_free;
				b->next_free = 0;
				scan(b->start, b->start + b->size, how);
				any = true;
			}
		}
	}
}

/* A part of the program's image; the heap and main's stack have their own rules. */
static void scan_image(uint64_t start, uint64_t end)
{
	const struct fiber *main = &fibers[0];

	if (heap_covers(start))
		return;
	if (start < main->stack_high && end > main->stack_low)
		start = main->stack_high;
	scan(start, end, REACHED);
}

void leak_keep(uint64_t value)
{
	point(value, REACHED);
}

static uint64_t main_returned_to; /* in this execution; 0: it has not */

void leak_main_returns(uint64_t sp)
{
	main_returned_to = sp;
}

static void leak_begin(void)
{
	main_returned_to = 0;
}

AT_BEGIN(leak_begin);

static void scan_thread(const struct fiber *f)
{
	uint64_t sp = f->self.entry.sp ? f->self.entry.sp : f->context.sp;

	if (f == fiber_self())
		sp = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	if (f == &fibers[0] && main_returned_to > sp)
		sp = main_returned_to;
	for (int i = 0; i < 6; i++)
		point(f->self.entry.reg[i], REACHED);
	lifecycle_leaks((uint32_t)(f - fibers));
	if (sp >= f->stack_low && sp < f->stack_high)
		scan(sp, f->stack_high, REACHED);
	if (f->block_low)
		scan(f->block_low, f->block_high, REACHED);
}

/* What threads have mapped is no part of the image. */
static void scan_mapped(const struct maps_line *line, void *arg)
{
	struct mapping m;

	(void)arg;
	if (line->perms[0] == 'r' && line->perms[1] == 'w' && mappings_find(line->start, &m))
		scan(line->start, line->end, REACHED);
}

static void scan_roots(void)
{
	const struct region *own = &heap_region[REGION_RUNTIME];

	snapshot_each(scan_image);
	if (mappings_since_root())
		maps_each(scan_mapped, NULL);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (!t || fibers[t].alive)
			scan_thread(&fibers[t]);
	for (uint32_t i = 0; i < own->nblocks; i++)
		if (!own->block[i].freed)
			scan(own->block[i].start, own->block[i].start + own->block[i].size,
			     REACHED);
}

/* May the block be reported? Of those from before the root point, libraries keep some where
 * nobody looks. */
static bool counts(const struct region *r, const struct block *b)
{
	return !b->freed && b->reached == LOST &&
	       (r != heap_region || memory_from_program(b->alloc_pc));
}

static heddle_noreturn void report(const struct region *r, const struct block *b, uint64_t n,
				   uint64_t bytes)
{
	static struct bug_side side;
	static char buf[SHARED_TEXT];
	struct heap_block block;
	struct text t = text_in(buf, sizeof(buf));

	heap_describe(r, b, &block);
	origin_of(&side, &block);
	if (!side.frames) { /* the stack here is not that of the allocation */
		side.frames = 1;
		side.frame[0] = b->alloc_pc;
	}
	text_str(&t, "nothing points to a block of ");
	text_int(&t, (int64_t)b->size);
	text_str(&t, " bytes when the program ends");
	if (n > 1) {
		text_str(&t, "; ");
		text_int(&t, (int64_t)n);
		text_str(&t, " such blocks have ");
		text_int(&t, (int64_t)bytes);
		text_str(&t, " bytes");
	}
	report_bug(BUG_LEAK, b->start, buf, &side, 1);
}

static void clear(void)
{
	for (uint32_t i = 0; i < REGION_RUNTIME; i++)
		for (uint32_t k = 0; k < heap_region[i].nblocks; k++)
			heap_region[i].block[k].reached = LOST;
}

/* What lost blocks point to is lost with them, and not reported by itself. */
static void follow_lost(void)
{
	for (uint32_t i = 0; i < REGION_RUNTIME; i++) {
		for (uint32_t k = 0; k < heap_region[i].nblocks; k++) {
			struct block *b = &heap_region[i].block[k];

			if (b->freed || b->reached != LOST)
				continue;
			b->reached = REACHED; /* not by itself */
			scan(b->start, b->start + b->size, LOST_TOO);
			follow(LOST_TOO);
			b->reached = LOST;
		}
	}
}

__attribute__((noinline)) void leak_check(void)
{
	const struct region *where = NULL;
	const struct block *first = NULL;
	uint64_t n = 0, bytes = 0;

	if (!shared->config.setting[SETTING_LEAKS] || !rooted)
		return;
	__builtin_unwind_init(); /* registers go to the stack */
	clear();
	scan_roots();
	follow(REACHED);
	follow_lost();
	for (uint32_t i = 0; i < REGION_RUNTIME; i++) {
		for (uint32_t k = 0; k < heap_region[i].nblocks; k++) {
			const struct block *b = &heap_region[i].block[k];

			if (!counts(&heap_region[i], b))
				continue;
			n++;
			bytes += b->size;
			if (!first) {
				first = b;
				where = &heap_region[i];
			}
		}
	}
	if (first)
		report(where, first, n, bytes);
}
