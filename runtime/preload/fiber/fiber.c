/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fiber.c - creating, starting and switching the program's threads
 *
 * Thread ids come from the engine and mean the same thread in every execution, so a fiber
 * keeps its stack and its borrowed block from one execution to the next.
 *
 * `current` is the running fiber, or NULL while the driver (or libc on the runtime's behalf)
 * runs. Whoever switches sets it for the one that goes on.
 */
#define _GNU_SOURCE 1
#include "preload/fiber/fiber.h"

#include <errno.h>
#include <string.h>

#include "engine/repeat.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/core/sys.h"
#include "preload/fiber/stack.h"
#include "preload/hooks/hooks.h"
#include "preload/hooks/signal/interrupt.h"
#include "preload/hooks/world/process.h"
#include "preload/loop/driver.h"
#include "preload/report/report.h"

enum {
	CLEAR_BELOW = 1024,
	LARGEST_DEFAULT = 1 << 29,
	ADDRESS_BITS = 47,      /* of a process */
	SPARE_STACK = 64 << 10, /* that the thread's control block may take */
	COLOUR = 15 * 64,       /* from one thread's stack of hooks to the next, in a page */
};                              /* of what lies deeper than the deepest operation */

struct fiber fibers[HEDDLE_MAX_THREADS];
struct context scheduler;

/* Executions run in children: each finds all stacks clear. */
static bool released;

void fibers_init(void)
{
	const uint64_t size = (uint64_t)HEDDLE_MAX_THREADS * HOOK_STACK;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

	switch_init();
	/* All in one mapping: each further one makes every fork() dearer. */
	if (sys_failed(sys_mmap(OWN_HOOKS, size, PROT_READ | PROT_WRITE, flags, -1)))
		internal_error("cannot map the stacks of hooks", NULL);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		fibers[t].self.tid = t;
		fibers[t].self.entry.stack = OWN_HOOKS + (t + 1) * HOOK_STACK - t * COLOUR % 4096;
	}
}

void fibers_reset(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		fibers[t].alive = fibers[t].existing = t == 0;
		fibers[t].dtors = NULL;
		fibers[t].self.settled = 0;
		fibers[t].self.probing = false;
		fibers[t].self.entry.sp = 0;
	}
}

static void enter(uint32_t tid)
{
	must(tid < HEDDLE_MAX_THREADS && fibers[tid].alive);
	current = &fibers[tid].self;
	/* relaxed: the controller only shows it */
	atomic_store_explicit(&shared->current_thread, tid, memory_order_relaxed);
}

void fiber_clear_stack(struct fiber *f, uint64_t top)
{
	uint64_t from = f->deepest - CLEAR_BELOW;

	if (released)
		return;
	if (!f->deepest || from < f->stack_low)
		from = f->deepest ? f->stack_low : top - CLEAR_BELOW;
	if (from < top)
		memset((void *)from, 0, top - from);
	f->deepest = top;
}

void fibers_release(uint64_t sp)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		fiber_clear_stack(&fibers[t], t ? fibers[t].stack_high : sp);
	released = true;
}

void fiber_run(uint32_t tid)
{
	enter(tid);
	switch_context(&scheduler, &fibers[tid].context);
}

void fiber_switch(uint32_t tid)
{
	struct fiber *f = fiber_self();

	enter(tid);
	switch_context(&f->context, &fibers[tid].context);
}

ENTERED static void started(void)
{
	struct op op = { .kind = OP_START, .pc = (uint64_t)(uintptr_t)fiber_self()->fn };
	struct op_result res;

	perform_entered(&op, &res);
}
void fiber_started(void);
QUIET_ENTRY(fiber_started, started, 0);

/* First function of every fiber but main. */
static void fiber_start(void)
{
	struct fiber *f = fiber_self();

	fiber_started();
	hooks_thread_started(f->self.tid);
	interrupt_point((uint64_t)(uintptr_t)f->fn);
	hooks_thread_returned(f->fn(f->arg));
}

/* The stack of a thread without attributes: that of the limits (ulimit -s), or what the program set. */
static size_t default_stack(void)
{
	static size_t size;
	static bool changes;
	pthread_attr_t attr;

	if (!size)
		changes = program_imports("pthread_setattr_default_np");
	if (!size || changes) {
		pthread_getattr_default_np(&attr);
		pthread_attr_getstacksize(&attr, &size);
		pthread_attr_destroy(&attr);
	}
	return size;
}

/* The block is to be made in our parent, and the execution to begin again. */
static heddle_noreturn void again_with_block(uint32_t tid, size_t size)
{
	driver_thread_seen(tid, size);
	repeat_execution();
}

int spawn(void *(*fn)(void *), void *arg, const pthread_attr_t *attr, pthread_t *out, uint64_t pc)
{
	struct op op = {
		.kind = OP_CREATE,
		.pc = pc,
		.arg = { (uint64_t)(uintptr_t)fn, (uint64_t)(uintptr_t)arg },
	};
	struct op_result res;
	struct fiber *f;
	size_t size = default_stack();

	if (attr)
		pthread_attr_getstacksize(attr, &size);
	if (size > LARGEST_DEFAULT && size == default_stack())
		size = LARGEST_DEFAULT; /* nobody asked for it */
	if (size >> ADDRESS_BITS)
		return -EAGAIN; /* no system has that */
	if (!rooted && shared)
		driver_thread_seen(1, size); /* it has its block from the root point on */
	root_point();
	if (engine_threads(engine) >= HEDDLE_MAX_THREADS &&
	    !engine_may_create(engine, current->tid))
		refuse("the program has more than 64 threads that were not joined by the thread "
		       "that created them: make it smaller",
		       NULL);
	perform(&op, &res);
	must(res.tid > 0 && res.tid < HEDDLE_MAX_THREADS);
	stack_note_creation(res.tid);
	f = &fibers[res.tid];
	if (state->borrows && !fibers[res.tid].tcb)
		again_with_block(res.tid, size);
	block_prepare(res.tid, size);
	if (f->existing && size > f->stack_high - f->stack_low + SPARE_STACK)
		refuse("the program creates many threads, and a later one asks for a larger stack: "
		       "ask for it from the first one on",
		       NULL);
	driver_thread_seen(res.tid, size);
	block_restore(f);
	fiber_clear_stack(f, f->stack_high);
	if (f->existing)
		hooks_id_again(res.tid);
	hooks_thread_created(res.tid);
	f->fn = fn;
	f->arg = arg;
	f->dtors = NULL;
	f->self.settled = engine_settled(engine, res.tid);
	f->alive = f->existing = true;
	context_make(&f->context, f->stack_high, f->tcb, fiber_start);
	*out = (pthread_t)f->tcb;
	return (int)res.tid;
}

void end_thread(void)
{
	int next = engine_next(engine);

	fiber_self()->alive = false;
	if (next == ENGINE_OVER) {
		process_over();
		driver_leave(LEAVE_OVER);
	}
	enter((uint32_t)next);
	jump_context(&fibers[next].context);
}

int tid_of(pthread_t thread)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].existing && (pthread_t)fibers[t].tcb == thread)
			return (int)t;
	return -1;
}

pthread_t thread_of(uint32_t tid)
{
	return tid < HEDDLE_MAX_THREADS ? (pthread_t)fibers[tid].tcb : 0;
}
