/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_cond.c - condition variables
 *
 * pthread_cond_wait() is four operations: begin to wait, unlock the mutex, be woken, lock
 * the mutex again. Beginning before the unlock makes unlocking and waiting one step, as
 * POSIX asks: whoever gets the mutex afterwards and signals finds the waiter. Which of
 * several waiters a signal wakes is the engine's choice.
 *
 * A timed wait differs in the third: the waiter takes itself out and times out, or finds that
 * it was woken (OP_COND_LEAVE). Both are explored, and it never waits for ever. With
 * --spurious-wakeups waits without a time do so, too.
 *
 * glibc has two versions of each function. Definitions without a version, in a library
 * whose only version node is anonymous, bind to both.
 */
/*
 * intercepts: Condition variables
 *
 * explored pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait - which waiter
 *	is woken; timed waits time out as well, others wake up for no reason with
 *	--spurious-wakeups. Waiting without holding the mutex is lock-misuse, and so is waiting
 *	with another one than threads that wait at the time
 * explored pthread_cond_signal pthread_cond_broadcast - whom they find waiting
 * checked pthread_cond_init pthread_cond_destroy - destruction while somebody waits, and
 *	use afterwards, is lock-misuse
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <string.h>

#include "engine/graph/waiting.h"
#include "preload/core/reset.h"
#include "preload/facts/memo.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/sync/cond.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/race/memo_shared.h"

/* What we keep in a pthread_cond_t; all zero is PTHREAD_COND_INITIALIZER. */
struct native_cond {
	uint64_t waiters; /* as the engine counts them: bit t for thread t */
	uint64_t destroyed;
	clockid_t clock; /* of pthread_cond_timedwait(); */
	uint32_t early;  /* EARLY: it has one of its own */
};

_Static_assert(sizeof(struct native_cond) <= sizeof(pthread_cond_t), "it fits");

#define DESTROYED 0x5ad5ad5ad5ad5ad5ul

enum {
	EARLY = 0x6bc6bc6b /* no number of waiters, which glibc has in that place */
};

static struct native_cond *native(pthread_cond_t *c)
{
	return (struct native_cond *)c;
}

static void check_use(pthread_cond_t *c, uint64_t pc)
{
	if (native(c)->destroyed == DESTROYED)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)c, pc,
				"use of a destroyed condition variable");
	if (under_engine())
		shadow_use((uintptr_t)c, sizeof(*c), pc);
}

static struct op_result operate_on(enum op_kind kind, pthread_cond_t *c, uint64_t pc)
{
	struct op_result res = object_op(kind, c, pc);

	if (res.wrote)
		native(c)->waiters = res.stored.lo;
	return res;
}

static bool change(enum op_kind kind, pthread_cond_t *c, uint64_t pc)
{
	return operate_on(kind, c, pc).wrote;
}

void cond_init(pthread_cond_t *c, clockid_t clock, uint64_t pc)
{
	if (under_engine())
		shadow_plain((uintptr_t)c, sizeof(*c), true, pc);
	memset(c, 0, sizeof(*c));
	native(c)->clock = clock;
	native(c)->early = clock == CLOCK_REALTIME ? 0 : EARLY;
}

/* In a process that has let go of heddle. Others that nobody waits for look the same to glibc. */
static void take_over(pthread_cond_t *c)
{
	clockid_t clock = native(c)->clock;
	pthread_condattr_t attr;

	if (!kin_takes_over())
		return;
	if (native(c)->early == EARLY) {
		pthread_condattr_init(&attr);
		pthread_condattr_setclock(&attr, clock);
		REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2")(c, &attr);
	}
	kin_took_over();
}

static bool is_native(pthread_cond_t *c)
{
	if (!kin_native(c, "a condition variable"))
		return false;
	take_over(c);
	return true;
}

void cond_destroy(pthread_cond_t *c, uint64_t pc)
{
	check_use(c, pc);
	if (native(c)->waiters)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)c, pc,
				"a condition variable is destroyed while a thread waits for it");
	if (under_engine())
		shadow_plain((uintptr_t)c, sizeof(*c), true, pc);
	native(c)->destroyed = DESTROYED;
}

void cond_signal(pthread_cond_t *c, uint64_t pc)
{
	interrupt_point(pc);
	check_use(c, pc);
	if (under_engine())
		change(OP_COND_SIGNAL, c, pc);
}

void cond_broadcast(pthread_cond_t *c, uint64_t pc)
{
	interrupt_point(pc);
	check_use(c, pc);
	if (under_engine())
		change(OP_COND_BROADCAST, c, pc);
}

/* 0 if the caller may wait with this mutex; or EPERM. */
static int check_mutex(const pthread_mutex_t *m, uint64_t pc)
{
	int type = m->__data.__kind & 3;

	if (mutex_mine(m))
		return 0;
	if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK ||
	    mutex_is_robust(m))
		return EPERM;
	report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)m, pc,
			"pthread_cond_wait with a mutex that the caller does not hold");
}

static int timed_wait(pthread_cond_t *c, clockid_t clock, const struct timespec *until, uint64_t pc)
{
	if (!change(OP_COND_LEAVE, c, pc))
		return 0;
	timed_out(clock, until, pc);
	return ETIMEDOUT;
}

/* The mutex that each thread waits with, if it does. */
static const pthread_mutex_t *waits_with[HEDDLE_MAX_THREADS];
FRESH(waits_with);

/*
 * Threads that wait at one time wait with one mutex: POSIX promises nothing otherwise. Seen when the caller begins to wait for the first
 * time: where that is only repeated, others may not have come so far. (Of more than 64 threads it is not looked for.)
 */
static void check_same_mutex(const pthread_cond_t *c, struct value waiters, uint64_t pc)
{
	const pthread_mutex_t *mine = waits_with[self_id()], *with;

	if (waiters.hi == WAITING_WIDE)
		return;
	for (uint64_t left = waiters.lo; left; left &= left - 1) {
		with = waits_with[__builtin_ctzl(left)];
		if (with && with != mine)
			report_bug_here(
				BUG_LOCK_MISUSE, (uintptr_t)c, pc,
				"threads wait for one condition variable with different mutexes");
	}
}

static void begin_to_wait(pthread_cond_t *c, const pthread_mutex_t *m, uint64_t pc)
{
	waits_with[self_id()] = m;
	if (memo_watched)
		memo_waits_with((uintptr_t)c, (uintptr_t)m);
	check_same_mutex(c, operate_on(OP_COND_BEGIN, c, pc).stored, pc);
}

/* From the unlocking of the mutex to its locking: what the wait returns, and whether the caller is to be
 * cancelled instead. */
static int sleep_without(pthread_mutex_t *m, pthread_cond_t *c, clockid_t clock,
			 const struct timespec *until, bool *cancelled, uint64_t pc)
{
	unsigned depth;
	int error = 0, taken;

	begin_to_wait(c, m, pc);
	depth = mutex_give(m, pc);
	interrupt_point(pc);
	/* Cancelled, unless a signal came before: that must not be lost. */
	*cancelled = cancel_requested(pc);
	if (*cancelled)
		*cancelled = change(OP_COND_LEAVE, c, pc);
	else if (until)
		error = timed_wait(c, clock, until, pc);
	else if (!may_wake_up(pc))
		cancellable_op(OP_COND_WOKEN, c, pc);
	else if (change(OP_COND_LEAVE, c, pc))
		woke_up(pc);
	taken = mutex_retake(m, depth, pc);
	return taken ? taken : error;
}

bool cond_wait_interrupted(pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc)
{
	bool cancelled;

	sleep_without(m, c, CLOCK_REALTIME, NULL, &cancelled, pc);
	return cancelled;
}

int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until,
	      uint64_t pc)
{
	bool cancelled;
	int error;

	if (until)
		reads_time(until, pc);
	if (until && !time_can_wait(clock, until))
		return EINVAL;
	check_use(c, pc);
	error = check_mutex(m, pc);
	if (error)
		return error;
	if (!under_engine() && !until) {
		time_rings_out(pc);
		report_bug_here(BUG_DEADLOCK, (uintptr_t)c, pc,
				"the only thread waits for a condition variable");
	}
	if (!under_engine()) {
		timed_out(clock, until, pc);
		return ETIMEDOUT;
	}
	cancellation_point(pc);
	error = sleep_without(m, c, clock, until, &cancelled, pc);
	if (cancelled)
		cancel_act();
	return error;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	clockid_t clock = CLOCK_REALTIME;

	if (!shared)
		return REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2")(c, attr);
	if (attr)
		pthread_condattr_getclock(attr, &clock);
	cond_init(c, clock, CALLER());
	return 0;
}

HEDDLE_HOOK int pthread_cond_destroy(pthread_cond_t *c)
{
	if (!shared) {
		take_over(c);
		return REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2")(c);
	}
	cond_destroy(c, CALLER());
	return 0;
}

HEDDLE_HOOK int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	if (is_native(c))
		return REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(c, m);
	return then_pause(cond_wait(c, m, CLOCK_REALTIME, NULL, CALLER()), CALLER());
}

HEDDLE_HOOK int pthread_cond_signal(pthread_cond_t *c)
{
	if (is_native(c))
		return REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(c);
	cond_signal(c, CALLER());
	return then_pause(0, CALLER());
}

HEDDLE_HOOK int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (is_native(c))
		return REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(c);
	cond_broadcast(c, CALLER());
	return then_pause(0, CALLER());
}

/* Of one that is libc's: as its pthread_cond_init() has noted. */
static clockid_t clock_of_libcs(const pthread_cond_t *c)
{
	return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

HEDDLE_HOOK int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				       const struct timespec *until)
{
	if (is_native(c))
		return REAL_VERSION(pthread_cond_timedwait,
				    "GLIBC_2.3.2")(c, m, KERNEL_TIME(clock_of_libcs(c), until));
	touch_to_read(until); /* no wait without an end, if it is NULL */
	return then_pause(cond_wait(c, m, native(c)->clock, until, CALLER()), CALLER());
}

HEDDLE_HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				       const struct timespec *until)
{
	if (is_native(c))
		return REAL(pthread_cond_clockwait)(c, m, clock, KERNEL_TIME(clock, until));
	touch_to_read(until);
	return then_pause(cond_wait(c, m, clock, until, CALLER()), CALLER());
}
