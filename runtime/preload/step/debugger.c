/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debugger.c - where `heddle replay --gdb` stops, and what a debugger finds there
 *
 * The process stops in heddle_debugger_stop(): at a breakpoint that the helper has put there, or without
 * the helper at the int3 behind it. All threads but the running one are contexts on their stacks then. A
 * kernel thread belongs to each of them (blocks.c), which sleeps; the helper shows it with the
 * registers of the context.
 *
 * What a read might have observed instead is asked when it happens, since the graph is another one
 * later. It is written down for each read, so that the helper can tell it of any.
 */
/*
 * intercepts: The program itself
 *
 * internal heddle_debugger heddle_debugger_stop - for debuggers
 */
#include "preload/step/debugger.h"

#include <asm/prctl.h>
#include <string.h>

#include "engine/engine.h"
#include "preload/arch/x86_64/switch.h"
#include "preload/code/modules.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/fiber/fiber.h"
#include "wire/opnames.h"

enum {
	VERSION = 2,
	MAX_CHOICES = 1 << 18, /* of all reads together; later ones are not told */
};

enum why {
	WHY_BUG = 1,
	WHY_BEFORE,
	WHY_BEHIND
};

/* A write that a step could have read. */
struct choice {
	uint64_t step; /* how many were done before it */
	struct engine_choice of;
};
_Static_assert(sizeof(struct choice) == 32, "known to the helper");
_Static_assert(sizeof(struct engine_step_record) == 80, "known to the helper");

/* Words in this order: the helper counts them. */
struct debugger {
	uint64_t version;
	uint64_t helped;  /* set by the helper: it has a breakpoint at heddle_debugger_stop() */
	uint64_t running; /* address of `current` */
	uint64_t fibers, nfibers, fiber_size, at_sp, at_tcb, at_alive, at_fn;
	uint64_t at_high;               /* where its stack begins */
	uint64_t op_names, order_names; /* strings, up to a NULL */
	uint64_t why, thread, event;    /* of the stop: enum why, the event thread.event */
	uint64_t message;               /* WHY_BUG: a string */
	uint64_t done;                  /* steps so far */
	uint64_t stop_at;               /* set by the helper: stop before this one */
	uint64_t steps, nsteps;         /* what was done: struct engine_step_record */
	uint64_t choices, nchoices;     /* struct choice */
	uint64_t at_called;             /* as at_alive */
};

__attribute__((visibility("default"))) struct debugger heddle_debugger = { .stop_at = UINT64_MAX };
KEPT(heddle_debugger);

/* Returns at once; what stops here is the debugger. */
__attribute__((visibility("default"), noinline)) void heddle_debugger_stop(void);
void heddle_debugger_stop(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Of the steps so far, a copy for the helper. */
static void take_steps(struct debugger *d)
{
	static struct engine_step_record *room;
	KEPT(room);
	static size_t max;
	KEPT(max);
	size_t n = engine ? engine_steps(engine, room, max) : 0;

	if (n > max) {
		max = 2 * n;
		room = map_own(max * sizeof(*room));
		n = engine_steps(engine, room, max);
	}
	d->steps = (uint64_t)(uintptr_t)room;
	d->nsteps = n;
}

static void describe(struct debugger *d)
{
	if (d->version)
		return;
	d->version = VERSION;
	d->running = (uint64_t)(uintptr_t)&current;
	d->fibers = (uint64_t)(uintptr_t)fibers;
	d->nfibers = HEDDLE_MAX_THREADS;
	d->fiber_size = sizeof(struct fiber);
	d->at_sp = offsetof(struct fiber, context.sp);
	d->at_tcb = offsetof(struct fiber, tcb);
	d->at_alive = offsetof(struct fiber, alive);
	d->at_fn = offsetof(struct fiber, fn);
	d->at_called = offsetof(struct fiber, called);
	d->at_high = offsetof(struct fiber, stack_high);
	d->op_names = (uint64_t)(uintptr_t)names_op;
	d->order_names = (uint64_t)(uintptr_t)names_order;
}

/* The kernel thread is main's. So a debugger is to find main's thread-local variables in it, whoever runs. */
static void stop_as_main(void)
{
	struct fiber *f = fiber_self();

	if (f && f->self.tid)
		sys3(SYS_arch_prctl, ARCH_SET_FS, (long)fibers[0].tcb, 0);
	heddle_debugger_stop();
	if (!heddle_debugger.helped)
		__asm__ volatile("int3");
	if (f && f->self.tid)
		sys3(SYS_arch_prctl, ARCH_SET_FS, (long)f->tcb, 0);
}

static void stop(enum why why, uint32_t tid, uint32_t event)
{
	struct debugger *d = &heddle_debugger;

	describe(d);
	take_steps(d);
	d->why = why;
	d->thread = tid;
	d->event = event;
	d->done = engine ? engine_replayed(engine) : 0;
	stop_as_main();
}

void debugger_bug(uint32_t tid)
{
	uint32_t n = atomic_load_explicit(&shared->nbugs, memory_order_relaxed);

	if (!shared->config.stop_at_bug)
		return;
	heddle_debugger.message =
		n < SHARED_MAX_BUGS ? (uint64_t)(uintptr_t)shared->bugs[n].message : 0;
	stop(WHY_BUG, tid, 0);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void note_choices(uint32_t tid, const struct op *op, size_t done)
{
	static struct choice *room;
	KEPT(room);
	static struct engine_choice found[256];
	FRESH(found);
	struct debugger *d = &heddle_debugger;
	size_t n = engine_could_read(engine, tid, op, found, 256);

	if (!room)
		room = map_own(MAX_CHOICES * sizeof(*room));
	d->choices = (uint64_t)(uintptr_t)room;
	for (size_t i = 0; i < n && i < 256 && d->nchoices < MAX_CHOICES; i++)
		room[d->nchoices++] = (struct choice){ .step = done, .of = found[i] };
}

/* The next step, if it is the thread's: its record. On the engine's stack, so that the thread's shows no trace of it. */
static uint64_t look(const struct engine *e, uint64_t tid, const struct op *op)
{
	static size_t seen;
	KEPT(seen);
	const struct engine_step_record *next = engine_next_recorded(e);
	size_t done = engine_replayed(e);

	if (!next || next->tid != tid || seen == done + 1)
		return 0;
	seen = done + 1;
	heddle_debugger.done = done;
	note_choices((uint32_t)tid, op, done);
	return (uint64_t)(uintptr_t)next;
}

/* The steps that an engine's answer is awaited for, of each thread: NULL if no stop is wanted behind it. */
static const struct engine_step_record *behind[HEDDLE_MAX_THREADS];
KEPT(behind);

void debugger_before(uint32_t tid, const struct op *op)
{
	const struct engine_step_record *next =
		(void *)(uintptr_t)call_engine((void *)(uintptr_t)look, engine, tid, op, NULL);

	describe(&heddle_debugger);
	if (!next || next->kind == OP_YIELD) /* which is no event */
		return;
	behind[tid] = next->flags & STEP_BREAK_BEHIND ? next : NULL;
	if (!(next->flags & STEP_BREAK) && engine_replayed(engine) < heddle_debugger.stop_at)
		return;
	heddle_debugger.stop_at = UINT64_MAX;
	stop(WHY_BEFORE, tid, next->index);
}

void debugger_behind(uint32_t tid)
{
	const struct engine_step_record *done = behind[tid];

	behind[tid] = NULL;
	if (done)
		stop(WHY_BEHIND, tid, done->index);
}
