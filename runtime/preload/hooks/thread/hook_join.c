/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_join.c - joins that do not wait, or not for ever, and who else asks whether a thread has ended
 *
 * Whether a thread has ended is a question that can be answered both ways until the caller knows.
 * So in programs that can ask (imports.c) a thread posts a semaphore of the runtime's own as the
 * last thing before its end, and to ask is to read the count (as sem_getvalue() does). A join that
 * times out is one that found 0; who finds 1 joins. Likewise who detaches a thread posts: a try that comes behind that is a bug, one that
 * failed before is none. A clock of a thread's processor time is there as
 * long as the thread is: who asks for it learns that, too, but nothing of what the thread did before.
 */
/*
 * intercepts: Threads
 *
 * explored pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np - the thread is
 *	found running, or ended, where both are possible
 * explored pthread_getcpuclockid - likewise: ESRCH where the thread has ended, otherwise a clock on which
 *	time passes for its own thread only while that asks for the time
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/code/imports.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/thread/thread.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/race/memo_shared.h"

/* As sem_native_state() reads it. */
static HEDDLE_IMAGE_SELDOM uint32_t ended[HEDDLE_MAX_THREADS] = { 0 };
static HEDDLE_IMAGE_SELDOM uint32_t detached[HEDDLE_MAX_THREADS] = { 0 };

/* Set at the root point. */
static bool can_ask;

static void joins_root(void)
{
	can_ask =
		program_imports("pthread_tryjoin_np") || program_imports("pthread_timedjoin_np") ||
		program_imports("pthread_clockjoin_np") || program_imports("pthread_getcpuclockid");
	lifecycle_reuses_ids = !can_ask && !program_imports("pthread_cancel");
}

AT_ROOT(joins_root);

void joins_thread_end(void)
{
	if (can_ask && under_engine())
		ended[current->tid] =
			(uint32_t)object_op(OP_SEM_POST, &ended[current->tid], 0).stored.lo;
}

void joins_detached(uint32_t tid, uint64_t pc)
{
	if (memo_watched)
		memo_joins(tid);
	if (can_ask && under_engine())
		detached[tid] = (uint32_t)object_op(OP_SEM_POST, &detached[tid], pc).stored.lo;
}

static bool is_posted(const uint32_t *count, enum mem_order order, uint64_t pc)
{
	struct op op = {
		.kind = OP_LOAD,
		.order = order,
		.addr = (uintptr_t)count,
		.pc = pc,
	};
	struct op_result res;

	if (!can_ask)
		refuse("a join that may fail, or pthread_getcpuclockid(), found with dlsym() only, is "
		       "not supported: call it by name",
		       NULL);
	operate(&op, &res);
	return res.value.lo != 0;
}

static bool has_ended(uint32_t tid, enum mem_order order, uint64_t pc)
{
	return is_posted(&ended[tid], order, pc);
}

static int try_join(pthread_t thread, void **value, unsigned how, uint64_t pc)
{
	int tid = under_engine() ? tid_of(thread) : -1;
	void *returned;
	int error;

	if (pthread_equal(thread, pthread_self()))
		return EBUSY;
	if (tid < 0)
		return no_thread(thread, how | WRITES);
	if (is_posted(&detached[tid], ORDER_RLX, pc))
		thread_join_detached(pc);
	if (!has_ended((uint32_t)tid, ORDER_ACQ, pc))
		return EBUSY;
	error = thread_join_now(thread, &returned, pc);
	if (!error)
		thread_hand_over(value, returned, pc);
	return error;
}

static int timed_join(pthread_t thread, void **value, clockid_t clock, const struct timespec *until,
		      uint64_t pc)
{
	int error;

	if (!time_has_clock(clock))
		return EINVAL;
	if (!until || pthread_equal(thread, pthread_self()))
		return thread_join_told(thread, value, pc);
	cancellation_point(pc);
	error = try_join(thread, value, NULL_IS_NONE, pc);
	if (error != EBUSY)
		return error;
	reads_time(until, pc);
	if (!time_can_wait(clock, until))
		return EINVAL;
	timed_out(clock, until, pc);
	return ETIMEDOUT;
}

/* The kernel takes the id away when the thread is gone: that orders nothing. */
static int cpu_clock_of(pthread_t thread, clockid_t *clock, uint64_t pc)
{
	int tid = tid_of(thread);

	if (tid < 0)
		return no_thread(thread, 0);
	if (tid != (int)current->tid && has_ended((uint32_t)tid, ORDER_RLX, pc))
		return ESRCH;
	writes(clock, sizeof(*clock), pc);
	*clock = time_clock_of(identity_of((uint32_t)tid));
	return 0;
}

/* ---- The hooks -------------------------------------------------------------------------- */

ENTERED static int hook_tryjoin(pthread_t thread, void **value)
{
	if (!shared)
		return REAL(pthread_tryjoin_np)(thread, value);
	return try_join(thread, value, 0, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_tryjoin_np, hook_tryjoin, 2);

ENTERED static int hook_timedjoin(pthread_t thread, void **value, const struct timespec *until)
{
	if (!shared)
		return REAL(pthread_timedjoin_np)(thread, value,
						  KERNEL_TIME(CLOCK_REALTIME, until));
	return timed_join(thread, value, CLOCK_REALTIME, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_timedjoin_np, hook_timedjoin, 3);

ENTERED static int hook_clockjoin(pthread_t thread, void **value, clockid_t clock,
				  const struct timespec *until)
{
	if (!shared)
		return REAL(pthread_clockjoin_np)(thread, value, clock, KERNEL_TIME(clock, until));
	return timed_join(thread, value, clock, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_clockjoin_np, hook_clockjoin, 4);

ENTERED static int hook_getcpuclockid(pthread_t thread, clockid_t *clock)
{
	if (!under_engine()) {
		if (!shared || !pthread_equal(thread, pthread_self()))
			return REAL(pthread_getcpuclockid)(thread, clock);
		*clock = time_clock_of(gettid());
		return 0;
	}
	return cpu_clock_of(thread, clock, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_getcpuclockid, hook_getcpuclockid, 2);
