/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.c - what the runtime remembers about each eight bytes of the program (see shadow.h)
 *
 * The cells of 512 KiB of the program are one chunk of 2 MiB. A table of chunk pointers,
 * indexed by the address, and the chunks lie in one reserved mapping of which only touched
 * pages exist; nothing is ever given back. It is mapped private: with the fork back end
 * each execution has its own copy, and nothing here outlives an execution.
 *
 * Invariants: locations of one granule do not overlap; a byte is BYTE_INSIDE exactly when
 * the location it belongs to begins at a lower byte, at most 15 below.
 *
 * Cost: an access that the cell already knows, a few nanoseconds in the hook; any other,
 * some ten. Callers: the hooks of the program's accesses.
 */
#include "preload/memory/shadow.h"

#include "preload/await/await.h"
#include "preload/await/follow.h"
#include "preload/await/rounds.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/memory/heap.h"
#include "preload/memory/memreport.h"
#include "preload/memory/racereport.h"
#include "preload/step/explored.h"
#include "preload/step/perform.h"
#include "preload/step/promote.h"

enum {
	CHUNK_CELLS = 1 << (SHADOW_CHUNK_BITS - 3),
	TOP_BITS = 47 - SHADOW_CHUNK_BITS,
};

/* All eight bytes of a cell are that. */
#define EACH(byte) (0x11111111u * (byte))

#define TOP_BYTES    (sizeof(struct shadow_cell *) << TOP_BITS)
#define RECORD_COUNT (1u << 27)
#define RECORD_BYTES (sizeof(struct race_record) * RECORD_COUNT)
#define CHUNKS_AT    (SHADOW_ADDR + TOP_BYTES + RECORD_BYTES)

uint32_t shadow_stamp;

static struct race_pool pool;
static uint64_t chunks_end;

static void shadow_init(void)
{
	void *at = sys_mmap(SHADOW_ADDR, SHADOW_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);

	if (at != (void *)SHADOW_ADDR)
		internal_error("cannot reserve address space for shadow memory", NULL);
	sys3(SYS_madvise, SHADOW_ADDR, SHADOW_SIZE, MADV_NOHUGEPAGE);
	sys3(SYS_madvise, SHADOW_ADDR, SHADOW_SIZE, MADV_DONTDUMP);
	chunks_end = CHUNKS_AT;
	pool.record = (struct race_record *)(SHADOW_ADDR + TOP_BYTES);
	pool.max = RECORD_COUNT;
	race_pool_reset(&pool);
	shadow_stamp = 1;
}

AT_ROOT(shadow_init);

struct shadow_cell *shadow_grow(uint64_t addr)
{
	struct shadow_cell *chunk = (struct shadow_cell *)chunks_end;
	const uint64_t size = CHUNK_CELLS * sizeof(*chunk);

	if (chunks_end + size > SHADOW_ADDR + SHADOW_SIZE)
		refuse("the program touches more memory than heddle can shadow", NULL);
	chunks_end += size;
	SHADOW_TOP[(addr & 0x7fffffffffff) >> SHADOW_CHUNK_BITS] = chunk;
	return chunk;
}

static void shadow_begin_execution(void)
{
	race_pool_reset(&pool);
	/* After 2^32 executions the stamps begin again: forget all cells. */
	if (++shadow_stamp == 0) {
		sys3(SYS_madvise, CHUNKS_AT, (long)(chunks_end - CHUNKS_AT), MADV_DONTNEED);
		shadow_stamp = 1;
	}
}

AT_BEGIN(shadow_begin_execution);

/* The mask with each bit repeated four times: those bytes' part of shadow_cell.bytes. */
static uint32_t nibbles(uint8_t mask)
{
	uint32_t x = mask;

	x = (x | x << 12) & 0x000f000f;
	x = (x | x << 6) & 0x03030303;
	x = (x | x << 3) & 0x11111111;
	return x * 15;
}

void shadow_fresh(struct shadow_cell *cell, uint64_t addr)
{
	bool freed;
	uint32_t outside;

	*cell = (struct shadow_cell){ .stamp = shadow_stamp };
	if (unlikely(explored_any))
		cell->bytes = explored_marks(addr & ~7ul);
	if (!heap_covers(addr))
		return;
	outside = nibbles(heap_outside(addr & ~7ul, &freed));
	cell->bytes = (cell->bytes & ~outside) | (EACH(BYTE_OUTSIDE) & outside);
	if (freed)
		cell->bytes = (EACH(BYTE_OUTSIDE) & outside) | (EACH(BYTE_FREED) & ~outside);
}

/* ---- Plain accesses --------------------------------------------------------------------- */

/* Is one of the bytes marked so? */
static bool any(const struct shadow_cell *cell, uint8_t mask, enum shadow_byte what)
{
	uint32_t x = ~(cell->bytes ^ EACH(what)); /* such a byte gives 1111 */

	x &= x >> 1;
	x &= x >> 2;
	return (x & EACH(1) & nibbles(mask)) != 0;
}

static void check_marks(const struct shadow_cell *cell, uint8_t mask, const struct access *access)
{
	if (any(cell, mask, BYTE_FREED))
		report_use_after_free(access);
	if (any(cell, mask, BYTE_OUTSIDE))
		report_out_of_bounds(access);
}

/* The bytes of a granule whose accesses are all events. */
static uint8_t explored_mask(uint64_t granule)
{
	uint32_t marks = explored_marks(granule);
	uint8_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		if (marks >> i * 4 & 15)
			mask |= (uint8_t)(1u << i);
	return mask;
}

static void check_pool(void)
{
	if (unlikely(race_pool_left(&pool) < 2))
		internal_error("out of records for concurrent plain accesses", NULL);
}

/* Checks and remembers one granule's part of an access; true if it touches special bytes. */
static bool plain_granule(uint64_t granule, struct race_access *now, const struct access *access)
{
	struct shadow_cell *cell = shadow_cell_now(granule);
	bool special = cell->bytes & nibbles(now->mask);
	struct race_prior prior;

	if (unlikely(special)) {
		check_marks(cell, now->mask, access);
		if (unlikely(explored_any))
			now->mask &= (uint8_t)~explored_mask(granule);
		if (!now->mask)
			return true;
	}
	if (unlikely(race_access(&cell->race, &pool, now, &prior)))
		report_race_plain(access, granule, &prior);
	return special;
}

static bool plain_range(const struct access *access)
{
	struct race_access now = {
		.clock = current->clock,
		.tid = current->tid,
		.is_write = access->is_write,
		.exact_pc = watching,
		.pc = access->pc,
	};
	uint64_t end = access->addr + access->size;
	bool special = false;

	for (uint64_t g = access->addr & ~7ul; g < end; g += 8) {
		check_pool();
		now.mask = race_bytes(g, access->addr, end);
		special |= plain_granule(g, &now, access);
	}
	if (unlikely(watching))
		watch_access(access);
	return special;
}

/* A read of atomic locations is an event here as well, or the probe would not do what its thread did. */
static void plain_in_probe(const struct access *access)
{
	uint64_t addr = access->addr, size = access->size;

	if (explored_at(addr) && !access->is_write && explored_fits(addr, size))
		explored_read(addr, size, access->pc);
	else if (explored_at(addr))
		probe_differs();
	else if (!access->is_write && !(shadow_quiet(shadow_cell(addr)) && await_own(addr)) &&
		 probe_read(addr, size))
		promote(access);
}

void shadow_plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc)
{
	struct access access = {
		.addr = addr,
		.size = size,
		.is_write = is_write,
		.pc = pc,
	};

	if (!current || !size)
		return;
	settle();
	if (is_write)
		note_plain_write(addr, size);
	if (unlikely(current->probing)) {
		if (rounds_counted)
			rounds_again(addr, size, is_write);
		plain_in_probe(&access);
		return;
	}
	if (is_write) {
		if (unlikely(may_be_on_stack(addr)))
			await_foreign_write(addr, size, false);
		current->only_locks = unlikely(current->only_locks) && on_own_stack(addr);
	}
	if (unlikely(rounds_weak))
		rounds_access(addr, size, is_write, current->tid);
	if (!is_write && current->window && rounds_counted)
		rounds_touch(addr, size, false);
	if (unlikely(plain_range(&access))) {
		if (is_write)
			rounds_write_atomic(addr, size);
		promote(&access);
	}
	if (!current->entry.sp)
		wipe_below();
}

void shadow_free(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct access access = {
		.addr = addr,
		.size = size,
		.is_write = true,
		.is_free = true,
		.pc = pc,
	};

	if (!current || !size)
		return;
	settle();
	if (unlikely(rounds_weak))
		rounds_access(addr, size, true, current->tid);
	if (unlikely(plain_range(&access))) {
		rounds_write_atomic(addr, size);
		promote(&access);
	}
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8) {
		struct shadow_cell *cell = shadow_cell_now(g);
		uint32_t part = nibbles(race_bytes(g, addr, addr + size));

		cell->bytes = (cell->bytes & ~part) | (EACH(BYTE_FREED) & part);
	}
}

/* ---- Atomic accesses -------------------------------------------------------------------- */

struct shadow_location shadow_location_of(uint64_t addr)
{
	struct shadow_location none = { 0 };
	uint64_t at = addr;
	enum shadow_byte b = shadow_byte(shadow_cell_now(at), at);

	while (b == BYTE_INSIDE && addr - at < 15) {
		at--;
		b = shadow_byte(shadow_cell_now(at), at);
	}
	if ((b & ~BYTE_WRITTEN) < BYTE_ATOMIC_1 || (b & ~BYTE_WRITTEN) > BYTE_ATOMIC_16)
		return none;
	return (struct shadow_location){
		.addr = at,
		.size = 1u << ((b & ~BYTE_WRITTEN) - BYTE_ATOMIC_1),
		.written = b & BYTE_WRITTEN,
	};
}

/* " at program+0x1234": where a call or an object is. */
static void text_where(struct text *t, uint64_t addr)
{
	int module = module_of(addr);
	struct heap_block block;
	const char *name;

	text_str(t, " at ");
	if (module >= 0) {
		name = shared->modules[module].path;
		for (const char *p = name; *p; p++)
			name = *p == '/' ? p + 1 : name;
		text_str(t, name);
		text_str(t, "+");
		text_hex(t, addr - shared->modules[module].base);
	} else if (heap_covers(addr) && heap_block_of(addr, &block)) {
		text_str(t, "byte ");
		text_int(t, (int64_t)(addr - block.addr));
		text_str(t, " of a heap block of ");
		text_int(t, (int64_t)block.size);
	} else {
		text_hex(t, addr);
	}
}

static void refuse_mixed(const struct op *op, struct shadow_location known)
{
	char buf[400];
	struct text t = text_in(buf, sizeof(buf));

	text_str(&t, "the atomic ");
	text_str(&t, op_kind_name((enum op_kind)op->kind));
	text_str(&t, " of ");
	text_int(&t, op->size);
	text_str(&t, op->size == 1 ? " byte" : " bytes");
	text_where(&t, op->addr);
	text_str(&t, ", called");
	text_where(&t, op->pc);
	text_str(&t, ", overlaps an atomic object of ");
	text_int(&t, known.size);
	text_str(&t, known.size == 1 ? " byte" : " bytes");
	if (known.addr == op->addr)
		text_str(&t, " there");
	else
		text_where(&t, known.addr);
	text_str(&t, ": mixed-size atomics are not supported; access an object in one size only");
	refuse(buf, NULL);
}

static void refuse_unaligned(const struct op *op)
{
	char buf[300];
	struct text t = text_in(buf, sizeof(buf));

	text_str(&t, "an atomic access of ");
	text_int(&t, op->size);
	text_str(&t, " bytes at the unaligned address ");
	text_hex(&t, op->addr);
	text_str(&t, ", called");
	text_where(&t, op->pc);
	refuse(buf, NULL);
}

/* The usual case: nothing is known of these bytes of one granule. */
static bool atomic_on_plain(struct shadow_cell *cell, const struct op *op, unsigned code)
{
	unsigned first = op->addr & 7;
	uint32_t bytes;

	if (first + op->size > 8)
		return false;
	bytes = nibbles((uint8_t)(((1u << op->size) - 1) << first));
	if (cell->bytes & bytes)
		return false;
	/* BYTE_INSIDE is all ones. */
	cell->bytes |= (bytes & ~(15u << first * 4)) | code << first * 4;
	return true;
}

struct shadow_cell *shadow_atomic_new(const struct op *op)
{
	unsigned code = (unsigned)__builtin_ctz(op->size) + BYTE_ATOMIC_1;
	struct access access = {
		.addr = op->addr,
		.size = op->size,
		.is_write = op->kind != OP_LOAD,
		.is_atomic = true,
		.pc = op->pc,
	};

	if (op->addr & (op->size - 1))
		refuse_unaligned(op);
	if (atomic_on_plain(shadow_cell_now(op->addr), op, code))
		return shadow_cell(op->addr);
	for (unsigned i = 0; i < op->size; i++) {
		struct shadow_location known = shadow_location_of(op->addr + i);

		if (known.size)
			refuse_mixed(op, known);
		check_marks(shadow_cell(op->addr + i), (uint8_t)(1 << ((op->addr + i) & 7)),
			    &access);
	}
	for (unsigned i = 0; i < op->size; i++) {
		uint64_t at = op->addr + i;
		struct shadow_cell *cell = shadow_cell(at);

		cell->bytes &= ~(15u << (at & 7) * 4);
		cell->bytes |= (i ? BYTE_INSIDE : code) << (at & 7) * 4;
	}
	return shadow_cell(op->addr);
}

/* The first granule from g on in which the access, of the operation's bytes, is in a race; 0: none is left. */
static uint64_t next_race(const struct op *op, struct race_access *now, uint64_t g,
			  struct race_prior *prior)
{
	for (; g < op->addr + op->size; g += 8) {
		now->mask = race_bytes(g, op->addr, op->addr + op->size);
		if (race_check(&shadow_cell_now(g)->race, &pool, now, prior))
			return g;
	}
	return 0;
}

void shadow_atomic_check(const struct op *op, bool wrote)
{
	struct race_access now = {
		.clock = current->clock,
		.tid = current->tid,
		.is_write = wrote,
		.pc = op->pc,
	};
	struct access access = {
		.addr = op->addr,
		.size = op->size,
		.is_write = wrote,
		.is_atomic = true,
		.pc = op->pc,
	};
	struct race_prior prior;
	uint64_t g = op->addr & ~7ul;

	for (; (g = next_race(op, &now, g, &prior)); g += 8)
		report_race_plain(&access, g, &prior);
}

bool shadow_look_races(const struct op *op)
{
	struct race_access now = { .clock = current->clock, .tid = current->tid, .pc = op->pc };
	struct race_prior prior;

	return next_race(op, &now, op->addr & ~7ul, &prior);
}

/* ---- Library objects -------------------------------------------------------------------- */

enum shadow_byte shadow_object(uint64_t addr)
{
	return shadow_byte(shadow_cell_now(addr), addr);
}

void shadow_object_set(uint64_t addr, enum shadow_byte what)
{
	struct shadow_cell *cell = shadow_cell_now(addr);

	cell->bytes &= ~(15u << (addr & 7) * 4);
	cell->bytes |= (uint32_t)what << (addr & 7) * 4;
}
