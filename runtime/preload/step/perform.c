/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perform.c - one operation of a fiber, from the hook to the engine and back
 *
 * The fiber stays the running one as long as the engine answers STEP_DONE; on STEP_WAIT it
 * hands over to the thread the engine names, without a detour over the driver. The life of a
 * waiting fiber is the loop in perform(): when it is chosen again it asks with the same
 * operation.
 *
 * Cost on top of engine_step(): a few loads and stores.
 */
#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/await/cancels.h"
#include "preload/await/follow.h"
#include "preload/await/polls.h"
#include "preload/await/rounds.h"
#include "preload/await/untold.h"
#include "preload/core/lasting.h"
#include "preload/core/reset.h"
#include "preload/core/sole.h"
#include "preload/core/touch.h"
#include "preload/core/wipe.h"
#include "preload/facts/heights.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/image/entered.h"
#include "preload/image/unseen.h"
#include "preload/race/memo_shared.h"
#include "preload/step/debugger.h"
#include "preload/step/perform.h"
#include "preload/step/unroll.h"
#include "preload/step/whole.h"

enum {
	POLL_EVERY = 4096
};

struct value perform_load(uint64_t addr, unsigned size)
{
	struct value v = { 0, 0 };

	switch (size) {
	case 1:
		v.lo = *(volatile uint8_t *)addr;
		break;
	case 2:
		v.lo = *(volatile uint16_t *)addr;
		break;
	case 4:
		v.lo = *(volatile uint32_t *)addr;
		break;
	case 16:
		v.hi = ((volatile uint64_t *)addr)[1];
		/* fallthrough */
	default:
		v.lo = *(volatile uint64_t *)addr;
	}
	return v;
}

void perform_store(uint64_t addr, unsigned size, struct value v)
{
	touching_pc = touching_pc ? touching_pc : 1;
	switch (size) {
	case 1:
		*(volatile uint8_t *)addr = (uint8_t)v.lo;
		break;
	case 2:
		*(volatile uint16_t *)addr = (uint16_t)v.lo;
		break;
	case 4:
		*(volatile uint32_t *)addr = (uint32_t)v.lo;
		break;
	case 16:
		((volatile uint64_t *)addr)[1] = v.hi;
		/* fallthrough */
	default:
		*(volatile uint64_t *)addr = v.lo;
	}
	touching_pc = 0;
}

bool touch_writes;
KEPT(touch_writes);

/* Faults where memory cannot be written to. A compare-and-swap that fails writes what is there. */
static __attribute__((noinline)) void touch_what_is_written(const struct op *op)
{
	volatile uint8_t *first = (volatile uint8_t *)op->addr, *last = first + op->size - 1;

	if (op->kind != OP_STORE && op->kind != OP_RMW && op->kind != OP_CAS)
		return;
	/* relaxed: nothing else runs; but the memory may be shared with other processes */
	__atomic_fetch_or(first, 0, __ATOMIC_RELAXED);
	__atomic_fetch_or(last, 0, __ATOMIC_RELAXED);
}

/* A bad pointer faults here, before the engine has seen the operation. */
static inline void touch(const struct op *op)
{
	touching_pc = op->pc;
	if (op->size) {
		(void)*(volatile uint8_t *)op->addr;
		(void)*(volatile uint8_t *)(op->addr + op->size - 1);
		if (unlikely(touch_writes))
			touch_what_is_written(op);
	}
	touching_pc = 0;
}

static __attribute__((noinline)) void poll_controller(void)
{
	/* relaxed: a wish of the controller, nothing else travels with it */
	if (atomic_load_explicit(&shared->stop, memory_order_relaxed))
		stop_exploration();
}

static inline void heartbeat(void)
{
	/* relaxed: one writer; the controller only watches it grow */
	uint64_t n = atomic_load_explicit(&shared->heartbeat, memory_order_relaxed) + 1;

	atomic_store_explicit(&shared->heartbeat, n, memory_order_relaxed);
	if (unlikely(n % POLL_EVERY == 0))
		poll_controller();
}

/* The fiber has to wait: lets the engine's next thread run until this one is chosen. */
static void wait_turn(struct fiber *f)
{
	int next = f->self.entry.sp ? engine_next(engine)
				    : (int)call_engine((void *)(uintptr_t)engine_next, engine, 0,
						       NULL, NULL);

	if (next == ENGINE_OVER)
		leave_execution(LEAVE_OVER);
	if ((uint32_t)next != f->self.tid)
		fiber_switch((uint32_t)next);
}

void (*perform_behind)(const struct op *op, bool waits);
KEPT(perform_behind);

struct perform_waits perform_waits;
KEPT(perform_waits);

static void ask_engine(struct fiber *f, const struct op *op, struct op_result *res)
{
	enum step_status status;

	memset(res, 0, sizeof(*res));
	for (;;) {
		if (op->await)
			await_ask(op);
		if (unlikely(shared->config.stop_at_bug))
			debugger_before(f->self.tid, op);
		if (unlikely(f->self.interrupted))
			perform_waits.begins(op);
		status = (enum step_status)call_engine((void *)(uintptr_t)engine_step, engine,
						       f->self.tid, op, res);
		if (status == STEP_DONE)
			break;
		if (status == STEP_CUT)
			leave_execution(LEAVE_CUT);
		if (status == STEP_WRONG)
			engine_disagrees();
		if (status == STEP_OFF) {
			op = perform_waits.is_off(op);
			continue;
		}
		wait_turn(f);
		if (unlikely(f->self.asked)) {
			f->self.asked = false;
			perform_behind(op, true);
		}
	}
	if (unlikely(shared->config.stop_at_bug))
		debugger_behind(f->self.tid);
}

/* What the graph knows already, as it comes in it, others first: returns 0 when the operation is another one. */
static uint32_t repeat_later(struct fiber *f, const struct op *op, struct op_result *res)
{
	uint32_t done = 0;
	int next;

	while (!done && (next = engine_repeat_later(engine, f->self.tid, op)) != ENGINE_OVER) {
		fiber_switch((uint32_t)next);
		done = engine_repeat(engine, f->self.tid, op, res, &f->self.clock);
	}
	return done;
}

/* done: operations of the engine so far; 0: await.c is not told of this one. */
static inline void done_so_far(struct fiber *f, const struct op *op, const struct op_result *res,
			       uint32_t done, uint32_t parts)
{
	heartbeat();
	if (unlikely(current->polls))
		polls_after(op, res, parts);
	if (unlikely(current->cancels | cancels_known))
		cancels_after(op, res);
	if (done > f->self.settled)
		await_after(op, res, parts + f->self.fences_beside);
	f->self.fences_beside = 0;
	if (unlikely(untold_watched))
		untold_leaves(op);
}

/* What the thread does instead of op, if its loop is to stop: op, or an OP_STUCK. Others may go first. */
static const struct op *before(const struct op *op)
{
	const struct op *next = await_patience(op);
	struct op_result res;

	if (unlikely(next))
		perform(next, &res);
	next = await_before(op);
	if (next == op)
		next = polls_before(op);
	if (next == op)
		next = cancels_before(op);
	if (next == op)
		next = unroll_before(op);
	if (next == op || next->kind != OP_YIELD)
		return next;
	perform(next, &res);
	return op;
}

/* The operation is not in the graph. */
static void happens_anew(struct fiber *f, const struct op *op, struct op_result *res)
{
	if (unlikely(memo_watched)) {
		memo_op(op);
		if (objects_watched && !memo_watched)
			memo_looks_at(op); /* the memo has given up on it, and looks no more */
	}
	ask_engine(f, op, res);
	if (unlikely(unseen_partly))
		memory_moves();
	if (rounds_counted)
		rounds_new_event();
	if (unlikely(rounds_weak)) {
		polls_new_event();
		cancels_new_event();
	}
	f->self.clock = engine_clock(engine, f->self.tid);
}

/* The operation has to wait, or is not in the graph. Apart, so that what is repeated at once saves no registers. */
static __attribute__((noinline)) void perform_new(struct fiber *f, const struct op *op,
						  struct op_result *res)
{
	uint32_t done;

	if (await_lets_run) {
		happens_anew(f, op, res);
		done_so_far(f, op, res, engine_done(engine, f->self.tid), 1);
		return;
	}
	done = repeat_later(f, op, res);
	if (!done) {
		op = await_look(before(op));
		happens_anew(f, op, res);
		done = engine_done(engine, f->self.tid);
	}
	done_so_far(f, op, res, done, 1);
}

void (*look_below)(const struct op *op, uint64_t sp);
KEPT(look_below);

/* Code that is not instrumented may have come before. */
static __attribute__((noinline)) void arrives_unseen(void)
{
	if (entered_is_in)
		entered_leaves();
	if (unseen_partly)
		await_arrives();
}

/* sp: of the program where it called the hook, or what comes near it. */
static inline __attribute__((always_inline)) void arrives(struct fiber *f, const struct op *op,
							  uint64_t sp)
{
	sole_check();
	if (sp < f->deepest && sp >= f->stack_low) /* not on a stack that is no thread's */
		f->deepest = sp;
	if (unlikely(f->self.visited != UINT64_MAX) && (sp > f->self.visited || op->kind == OP_END))
		look_below(op, sp);
	if (unlikely(entered_is_in | unseen_partly))
		arrives_unseen();
	touch(op);
	if (unlikely(memo_watched))
		memo_arrives(op, sp);
	else if (unlikely(objects_watched))
		memo_looks_at(op);
	if (unlikely(heights_watched))
		heights_arrive(op, sp);
	if (unlikely(untold_watched))
		untold_arrives(op);
	if (unlikely(polls_ask(op)))
		polls_arrives(op);
	if (unlikely(cancels_ask(op)))
		cancels_arrives(op);
	if (unlikely(unroll_rounds))
		unroll_arrives(op);
	progress->op_pc = op->pc;
	progress->op_thread = f->self.tid;
}

static inline __attribute__((always_inline)) void perform_from(struct fiber *f, const struct op *op,
							       struct op_result *res, uint64_t sp)
{
	uint32_t done;

	if (unlikely(f->self.probing)) {
		probe_step(op, res);
		return;
	}
	arrives(f, op, sp);
	/* At random nothing is repeated. */
	done = await_lets_run ? 0 : engine_repeat(engine, f->self.tid, op, res, &f->self.clock);
	if (done)
		done_so_far(f, op, res, done, 1);
	else
		perform_new(f, op, res);
	if (unlikely(whole_asked))
		whole_look(op);
}

void perform_beside(const struct op *fence, unsigned more)
{
	struct fiber *f = fiber_self();
	struct op_result res;

	arrives(f, fence, f->self.entry.sp);
	if (await_lets_run || (!engine_repeat(engine, f->self.tid, fence, &res, &f->self.clock) &&
			       !repeat_later(f, fence, &res)))
		happens_anew(f, fence, &res);
	done_so_far(f, fence, &res, 0, 1);
	f->self.fences_beside = (uint8_t)more;
}

void perform_begin(const struct op *op)
{
	struct fiber *f = fiber_self();
	const struct op *stuck;
	struct op_result res;

	if (unlikely(current->fences))
		perform_behind(op, false);
	arrives(f, op,
		f->self.entry.sp ? f->self.entry.sp
				 : (uint64_t)(uintptr_t)__builtin_frame_address(0));
	stuck = engine_known(engine, f->self.tid) ? op : before(op);
	if (stuck != op)
		perform(stuck, &res);
}

void perform_part(const struct op *op, struct op_result *res)
{
	struct fiber *f = fiber_self();
	uint32_t done = engine_repeat(engine, f->self.tid, op, res, &f->self.clock);

	heartbeat();
	if (done || repeat_later(f, op, res))
		return;
	happens_anew(f, op, res);
}

void perform_done(const struct op *op, const struct op_result *res, uint32_t parts)
{
	struct fiber *f = fiber_self();

	done_so_far(f, op, res, engine_done(engine, f->self.tid), parts);
	whole_look(op);
	if (!f->self.entry.sp)
		wipe_below();
}

enum {
	DEEP = 4096 /* bytes of the stack: where the thread is looked at by values (untold.c), it takes that much */
};

/* Each operation by values, whether the thread was looked at or not: the next one finds the same. Not on a stack whose end is not known. */
static void wipe_deep(void)
{
	const uint64_t sp = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	const struct fiber *f = fiber_self();

	if (sp < f->stack_low || sp >= f->stack_high)
		wipe_below();
	else
		wipe_so_much(sp - f->stack_low > 2 * DEEP ? DEEP : (sp - f->stack_low) / 2 & ~7ul);
}

/* What leaves traces on the stack. */
static __attribute__((noinline)) void perform_traced(const struct op *op, struct op_result *res)
{
	perform_from(fiber_self(), op, res, (uint64_t)(uintptr_t)__builtin_frame_address(0));
}

int then_pause(int result, uint64_t pc)
{
	uint32_t mode = shared->config.mode;
	struct op op = { .kind = OP_PAUSE, .pc = pc };
	struct op_result res;

	if (unseen && current && !current->probing &&
	    (mode == ENGINE_ONLINE ||
	     (mode == ENGINE_REPLAY && engine_recorded(engine, current->tid, OP_PAUSE))))
		perform(&op, &res);
	return result;
}

void perform_entered(const struct op *op, struct op_result *res)
{
	struct fiber *f = fiber_self();

	perform_from(f, op, res, f->self.entry.sp);
}

void perform(const struct op *op, struct op_result *res)
{
	if (unlikely(current->fences))
		perform_behind(op, false);
	perform_now(op, res);
}

void perform_now(const struct op *op, struct op_result *res)
{
	if (current->entry.sp) {
		perform_entered(op, res);
		return;
	}
	perform_traced(op, res);
	/* A thread that has ended calls nothing any more. */
	if (op->kind == OP_END)
		return;
	if (unlikely(untold_watched))
		wipe_deep();
	else
		wipe_below();
}

void perform_end(enum op_kind kind, void *value)
{
	struct op op = { .kind = (uint8_t)kind, .arg = value_of((uint64_t)(uintptr_t)value) };
	const struct op *stuck;
	struct op_result res;

	if (!current)
		return;
	if (current->probing)
		probe_step(&op, &res);
	memory_moves();
	stuck = before(&op);
	if (stuck != &op)
		perform(stuck, &res);
}
