/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * silent.c - operations that do no more than read
 *
 * Loads and fences, compare-and-swaps and trylocks that failed, exchanges and compare-and-swaps that
 * stored what they read. Others cannot tell whether a thread did any: who reads from such an exchange could as well
 * read from what that one read, the same value, and would be ordered behind less (await.txt, P3). Which
 * of two reads orders less is a question of each part of their orders (P2).
 */
#include "preload/await/silent.h"

#include "engine/graph/guard.h"
#include "preload/core/context.h"

/* May a write stand for nothing, since it stores what it read? Not without an order of all writes (P3). */
static bool stores_are_silent(void)
{
	return shared->config.model != MODEL_WRA;
}

bool may_be_await(const struct op *op)
{
	return (op->kind == OP_LOAD && op->order != ORDER_NA) || op->kind == OP_CAS ||
	       op->kind == OP_RMW;
}

bool is_silent(const struct op *op, const struct op_result *res)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_FENCE:
	case OP_PAUSE:
		return true;
	case OP_CHOOSE:
		return op->fn;
	case OP_CAS:
		return !res->wrote || (stores_are_silent() && value_eq(res->stored, res->value));
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return !res->wrote;
	case OP_RMW:
		return stores_are_silent() && value_eq(res->stored, res->value);
	default:
		return false;
	}
}

bool stores_with(const struct op *op, struct value v)
{
	return op->kind == OP_RMW || (op->kind == OP_CAS && value_eq(v, op->expected));
}

bool silent_with(const struct op *op, struct value v)
{
	if (!stores_with(op, v))
		return true;
	if (!stores_are_silent())
		return false;
	return value_eq(v,
			op->kind == OP_CAS ? op->arg : guard_written(op->fn, op->size, v, op->arg));
}

/* What the operation, reading v, orders: the parts of its order that are in force. */
struct parts {
	bool stores, acquires, releases, sc;
};

static struct parts parts_of(const struct op *op, struct value v)
{
	bool stores = stores_with(op, v);
	unsigned order = op->kind == OP_CAS && !stores ? op->order_fail : op->order;

	return (struct parts){
		.stores = stores,
		.acquires = order == ORDER_ACQ || order >= ORDER_ACQ_REL,
		.releases =
			order >= ORDER_REL, /* a load only if it is sc, and that is compared, too */
		.sc = order == ORDER_SC,
	};
}

bool may_repeat(const struct op *r1, const struct op *r2, struct value v)
{
	struct parts a, b;

	if (r1->addr != r2->addr || r1->size != r2->size || (!r1->size && r1->kind != r2->kind))
		return false;
	a = parts_of(r1, v);
	b = parts_of(r2, v);
	return a.stores <= b.stores && a.acquires <= b.acquires && a.releases <= b.releases &&
	       a.sc <= b.sc;
}
