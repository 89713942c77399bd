/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.c - runs a thread once more from an earlier read, compares, and undoes it
 *
 * The program at an operation is its stack from the hook's return address up, and what
 * current->entry holds: its callee-saved registers, and the arguments of the hook (entry.h).
 * That is saved, and brought back by making the call of the hook again, on a stack of hooks
 * kept for that, while a context of the runtime's own (the bench) waits for the result. In a
 * probe perform() asks nobody: the first operation reads what r2 did, and the following ones
 * what those behind r2 did, as long as they are the same.
 *
 *	S2	the operation that the thread is about to perform, where probe_run() is called
 *	S1	where the probe came to its operation of the same rank
 *
 * They are equal when the operations are, the program's stack from the frame that called the
 * hook up, its callee-saved registers, and all bytes that either run wrote. Hooks that are not
 * entered (entry.h) have frames on the program's stack, which are not compared, since they
 * hold remains of earlier calls; there the program's frame is found by unwinding.
 *
 * In a probe hooks of plain reads do nothing, plain writes are logged, and whatever else is
 * not an operation ends the probe as another way: a fault, a bug, a call with hidden state.
 */
#define _GNU_SOURCE 1
#include <string.h>
#include <unwind.h>

#include "target/await.h"
#include "target/driver.h"
#include "target/entry.h"

enum {
	BENCH_STACK = 1 << 16,
	ARENA = 1 << 20,
	STACK_MAX = 8 << 20,
	REGISTERS = 6,
	BELOW = 1024,
};

/* The program at one of its operations. */
struct arrival {
	struct op op;
	uint64_t sp; /* of the program's frame; 0: no such frame (the thread's end) */
	uint64_t reg[REGISTERS];
};

static struct context bench;
static struct {
	struct fiber *fiber;
	struct await *await;
	uint32_t r1, r2;
	uint32_t next; /* operation of the window whose value the next one of the probe reads */
	bool arrived;
	enum probe_result result;
	struct arrival s1, s2;
	uint64_t low; /* of the program's stack at S2, and what lies below it */
	char *s2_stack;
	uint64_t hook_stack;
	struct write_log log; /* of the probe */
	char final[AWAIT_BYTES], probe_final[AWAIT_BYTES];
} probe;

/* ---- States ------------------------------------------------------------------------------------ */

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	static const int number[REGISTERS] = { 3, 6, 12, 13, 14, 15 }; /* rbx rbp r12..r15 */
	struct arrival *at = arg;

	if (!_Unwind_GetIP(context))
		return _URC_END_OF_STACK;
	if (in_runtime(_Unwind_GetIP(context)))
		return _URC_NO_REASON;
	at->sp = _Unwind_GetCFA(context);
	for (int i = 0; i < REGISTERS; i++)
		at->reg[i] = _Unwind_GetGR(context, number[i]);
	return _URC_NORMAL_STOP;
}

/* Notes where the calling fiber is. */
static void arrive(struct arrival *at, const struct op *op)
{
	struct self *caller = current;

	at->op = *op;
	at->sp = 0;
	if (caller->entry.sp) {
		at->sp = caller->entry.sp + 8;
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

static bool same_op(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->order == b->order && a->order_fail == b->order_fail &&
	       a->size == b->size && a->fn == b->fn && a->peer == b->peer && a->addr == b->addr &&
	       a->pc == b->pc && value_eq(a->arg, b->arg) && value_eq(a->expected, b->expected);
}

/* ---- On the bench --------------------------------------------------------------------------------- */

/* Do the bytes that either run wrote agree? Leaves memory as at S2. */
static bool undo_writes(const struct write_log *log, uint32_t from)
{
	const struct write_log *mine = &probe.log;
	bool equal = true;

	for (uint32_t i = from; i < log->n; i++)
		equal = equal && !memcmp((void *)log->write[i].addr, probe.final + log->write[i].at,
					 log->write[i].size);
	for (uint32_t i = 0; i < mine->n; i++)
		memcpy(probe.probe_final + mine->write[i].at, (void *)mine->write[i].addr,
		       mine->write[i].size);
	log_undo(mine, 0);
	for (uint32_t i = from; i < log->n; i++)
		memcpy((void *)log->write[i].addr, probe.final + log->write[i].at,
		       log->write[i].size);
	for (uint32_t i = 0; i < mine->n; i++)
		equal = equal &&
			!memcmp((void *)mine->write[i].addr, probe.probe_final + mine->write[i].at,
				mine->write[i].size);
	return equal;
}

/* The probe stands at S1, its writes in memory: compares, and leaves memory as at S2. */
static enum probe_result compare_and_undo(struct fiber *f, const struct write_log *log,
					  uint32_t from)
{
	const struct arrival *s1 = &probe.s1, *s2 = &probe.s2;
	bool same = probe.arrived && s1->sp == s2->sp;
	bool equal = same && !memcmp(s1->reg, s2->reg, sizeof(s1->reg)) &&
		     (!s1->sp || !memcmp((void *)s1->sp, probe.s2_stack + (s1->sp - probe.low),
					 f->stack_high - s1->sp));

	equal = undo_writes(log, from) && equal;
	return equal ? PROBE_EQUAL : same ? PROBE_DRIFTS : PROBE_OTHER;
}

/* The lowest byte of the program's stack that counts: what is live, and some more that later
 * frames may find. */
static uint64_t low_of(const struct fiber *f)
{
	uint64_t low = (f->self.entry.sp ? f->self.entry.sp : f->context.sp) - BELOW;

	return low < f->stack_low ? f->stack_low : low;
}

static void run(struct fiber *f, struct await *a)
{
	const struct await_op *r1 = &a->ops[probe.r1];
	struct entry entry = f->self.entry;
	uint64_t size;

	probe.low = low_of(f);
	size = f->stack_high - probe.low;
	probe.result = PROBE_OTHER;
	if (size > STACK_MAX)
		return;
	memcpy(probe.s2_stack, (void *)probe.low, size);
	for (uint32_t i = r1->writes; i < a->log.n; i++)
		memcpy(probe.final + a->log.write[i].at, (void *)a->log.write[i].addr,
		       a->log.write[i].size);
	log_undo(&a->log, r1->writes);
	probe.log.n = probe.log.used = 0;
	probe.arrived = false;
	probe.next = probe.r2;
	memcpy((void *)r1->entry.sp, r1->stack, r1->size);
	f->self.entry.sp = 0;
	f->self.entry.stack = probe.hook_stack;
	f->self.probing = true;
	entry_repeat(&bench, &r1->entry);
	f->self.probing = false;
	f->self.entry = entry;
	current = &f->self;
	probe.result = compare_and_undo(f, &a->log, r1->writes);
	memcpy((void *)probe.low, probe.s2_stack, size);
}

static void bench_main(void)
{
	for (;;) {
		run(probe.fiber, probe.await);
		switch_context(&bench, &probe.fiber->context);
	}
}

static void bench_make(void)
{
	probe.s2_stack = map_own(STACK_MAX);
	probe.hook_stack = (uint64_t)(uintptr_t)map_own(HOOK_STACK) + HOOK_STACK;
	context_make(&bench, (uint64_t)(uintptr_t)map_own(BENCH_STACK) + BENCH_STACK, 0,
		     bench_main);
}

void probe_save(struct await *a, struct await_op *o)
{
	struct fiber *f = fiber_self();
	uint64_t sp = f->self.entry.sp, size = f->stack_high - sp;

	if (!a->arena)
		a->arena = map_own(ARENA);
	if (!sp || size > ARENA - a->arena_used)
		return;
	o->entry = f->self.entry;
	o->size = size;
	o->stack = a->arena + a->arena_used;
	a->arena_used += (size + 15) & ~15ul;
	memcpy(o->stack, (void *)sp, size);
	o->saved = true;
}

enum probe_result probe_run(struct await *a, uint32_t r1, uint32_t r2, const struct op *op)
{
	struct fiber *f = fiber_self();

	if (!bench.sp)
		bench_make();
	arrive(&probe.s2, op);
	probe.fiber = f;
	probe.await = a;
	probe.r1 = r1;
	probe.r2 = r2;
	bench.fs = f->context.fs; /* the same: FS need not be set */
	switch_context(&f->context, &bench);
	return probe.result;
}

/* ---- From within a probe -------------------------------------------------------------------------- */

void probe_step(const struct op *op, struct op_result *res)
{
	uint32_t at = probe.next++;

	if (at < probe.fiber->self.window) {
		if (at > probe.r2 && !same_op(op, &probe.await->ops[at].op))
			probe_differs();
		*res = (struct op_result){ .value = probe.await->ops[at].value };
		return;
	}
	if (!same_op(op, &probe.s2.op))
		probe_differs();
	arrive(&probe.s1, op);
	probe.arrived = true;
	jump_context(&bench);
}

void probe_differs(void)
{
	probe.arrived = false;
	jump_context(&bench);
}

void probe_write(uint64_t addr, uint64_t size)
{
	if (!log_add(&probe.log, addr, size))
		probe_differs();
}
