/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap.c - a heap whose addresses do not depend on the schedule
 *
 * The heap is cut into regions at fixed addresses, of REGION bytes, and half of that for threads beyond those that are
 * explored:
 *
 *	region 0	what the program allocates before the root point
 *	region t + 1	what thread t allocates from then on
 *	the last one	what libc allocates while the runtime calls it
 *
 * In a thread's region blocks are handed out upwards, in the thread's own program order, and
 * none is handed out again in the same execution: so an address is a (thread, rank) in every
 * schedule, and any access to a freed block is exactly that. The region is emptied before
 * each execution. A fresh block is filled with a pattern, by which a read of what nobody has
 * written can be told (memreport.c); so nothing of an earlier execution is left in it.
 *
 * In region 0 freed blocks are used again, by classes of size; a program may run for long
 * before its first thread. Its used part belongs to the image. Blocks of it that are freed
 * later stay where they are, and the note that they are free is undone with the image.
 *
 * Every block has an entry in its region's table, in order of address; an interior pointer
 * is found by bisection. 16 bytes in front of the block hold its rank as a hint, so that
 * free() costs O(1). The program may overwrite the hint; the table is what counts. Since it
 * belongs to no block, an access beyond the end of a block by less than that is always found
 * out (heap_outside()).
 */
#include "preload/memory/heap.h"

#include <string.h>

#include "base/must.h"
#include "engine/engine.h"
#include "preload/code/modules.h"
#include "preload/core/active.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/wipe.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/heap_region.h"
#include "preload/memory/limit.h"
#include "preload/memory/origin.h"

#define HEAP_START OWN_START
#define REGION     (1ul << 33)
#define MAX_BLOCKS (1u << 26)

enum {
	HINT = 16,
	CLASSES = 256,
	MAX_UNDO = 1 << 20,
	/* So many bytes of freed blocks of a capacity rest: a late access finds them freed still. */
	RESTING = 4096,
	BIRTH_UNTOLD = UINT32_MAX,
};

struct region heap_region[REGIONS];
KEPT(heap_region);
/* Region 0: the free blocks of a capacity, the first freed first; index + 1. */
static struct free_blocks {
	uint32_t head, tail;
	uint64_t bytes;
} class_free[CLASSES];
static uint32_t undo[MAX_UNDO], nundo; /* region 0: freed since the root point */
KEPT(undo);

/* A child that runs alone (init_detach()) has real threads. */
static int busy;

static void lock(void)
{
	/* acquire: partner is the release in unlock() */
	while (init_state == INIT_DETACHED && __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	if (init_state == INIT_DETACHED)
		__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* ---- Regions ---------------------------------------------------------------------------------- */

/* Regions of the size REGION; others are half as large. */
enum {
	LARGE = HEDDLE_EXPLORED_THREADS + 1
};

static uint64_t region_start(uint32_t i)
{
	return HEAP_START + (i < LARGE ? 2 * i : LARGE + i) * (REGION / 2);
}

/* The one that the address is in, or would be. */
static uint64_t region_number(uint64_t addr)
{
	uint64_t half = (addr - HEAP_START) / (REGION / 2);

	return half < 2 * LARGE ? half / 2 : half - LARGE;
}

_Static_assert((LARGE + REGIONS) * (REGION / 2) <= OWN_HOOKS - OWN_START, "below the stacks");

static void region_map(struct region *r)
{
	size_t table = (size_t)MAX_BLOCKS * sizeof(struct block);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

	const uint32_t i = (uint32_t)(r - heap_region);
	const uint64_t size = region_start(i + 1) - region_start(i) - 4096;

	r->base = r->next = r->high = region_start(i);
	if (sys_failed(sys_mmap(r->base, size, PROT_READ | PROT_WRITE, flags, -1)))
		refuse_for_room();
	r->mapped = r->base + size;
	r->block = map_own(table);
}

static struct region *region_of_caller(void)
{
	struct region *r = &heap_region[0];

	if (rooted)
		r = current ? &heap_region[current->tid + 1] : &heap_region[REGION_RUNTIME];
	if (unlikely(!r->base))
		region_map(r);
	return r;
}

struct region *heap_region_of(uint64_t addr)
{
	uint64_t i = region_number(addr);

	return addr >= HEAP_START && i < REGIONS && heap_region[i].base ? &heap_region[i] : NULL;
}

/* ---- Finding blocks ----------------------------------------------------------------------------- */

struct block *heap_block_before(const struct region *r, uint64_t addr)
{
	uint32_t low = 0, high = r->nblocks;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (r->block[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &r->block[low - 1] : NULL;
}

struct block *heap_block_at(const struct region *r, uint64_t addr)
{
	uint32_t hint;
	struct block *b;

	if (addr < r->base + HINT || addr >= r->next || addr % 16)
		return NULL;
	hint = *(uint32_t *)(addr - HINT);
	if (hint < r->nblocks && r->block[hint].start == addr)
		return &r->block[hint];
	b = heap_block_before(r, addr);
	return b && b->start == addr ? b : NULL;
}

void heap_describe(const struct region *r, const struct block *b, struct heap_block *out)
{
	out->addr = b->start;
	out->size = b->size;
	out->thread = r == heap_region ? 0 : (uint32_t)(r - heap_region) - 1;
	/* Main's blocks count on from those it had before the root point. */
	out->rank = (uint32_t)(b - r->block) + (r == &heap_region[1] ? heap_region[0].nblocks : 0);
	out->family = b->family;
	out->alloc_pc = b->alloc_pc;
	out->freed = b->freed;
	out->again = b->again;
	out->free_pc = b->free_pc;
	out->free_thread = b->free_thread;
}

bool heap_block_of(uint64_t addr, struct heap_block *out)
{
	struct region *r = heap_region_of(addr);
	struct block *b = r ? heap_block_before(r, addr) : NULL;

	if (!b || addr > b->start + b->size)
		return false;
	heap_describe(r, b, out);
	return true;
}

bool heap_early(uint64_t addr)
{
	return heap_region_of(addr) == heap_region;
}

uint32_t heap_owner(uint64_t addr)
{
	const struct region *r = heap_covers(addr) ? heap_region_of(addr) : NULL;

	if (!r || r == heap_region || r == &heap_region[REGION_RUNTIME])
		return HEAP_NOBODY;
	return (uint32_t)(r - heap_region) - 1;
}

bool heap_nearest(uint64_t addr, struct heap_block *out)
{
	struct region *r = heap_region_of(addr);
	struct block *b = r ? heap_block_before(r, addr) : NULL, *end;

	if (!r || !r->nblocks)
		return false;
	end = r->block + r->nblocks;
	if (!b)
		b = r->block;
	else if (b + 1 < end && addr >= b->start + b->size &&
		 b[1].start - addr < addr - (b->start + b->size))
		b++;
	heap_describe(r, b, out);
	return true;
}

/* The block that heap_outside() found last: most accesses are to the same one again. */
static uint64_t last_start, last_size;
FRESH(last_start);

uint8_t heap_outside(uint64_t granule, bool *freed)
{
	struct region *r;
	struct block *b;
	uint64_t inside;

	*freed = false;
	if (granule >= last_start && granule + 8 <= last_start + last_size)
		return 0;
	r = heap_region_of(granule);
	if (!r)
		return 0;
	b = heap_block_before(r, granule);
	if (!b || granule >= b->start + b->size)
		return 0xff;
	*freed = b->freed;
	if (!b->freed) {
		last_start = b->start;
		last_size = b->size;
	}
	inside = b->start + b->size - granule;
	return inside >= 8 ? 0 : (uint8_t)(0xff << inside);
}

bool heap_birth(uint64_t granule, struct heap_birth *out)
{
	struct region *r = heap_region_of(granule);
	struct block *b;

	if (!r || r == heap_region || r == &heap_region[REGION_RUNTIME])
		return false;
	b = heap_block_before(r, granule);
	if (!b || b->freed || b->clock == BIRTH_UNTOLD)
		return false;
	out->tid = (uint32_t)(r - heap_region) - 1;
	out->clock = b->clock;
	out->pc = b->alloc_pc;
	return true;
}

bool heap_is_one(uint64_t start, uint64_t size)
{
	struct region *r = heap_region_of(start);
	struct block *b = r ? heap_block_before(r, start) : NULL;

	return b && !b->freed && start + size <= b->start + b->size;
}

/* ---- Allocation ----------------------------------------------------------------------------------- */

/* Capacities: multiples of 16 up to 1 KiB, then four steps to each power of two. */
static uint64_t class_of(uint64_t size, uint32_t *class)
{
	unsigned log;
	uint64_t step, capacity;

	if (size <= 1024) {
		capacity = size ? (size + 15) & ~15ul : 16;
		*class = (uint32_t)(capacity / 16);
		return capacity;
	}
	log = 63 - (unsigned)__builtin_clzl(size - 1);
	step = 1ul << (log - 2);
	capacity = (size + step - 1) & ~(step - 1);
	*class = 65 + (log - 10) * 4 + (uint32_t)((capacity - (1ul << log)) / step) - 1;
	return capacity;
}

static struct block *block_reuse(struct region *r, uint64_t size, uint64_t align, uint32_t class)
{
	struct free_blocks *l = &class_free[class];
	struct block *b;

	if (l->bytes <= RESTING || align > 16)
		return NULL;
	b = &r->block[l->head - 1];
	l->head = b->next_free;
	l->bytes -= b->capacity;
	b->size = size;
	b->freed = 0;
	b->again = 1;
	return b;
}

static struct block *block_new(struct region *r, uint64_t size, uint64_t capacity, uint64_t align)
{
	uint64_t start = (r->next + HINT + align - 1) & ~(align - 1);
	uint64_t end = start + capacity;
	struct block *b;

	if (end < start || end > r->mapped || r->nblocks == MAX_BLOCKS)
		return NULL;
	if (start < r->high) {
		uint64_t dirty = end < r->high ? end : r->high;

		memset((void *)start, 0, dirty - start);
	}
	b = &r->block[r->nblocks];
	*b = (struct block){ .start = start, .size = size, .capacity = capacity };
	*(uint64_t *)(start - HINT) = r->nblocks++;
	r->next = end;
	if (end > r->high)
		r->high = end;
	return b;
}

static uint32_t time_of_birth(uint64_t pc)
{
	if (!current || shared->config.setting[SETTING_PLAIN] || !memory_from_program(pc))
		return BIRTH_UNTOLD;
	return current->clock[current->tid];
}

static void tell_origin(const struct region *r, const struct block *b,
			void (*tell)(const struct heap_block *))
{
	struct heap_block out;

	if (!shared || shared->config.mode != ENGINE_REPLAY)
		return;
	heap_describe(r, b, &out);
	tell(&out);
}

void (*heap_allocates)(uint64_t addr, uint64_t size);
KEPT(heap_allocates);

void *heap_alloc(uint64_t size, uint64_t align, enum heap_family family, uint64_t pc)
{
	struct region *r = region_of_caller();
	uint64_t capacity;
	uint32_t class;
	struct block *b = NULL;

	if (size > REGION)
		return NULL;
	if (align < 16)
		align = 16;
	lifecycle_hidden();
	capacity = class_of(size, &class);
	if (r != &heap_region[REGION_RUNTIME] && !limit_take(capacity, true))
		return NULL;
	lock();
	if (r == heap_region)
		b = block_reuse(r, size, align, class);
	if (!b)
		b = block_new(r, size, capacity, align);
	unlock();
	if (b) {
		b->family = family & 15;
		b->alloc_pc = pc;
		if (r != heap_region)
			b->clock = time_of_birth(pc);
		memset((void *)b->start, HEAP_POISON, size < HEAP_FILLED ? size : HEAP_FILLED);
		tell_origin(r, b, origin_allocated);
		if (unlikely(heap_allocates) && current && rooted)
			heap_allocates(b->start, size);
	}
	wipe_below();
	return b ? (void *)b->start : NULL;
}

uint64_t heap_size(const void *p)
{
	struct region *r = heap_region_of((uint64_t)(uintptr_t)p);
	struct block *b = r ? heap_block_at(r, (uint64_t)(uintptr_t)p) : NULL;

	return b && !b->freed ? b->size : 0;
}

/* ---- Freeing ----------------------------------------------------------------------------------------- */

static void block_release(struct region *r, struct block *b, uint64_t pc)
{
	uint32_t i = (uint32_t)(b - r->block), class;
	struct free_blocks *l;

	if (r != &heap_region[REGION_RUNTIME])
		limit_give(b->capacity, true);
	b->freed = 1;
	if (b->start == last_start)
		last_size = 0;
	b->free_pc = pc;
	b->free_thread = current ? current->tid & 0xfff : 0;
	if (r != heap_region)
		return;
	if (rooted) {
		must(nundo < MAX_UNDO);
		undo[nundo++] = i;
		return;
	}
	if (class_of(b->size, &class) != b->capacity)
		return;
	l = &class_free[class];
	b->next_free = 0;
	if (l->bytes)
		r->block[l->tail - 1].next_free = i + 1;
	else
		l->head = i + 1;
	l->tail = i + 1;
	l->bytes += b->capacity;
}

void heap_release(struct region *r, struct block *b, uint64_t pc)
{
	lock();
	block_release(r, b, pc);
	unlock();
	tell_origin(r, b, origin_freed);
}

/* ---- Executions ------------------------------------------------------------------------------------------ */

static void heap_root(void)
{
	nundo = 0;
}

AT_ROOT(heap_root);

static void heap_begin(void)
{
	last_size = 0;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		struct region *r = &heap_region[t + 1];

		r->next = r->base;
		r->nblocks = 0;
	}
	while (nundo)
		heap_region[0].block[undo[--nundo]].freed = 0;
}

AT_BEGIN(heap_begin);

void heap_image(uint64_t *start, uint64_t *end)
{
	*start = heap_region[0].base;
	*end = heap_region[0].next;
}
