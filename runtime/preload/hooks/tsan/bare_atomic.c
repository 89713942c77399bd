/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_atomic.c - inline assembly that accesses memory in one step: locked instructions, xchg, and mov
 *
 * Programs that were written for x86 have these where others have atomics. What heddle-cc compiled has notes that say where
 * (code/inline_code.h), and there stands a breakpoint in place of each (hooks/world/asks.c). A locked one is a read-modify-write, sequentially
 * consistent; cmpxchg that fails is a read, likewise. A mov is a load that acquires, or a store that releases: no processor that can
 * run it does less, and compilers move nothing across it that it says is memory of its own.
 *
 * It is an operation like that of a hook, entered on a stack of its own: the program's registers are kept
 * where a handler of the signal would find them, and what the instruction leaves in them is put there.
 */
#include "preload/hooks/hook.h"

#include <signal.h>

#include "engine/graph/guard.h"
#include "preload/access/atomic.h"
#include "preload/access/early.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/arch/x86_64/registers.h"
#include "preload/arch/x86_64/sigframe.h"
#include "preload/code/inline_code.h"
#include "preload/core/touch.h"
#include "preload/hooks/tsan/native.h"
#include "preload/hooks/world/asks.h"

/* How the engine says it. */
static const struct {
	uint8_t kind, fn, order;
} ways[] = {
	[ASKED_LOAD] = { OP_LOAD, 0, ORDER_ACQ },
	[ASKED_STORE] = { OP_STORE, 0, ORDER_REL },
	[ASKED_ADD] = { OP_RMW, RMW_ADD, ORDER_SC },
	[ASKED_SUB] = { OP_RMW, RMW_SUB, ORDER_SC },
	[ASKED_AND] = { OP_RMW, RMW_AND, ORDER_SC },
	[ASKED_OR] = { OP_RMW, RMW_OR, ORDER_SC },
	[ASKED_XOR] = { OP_RMW, RMW_XOR, ORDER_SC },
	[ASKED_EXCHANGE] = { OP_RMW, RMW_XCHG, ORDER_SC },
	[ASKED_NEGATE] = { OP_RMW, RMW_NEG, ORDER_SC },
	[ASKED_COMPARE] = { OP_CAS, 0, ORDER_SC },
};

static struct value value_from(struct insn_value v)
{
	return (struct value){ v.lo, v.hi };
}

static struct op op_of(const struct inline_op *o, const struct insn_asked *asked)
{
	return (struct op){
		.kind = ways[asked->kind].kind,
		.fn = ways[asked->kind].fn,
		.order = ways[asked->kind].order,
		.order_fail = asked->kind == ASKED_COMPARE ? ORDER_SC : 0,
		.size = o->access.size,
		.addr = asked->addr,
		.pc = o->here.at + o->access.length,
		.arg = value_from(asked->arg),
		.expected = value_from(asked->expected),
	};
}

/* There is one thread. */
static struct value happens_here(const struct op *op)
{
	struct value old = perform_load(op->addr, op->size);

	if (op->kind == OP_STORE)
		perform_store(op->addr, op->size, op->arg);
	else if (op->kind == OP_RMW)
		perform_store(op->addr, op->size, guard_written(op->fn, op->size, old, op->arg));
	else if (op->kind == OP_CAS)
		perform_store(op->addr, op->size, value_eq(old, op->expected) ? op->arg : old);
	return old;
}

/*
 * Of the fences that a locked instruction is besides, how many the model makes something of: that of x86 lacks what one that stores nothing
 * does before it reads.
 */
static unsigned fences_of(const struct op *op)
{
	const enum engine_model model = shared->config.model;

	if (op->kind == OP_LOAD || op->kind == OP_STORE || current->probing)
		return 0;
	if (model == MODEL_TSO)
		return op->kind == OP_CAS;
	return model == MODEL_RC11 || model == MODEL_RC20 ? 2 : 0;
}

static struct value happens(const struct op *op)
{
	const struct op fence = { .kind = OP_FENCE, .order = ORDER_SC, .pc = op->pc };
	struct op_result res;
	unsigned fences;

	if (atomic_is_native((const volatile void *)op->addr, op->size, op->kind != OP_STORE,
			     op->kind != OP_LOAD, op->pc))
		return happens_here(op);
	settle(); /* before the fence */
	fences = fences_of(op);
	if (fences)
		perform_beside(&fence, fences);
	atomic_op(op, &res);
	if (fences > 1)
		perform_beside(&fence, 0);
	/* The processor asks for memory that can be written to also where nothing is. */
	if (op->kind == OP_CAS && !cas_succeeded(op, &res) && !current->probing)
		touch_to_write((volatile void *)op->addr);
	return res.value;
}

/* What the instruction asks for, by the registers of that context. */
static void asks_for(const ucontext_t *uc, const struct inline_op *o,
		     uint64_t reg[ACCESS_REGISTERS], struct insn_asked *asked)
{
	const greg_t *gregs = uc->uc_mcontext.gregs;

	for (uint8_t i = 0; i < ACCESS_REGISTERS; i++)
		reg[i] = (uint64_t)gregs[registers_index(i)];
	insn_access_ask(&o->access, reg, (uint64_t)gregs[REG_EFL],
			(uint64_t)(uintptr_t)__builtin_thread_pointer(), asked);
}

/* The instruction of that context, which is behind it. */
ENTERED static void inline_access(ucontext_t *uc)
{
	const struct inline_op *o = inline_op_at(sigframe_about(uc));
	greg_t *gregs = uc->uc_mcontext.gregs;
	uint64_t reg[ACCESS_REGISTERS], flags = (uint64_t)gregs[REG_EFL];
	struct insn_asked asked;
	struct value old;
	struct op op;

	asks_for(uc, o, reg, &asked);
	op = op_of(o, &asked);
	old = happens(&op);
	insn_access_done(&o->access, (struct insn_value){ old.lo, old.hi }, reg, &flags);
	for (uint8_t i = 0; i < ACCESS_REGISTERS; i++)
		gregs[registers_index(i)] = (greg_t)reg[i];
	gregs[REG_EFL] = (greg_t)flags;
	sigframe_leave(uc);
}

void inline_entry(void);
LOCAL_ENTRY(inline_entry, inline_access, 1);

/*
 * Does it fault, and a handler of the program may want to know? That finds the instruction then, and all as the processor says it. Else the operation
 * says where it was. What is not aligned for 16 bytes faults anywhere.
 */
static bool faults(const ucontext_t *uc, const struct inline_op *o)
{
	uint64_t reg[ACCESS_REGISTERS];
	struct insn_asked asked;
	void *at;

	if (!touch_writes && o->access.size < 16)
		return false;
	asks_for(uc, o, reg, &asked);
	at = (void *)asked.addr;
	if (o->access.size == 16 && asked.addr % 16)
		return true;
	return touch_writes && !(asked.kind == ASKED_LOAD ? memory_readable(at, o->access.size)
							  : memory_writable(at, o->access.size));
}

/* In a handler on the runtime's stack. False: the program has no stack left for it. */
static bool begins(ucontext_t *uc, const struct inline_op *op)
{
	if (faults(uc, op)) {
		code_lift(&op->here);
		return true;
	}
	uc->uc_mcontext.gregs[REG_RIP] += op->access.length;
	return sigframe_enter(uc, op->here.at, inline_entry);
}

__attribute__((constructor)) static void bare_atomic_init(void)
{
	asks_inline = begins;
}
