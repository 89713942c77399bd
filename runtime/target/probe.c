/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.c - runs a thread once more from an earlier read, compares, and undoes it
 *
 * A fiber that waits in switch_context() is its stack from the stack pointer up: the
 * callee-saved registers are there too. So a state is saved by switching to a context of the
 * runtime's own (the bench) that copies the stack, and brought back by copying it the other
 * way. Both happen inside perform(), called by the hook of the read: a probe thus begins by
 * returning the other value through that hook, as the read itself did.
 *
 *	S2	the next operation after r2, where probe_equal() is called
 *	S1	where the probe, from r1 with the value of r2, came to its next operation
 *
 * They are equal when the operations are, the program's stack from its innermost frame up,
 * its callee-saved registers in that frame, and all bytes that either run wrote. The frames
 * of hooks are not compared, since they hold remains of earlier calls; the registers of the
 * program's frame are found by unwinding ours.
 *
 * In a probe hooks of plain reads do nothing, plain writes are logged, and whatever else is
 * not an operation ends the probe as different: a fault, a bug, a call with hidden state.
 */
#define _GNU_SOURCE 1
#include <string.h>
#include <unwind.h>

#include "target/await.h"
#include "target/driver.h"

enum {
	BENCH_STACK = 1 << 16,
	ARENA = 1 << 20,
	STACK_MAX = 8 << 20,
	REGISTERS = 6,
	TRACES = 4096,
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
	struct await_read *read; /* r1, or the one to save */
	bool save, arrived, equal;
	struct arrival s1, s2;
	char *s2_stack;
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

	memset(at, 0, sizeof(*at));
	at->op = *op;
	current = NULL;
	_Unwind_Backtrace(visit, at);
	current = caller;
}

/* Unwinding goes deeper than what perform() clears. */
static __attribute__((noinline)) void clear_traces(void)
{
	char traces[TRACES];

	memset(traces, 0, sizeof(traces));
	__asm__ volatile("" : : "r"(traces) : "memory");
}

static bool same_op(const struct op *a, const struct op *b)
{
	return a->kind == b->kind && a->order == b->order && a->order_fail == b->order_fail &&
	       a->size == b->size && a->fn == b->fn && a->peer == b->peer && a->addr == b->addr &&
	       a->pc == b->pc && value_eq(a->arg, b->arg) && value_eq(a->expected, b->expected);
}

/* ---- On the bench --------------------------------------------------------------------------------- */

static void save(struct fiber *f, struct await *a, struct await_read *r)
{
	uint64_t sp = f->context.sp, size = f->stack_high - sp;

	if (!a->arena)
		a->arena = map_own(ARENA);
	if (size > ARENA - a->arena_used)
		return;
	r->sp = sp;
	r->size = size;
	r->stack = a->arena + a->arena_used;
	a->arena_used += (size + 15) & ~15ul;
	memcpy(r->stack, (void *)sp, size);
	r->saved = true;
}

/* The probe stands at S1, its writes in memory: compares, and leaves memory as at S2. */
static bool compare_and_undo(struct fiber *f, const struct write_log *log, uint32_t from,
			     uint64_t s2_sp)
{
	const struct arrival *s1 = &probe.s1, *s2 = &probe.s2;
	bool equal = probe.arrived && same_op(&s1->op, &s2->op) && s1->sp == s2->sp &&
		     !memcmp(s1->reg, s2->reg, sizeof(s1->reg));

	if (equal && s1->sp)
		equal = !memcmp((void *)s1->sp, probe.s2_stack + (s1->sp - s2_sp),
				f->stack_high - s1->sp);
	for (uint32_t i = from; i < log->n; i++)
		equal = equal && !memcmp((void *)log->write[i].addr, probe.final + log->write[i].at,
					 log->write[i].size);
	for (uint32_t i = 0; i < probe.log.n; i++)
		memcpy(probe.probe_final + probe.log.write[i].at, (void *)probe.log.write[i].addr,
		       probe.log.write[i].size);
	log_undo(&probe.log, 0);
	for (uint32_t i = from; i < log->n; i++)
		memcpy((void *)log->write[i].addr, probe.final + log->write[i].at,
		       log->write[i].size);
	for (uint32_t i = 0; i < probe.log.n; i++)
		equal = equal &&
			!memcmp((void *)probe.log.write[i].addr,
				probe.probe_final + probe.log.write[i].at, probe.log.write[i].size);
	return equal;
}

static void run(struct fiber *f, struct await *a, struct await_read *r1)
{
	uint64_t sp = f->context.sp, size = f->stack_high - sp;
	const struct write_log *log = &a->log;

	probe.arrived = probe.equal = false;
	if (size > STACK_MAX)
		return;
	if (!probe.s2_stack)
		probe.s2_stack = map_own(STACK_MAX);
	memcpy(probe.s2_stack, (void *)sp, size);
	for (uint32_t i = r1->writes; i < log->n; i++)
		memcpy(probe.final + log->write[i].at, (void *)log->write[i].addr,
		       log->write[i].size);
	log_undo(log, r1->writes);
	probe.log.n = probe.log.used = 0;
	memcpy((void *)r1->sp, r1->stack, r1->size);
	f->context.sp = r1->sp;
	f->self.probing = true;
	current = &f->self;
	switch_context(&bench, &f->context);
	f->self.probing = false;
	current = &f->self;
	probe.equal = compare_and_undo(f, log, r1->writes, sp);
	memcpy((void *)sp, probe.s2_stack, size);
	f->context.sp = sp;
}

static void bench_main(void)
{
	for (;;) {
		if (probe.save)
			save(probe.fiber, probe.await, probe.read);
		else
			run(probe.fiber, probe.await, probe.read);
		switch_context(&bench, &probe.fiber->context);
	}
}

/* From the fiber: lets the bench work on it. */
static void go_to_bench(struct await *a, struct await_read *read, bool to_save)
{
	struct fiber *f = fiber_self();

	if (!bench.sp)
		context_make(&bench, (uint64_t)(uintptr_t)map_own(BENCH_STACK) + BENCH_STACK, 0,
			     bench_main);
	probe.fiber = f;
	probe.await = a;
	probe.read = read;
	probe.save = to_save;
	bench.fs = f->context.fs; /* the same: FS need not be set */
	switch_context(&f->context, &bench);
}

void probe_save(struct await *a, struct await_read *read)
{
	go_to_bench(a, read, true);
}

bool probe_equal(struct await *a, struct await_read *r1, const struct op *op)
{
	arrive(&probe.s2, op);
	clear_traces();
	go_to_bench(a, r1, false);
	return probe.equal;
}

/* ---- From within a probe -------------------------------------------------------------------------- */

void probe_arrive(const struct op *op)
{
	arrive(&probe.s1, op);
	probe.arrived = true;
	switch_context(&probe.fiber->context, &bench);
	__builtin_unreachable(); /* this stack is overwritten */
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

struct value probe_value(void)
{
	return probe.await->value;
}
