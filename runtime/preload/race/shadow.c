/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.c - what the runtime remembers about each eight bytes of the program (see shadow.h)
 *
 * The cells of 512 KiB of the program are one chunk of 2 MiB, with what is known of library
 * objects behind them. A table of chunk pointers,
 * indexed by the address, and the chunks lie in one reserved mapping of which only touched
 * pages exist; nothing is ever given back. It is mapped private: with the fork back end
 * each execution has its own copy, and nothing here outlives an execution.
 *
 * Invariants: locations of one granule do not overlap; a byte is BYTE_INSIDE exactly when
 * the location it belongs to begins at a lower byte, at most 15 below.
 *
 * Callers: shadow_plain.c, shadow_atomic.c, the hooks of the program's accesses.
 */
#include "preload/race/shadow.h"

#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/facts/explored_marks.h"
#include "preload/memory/heap.h"

enum {
	CHUNK_CELLS = 1 << (SHADOW_CHUNK_BITS - 3),
	TOP_BITS = 47 - SHADOW_CHUNK_BITS,
};

/* The objects that begin in one granule: the smallest have four bytes. */
struct object_cell {
	uint32_t stamp;
	uint8_t half[2]; /* enum shadow_object */
};

#define TOP_BYTES    (sizeof(struct shadow_cell *) << TOP_BITS)
#define RECORD_COUNT (1u << 27)
#define RECORD_BYTES (sizeof(struct race_record) * RECORD_COUNT)
#define WHOLE_AT     (SHADOW_ADDR + TOP_BYTES + RECORD_BYTES)
#define WHOLE_BYTES  (sizeof(struct shadow_cell) << TOP_BITS)
#define CHUNKS_AT    (WHOLE_AT + WHOLE_BYTES)

uint32_t shadow_stamp;
KEPT(shadow_stamp);

struct race_pool shadow_pool;
static uint64_t chunks_end;
KEPT(chunks_end);

static void shadow_init(void)
{
	void *at = sys_mmap(SHADOW_ADDR, SHADOW_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);

	if (at != (void *)SHADOW_ADDR)
		refuse("there is no address space for shadow memory: lift the limit (ulimit -v unlimited)",
		       NULL);
	sys3(SYS_madvise, SHADOW_ADDR, SHADOW_SIZE, MADV_NOHUGEPAGE);
	sys3(SYS_madvise, SHADOW_ADDR, SHADOW_SIZE, MADV_DONTDUMP);
	chunks_end = CHUNKS_AT;
	shadow_pool.record = (struct race_record *)(SHADOW_ADDR + TOP_BYTES);
	shadow_pool.max = RECORD_COUNT;
	race_pool_reset(&shadow_pool);
	shadow_stamp = 1;
}

AT_ROOT(shadow_init);

static uint64_t chunk_of(uint64_t addr)
{
	return (addr & 0x7fffffffffff) >> SHADOW_CHUNK_BITS;
}

/* For whoever touches the bytes of a block, its allocation has to come before. */
static void begin_with_allocation(struct shadow_cell *cell, uint64_t granule, uint8_t mask)
{
	struct heap_birth birth;

	if (mask && heap_birth(granule, &birth))
		race_allocated(&cell->race, birth.tid, birth.clock, mask, birth.pc);
}

struct shadow_cell *shadow_whole(uint64_t addr)
{
	struct shadow_cell *whole = (struct shadow_cell *)WHOLE_AT + chunk_of(addr);

	if (SHADOW_TOP[chunk_of(addr)] || explored_any)
		return NULL;
	if (whole->stamp == shadow_stamp)
		return whole;
	if (heap_covers(addr) && !heap_is_one(addr, SHADOW_CHUNK))
		return NULL;
	*whole = (struct shadow_cell){ .stamp = shadow_stamp };
	if (heap_covers(addr))
		begin_with_allocation(whole, addr, RACE_ALL);
	return whole;
}

/* Each cell of a new chunk is what one stood for. It is not split, so it has no records of its own. */
static void take_whole(struct shadow_cell *chunk, uint64_t addr)
{
	const struct shadow_cell *whole = (struct shadow_cell *)WHOLE_AT + chunk_of(addr);

	for (uint32_t i = 0; whole->stamp == shadow_stamp && i < CHUNK_CELLS; i++)
		chunk[i] = *whole;
}

struct shadow_cell *shadow_grow(uint64_t addr)
{
	struct shadow_cell *chunk = (struct shadow_cell *)chunks_end;
	const uint64_t size = CHUNK_CELLS * (sizeof(*chunk) + sizeof(struct object_cell));

	if (chunks_end + size > SHADOW_ADDR + SHADOW_SIZE)
		refuse("the program touches more memory than heddle can shadow: let it use less",
		       NULL);
	chunks_end += size;
	SHADOW_TOP[chunk_of(addr)] = chunk;
	take_whole(chunk, addr);
	return chunk;
}

static void shadow_begin_execution(void)
{
	race_pool_reset(&shadow_pool);
	/* After 2^32 executions the stamps begin again: forget all cells. */
	if (++shadow_stamp == 0) {
		sys3(SYS_madvise, WHOLE_AT, (long)(chunks_end - WHOLE_AT), MADV_DONTNEED);
		shadow_stamp = 1;
	}
}

AT_BEGIN(shadow_begin_execution);

void shadow_fresh(struct shadow_cell *cell, uint64_t addr)
{
	bool freed;
	uint8_t beyond;
	uint32_t outside;

	*cell = (struct shadow_cell){ .stamp = shadow_stamp };
	if (unlikely(explored_any))
		cell->bytes = explored_marks(addr & ~7ul);
	if (!heap_covers(addr))
		return;
	/* A thread that is only tried out may have read an address that nobody has allocated yet, in this execution. */
	if (unlikely(current && current->probing))
		cell->stamp = 0;
	beyond = heap_outside(addr & ~7ul, &freed);
	outside = shadow_nibbles(beyond);
	cell->bytes = (cell->bytes & ~outside) | (SHADOW_EACH(BYTE_OUTSIDE) & outside);
	if (freed)
		cell->bytes = (SHADOW_EACH(BYTE_OUTSIDE) & outside) |
			      (SHADOW_EACH(BYTE_FREED) & ~outside);
	else
		begin_with_allocation(cell, addr & ~7ul, (uint8_t)~beyond);
}

bool shadow_any(const struct shadow_cell *cell, uint8_t mask, enum shadow_byte what)
{
	uint32_t x = ~(cell->bytes ^ SHADOW_EACH(what)); /* such a byte gives 1111 */

	x &= x >> 1;
	x &= x >> 2;
	return (x & SHADOW_EACH(1) & shadow_nibbles(mask)) != 0;
}

uint64_t shadow_next_race(const struct op *op, struct race_access *now, uint64_t g,
			  struct race_prior *prior)
{
	for (; g < op->addr + op->size; g += 8) {
		now->mask = race_bytes(g, op->addr, op->addr + op->size);
		if (race_check(&shadow_cell_now(g)->race, &shadow_pool, now, prior))
			return g;
	}
	return 0;
}

bool shadow_look_races(const struct op *op)
{
	struct race_access now = { .clock = current->clock, .tid = current->tid, .pc = op->pc };
	struct race_prior prior;

	return shadow_next_race(op, &now, op->addr & ~7ul, &prior);
}

struct shadow_location shadow_location_of(uint64_t addr)
{
	struct shadow_location none = { 0 };
	uint64_t at = addr;
	enum shadow_byte b = shadow_byte(shadow_cell_now(at), at);

	while (b == BYTE_INSIDE && addr - at < 15) {
		at--;
		b = shadow_byte(shadow_cell_now(at), at);
	}
	if (!byte_is_atomic(b))
		return none;
	return (struct shadow_location){
		.addr = at,
		.size = 1u << ((b & ~BYTE_WRITTEN) - BYTE_ATOMIC_1),
		.written = b & BYTE_WRITTEN,
	};
}

/* ---- Library objects -------------------------------------------------------------------- */

static struct object_cell *object_cell(uint64_t addr)
{
	struct shadow_cell *chunk = SHADOW_TOP[chunk_of(addr)];

	if (unlikely(!chunk))
		chunk = shadow_grow(addr);
	return (struct object_cell *)(chunk + CHUNK_CELLS) + ((addr & (SHADOW_CHUNK - 1)) >> 3);
}

enum shadow_object shadow_object(uint64_t addr)
{
	const struct object_cell *cell = object_cell(addr);

	return cell->stamp == shadow_stamp ? cell->half[addr >> 2 & 1] : OBJECT_NONE;
}

void shadow_object_set(uint64_t addr, enum shadow_object what)
{
	struct object_cell *cell = object_cell(addr);

	if (cell->stamp != shadow_stamp)
		*cell = (struct object_cell){ .stamp = shadow_stamp };
	cell->half[addr >> 2 & 1] = (uint8_t)what;
}
