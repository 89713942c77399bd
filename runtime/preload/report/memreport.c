/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memreport.c - turns an error of the program's with memory into a bug
 *
 * What is an error is decided elsewhere: by the marks of shadow memory (shadow.c) and the
 * tables of blocks (heap_free.c). Nothing here returns when there is one.
 */
#include "preload/report/memreport.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/code/modules.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/memory/origin.h"
#include "preload/race/shadow.h"
#include "preload/report/racereport.h"
#include "preload/report/report.h"

static struct bug_side sides[3];
FRESH(sides);

static struct text begin(char *buf, size_t size)
{
	memset(sides, 0, sizeof(sides));
	return text_in(buf, size);
}

/* "a plain write by thread 1" */
static void add_access(struct text *t, const struct access *access)
{
	side_of(&sides[0], access);
	text_str(t, kind_of(access->is_write, access->is_atomic));
	text_str(t, " by thread ");
	text_int(t, self_id());
}

static void add_block(struct text *t, const struct heap_block *block)
{
	text_str(t, " a block of ");
	text_int(t, (int64_t)block->size);
	text_str(t, " bytes");
}

void report_use_after_free(const struct access *access)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));
	struct heap_block block;

	add_access(&t, access);
	text_str(&t, " touches freed memory");
	if (!heap_block_of(access->addr, &block) || !block.freed)
		report_bug(BUG_USE_AFTER_FREE, access->addr, buf, sides, 1);
	text_str(&t, ": byte ");
	text_int(&t, (int64_t)(access->addr - block.addr));
	text_str(&t, " of");
	add_block(&t, &block);
	text_str(&t, " freed by thread ");
	text_int(&t, block.free_thread);
	origin_end_of(&sides[1], &block);
	origin_of(&sides[2], &block);
	report_bug(BUG_USE_AFTER_FREE, access->addr, buf, sides, 3);
}

static heddle_noreturn void report_use_of_stack(const struct access *access, uint32_t owner,
						bool on_stack, const char *what)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));

	add_access(&t, access);
	text_str(&t, on_stack ? " touches the stack of thread "
			      : " touches a thread-local variable of thread ");
	text_int(&t, owner);
	text_str(&t, what);
	report_bug(BUG_USE_AFTER_RETURN, access->addr, buf, sides, 1);
}

void report_use_after_end(const struct access *access, uint32_t owner, bool on_stack)
{
	report_use_of_stack(access, owner, on_stack, ", which has ended");
}

void report_use_after_return(const struct access *access, uint32_t owner)
{
	report_use_of_stack(access, owner, true,
			    ", which has returned from the function whose variable was there");
}

void report_unknown_use(const struct access *access, uint32_t tid, uint64_t pc, bool ends)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));

	values_give_up("memory is used that nobody has written, or free memory");
	side_of(&sides[1], access);
	sides[1].thread = tid;
	sides[0].thread = self_id();
	sides[0].pc = pc;
	text_str(&t, "thread ");
	text_int(&t, self_id());
	text_str(&t, ends ? " ends" : " has returned from a function");
	text_str(&t, ", and ");
	text_str(&t, kind_of(access->is_write, access->is_atomic));
	text_str(&t, fiber_of_stack(access->addr)
			     ? " of its stack by thread "
			     : " of a thread-local variable of its by thread ");
	text_int(&t, tid);
	text_str(&t, " is not ordered before that");
	report_bug(BUG_USE_AFTER_RETURN, access->addr, buf, sides, 2);
}

void report_out_of_bounds(const struct access *access)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));
	struct heap_block block;
	uint64_t end;

	add_access(&t, access);
	if (!heap_nearest(access->addr, &block)) {
		text_str(&t, " touches the heap where no block is");
		report_bug(BUG_OUT_OF_BOUNDS, access->addr, buf, sides, 1);
	}
	end = block.addr + block.size;
	text_str(&t, " of ");
	text_int(&t, (int64_t)access->size);
	text_str(&t, access->size == 1 ? " byte begins " : " bytes begins ");
	if (access->addr < block.addr) {
		text_int(&t, (int64_t)(block.addr - access->addr));
		text_str(&t, " before");
	} else if (access->addr < end) {
		text_int(&t, (int64_t)(end - access->addr));
		text_str(&t, " before the end of");
	} else {
		text_int(&t, (int64_t)(access->addr - end));
		text_str(&t, " behind the end of");
	}
	add_block(&t, &block);
	if (block.freed)
		text_str(&t, " that was freed");
	origin_of(&sides[1], &block);
	report_bug(BUG_OUT_OF_BOUNDS, access->addr, buf, sides, 2);
}

void check_marks(const struct shadow_cell *cell, uint8_t mask, const struct access *access)
{
	if (shadow_any(cell, mask, BYTE_FREED))
		report_use_after_free(access);
	if (shadow_any(cell, mask, BYTE_OUTSIDE))
		report_out_of_bounds(access);
}

void report_bad_free(uint64_t addr, enum heap_family family, uint64_t pc)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));
	struct heap_block block;

	sides[0].thread = self_id();
	sides[0].pc = pc;
	sides[0].call = (uint8_t)origin_freeing(family);
	if (!heap_block_of(addr, &block))
		report_bug(BUG_INVALID_FREE, addr,
			   "free() of a pointer that malloc() did not return", sides, 1);
	if (addr != block.addr) {
		text_str(&t, "free() of a pointer to byte ");
		text_int(&t, (int64_t)(addr - block.addr));
		text_str(&t, " of");
		add_block(&t, &block);
		origin_of(&sides[1], &block);
		report_bug(BUG_INVALID_FREE, addr, buf, sides, 2);
	}
	origin_end_of(&sides[1], &block);
	origin_of(&sides[2], &block);
	report_bug(BUG_DOUBLE_FREE, addr, "free() of a block that was freed before", sides, 3);
}

void check_family(uint64_t addr, enum heap_family family, uint64_t alloc_pc,
		  enum heap_family freeing, uint64_t pc)
{
	static const char *const allocating[] = { "malloc()", "operator new", "operator new[]" };
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));
	struct heap_block block;

	if (!memory_from_program(pc) || !memory_from_program(alloc_pc) ||
	    !heap_block_of(addr, &block))
		return;
	text_str(&t, giving_back[freeing]);
	text_str(&t, " of a block from ");
	text_str(&t, allocating[family]);
	sides[0].thread = self_id();
	sides[0].pc = pc;
	sides[0].call = (uint8_t)origin_freeing(freeing);
	origin_of(&sides[1], &block);
	report_bug(BUG_INVALID_FREE, addr, buf, sides, 2);
}

/* Is that the pattern, in all bytes of the operation? */
static bool all_poison(uint64_t size, struct value v)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t half = i < 8 ? v.lo : v.hi;

		if ((uint8_t)(half >> (i & 7) * 8) != HEAP_POISON)
			return false;
	}
	return true;
}

/* Has a plain write been seen there in this execution? */
static bool seen_written(const struct op *op)
{
	const struct shadow_cell *cell = shadow_cell_now(op->addr);
	unsigned bytes = ((1u << (op->size & 15)) - 1) << (op->addr & 7);

	return race_written(&cell->race, &shadow_pool, bytes);
}

static void report_unwritten(const struct access *access, const struct heap_block *block)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));

	add_access(&t, access);
	text_str(&t, " reads byte ");
	text_int(&t, (int64_t)(access->addr - block->addr));
	text_str(&t, " of");
	add_block(&t, block);
	text_str(&t, " before anything was written there");
	origin_of(&sides[1], block);
	report_bug(BUG_UNINITIALISED_READ, access->addr, buf, sides, 2);
}

static void report_unwritten_variable(const struct access *access, uint32_t owner)
{
	static char buf[SHARED_TEXT];
	FRESH(buf);
	struct text t = begin(buf, sizeof(buf));

	add_access(&t, access);
	text_str(&t, " reads a variable on the stack of thread ");
	text_int(&t, owner);
	text_str(&t, " before anything was written there");
	report_bug(BUG_UNINITIALISED_READ, access->addr, buf, sides, 1);
}

/*
 * Has all of the block been filled, by a call that watched it? Nobody watched writes before the root point: one byte
 * may have this value by chance.
 */
static bool was_filled(uint64_t addr, uint64_t size, const struct heap_block *block)
{
	return !block->freed && addr + size <= block->addr + HEAP_FILLED &&
	       (size > 1 || !heap_early(block->addr));
}

/* Was it so where the frame is now? One byte may be left of what the compiler put there for itself. */
static const struct fiber *was_unwritten(const struct op *op)
{
	const struct fiber *f = fiber_of_stack(op->addr);

	return f && op->size > 1 && op->addr < f->clear_high ? f : NULL;
}

void check_initialised(const struct op *op, const struct op_result *res)
{
	struct access access = {
		.addr = op->addr,
		.size = op->size,
		.pc = op->pc,
		.is_write = res->wrote,
		.is_atomic = true,
	};
	const struct fiber *owner;
	struct heap_block block;
	bool filled;

	if (current->probing || op->kind == OP_STORE || !all_poison(op->size, res->value))
		return;
	filled = heap_covers(op->addr) && heap_block_of(op->addr, &block) &&
		 was_filled(op->addr, op->size, &block);
	owner = filled ? NULL : was_unwritten(op);
	if (!filled && !owner)
		return;
	if (seen_written(op) || !engine_read_initial(engine, current->tid)) {
		/* Else it would be a bug, and the value alone does not say which it is (engine/value/value.txt, M5; engine/memo.txt, K6). */
		values_give_up("memory is used that nobody has written, or free memory");
		return;
	}
	if (filled)
		report_unwritten(&access, &block);
	else
		report_unwritten_variable(&access, owner->self.tid);
}

void check_initialised_early(const struct access *access)
{
	struct heap_block block;
	struct value there = { 0 };

	memcpy(&there, (const void *)access->addr, access->size);
	if (all_poison(access->size, there) && heap_block_of(access->addr, &block) &&
	    was_filled(access->addr, access->size, &block))
		report_unwritten(access, &block);
}
