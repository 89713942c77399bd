/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_cond.c - condition variables
 *
 * pthread_cond_wait() is four operations: begin to wait, unlock the mutex, be woken, lock
 * the mutex again. Beginning before the unlock makes unlocking and waiting one step, as
 * POSIX asks: whoever gets the mutex afterwards and signals finds the waiter. Which of
 * several waiters a signal wakes is the engine's choice. There are no spurious wake-ups.
 *
 * glibc has two versions of each function. Definitions without a version, in a library
 * whose only version node is anonymous, bind to both.
 */
#include "target/hook.h"

#include <errno.h>
#include <string.h>

#include "target/mutex.h"

/* What we keep in a pthread_cond_t; all zero is PTHREAD_COND_INITIALIZER. */
struct native_cond {
	uint64_t waiters; /* as the engine counts them: bit t for thread t */
	uint64_t destroyed;
};

_Static_assert(sizeof(struct native_cond) <= sizeof(pthread_cond_t), "it fits");

#define DESTROYED 0x5ad5ad5ad5ad5ad5ul

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
		shadow_plain((uintptr_t)c, 1, false, pc);
}

static void change(enum op_kind kind, pthread_cond_t *c, uint64_t pc)
{
	struct op_result res = object_op(kind, c, pc);

	if (res.wrote)
		native(c)->waiters = res.stored.lo;
}

HEDDLE_HOOK int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
	if (!shared)
		return REAL_VERSION(pthread_cond_init, "GLIBC_2.3.2")(c, attr);
	if (under_engine())
		shadow_plain((uintptr_t)c, sizeof(*c), true, CALLER());
	memset(c, 0, sizeof(*c));
	return 0;
}

HEDDLE_HOOK int pthread_cond_destroy(pthread_cond_t *c)
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL_VERSION(pthread_cond_destroy, "GLIBC_2.3.2")(c);
	check_use(c, pc);
	if (native(c)->waiters)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)c, pc,
				"a condition variable is destroyed while a thread waits for it");
	if (under_engine())
		shadow_plain((uintptr_t)c, sizeof(*c), true, pc);
	native(c)->destroyed = DESTROYED;
	return 0;
}

HEDDLE_HOOK int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	uint64_t pc = CALLER();
	unsigned depth;

	if (!shared)
		return REAL_VERSION(pthread_cond_wait, "GLIBC_2.3.2")(c, m);
	check_use(c, pc);
	if (!mutex_mine(m)) {
		int type = m->__data.__kind & 3;

		if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
			return EPERM;
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)m, pc,
				"pthread_cond_wait with a mutex that the caller does not hold");
	}
	if (!under_engine())
		report_bug_here(BUG_DEADLOCK, (uintptr_t)c, pc,
				"the only thread waits for a condition variable");
	change(OP_COND_BEGIN, c, pc);
	depth = mutex_give(m, pc);
	object_op(OP_COND_WOKEN, c, pc);
	mutex_retake(m, depth, pc);
	return 0;
}

HEDDLE_HOOK int pthread_cond_signal(pthread_cond_t *c)
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL_VERSION(pthread_cond_signal, "GLIBC_2.3.2")(c);
	check_use(c, pc);
	if (under_engine())
		change(OP_COND_SIGNAL, c, pc);
	return 0;
}

HEDDLE_HOOK int pthread_cond_broadcast(pthread_cond_t *c)
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL_VERSION(pthread_cond_broadcast, "GLIBC_2.3.2")(c);
	check_use(c, pc);
	if (under_engine())
		change(OP_COND_BROADCAST, c, pc);
	return 0;
}

HEDDLE_HOOK int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				       const struct timespec *until)
{
	if (!shared)
		return REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(c, m, until);
	NOT_YET("pthread_cond_timedwait", "use pthread_cond_wait");
}

HEDDLE_HOOK int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				       const struct timespec *until)
{
	if (!shared)
		return REAL(pthread_cond_clockwait)(c, m, clock, until);
	NOT_YET("pthread_cond_clockwait (a timed wait)", "use pthread_cond_wait");
}
