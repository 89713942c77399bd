/* SPDX-License-Identifier: BSD-2-Clause */
/* atomic.c - see atomic.h */
#include "preload/access/atomic.h"

#include "preload/access/foreign.h"
#include "preload/access/parts.h"
#include "preload/access/promote.h"
#include "preload/access/shadow_atomic.h"
#include "preload/await/follow.h"
#include "preload/core/context.h"
#include "preload/race/shadow.h"
#include "preload/report/memreport.h"
#include "preload/report/racereport.h"
#include "preload/step/perform.h"

void watch_atomic(const struct op *op, bool wrote)
{
	struct access access = {
		.addr = op->addr,
		.size = op->size,
		.pc = op->pc,
		.is_write = wrote,
		.is_atomic = true,
	};

	watch_access(&access);
}

void atomic_on_stack(const struct op *op, bool wrote)
{
	if (wrote)
		await_foreign_write(op->addr, op->size, true);
	foreign_atomic(op, wrote);
}

void atomic_op_late(const struct op *op, struct op_result *res)
{
	struct shadow_cell *cell = NULL;

	settle();
	if (!current->probing)
		cell = shadow_atomic_begin(op, op->addr, op->size);
	if (unlikely(cell == SHADOW_PARTS)) {
		parts_op(op, res);
		cell = NULL;
	} else {
		perform(op, res);
	}
	if (res->wrote) {
		perform_store(op->addr, op->size, res->stored);
		if (unlikely(may_be_on_stack(op->addr)))
			await_foreign_write(op->addr, op->size, true);
	}
	if (cell)
		shadow_atomic_end(cell, op, op->addr, op->size, res->wrote);
	if (unlikely(watching))
		watch_atomic(op, res->wrote);
	if (unlikely((uint8_t)res->value.lo == HEAP_POISON))
		check_initialised(op, res);
}

void atomic_op(const struct op *op, struct op_result *res)
{
	bool on_stack = may_be_on_stack(op->addr);

	settle();
	if (unlikely(on_stack) && op->kind != OP_STORE)
		promote_unannounced(op);
	atomic_op_late(op, res);
	if (unlikely(on_stack))
		foreign_atomic(op, res->wrote);
}
