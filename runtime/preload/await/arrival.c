/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrival.c - the state of a thread at one of its operations: compared, and hashed
 *
 * That is its stack from the hook's return address up, its callee-saved registers, and the operation.
 * Hooks that are not entered (entry.h) have frames on the program's stack, which are not compared,
 * since they hold remains of earlier calls; there the program's frame is found by unwinding.
 *
 * States are the same when what differs is dead (live.h). So code that is not optimised, which keeps
 * its intermediate results in memory, waits no other way than code that is. Hashes are of what is
 * live, too.
 */
#define _GNU_SOURCE 1
#include "preload/await/arrival.h"

#include <string.h>
#include <unwind.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "preload/await/front.h"
#include "preload/await/rounds.h"
#include "preload/code/modules.h"
#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/liveness/live.h"

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	static const int number[REGISTERS] = { 3, 6, 12, 13, 14, 15 }; /* rbx rbp r12..r15 */
	struct arrival *at = arg;

	if (!_Unwind_GetIP(context))
		return _URC_END_OF_STACK;
	if (in_runtime(_Unwind_GetIP(context)))
		return _URC_NO_REASON;
	at->pc = _Unwind_GetIP(context);
	at->sp = _Unwind_GetCFA(context);
	for (int i = 0; i < REGISTERS; i++)
		at->reg[i] = _Unwind_GetGR(context, number[i]);
	return _URC_NORMAL_STOP;
}

void arrive(struct arrival *at, const struct op *op)
{
	struct self *caller = current;

	at->op = *op;
	at->sp = at->pc = 0;
	if (caller->entry.sp) {
		at->sp = caller->entry.sp + 8;
		at->pc = *(const uint64_t *)caller->entry.sp;
		memcpy(at->reg, caller->entry.reg, sizeof(at->reg));
		return;
	}
	memset(at->reg, 0, sizeof(at->reg));
	if (op->kind == OP_END)
		return; /* its function has returned */
	current = NULL;
	_Unwind_Backtrace(visit, at);
	current = caller;
}

bool same_op(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->order == b->order && a->order_fail == b->order_fail &&
	       a->size == b->size && a->fn == b->fn && a->peer == b->peer && a->addr == b->addr &&
	       a->pc == b->pc && value_eq(a->arg, b->arg) && value_eq(a->expected, b->expected);
}

bool same_state(const struct fiber *f, const struct arrival *at, const uint64_t *reg,
		const char *stack)
{
	uint64_t size = f->stack_high - at->sp, pc = at->pc, front;
	const char *mine = (const char *)at->sp;

	if (!memcmp(at->reg, reg, sizeof(at->reg)) && !memcmp(mine, stack, size))
		return true;
	front = front_of(&pc, mine);
	return front_same(at->pc, mine, stack, front) &&
	       live_same(pc, front > 0, size - front, &(struct live_state){ at->reg, mine + front },
			 &(struct live_state){ reg, stack + front });
}

void arrival_of_program(struct arrival *at)
{
	at->sp += front_of(&at->pc, (const char *)at->sp);
}

/* Memory that states are copied to, to be made the same bytes where they are the same. */
static char *copy_of(const void *stack, uint64_t size)
{
	static char *copy;
	KEPT(copy);

	if (!copy)
		copy = map_own(STACK_MAX);
	memcpy(copy, stack, size);
	return copy;
}

/* The program's stack is [entry->sp, entry->sp + size), copied to `stack`. */
static void hash_entry(uint64_t hash[2], const struct op *op, const struct entry *entry,
		       const void *stack, uint64_t size)
{
	uint64_t call[] = { hash[0], hash[1], op->addr, entry->sp, 0, 0, 0, 0, 0, 0 };
	char *copy = copy_of(stack, size);
	uint64_t pc, front;
	XXH128_hash_t h;

	memcpy(call + 4, entry->reg, sizeof(entry->reg));
	memcpy(&pc, stack, sizeof(pc));
	front = front_of(&pc, copy + 8);
	front_wipe(*(const uint64_t *)stack, copy + 8);
	live_wipe(pc, front > 0, size - 8 - front, call + 4, copy + 8 + front);
	h = XXH3_128bits_withSeed(copy, size, XXH3_64bits(call, sizeof(call)));
	hash[0] = h.low64;
	hash[1] = h.high64;
}

static XXH128_hash_t hash_call(const struct arrival *at, const struct entry *call)
{
	const struct op *op = &at->op;
	uint64_t what[] = { op->kind,   op->order,  op->order_fail,  op->size,
			    op->fn,     op->peer,   op->addr,        op->pc,
			    op->arg.lo, op->arg.hi, op->expected.lo, op->expected.hi,
			    at->sp,     at->pc };
	XXH128_hash_t h = XXH3_128bits(what, sizeof(what));

	return call ? XXH3_128bits_withSeed(call->arg, sizeof(call->arg), h.low64) : h;
}

void arrival_hash(const struct fiber *f, const struct arrival *at, const struct entry *call,
		  const struct write_log *wrote, uint64_t hash[2])
{
	uint64_t size = at->op.kind == OP_END ? 0 : f->stack_high - at->sp, pc = at->pc, front;
	char *copy = copy_of((const void *)at->sp, size);
	XXH128_hash_t h = hash_call(at, call);
	uint64_t reg[REGISTERS];

	for (uint32_t i = 0; i < wrote->n; i++) {
		uint64_t of[] = { h.low64, h.high64, wrote->write[i].addr, wrote->write[i].size };

		h = XXH3_128bits_withSeed((const void *)wrote->write[i].addr, wrote->write[i].size,
					  XXH3_64bits(of, sizeof(of)));
	}
	hash[0] = h.low64;
	hash[1] = h.high64;
	if (at->op.kind == OP_END)
		return;
	memcpy(reg, at->reg, sizeof(reg));
	front = front_of(&pc, copy);
	front_wipe(at->pc, copy);
	live_wipe(pc, front > 0, size - front, reg, copy + front);
	h = XXH3_128bits_withSeed(copy, size, hash[0]);
	hash[1] ^= h.high64;
	hash[0] = XXH3_64bits_withSeed(reg, sizeof(reg), h.low64);
}

/* What was written since the window began, and what stood there. */
static void hash_log(uint64_t hash[2], const struct write_log *log)
{
	for (uint32_t i = 0; i < log->n; i++) {
		uint64_t addr = log->write[i].addr, size = log->write[i].size;

		hash[0] = XXH3_64bits_withSeed((const void *)addr, size, hash[0] ^ addr);
		hash[1] = XXH3_64bits_withSeed(log->old + log->write[i].at, size, hash[1] ^ size);
	}
}

bool probe_state(const struct await *a, const struct op *op, uint64_t hash[2])
{
	const struct fiber *f = fiber_self();
	const struct entry *here = &f->self.entry;

	if (f->stack_high - here->sp > STACK_MAX)
		return false;
	hash[0] = told_from(a) ^ (uint64_t)a->passed.ops << 32;
	hash[1] = rounds_hash(a);
	hash_log(hash, &a->log);
	for (uint32_t i = 0; i < f->self.window; i++) {
		const struct await_op *o = &a->ops[i];

		if (o->reads && !o->saved)
			return false;
		if (o->reads)
			hash_entry(hash, &o->op, &o->entry, o->stack, o->size);
		/* What it has read decides whether it would stay for ever (try_earlier()). */
		hash[0] = XXH3_64bits_withSeed(&o->value, sizeof(o->value), hash[0] ^ o->writes);
	}
	hash_entry(hash, op, here, (const void *)here->sp, f->stack_high - here->sp);
	return true;
}

bool probe_place(const struct op *op, uint64_t hash[2])
{
	const struct fiber *f = fiber_self();
	const struct entry *here = &f->self.entry;

	if (f->stack_high - here->sp > STACK_MAX) /* or outside of a hook, where sp is 0 */
		return false;
	hash[0] = hash[1] = 0;
	hash_entry(hash, op, here, (const void *)here->sp, f->stack_high - here->sp);
	return true;
}
