/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overlap.c - see overlap.h
 *
 * Callers: shadow_atomic.c, parts.c.
 */
#include "preload/access/overlap.h"

#include "engine/engine.h"
#include "engine/graph/guard.h"
#include "preload/access/atomic.h"
#include "preload/core/context.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/split_marks.h"
#include "preload/fiber/leave.h"
#include "preload/step/perform.h"

enum {
	MORE = 1 << 16 /* events without news, beside as many as there were before */
};

/* What all those accesses are operations of. */
static uint64_t turn;

static bool may_go_on(void)
{
	const struct shared_config *c = &shared->config;

	return c->mode == ENGINE_ONLINE && !c->replay_steps && !explored_any &&
	       !c->setting[SETTING_PLAIN];
}

/* Nothing is known of the granule any more but objects of libraries, and the heap's. */
static void forget_locations(uint64_t granule)
{
	struct shadow_cell *cell = shadow_cell_now(granule);

	for (unsigned i = 0; i < 8; i++) {
		unsigned b = cell->bytes >> i * 4 & 15;

		if (b == BYTE_INSIDE || byte_is_atomic(b))
			cell->bytes &= ~(15u << i * 4);
	}
}

static void note(uint64_t addr, unsigned size)
{
	if (!split_can_be_named(addr))
		repeat_execution();
	if (split_note(addr, size))
		engine_bound(engine, MORE);
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8)
		forget_locations(g);
}

bool overlap_goes_on(const struct op *op, struct shadow_location known)
{
	if (!may_go_on())
		return false;
	split_learning = true;
	note(known.addr, known.size);
	note(op->addr, op->size);
	return true;
}

bool overlap_takes(const struct op *op)
{
	for (uint64_t g = op->addr & ~7ul; g < op->addr + op->size; g += 8)
		if (split_waits(g)) {
			note(op->addr, op->size);
			return true;
		}
	return false;
}

static void take_turn(const struct op *op)
{
	const struct op next = {
		.kind = OP_RMW,
		.fn = RMW_ADD,
		.order = ORDER_ACQ_REL,
		.size = sizeof(turn),
		.addr = (uintptr_t)&turn,
		.pc = op->pc,
	};
	struct op_result res;

	perform(&next, &res);
}

void overlap_op(const struct op *op, struct op_result *res)
{
	const struct guard_op does = { .kind = op->kind,
				       .fn = op->fn,
				       .size = op->size,
				       .arg = op->arg,
				       .expected = op->expected };
	struct value written = op->arg;

	take_turn(op);
	*res = (struct op_result){ .value = perform_load(op->addr, op->size) };
	if (op->kind == OP_STORE || guard_apply(&does, res->value, &written) == GUARD_WRITES)
		perform_store(op->addr, op->size, written);
}
