/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * silent.c - operations that do no more than read
 *
 * Loads and fences, compare-and-swaps and trylocks that failed, exchanges and compare-and-swaps that
 * stored what they read. Others cannot tell whether a thread did any: who reads from such an exchange could as well
 * read from what that one read, the same value, and would be ordered behind less. So what may happen
 * without them is all that may happen, data races included.
 */
#include "target/silent.h"

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
		return !res->wrote || value_eq(res->stored, res->value);
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return !res->wrote;
	case OP_RMW:
		return value_eq(res->stored, res->value);
	default:
		return false;
	}
}

static struct value truncated(uint64_t v, unsigned size)
{
	return value_of(size < 8 ? v & ((1ul << size * 8) - 1) : v);
}

bool silent_with(const struct op *op, struct value v)
{
	uint64_t x = v.lo, y = op->arg.lo;

	if (op->kind == OP_CAS)
		return !value_eq(v, op->expected) || value_eq(v, op->arg);
	if (op->kind != OP_RMW)
		return true;
	if (op->size == 16)
		return op->fn == RMW_XCHG && value_eq(v, op->arg);
	switch (op->fn) {
	case RMW_XCHG:
		x = y;
		break;
	case RMW_ADD:
		x += y;
		break;
	case RMW_SUB:
		x -= y;
		break;
	case RMW_AND:
		x &= y;
		break;
	case RMW_OR:
		x |= y;
		break;
	case RMW_XOR:
		x ^= y;
		break;
	default:
		x = ~(x & y);
		break;
	}
	return value_eq(truncated(x, op->size), v);
}

bool stores_with(const struct op *op, struct value v)
{
	return op->kind == OP_RMW || (op->kind == OP_CAS && value_eq(v, op->expected));
}

static unsigned strength(const struct op *op)
{
	static const unsigned of[] = { [ORDER_NA] = 0,  [ORDER_RLX] = 0,     [ORDER_ACQ] = 1,
				       [ORDER_REL] = 1, [ORDER_ACQ_REL] = 2, [ORDER_SC] = 3 };

	return of[op->kind == OP_CAS ? op->order_fail : op->order];
}

bool may_repeat(const struct op *r1, const struct op *r2)
{
	return r1->addr == r2->addr && r1->size == r2->size && strength(r1) <= strength(r2) &&
	       (r1->size || r1->kind == r2->kind);
}
