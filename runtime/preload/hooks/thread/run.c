/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.c - a thread of the program is created, begins and ends
 */
#define _GNU_SOURCE 1
#include "preload/hooks/thread/run.h"

#include <errno.h>

#include "engine/run/repeat.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/code/imports.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/wipe.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/fiber/stack.h"
#include "preload/hooks/announce.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/thread/exit.h"
#include "preload/image/blocks.h"
#include "preload/image/snapshot.h"
#include "preload/liveness/stretch.h"
#include "preload/loop/driver.h"
#include "preload/memory/limit.h"
#include "preload/report/said.h"

enum {
	LARGEST_DEFAULT = 1 << 29,
	ADDRESS_BITS = 47, /* of a process */
	SMALLEST_GIVEN = 64 << 10,
	MANY_THREADS = 8,
};

ENTERED static void started(void)
{
	struct op op = { .kind = OP_START, .pc = (uint64_t)(uintptr_t)fiber_self()->fn };
	struct op_result res;

	perform_entered(&op, &res);
}
void fiber_started(void);
QUIET_ENTRY(fiber_started, started, 0);

void (*first_thread_begins)(void);

/* First function of every fiber but main. */
static void fiber_start(void)
{
	struct fiber *f = fiber_self();

	fiber_started();
	lifecycle_started(f->self.tid);
	if (first_thread_begins && f->self.tid == 1 && engine_done(engine, 1) == 1)
		first_thread_begins();
	interrupt_point((uint64_t)(uintptr_t)f->fn);
	f->called = true;
	wipe_below();
	thread_returned(f->fn(f->arg));
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

/* A stack that the program gives a thread; size 0: none. */
struct given {
	uint64_t low, size;
};

/* Hooks need some of it, which libc's calls do not: what is as small as POSIX allows is not used. */
static struct given given_stack(const pthread_attr_t *attr)
{
	struct given given = { 0, 0 };
	void *low = NULL;
	size_t size = 0;

	if (!attr || pthread_attr_getstack(attr, &low, &size))
		return given;
	if ((uintptr_t)low + size && size >= SMALLEST_GIVEN)
		given = (struct given){ (uintptr_t)low, size };
	return given;
}

static void take_stack(struct fiber *f, const struct given *given, size_t size)
{
	if (!given->size) {
		fiber_own_stack(f);
		f->asked = size;
		block_stack_of(f, size);
		return;
	}
	snapshot_expect(given->low, given->size); /* the kernel is asked to write there */
	fiber_given_stack(f, given->low, given->size);
}

/* For limits that the program has set. libc keeps the stacks of threads that ended, for the next ones. */
static HEDDLE_IMAGE_SELDOM uint64_t counted[HEDDLE_MAX_THREADS] = { 0 };

static void count_stack(uint32_t tid, uint64_t size)
{
	if (!limit_is_set)
		return;
	limit_give(counted[tid], true);
	counted[tid] = size;
	limit_took(size, true);
}

/*
 * The block is to be made in our parent, and the execution to begin again. Who makes many threads is thought to make as many
 * again, or each of them would be an execution.
 */
static heddle_noreturn void again_with_block(uint32_t tid, size_t size)
{
	uint32_t last = tid < MANY_THREADS ? tid : 2 * tid;

	for (uint32_t t = tid; t <= last && t < HEDDLE_MAX_THREADS; t++)
		block_seen(t, size);
	repeat_execution();
}

/* Makes the block of a thread, if there is none. */
static void prepare(uint32_t tid, size_t size)
{
	if (progress->borrows && !fibers[tid].tcb)
		again_with_block(tid, size);
	block_prepare(tid, size);
}

/* Who asks for the thread: behind libstdc++, for a std::thread. */
static uint64_t asked_by(uint64_t pc)
{
	if (memory_from_program(pc) || !current->entry.sp ||
	    stretch_hook_at(stretch_known(pc)->start) != HOOK_TAKES)
		return pc;
	return stretch_caller(pc, current->entry.sp + 8);
}

/*
 * The program, at pc, is about to create a thread, and to be told its id. As with glibc, *out is written before the thread begins, which may
 * look there.
 */
static void tell_id(pthread_t *out, size_t size, uint64_t pc)
{
	uint32_t tid;

	pc = asked_by(pc);
	if (!program_runs() || !memory_from_program(pc))
		return;
	tid = engine_next_child(engine, current->tid);
	if (tid >= HEDDLE_MAX_THREADS)
		return;
	prepare(tid, size);
	writes(out, sizeof(*out), pc);
	*out = (pthread_t)fibers[tid].tcb;
	settle();
}

/* Set before the first execution begins. */
static enum outset outset;
KEPT(outset);

/* The first thread has its block from the root point on. */
static void reach_root(size_t size, enum outset with)
{
	if (!rooted && shared) {
		block_seen(1, size);
		outset = with;
	}
	root_point();
}

void spawn_root(enum outset with)
{
	size_t size = default_stack();

	reach_root(size > LARGEST_DEFAULT ? LARGEST_DEFAULT : size, with);
}

enum outset spawn_outset(void)
{
	return outset;
}

static heddle_noreturn void refuse_threads(void)
{
	if (shared->config.mode == ENGINE_EXPLORE)
		refuse("the program has more than 64 threads that were not joined by the thread "
		       "that created them: make it smaller, or use heddle test, which follows 256",
		       NULL);
	refuse("the program has more than 256 threads besides the first that were not joined by "
	       "the thread that created them: make it smaller",
	       NULL);
}

int spawn(void *(*fn)(void *), void *arg, const pthread_attr_t *attr, pthread_t *out, bool tells,
	  uint64_t pc)
{
	struct op op = {
		.kind = OP_CREATE,
		.pc = pc,
		.arg = { (uint64_t)(uintptr_t)fn, (uint64_t)(uintptr_t)arg },
	};
	struct op_result res;
	struct fiber *f;
	size_t size = default_stack();
	struct given given = given_stack(attr);
	const bool first = !current; /* nobody else is there */

	if (attr)
		pthread_attr_getstacksize(attr, &size);
	if (size > LARGEST_DEFAULT && size == default_stack())
		size = LARGEST_DEFAULT; /* nobody asked for it */
	if (size >> ADDRESS_BITS || !limit_allows(given.size ? 0 : size, true))
		return -EAGAIN; /* no system has that; or the program may not */
	reach_root(size, OUTSET_THREAD);
	if (engine_threads(engine) >= engine_most_threads(engine) &&
	    !engine_may_create(engine, current->tid)) {
		values_give_up(
			"it creates more threads than there is room for"); /* by reads-from, ids are used again */
		refuse_threads();
	}
	if (tells && !first)
		tell_id(out, size, pc);
	perform(&op, &res);
	must(res.tid > 0 && res.tid < HEDDLE_MAX_THREADS);
	stack_note_creation(res.tid);
	say_call();
	f = &fibers[res.tid];
	prepare(res.tid, size);
	if (!given.size && size > f->block_high - f->mapped_low)
		refuse("the program creates many threads, and a later one asks for a larger stack: "
		       "ask for it from the first one on",
		       NULL);
	block_seen(res.tid, size);
	block_restore(f);
	take_stack(f, &given, size);
	count_stack(res.tid, given.size ? 0 : size);
	if (f->existing)
		lifecycle_id_again(res.tid);
	lifecycle_created(res.tid);
	f->fn = fn;
	f->arg = arg;
	f->dtors = NULL;
	f->called = false;
	f->self.settled = engine_settled(engine, res.tid);
	f->alive = f->existing = true;
	context_make(&f->context, f->stack_high, f->tcb, fiber_start);
	*out = (pthread_t)f->tcb;
	return (int)res.tid;
}

void end_thread(void)
{
	int next = engine_next(engine);

	if (next == ENGINE_OVER) {
		fiber_self()->alive = false;
		process_over();
		leave_execution(LEAVE_OVER);
	}
	fiber_end((uint32_t)next);
}
