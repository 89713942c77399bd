/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guard.c - see guard.h
 */
#include "engine/graph/guard.h"

#include "base/must.h"

static uint64_t unlocked(uint64_t state)
{
	if (state & OP_RW_WRITER)
		return state - OP_RW_WRITER;
	return state % OP_RW_WRITER ? state - 1 : state;
}

static enum guard rwlock_apply(const struct guard_op *op, uint64_t state, struct value *written)
{
	bool free = op->arg.lo ? state % OP_RW_ASKED == 0 : !state;

	switch (op->kind) {
	case OP_RWUNLOCK:
		*written = value_of(unlocked(state));
		return GUARD_WRITES;
	case OP_RW_ASK:
		*written = value_of(state + OP_RW_ASKED);
		return GUARD_WRITES;
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
		*written = value_of(state + 1);
		if (state < OP_RW_WRITER)
			return GUARD_WRITES;
		return op->kind == OP_RDLOCK ? GUARD_BLOCKS : GUARD_READS;
	default:
		*written = value_of(state + OP_RW_WRITER - (op->arg.lo ? OP_RW_ASKED : 0));
		if (free)
			return GUARD_WRITES;
		return op->kind == OP_WRLOCK ? GUARD_BLOCKS : GUARD_READS;
	}
}

static enum guard take(const struct guard_op *op, uint64_t state, struct value *written)
{
	uint64_t n = COUNT_OF(state);

	*written = value_of(state - (n < op->arg.lo ? n : op->arg.lo));
	if (n)
		return GUARD_WRITES;
	return op->kind == OP_COUNT_TRYTAKE || (state & COUNT_NO_WRITER) ? GUARD_READS
									 : GUARD_BLOCKS;
}

static enum guard add(const struct guard_op *op, uint64_t state, struct value *written)
{
	*written = value_of(state + op->arg.lo);
	if (state & COUNT_NO_READER)
		return GUARD_READS;
	if (COUNT_OF(state) + op->arg.lo <= op->expected.lo)
		return GUARD_WRITES;
	return op->kind == OP_COUNT_TRYADD ? GUARD_READS : GUARD_BLOCKS;
}

static enum guard count_apply(const struct guard_op *op, uint64_t state, struct value *written)
{
	switch (op->kind) {
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
		return take(op, state, written);
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
		return add(op, state, written);
	case OP_COUNT_CLOSE:
		*written = value_of(state | op->arg.lo);
		return GUARD_WRITES;
	case OP_COUNT_OPEN:
		*written = value_of(0);
		return GUARD_WRITES;
	default:
		return count_ready(state, op->expected.lo) & op->arg.lo ? GUARD_READS
									: GUARD_BLOCKS;
	}
}

/* Which of those that something happened to ask for that? */
static uint64_t asked(const struct guard_op *op, struct value set)
{
	if (set.lo & READY_BUSY)
		return op->arg.lo;
	if (op->fn == READY_KEY_IN)
		return op->arg.lo & set.hi;
	return op->arg.lo & ((op->fn == READY_KEY_OUT ? set.hi : set.lo) >> READY_PLACES);
}

static enum guard ready_apply(const struct guard_op *op, struct value set, struct value *written)
{
	*written = set;
	switch (op->kind) {
	case OP_READY_MARK:
		written->lo |= asked(op, set);
		return GUARD_WRITES;
	case OP_READY_RELEASE:
		written->lo = (set.lo & ~(op->arg.lo | READY_BUSY)) | op->expected.lo;
		written->hi = (set.hi & ~op->arg.hi) | op->expected.hi;
		return GUARD_WRITES;
	case OP_READY_LOCK:
		written->lo |= READY_BUSY;
		return set.lo & READY_BUSY ? GUARD_BLOCKS : GUARD_WRITES;
	default:
		written->lo = (set.lo & ~READY_ALL) | READY_BUSY;
		if (set.lo & READY_BUSY)
			return GUARD_BLOCKS;
		if (set.lo & op->arg.lo)
			return GUARD_WRITES;
		return op->kind == OP_READY_TAKE ? GUARD_BLOCKS : GUARD_READS;
	}
}

enum guard guard_apply(const struct guard_op *op, struct value read, struct value *written)
{
	switch (op->kind) {
	case OP_RMW:
		*written = guard_written(op->fn, op->size, read, op->arg);
		return GUARD_WRITES;
	case OP_CAS:
		*written = op->arg;
		return value_eq(read, op->expected) ? GUARD_WRITES : GUARD_READS;
	case OP_LOCK:
	case OP_TRYLOCK:
		*written = value_of(1);
		if (!read.lo)
			return GUARD_WRITES;
		return op->kind == OP_LOCK ? GUARD_BLOCKS : GUARD_READS;
	case OP_ONCE_ENTER:
		*written = value_of(1);
		return read.lo == 0 ? GUARD_WRITES : read.lo == 1 ? GUARD_BLOCKS : GUARD_READS;
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
		*written = value_of(read.lo - 1);
		if (read.lo)
			return GUARD_WRITES;
		return op->kind == OP_SEM_WAIT ? GUARD_BLOCKS : GUARD_READS;
	case OP_SEM_POST:
		*written = value_of(read.lo + 1);
		return read.lo < OP_SEM_MOST ? GUARD_WRITES : GUARD_READS;
	case OP_BARRIER_ARRIVE:
		*written = value_of(read.lo + 1);
		return GUARD_WRITES;
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
		return rwlock_apply(op, read.lo, written);
	case OP_COUNT_TAKE:
	case OP_COUNT_TRYTAKE:
	case OP_COUNT_ADD:
	case OP_COUNT_TRYADD:
	case OP_COUNT_CLOSE:
	case OP_COUNT_OPEN:
	case OP_COUNT_AWAIT:
		return count_apply(op, read.lo, written);
	case OP_READY_TAKE:
	case OP_READY_TRYTAKE:
	case OP_READY_LOCK:
	case OP_READY_MARK:
	case OP_READY_RELEASE:
		return ready_apply(op, read, written);
	default:
		must(op->kind == OP_LOAD || op->kind == OP_COUNT_LOOK || op->kind == OP_FUTEX_LOOK);
		return GUARD_READS;
	}
}
