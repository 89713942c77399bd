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
 * hook up, its callee-saved registers, and all bytes that either run wrote (arrival.h).
 *
 * A probe that returns to a function of which not all is told ends there (stretch_frames.c).
 *
 * In such a probe plain reads of atomic locations are operations (promote.h), other ones do
 * nothing, plain writes are logged, and whatever else is not an operation ends the probe as another
 * way: a fault, a bug, a call with hidden state.
 *
 * Another kind of probe runs ahead, from the operation the thread is about to perform, given some
 * value, to the next one: is it back where it was then? Or where the same value had led from an
 * earlier operation of the window? What such a probe finds out has to be true whenever the thread
 * comes here, and of values that nobody has written yet. So it ends at the first read of memory
 * that others may write: what stands there may come with the value (`while (!(load(&ready) &&
 * data))`). Two runs that come to such a read in the same state go on in the same way, whatever
 * they find.
 *
 * (await.txt, W1 to W4.)
 *
 * Reads of frames whose
 * addresses stay where they are, and of what the probe itself wrote to the stack, do not count.
 */
#include <string.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/alone.h"
#include "preload/await/arrival.h"
#include "preload/await/follow.h"
#include "preload/await/leads.h"
#include "preload/await/overtime.h"
#include "preload/await/rounds.h"
#include "preload/await/saved.h"
#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/image/unseen.h"
#include "preload/liveness/live.h"
#include "preload/race/shadow.h"

enum {
	BENCH_STACK = 1 << 16,
	BELOW = 1024,
};

static struct context bench;
KEPT(bench);
enum job {
	TWIN,  /* again from an earlier operation, with later values */
	AHEAD, /* on from the next operation, or from an earlier one, with some value */
	LEADS, /* on from the operation that the thread is at, with some value, to the next one (leads.c) */
	LONE /* on from some operation, in memory as it is, when nothing else can move (alone.c) */
};

static struct {
	enum job job;
	struct fiber *fiber;
	struct await *await;
	uint32_t r1, r2;
	struct value value; /* AHEAD, LONE: that the operation reads */
	bool unclear;       /* it ended since not all is told, or there was no room */
	struct entry call;  /* LONE: of the hook */
	struct context *back;
	bool late;       /* it was ended since it took too long (overtime.h) */
	bool fails;      /* AHEAD: the answer */
	uint64_t *leads; /* LEADS: likewise */
	uint32_t round;
	uint64_t unsaved;
	uint32_t told;         /* AHEAD: since this operation of the window all is told (A3) */
	bool passes, passed;   /* AHEAD: fences do not end it; it came by one */
	struct own_writes own; /* AHEAD */
	bool for_others;       /* AHEAD: it wrote what others may access (W5) */
	uint32_t next; /* operation of the window whose value the next one of the probe reads */
	bool arrived;
	enum probe_result result;
	struct arrival s1, s2;
	struct entry entry; /* of the hook at S1 */
	uint64_t low;       /* of the program's stack at S2, and what lies below it */
	char *s2_stack, *here_stack;
	uint64_t hook_stack;
	uint64_t *guarded, guards; /* a return address on the stack, and what belongs there */
	struct write_log *into;    /* where its writes go to */
	struct write_log log;      /* of the probe */
	char final[LOG_BYTES], probe_final[LOG_BYTES];
} probe;
KEPT(probe);

/* ---- On the bench --------------------------------------------------------------------------------- */

/* Do the bytes that either run wrote agree? Leaves memory as at S2. */
static bool undo_writes(const struct write_log *log, uint32_t from)
{
	const struct write_log *mine = &probe.log;
	bool equal = true;

	for (uint32_t i = from; i < log->n; i++)
		equal = equal && (log->write[i].shows ||
				  !memcmp((void *)log->write[i].addr,
					  probe.final + log->write[i].at, log->write[i].size));
	for (uint32_t i = 0; i < mine->n; i++)
		memcpy(probe.probe_final + mine->write[i].at, (void *)mine->write[i].addr,
		       mine->write[i].size);
	log_undo(mine, 0);
	for (uint32_t i = from; i < log->n; i++)
		memcpy((void *)log->write[i].addr, probe.final + log->write[i].at,
		       log->write[i].size);
	for (uint32_t i = 0; i < mine->n; i++)
		equal = equal &&
			(mine->write[i].shows ||
			 !memcmp((void *)mine->write[i].addr, probe.probe_final + mine->write[i].at,
				 mine->write[i].size));
	return equal;
}

/* The probe stands at S1, its writes in memory: compares, and leaves memory as at S2. */
static enum probe_result compare_and_undo(struct fiber *f, const struct write_log *log,
					  uint32_t from)
{
	const struct arrival *s1 = &probe.s1, *s2 = &probe.s2;
	/* What an operation is given need not be in the state any more: it may be in registers that
	 * calls change. A plain read, which ends a run ahead, does not name its place: pc is compared for that. */
	bool same =
		probe.arrived && s1->sp == s2->sp && s1->pc == s2->pc && same_op(&s1->op, &s2->op);
	/* sp 0: at the thread's end there is nothing left to compare; elsewhere it is not known where the program is. */
	bool equal =
		same && (s1->sp ? same_state(f, s1, s2->reg, probe.s2_stack + (s1->sp - probe.low))
				: s1->op.kind == OP_END);

	equal = undo_writes(log, from) && equal;
	return equal ? PROBE_EQUAL : same ? PROBE_DRIFTS : PROBE_OTHER;
}

/* The lowest byte of the program's stack that counts, if sp is where it is: what is live, and some
 * more that later frames may find. */
static uint64_t low_of(const struct fiber *f, uint64_t sp)
{
	return sp - BELOW < f->stack_low ? f->stack_low : sp - BELOW;
}

/* Where the fiber, about to perform an operation, is. */
static uint64_t sp_of(const struct fiber *f)
{
	return f->self.entry.sp ? f->self.entry.sp : f->context.sp;
}

/* Copies the stack from there up; returns its size, or 0 if it is too large. */
static uint64_t copy_stack(const struct fiber *f, uint64_t low, char *to)
{
	uint64_t size = f->stack_high - low;

	if (size > STACK_MAX)
		return 0;
	memcpy(to, (void *)low, size);
	return size;
}

/* ---- What it must not return to ------------------------------------------------------------------- */

static heddle_noreturn void left(void)
{
	probe.unclear = true;
	probe_differs();
}

/* Takes the place of a return address: the stack is as a call needs it, less its own return address. */
heddle_noreturn void probe_left(void);
__asm__(".text\n"
	".p2align 4\n"
	".hidden probe_left\n"
	".type probe_left, @function\n"
	"probe_left:\n"
	"	call *probe_leaves(%rip)\n"
	"	ud2\n"
	".size probe_left, .-probe_left\n");
__attribute__((visibility("hidden"), used)) void (*const probe_leaves)(void) = left;

static void unguard(void)
{
	if (probe.guarded)
		*probe.guarded = probe.guards;
	probe.guarded = NULL;
}

/*
 * The probe goes on from an operation. All it does has to be told, or nobody would undo it; so it ends where it returns
 * to code of which not all is. What all memory is compared for may be done.
 */
static void guard(const struct op *op)
{
	enum stretch most = unseen_partly ? STRETCH_UNSEEN : STRETCH_TOLD;
	struct frames ahead;

	unguard();
	told_ahead(op, &ahead, most);
	if (ahead.worst <= most)
		return;
	if (!ahead.safe)
		left();
	probe.guarded = (uint64_t *)(ahead.at[ahead.safe - 1].cfa - 8);
	probe.guards = *probe.guarded;
	*probe.guarded = (uint64_t)(uintptr_t)probe_left;
}

/* It takes too long. */
static void too_long(void)
{
	probe.late = true;
	left();
}

/* Lets the fiber make this call of a hook once more, and go on until the probe ends. */
static void repeat_from(struct fiber *f, const struct entry *call)
{
	struct entry entry = f->self.entry, again = *call;

	overtime_watch(too_long);
	probe.log.n = probe.log.used = probe.own.n = 0;
	probe.for_others = false;
	probe.arrived = false;
	f->self.entry.sp = 0;
	f->self.entry.stack = probe.hook_stack;
	f->self.probing = true;
	entry_repeat(&bench, &again);
	unguard();
	f->self.probing = false;
	f->self.entry = entry;
	current = &f->self;
}

/* Runs once more from an operation of the window, compares with S2, and leaves memory, but for the
 * stack, as it is there. */
static enum probe_result run_from(struct fiber *f, struct await *a, const struct await_op *r1)
{
	for (uint32_t i = r1->writes; i < a->log.n; i++)
		memcpy(probe.final + a->log.write[i].at, (void *)a->log.write[i].addr,
		       a->log.write[i].size);
	log_undo(&a->log, r1->writes);
	memcpy((void *)r1->entry.sp, r1->stack, r1->size);
	probe.into = &probe.log;
	rounds_run_begins();
	repeat_from(f, &r1->entry);
	return compare_and_undo(f, &a->log, r1->writes);
}

static void run_twin(struct fiber *f, struct await *a)
{
	const struct await_op *r1 = &a->ops[probe.r1];
	uint64_t size;

	probe.result = PROBE_OTHER;
	probe.low = low_of(f, sp_of(f));
	size = copy_stack(f, probe.low, probe.s2_stack);
	if (!size)
		return;
	probe.next = probe.r2;
	probe.result = run_from(f, a, r1);
	memcpy((void *)probe.low, probe.s2_stack, size);
}

static bool is_plain_read(const struct op *op)
{
	return op->kind == OP_LOAD && op->order == ORDER_NA;
}

/* The thread stands at S1, which is S2 for the runs from earlier operations. */
static bool stand_there(struct fiber *f)
{
	probe.s2 = probe.s1;
	probe.low = low_of(f, probe.s1.sp ? probe.s1.sp : sp_of(f));
	return copy_stack(f, probe.low, probe.s2_stack);
}

/* L2. What the run ahead writes would be left out, too. False if there is no room to say so. */
static bool touch_ahead(struct fiber *f, const struct await *a, uint32_t from)
{
	const struct write_log *log = &a->log;

	if (!rounds_counted)
		return true;
	if (f->self.ntouch + (log->n - from) > TOUCHES)
		return false;
	f->self.window++; /* behind the next operation */
	for (uint32_t i = from; i < log->n; i++)
		rounds_touch(log->write[i].addr, log->write[i].size, true);
	f->self.window--;
	return true;
}

/*
 * Would the value have led from an earlier operation to where it leads from the next one? That run
 * is over, its writes at the end of the log.
 */
static void try_earlier(struct fiber *f, struct await *a, struct await_op *here, uint32_t ahead)
{
	uint64_t next_pc = is_plain_read(&probe.s1.op) ? SOMEWHERE : probe.s1.op.pc;
	uint32_t n = f->self.window, tries = AWAIT_TWINS, touched = f->self.ntouch;

	here->value = probe.value;
	if (!stand_there(f) || !touch_ahead(f, a, ahead))
		return;
	for (uint32_t i = n; i-- > probe.told && tries && !probe.fails;) {
		const struct await_op *r1 = &a->ops[i];

		if (!await_repeats(a, i, here, next_pc))
			continue;
		tries--;
		if (!r1->saved) {
			/* The answer must not depend on what has been met so far. */
			probe.unsaved = r1->op.pc;
			continue;
		}
		probe.next = 0;
		probe.fails = run_from(f, a, r1) == PROBE_EQUAL && rounds_may_go(a, i, n, n + 1);
		/* If it does not come back, its last operation is what is certain to be done again. */
		probe.round = probe.fails && value_eq(r1->value, probe.value);
	}
	f->self.ntouch = touched;
}

/* The thread arrived at its next operation. How many operations ago was it there? 0: never. */
static uint32_t round_to_here(const struct fiber *f, struct await *a, const struct await_op *here,
			      uint32_t window)
{
	uint32_t to;

	if (same_op(&probe.s1.op, &here->op) && saved_is_back(f, &probe.s1, here))
		return 1;
	to = saved_find_back(f, a, &probe.s1, window, &probe.unsaved);
	a->ops[window].op = here->op; /* is left out as well */
	if (to == NO_TWIN || to < probe.told)
		return 0;
	return rounds_may_go(a, to, window + 1, window) ? await_length(a, to, window + 1) : 0;
}

static void go_ahead(struct fiber *f, const struct await_op *here, bool passes)
{
	probe.next = 0;
	probe.passes = passes;
	probe.passed = false;
	repeat_from(f, &here->entry);
	probe.passes = false;
	probe.arrived = probe.arrived && !probe.for_others;
}

/*
 * Fences in the round are done again with it. A run from an earlier operation might do them where
 * this one does not, and would be an execution in which less is allowed, so there they end it.
 */
static void run_ahead(struct fiber *f, struct await *a)
{
	struct await_op here = { .op = probe.s2.op, .reads = true, .entry = f->self.entry };
	uint64_t low = low_of(f, sp_of(f)), size = copy_stack(f, low, probe.here_stack);
	uint32_t window = f->self.window, n = a->log.n, used = a->log.used;

	probe.fails = false;
	probe.round = 0;
	if (!size)
		return;
	here.stack = probe.here_stack + (here.entry.sp - low);
	probe.told = told_from(a);
	probe.into = &a->log;
	f->self.window += !window; /* or probe_write() would not be told */
	go_ahead(f, &here, true);
	if (probe.arrived && !is_plain_read(&probe.s1.op))
		probe.round = round_to_here(f, a, &here, window);
	probe.fails = probe.round;
	if (!probe.fails && window && probe.passed) {
		log_undo(&a->log, n);
		a->log.n = n;
		a->log.used = used;
		memcpy((void *)low, probe.here_stack, size);
		go_ahead(f, &here, false);
	}
	if (probe.arrived && !probe.fails && window)
		try_earlier(f, a, &here, n);
	f->self.window = window;
	log_undo(&a->log, n);
	a->log.n = n;
	a->log.used = used;
	memcpy((void *)low, probe.here_stack, size);
}

static void run_leads(struct fiber *f)
{
	uint64_t low = low_of(f, sp_of(f)), size = copy_stack(f, low, probe.here_stack);
	uint32_t window = f->self.window;

	probe.next = 0;
	probe.into = &probe.log;
	f->self.window += !window; /* likewise */
	if (size)
		repeat_from(f, &f->self.entry);
	f->self.window = window;
	if (!size)
		return;
	if (!probe.s1.sp || probe.s1.sp > f->stack_high) /* it is not known where the program is */
		probe.arrived = probe.arrived && probe.s1.op.kind == OP_END;
	probe.arrived =
		probe.arrived && leads_hash(f, &probe.s1, &probe.entry, &probe.log, probe.leads);
	log_undo(&probe.log, 0);
	memcpy((void *)low, probe.here_stack, size);
}

static void bench_main(void)
{
	for (;;) {
		if (probe.job == TWIN)
			run_twin(probe.fiber, probe.await);
		else if (probe.job == AHEAD)
			run_ahead(probe.fiber, probe.await);
		else if (probe.job == LEADS)
			run_leads(probe.fiber);
		else
			repeat_from(probe.fiber, &probe.call);
		switch_context(&bench, probe.back);
	}
}

static void bench_make(void)
{
	probe.s2_stack = map_own(STACK_MAX);
	probe.here_stack = map_own(STACK_MAX);
	probe.hook_stack = (uint64_t)(uintptr_t)map_own(HOOK_STACK) + HOOK_STACK;
	context_make(&bench, (uint64_t)(uintptr_t)map_own(BENCH_STACK) + BENCH_STACK, 0,
		     bench_main);
}

/* What is left as it was by one probe is that for the next one. */
static struct {
	uint64_t hash;
	bool known;
} memory;

void memory_moves(void)
{
	memory.known = false;
}

static enum probe_result do_job(enum job job, struct await *a, const struct op *op)
{
	struct fiber *f = fiber_self();
	uint64_t after;

	overtime_prepare();
	if (unseen_partly && !memory.known)
		memory.known = unseen_hash(&memory.hash);
	if (!bench.sp)
		bench_make();
	arrive(&probe.s2, op);
	probe.job = job;
	probe.fiber = f;
	probe.await = a;
	probe.back = &f->context;
	probe.late = false;
	bench.fs = f->context.fs; /* the same: FS need not be set */
	switch_context(&f->context, &bench);
	if (unseen_partly && !(memory.known && unseen_hash(&after) && after == memory.hash))
		fact_found(FACT_MEMORY_UNSEEN); /* the exploration starts again without probes */
	if (probe.late && job == AHEAD)
		fact_found_at(FACT_OVERTIME, op->pc);
	return probe.result;
}

enum probe_result probe_run(struct await *a, uint32_t r1, uint32_t r2, const struct op *op)
{
	probe.r1 = r1;
	probe.r2 = r2;
	return do_job(TWIN, a, op);
}

bool probe_fails(struct await *a, const struct op *op, struct value value, uint32_t *round,
		 uint64_t *unsaved)
{
	probe.value = value;
	probe.unsaved = 0;
	do_job(AHEAD, a, op);
	*unsaved = probe.unsaved;
	*round = probe.round;
	return probe.fails;
}

bool probe_leads(const struct op *op, struct value value, uint64_t hash[2])
{
	probe.value = value;
	probe.leads = hash;
	probe.arrived = false;
	do_job(LEADS, &await_of[current->tid], op);
	return probe.arrived;
}

enum probe_end probe_alone(struct fiber *f, struct context *caller, const struct entry *call,
			   const struct value *value, struct write_log *log, struct arrival *at,
			   struct entry *entry)
{
	uint32_t window = f->self.window;

	if (!bench.sp)
		bench_make();
	probe.job = LONE;
	probe.fiber = f;
	probe.call = *call;
	probe.next = !value;
	probe.value = value ? *value : value_of(0);
	probe.into = log;
	probe.unclear = false;
	probe.back = caller;
	bench.fs = f->context.fs;
	f->self.window += !window; /* likewise */
	current = &f->self;
	switch_context(caller, &bench);
	current = NULL;
	f->self.window = window;
	*at = probe.s1;
	*entry = probe.entry;
	return probe.arrived ? PROBE_ARRIVES : probe.unclear ? PROBE_UNCLEAR : PROBE_GOES_ON;
}

/* ---- From within a probe -------------------------------------------------------------------------- */

/* The probe ends here. */
static heddle_noreturn void stop_at(const struct op *op)
{
	arrive(&probe.s1, op);
	probe.entry = current->entry;
	probe.arrived = true;
	jump_context(&bench);
}

void probe_step(const struct op *op, struct op_result *res)
{
	uint32_t at = probe.next++;

	if (probe.job == AHEAD) {
		bool passes = probe.passes && op->kind == OP_FENCE && at <= AWAIT_REACH;

		if (at && !passes)
			stop_at(op);
		probe.passed |= at > 0;
		guard(op);
		*res = (struct op_result){ .value = probe.value };
		return;
	}
	if (probe.job == LONE || probe.job == LEADS) {
		if (at)
			stop_at(op);
		if (probe.job == LEADS && !same_op(op, &probe.s2.op))
			probe_differs(); /* the hook does more than that */
		guard(op);
		*res = (struct op_result){ .value = probe.value };
		return;
	}
	if (at >= probe.fiber->self.window)
		stop_at(op);
	if (at > probe.r2 && !same_op(op, &probe.await->ops[at].op))
		probe_differs();
	guard(op);
	*res = (struct op_result){ .value = probe.await->ops[at].value };
}

void probe_differs(void)
{
	probe.arrived = false;
	jump_context(&bench);
}

/* The probe comes to a plain read that ends it. */
static void stop_at_read(uint64_t addr, uint64_t size)
{
	stop_at(&(struct op){ .kind = OP_LOAD, .addr = addr, .arg = value_of(size) });
}

/* Is it what the probe itself has written, to no place of atomic operations? */
static bool own_read(uint64_t addr, uint64_t size)
{
	return !shadow_cell_now(addr)->bytes && !shadow_cell_now(addr + size - 1)->bytes &&
	       own_covers(&probe.own, addr, size);
}

/* Does the hook of the lock that the probe tries ask if there is one? That is a read for races only. */
static bool is_own_lock(uint64_t addr)
{
	const struct op *op = &probe.s2.op;

	return probe.job == LEADS && current->entry.sp && !op->size && addr == op->addr;
}

/* Is it of the frame that the probed operation is in, and of no concern to others? */
static bool is_private(uint64_t addr, uint64_t size)
{
	const struct entry *call = &probe.fiber->self.entry;

	return call->sp && addr >= call->sp && addr < probe.fiber->stack_high &&
	       live_private(*(const uint64_t *)call->sp, call->sp + 8, addr, size);
}

/* Or of one below? */
static bool is_own(uint64_t addr, uint64_t size)
{
	const struct fiber *f = probe.fiber;

	return is_private(addr, size) ||
	       (addr >= f->stack_low && addr < f->self.entry.sp && size <= f->self.entry.sp - addr);
}

bool probe_read(uint64_t addr, uint64_t size)
{
	if (probe.job != AHEAD && probe.job != LEADS)
		return true;
	if (is_own_lock(addr))
		return false;
	if (!own_read(addr, size) && !is_private(addr, size))
		stop_at_read(addr, size);
	return false;
}

uint32_t probe_reads_as_behind(void)
{
	return probe.job == TWIN ? probe.await->ops[probe.r2].behind : UINT32_MAX;
}

void probe_own_write(uint64_t addr, uint64_t size)
{
	if (probe.job == AHEAD && !probe.for_others)
		probe.for_others = !is_own(addr, size);
	own_add(&probe.own, addr, size);
}

void probe_write(uint64_t addr, uint64_t size, bool shows)
{
	probe.for_others |= !shows;
	if (!log_add(probe.into, addr, size))
		left();
	probe.into->write[probe.into->n - 1].shows = shows;
}
