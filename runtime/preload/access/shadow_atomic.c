/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow_atomic.c - atomic accesses of the program, and what shadow memory knows of their locations
 *
 * Callers: the hooks of atomic accesses; and plain ones that are events (explored.c).
 */
#include "preload/access/shadow_atomic.h"

#include "preload/access/overlap.h"
#include "preload/await/rounds.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/text.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/granule_marks.h"
#include "preload/facts/split_marks.h"
#include "preload/facts/values.h"
#include "preload/memory/heap.h"
#include "preload/report/memreport.h"
#include "preload/report/racereport.h"

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

/* The access, and the location of another size that it overlaps. */
static void text_overlap(struct text *t, const struct op *op, struct shadow_location known)
{
	text_str(t, op_kind_name((enum op_kind)op->kind));
	text_str(t, " of ");
	text_int(t, op->size);
	text_str(t, op->size == 1 ? " byte" : " bytes");
	text_where(t, op->addr);
	text_str(t, ", called");
	text_where(t, op->pc);
	text_str(t, ", overlaps an atomic object of ");
	text_int(t, known.size);
	text_str(t, known.size == 1 ? " byte" : " bytes");
	if (known.addr == op->addr)
		text_str(t, " there");
	else
		text_where(t, known.addr);
}

static void refuse_unaligned(const struct op *op)
{
	char size[16], where[300];
	struct text t = text_in(size, sizeof(size));

	text_int(&t, op->size);
	t = text_in(where, sizeof(where));
	text_hex(&t, op->addr);
	text_str(&t, ", called");
	text_where(&t, op->pc);
	refuse("an atomic access of ", size, " bytes at the unaligned address ", where,
	       ", is not supported: align the object", NULL);
}

/* The usual case: nothing is known of these bytes of one granule. */
static bool atomic_on_plain(struct shadow_cell *cell, const struct op *op, unsigned code)
{
	unsigned first = op->addr & 7;
	uint32_t bytes;

	if (first + op->size > 8)
		return false;
	bytes = shadow_nibbles((uint8_t)(((1u << op->size) - 1) << first));
	if (cell->bytes & bytes)
		return false;
	/* BYTE_INSIDE is all ones. */
	cell->bytes |= (bytes & ~(15u << first * 4)) | code << first * 4;
	return true;
}

/* The access overlaps a location of another size: from now on, that is several. Returns if it is overlap_op()'s. */
static void meet_sizes(const struct op *op, struct shadow_location known)
{
	char overlap[400];
	struct text t = text_in(overlap, sizeof(overlap));

	text_overlap(&t, op, known);
	if (shared->config.model == MODEL_WRA) {
		/* Plain accesses are operations there, and by reads-from, again, races. */
		values_give_up("accesses of several sizes meet, which wra does not order");
		refuse("the atomic ", overlap,
		       ", and wra has no order of writes that such accesses could be part of: use "
		       "another model (-m), or access the object in one size only",
		       NULL);
	}
	if (!split_can_be_named(op->addr) || shared->config.mode == ENGINE_REPLAY)
		refuse("the atomic ", overlap,
		       ", in memory that has no name for another run: access the object in one "
		       "size only",
		       NULL);
	if (overlap_goes_on(op, known))
		return;
	split_meet(op->addr, op->size, known.addr, known.size);
	internal_error("a location of several sizes is not one", NULL);
}

/* The bytes of a granule that nothing is known of are what accesses of several sizes have made of them. */
static void mark_split(uint64_t granule)
{
	struct shadow_cell *cell = shadow_cell_now(granule);
	uint32_t marks = split_marks(granule);

	for (unsigned i = 0; marks && i < 8; i++) {
		unsigned size = marks_size_at(marks, i);
		uint32_t bytes = shadow_nibbles((uint8_t)(((1u << size) - 1) << i));

		if (size && !(cell->bytes & bytes))
			cell->bytes |= marks & bytes;
	}
}

/* Is the access one of several locations, each smaller, which have been found to be so? */
static bool is_in_parts(const struct op *op)
{
	uint64_t end = op->addr + op->size, at = op->addr;

	while (at < end && split_marks(at & ~7ul) >> (at & 7) * 4 & 15) {
		struct shadow_location known = shadow_location_of(at);

		if (known.addr != at || !known.size || known.size >= op->size)
			return false;
		at += known.size;
	}
	return at == end;
}

static bool is_known(const struct op *op, unsigned code)
{
	return (shadow_byte(shadow_cell_now(op->addr), op->addr) & ~BYTE_WRITTEN) == code;
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
	rounds_location(op->addr, op->size);
	if (unlikely(split_learning) && overlap_takes(op))
		return SHADOW_PARTS;
	if (unlikely(split_any)) {
		for (uint64_t g = op->addr & ~7ul; g < op->addr + op->size; g += 8)
			mark_split(g);
		if (!is_known(op, code) && is_in_parts(op))
			return SHADOW_PARTS;
	}
	/* Marks are there before the first access of an execution. */
	if (unlikely(split_any || explored_any) && is_known(op, code))
		return shadow_cell(op->addr);
	if (atomic_on_plain(shadow_cell_now(op->addr), op, code))
		return shadow_cell(op->addr);
	for (unsigned i = 0; i < op->size; i++) {
		struct shadow_location known = shadow_location_of(op->addr + i);

		if (known.size) {
			meet_sizes(op, known);
			return SHADOW_PARTS;
		}
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

	for (; (g = shadow_next_race(op, &now, g, &prior)); g += 8)
		report_race_plain(&access, g, &prior);
}
