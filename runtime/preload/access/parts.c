/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.c - an atomic access to locations that others take in smaller pieces
 *
 *	load		a load of each location
 *	store		a store to each
 *	others		loads of all; then, if it writes, an exchange of each with what is to be there
 *
 * Each exchange has to find what was loaded, and each location is loaded once in effect: what finds
 * something else is torn, and no execution (engine/model/whole.c). Nobody can learn of the access by a
 * part of it, and not by what the thread read for others of its parts: when the first exchange
 * releases, all loads that acquire are done. So where a compare-and-swap has an order that depends on
 * its success, and the loads that are to tell were weaker, they are done again.
 *
 * Callers: those of shadow_atomic_begin().
 */
#include "preload/access/parts.h"

#include <stdbool.h>

#include "base/must.h"
#include "engine/engine.h"
#include "engine/graph/event.h"
#include "engine/graph/guard.h"
#include "preload/access/atomic.h"
#include "preload/access/overlap.h"
#include "preload/access/shadow_atomic.h"
#include "preload/await/follow.h"
#include "preload/core/context.h"
#include "preload/facts/split_marks.h"
#include "preload/race/shadow.h"
#include "preload/report/racereport.h"
#include "preload/step/perform.h"

typedef unsigned __int128 wide;

enum {
	PARTS = 16
};

struct whole {
	const struct op *op;
	unsigned n, size[PARTS], offset[PARTS];
	uint32_t events; /* operations so far */
};

static wide number(struct value v)
{
	return (wide)v.hi << 64 | v.lo;
}

static struct value value_in(wide v)
{
	return (struct value){ .lo = (uint64_t)v, .hi = (uint64_t)(v >> 64) };
}

static wide bits(unsigned size)
{
	return size < 16 ? ((wide)1 << size * 8) - 1 : ~(wide)0;
}

static struct value piece(const struct whole *w, unsigned i, wide v)
{
	return value_in(v >> w->offset[i] * 8 & bits(w->size[i]));
}

static void find_parts(struct whole *w, const struct op *op)
{
	*w = (struct whole){ .op = op };
	for (unsigned at = 0; at < op->size; at += w->size[w->n++]) {
		struct shadow_location loc = shadow_location_of(op->addr + at);

		must(w->n < PARTS && loc.size && loc.addr == op->addr + at);
		w->size[w->n] = loc.size;
		w->offset[w->n] = at;
	}
}

static struct value one_part(struct whole *w, unsigned i, enum op_kind kind, unsigned order,
			     struct value arg)
{
	struct op op = {
		.kind = (uint8_t)kind,
		.order = (uint8_t)order,
		.size = (uint8_t)w->size[i],
		.fn = w->op->kind == OP_LOAD ? w->op->fn : (uint8_t)RMW_XCHG,
		.peer = op_part(w->op->size, w->offset[i], w->events > 0),
		.addr = w->op->addr + w->offset[i],
		.pc = w->op->pc,
		.arg = arg,
	};
	struct op_result res;

	perform_part(&op, &res);
	w->events++;
	if (res.wrote) {
		perform_store(op.addr, op.size, res.stored);
		shadow_cell_now(op.addr)->bytes |= (uint32_t)BYTE_WRITTEN << (op.addr & 7) * 4;
	}
	if (unlikely(may_be_on_stack(op.addr)))
		atomic_on_stack(&op, res.wrote);
	return res.value;
}

static wide load_parts(struct whole *w, unsigned order)
{
	wide v = 0;

	for (unsigned i = 0; i < w->n; i++)
		v |= number(one_part(w, i, OP_LOAD, order, value_of(0))) << w->offset[i] * 8;
	return v;
}

static void write_parts(struct whole *w, enum op_kind kind, unsigned order, wide v)
{
	for (unsigned i = 0; i < w->n; i++)
		one_part(w, i, kind, order, piece(w, i, v));
}

/* Of the loads of an access with that order. */
static unsigned load_order(unsigned order)
{
	if (order == ORDER_SC)
		return ORDER_SC;
	return order_acquires(order) ? ORDER_ACQ : ORDER_RLX;
}

/* What it makes of the value. */
static struct value changed(const struct op *op, wide v)
{
	const struct guard_op rmw = {
		.kind = OP_RMW, .fn = op->fn, .size = op->size, .arg = op->arg
	};
	struct value written;

	guard_apply(&rmw, value_in(v), &written);
	return written;
}

static wide read_modify_write(struct whole *w, struct op_result *res)
{
	wide v = load_parts(w, order_acquires(w->op->order) ? ORDER_ACQ : ORDER_RLX);

	res->wrote = 1;
	res->stored = changed(w->op, v);
	write_parts(w, OP_RMW, w->op->order, number(res->stored));
	return v;
}

static wide compare_and_swap(struct whole *w, struct op_result *res)
{
	const struct op *op = w->op;
	unsigned failed = load_order(op->order_fail);
	unsigned before = order_acquires(op->order) ? failed : ORDER_RLX;
	wide v = load_parts(w, before);

	if (v != number(op->expected)) {
		if (before != failed)
			load_parts(w, failed);
		return v;
	}
	if (order_acquires(op->order) && op->order >= ORDER_ACQ_REL && !order_acquires(before))
		load_parts(w, ORDER_ACQ);
	res->wrote = 1;
	res->stored = op->arg;
	write_parts(w, OP_RMW, op->order, number(op->arg));
	return v;
}

void parts_op(const struct op *op, struct op_result *res)
{
	struct whole w;

	if (unlikely(split_learning) && overlap_takes(op)) {
		overlap_op(op, res);
		return;
	}
	*res = (struct op_result){ 0 };
	find_parts(&w, op);
	perform_begin(op);
	switch (op->kind) {
	case OP_LOAD:
		res->value = value_in(load_parts(&w, op->order));
		break;
	case OP_STORE:
		res->wrote = 1;
		res->stored = op->arg;
		write_parts(&w, OP_STORE, op->order, number(op->arg));
		break;
	case OP_RMW:
		res->value = value_in(read_modify_write(&w, res));
		break;
	default:
		must(op->kind == OP_CAS);
		res->value = value_in(compare_and_swap(&w, res));
	}
	perform_done(op, res, w.events);
	shadow_atomic_check(op, res->wrote);
	if (unlikely(watching))
		watch_access(&(struct access){ .addr = op->addr,
					       .size = op->size,
					       .pc = op->pc,
					       .is_write = res->wrote,
					       .is_atomic = true });
	res->wrote = 0;
}

void parts_meet(const struct op *op)
{
	struct whole w;

	find_parts(&w, op);
	for (unsigned i = 0; i < w.n; i++)
		engine_meet(engine, &(struct op){ .kind = OP_STORE,
						  .size = (uint8_t)w.size[i],
						  .addr = op->addr + w.offset[i] });
}
