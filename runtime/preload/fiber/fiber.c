/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fiber.c - the program's threads as fibers, and switching between them
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

#include "base/must.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/core/wipe.h"

enum {
	CLEAR_BELOW = 1024,
	CLEAR_AT_FIRST = 4096, /* of a stack that nothing was on */
	TID_IN_GLIBC = 0x2d0,  /* in what a pthread_t points to */
	COLOUR = 15 * 64,      /* from one thread's stack of hooks to the next, in a page */
};                             /* of what lies deeper than the deepest operation */

struct fiber fibers[HEDDLE_MAX_THREADS];
KEPT(fibers);
struct context scheduler;
KEPT(scheduler);

/* Executions run in children: each finds all stacks clear, and clears those whose id is given again. */
static bool released;
KEPT(released);

/* Where its stack of hooks begins. */
static uint64_t hooks_of(uint32_t t)
{
	return OWN_HOOKS + (t + 1) * HOOK_STACK - t * COLOUR % 4096;
}

void fiber_leaves_hooks(void)
{
	current->entry.sp = 0;
	current->plain.pc = 0;
	current->entry.stack = hooks_of(current->tid);
}

void fibers_init(void)
{
	const uint64_t size = (uint64_t)HEDDLE_MAX_THREADS * HOOK_STACK;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;

	switch_init();
	/* All in one mapping: each further one makes every fork() dearer. */
	if (sys_failed(sys_mmap(OWN_HOOKS, size, PROT_READ | PROT_WRITE, flags, -1)))
		refuse_for_room();
	fiber_has_block(0);
}

void fiber_has_block(uint32_t t)
{
	fibers[t].self.tid = t;
	fibers[t].self.entry.stack = hooks_of(t);
	fibers[t].self.visited = UINT64_MAX;
}

/* Only main exists. */
static void fibers_begin(void)
{
	main_stack_low = fibers[0].stack_low;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		fibers[t].alive = fibers[t].existing = t == 0;
		fibers[t].dtors = NULL;
		fibers[t].self.settled = 0;
		fibers[t].self.probing = false;
		fibers[t].self.entry.sp = 0;
		fibers[t].self.fences_beside = 0;
		fibers[t].self.plain.pc = 0;
		fibers[t].self.entry.stack = hooks_of(t);
	}
}

AT_BEGIN(fibers_begin);

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

	/* In a child: no thread was on it yet. */
	if (released && (!f->deepest || f->deepest == top)) {
		f->deepest = top;
		return;
	}
	if (!f->deepest || from < f->stack_low)
		from = f->deepest ? f->stack_low : top - CLEAR_AT_FIRST;
	if (from < top)
		memset((void *)from, UNWRITTEN, top - from);
	f->deepest = f->clear_high = top;
}

struct fiber *fiber_of_stack(uint64_t addr)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		struct fiber *f = &fibers[t];

		if (!fiber_has_given_stack(f) && addr >= f->stack_low && addr < f->stack_high)
			return f;
	}
	return NULL;
}

void fiber_own_stack(struct fiber *f)
{
	if (fiber_has_given_stack(f)) {
		f->stack_low = f->own_low;
		f->stack_high = f->own_high;
		f->deepest = f->own_high; /* it was clear when the other one was given */
	}
	fiber_clear_stack(f, f->stack_high);
}

void fiber_given_stack(struct fiber *f, uint64_t low, uint64_t size)
{
	fiber_own_stack(f);
	f->stack_low = low;
	f->stack_high = f->deepest = (low + size) & ~15ul;
	main_stack_low = 0;
}

void fibers_release(uint64_t sp)
{
	fiber_clear_stack(&fibers[0], sp);
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		fiber_own_stack(&fibers[t]);
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

void fiber_end(uint32_t next)
{
	fiber_self()->alive = false;
	enter(next);
	jump_context(&fibers[next].context);
}

int tid_of(pthread_t thread)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].existing && (pthread_t)fibers[t].tcb == thread)
			return (int)t;
	return -1;
}

int no_thread(pthread_t thread, unsigned flags)
{
	uint64_t id = (uint64_t)thread + TID_IN_GLIBC;

	if (thread || !(flags & NULL_IS_NONE)) {
		touch_to_read((const char *)id);
		if (flags & WRITES)
			touch_to_write((char *)id);
	}
	return ESRCH;
}

pthread_t thread_of(uint32_t tid)
{
	return tid < HEDDLE_MAX_THREADS ? (pthread_t)fibers[tid].tcb : 0;
}
