/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored.c - accesses by ordinary instructions that count as relaxed atomic ones
 *
 * A read is performed before the instruction, which then finds in memory what the engine says
 * that it reads. So memory holds what was read last rather than what was written last, and
 * code that is not instrumented may see either.
 *
 * A write is performed after the instruction, as with plain writes of locations that are
 * also accessed atomically (promote.c): by the thread's next hook. The location's initial
 * value must be taken before.
 *
 * What a read puts into memory is there for the instruction that follows, and for nobody else: whoever reads the
 * location next asks the engine. So for the redundant-round rule that is no write; it is only undone
 * behind a probe, since the initial value may not have been taken yet. In a probe a write ends the run: what it
 * writes is not known yet.
 *
 * Callers: the hooks of accesses, on the stack of hooks.
 */
#include "preload/access/explored.h"

#include "engine/engine.h"
#include "preload/access/atomic.h"
#include "preload/access/foreign.h"
#include "preload/access/parts.h"
#include "preload/access/promote.h"
#include "preload/access/shadow_atomic.h"
#include "preload/await/await.h"
#include "preload/await/follow.h"
#include "preload/core/context.h"
#include "preload/race/shadow.h"
#include "preload/step/perform.h"

static struct op op_of(enum op_kind kind, uint64_t addr, uint64_t size, uint64_t pc)
{
	return (struct op){
		.kind = (uint8_t)kind,
		.order = ORDER_RLX,
		.size = (uint8_t)size,
		.addr = addr,
		.pc = pc,
	};
}

void explored_read(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct op op = op_of(OP_LOAD, addr, size, pc);
	struct op_result res;

	if (!current)
		return;
	atomic_op(&op, &res);
	if (value_eq(perform_load(addr, op.size), res.value))
		return;
	if (may_be_on_stack(addr))
		await_foreign_write(addr, size, true);
	show_value(addr, op.size, res.value);
}

void explored_write(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct op op = op_of(OP_STORE, addr, size, pc);
	const struct access store = {
		.addr = addr,
		.size = size,
		.pc = pc,
		.is_write = true,
		.is_atomic = true,
	};

	if (!current)
		return;
	if (current->probing)
		probe_differs();
	settle();
	if (shadow_atomic_begin(&op, op.addr, op.size) == SHADOW_PARTS)
		parts_meet(&op);
	else
		engine_meet(engine, &op);
	note_plain_write(addr, size);
	if (may_be_on_stack(addr))
		await_foreign_write(addr, size, false);
	pending_keep(&store);
	if (may_be_on_stack(addr))
		foreign_access(&store, current->clock[current->tid]);
}

void explored_flush(const struct access *access)
{
	struct op op = op_of(OP_STORE, access->addr, access->size, access->pc);
	struct op_result res;

	op.arg = perform_load(access->addr, op.size);
	atomic_op_late(&op, &res);
}
