/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_mutex.c - POSIX mutexes: normal, recursive, errorcheck and adaptive, also robust
 *
 * The engine decides who gets a mutex (OP_LOCK, OP_TRYLOCK, OP_UNLOCK). What POSIX asks
 * for beyond that (owner, depth, type) stands in the pthread_mutex_t, in the fields that
 * glibc's initialisers set, and so is restored with the program:
 *
 *	__lock	1 when locked		__owner	thread + 1
 *	__count	depth			__kind	type; -1 destroyed
 *	__nusers, __list		of robust ones (hook_robust.c)
 *	__spins	ceiling of its priority (hook_ceiling.c)
 *
 * Critical sections of one mutex are totally ordered, in the order in which they are run,
 * so these fields are right whenever the owner looks at them. Before the first thread
 * exists only they are used; the engine is told at the mutex's first operation.
 *
 * A mutex is read by each operation on it and written by its initialisation and its
 * destruction, as far as races go: using one without being ordered behind its
 * initialisation is a data race.
 */
/*
 * intercepts: Mutexes
 *
 * explored pthread_mutex_lock pthread_mutex_unlock - who gets it next. Normal, recursive,
 *	error-checking, adaptive and robust ones; unlocking what another thread holds is
 *	lock-misuse where POSIX has no error for it
 * explored pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock - both
 *	outcomes, where both are possible
 * checked pthread_mutex_init pthread_mutex_destroy - destruction of a locked one, and use
 *	afterwards, is lock-misuse; initialisation races with use
 */
#include "preload/hooks/announce.h"

#include <errno.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/lifecycle.h"
#include "preload/core/touch.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

enum {
	TYPE_MASK = 3, /* PTHREAD_MUTEX_NORMAL, _RECURSIVE, _ERRORCHECK, _ADAPTIVE_NP */
	KIND_DESTROYED = -1,
};

static int type_of(const pthread_mutex_t *m)
{
	return m->__data.__kind & TYPE_MASK;
}

static int me(void)
{
	return current ? (int)current->tid + 1 : 1;
}

bool mutex_mine(const pthread_mutex_t *m)
{
	return m->__data.__lock && m->__data.__owner == me();
}

static struct value mutex_native_state(uint64_t addr)
{
	return value_of(((const pthread_mutex_t *)addr)->__data.__lock != 0);
}

INITIAL_VALUE(mutex_native_state, KIND(OP_LOCK) | KIND(OP_TRYLOCK) | KIND(OP_UNLOCK));

static void set_native(pthread_mutex_t *m, unsigned depth)
{
	m->__data.__lock = depth != 0;
	m->__data.__owner = depth ? me() : 0;
	m->__data.__count = depth;
}

/* Of a recursive mutex, without an operation: the thread may only be tried out (await.c). */
static void set_depth(pthread_mutex_t *m, unsigned depth)
{
	note_plain_write((uintptr_t)&m->__data.__count, sizeof(m->__data.__count));
	m->__data.__count = depth;
}

/* One operation of the engine, and the mutex's own memory after it; false: not taken. */
static bool change(enum op_kind kind, pthread_mutex_t *m, unsigned depth, uint64_t pc)
{
	if (under_engine()) {
		if (!object_op(kind, m, pc).wrote)
			return false;
		shadow_object_set((uintptr_t)m, depth ? OBJECT_LOCKED : OBJECT_KNOWN);
	} else if (kind == OP_TRYLOCK && m->__data.__lock) {
		return false;
	}
	set_native(m, depth);
	return true;
}

/* It is initialised although somebody has it. */
static void free_anew(pthread_mutex_t *m, uint64_t pc)
{
	polls_minds((uintptr_t)m);
	change(OP_UNLOCK, m, 0, pc);
}

/* What must hold whenever a mutex is used. */
static void check_use(pthread_mutex_t *m, uint64_t pc)
{
	if (m->__data.__kind == KIND_DESTROYED)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)m, pc, "use of a destroyed mutex");
	if (!under_engine())
		return;
	shadow_use((uintptr_t)m, sizeof(*m), pc);
	/* Its memory was written anew while it was locked, without pthread_mutex_init(). */
	if (unlikely(!m->__data.__lock && shadow_object((uintptr_t)m) == OBJECT_LOCKED))
		free_anew(m, pc);
}

void mutex_free(pthread_mutex_t *m, uint64_t pc)
{
	change(OP_UNLOCK, m, 0, pc);
}

/* The caller has got it: 0, or what robust mutexes tell about their last owner. */
static int got(pthread_mutex_t *m, uint64_t pc)
{
	if (likely(!mutex_is_robust(m)))
		return 0;
	note_hidden_state(); /* lists of robust ones */
	return robust_got(m, pc);
}

static inline int lock(pthread_mutex_t *m, uint64_t pc)
{
	check_use(m, pc);
	if (mutex_mine(m)) {
		if (type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
			if (m->__data.__count + 1 == 0)
				return EAGAIN;
			set_depth(m, m->__data.__count + 1);
			return 0;
		}
		if (type_of(m) == PTHREAD_MUTEX_ERRORCHECK)
			return EDEADLK;
		if (!under_engine()) {
			time_rings_out(pc);
			report_bug_here(BUG_DEADLOCK, (uintptr_t)m, pc,
					"the only thread locks a mutex that it holds");
		}
	}
	touch_to_write(m); /* also where another thread has it */
	change(OP_LOCK, m, 1, pc);
	return got(m, pc);
}

int mutex_lock(pthread_mutex_t *m, uint64_t pc)
{
	if (unlikely(mutex_is_above(m)) && !mutex_mine(m))
		return EINVAL;
	return lock(m, pc);
}

int mutex_lock_below(pthread_mutex_t *m, uint64_t pc)
{
	return lock(m, pc);
}

int mutex_trylock(pthread_mutex_t *m, uint64_t pc)
{
	check_use(m, pc);
	if (unlikely(mutex_is_above(m)) && !mutex_mine(m))
		return EINVAL;
	if (mutex_mine(m) && type_of(m) == PTHREAD_MUTEX_RECURSIVE) {
		if (m->__data.__count + 1 == 0)
			return EAGAIN;
		set_depth(m, m->__data.__count + 1);
		return 0;
	}
	if (change(OP_TRYLOCK, m, 1, pc))
		return got(m, pc);
	try_failed(m, pc);
	return EBUSY;
}

/* A timed lock is a try: see hook_rwlock.c. */
int mutex_timedlock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until, uint64_t pc)
{
	int error;

	if (mutex_mine(m) && type_of(m) == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	touch_to_write(m);
	error = mutex_trylock(m, pc);
	if (error != EBUSY)
		return error;
	reads_time(until, pc);
	if (!time_can_wait(clock, until))
		return EINVAL;
	timed_out(clock, until, pc);
	return ETIMEDOUT;
}

int mutex_unlock(pthread_mutex_t *m, uint64_t pc)
{
	check_use(m, pc);
	if (!mutex_mine(m)) {
		if (type_of(m) == PTHREAD_MUTEX_RECURSIVE ||
		    type_of(m) == PTHREAD_MUTEX_ERRORCHECK || mutex_is_robust(m))
			return EPERM;
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)m, pc,
				m->__data.__lock ? "unlock of a mutex that another thread holds"
						 : "unlock of a mutex that is not locked");
	}
	mutex_give(m, pc);
	return 0;
}

unsigned mutex_give(pthread_mutex_t *m, uint64_t pc)
{
	unsigned depth = m->__data.__count;

	if (depth > 1) {
		set_depth(m, depth - 1);
		return depth;
	}
	change(OP_UNLOCK, m, 0, pc);
	if (unlikely(mutex_is_robust(m)))
		robust_given(m);
	return depth;
}

int mutex_retake(pthread_mutex_t *m, unsigned depth, uint64_t pc)
{
	check_use(m, pc);
	if (depth > 1) {
		set_depth(m, depth);
		return 0;
	}
	change(OP_LOCK, m, 1, pc);
	return got(m, pc);
}

void mutex_init(pthread_mutex_t *m, int kind, uint64_t pc)
{
	if (under_engine()) {
		shadow_plain((uintptr_t)m, sizeof(*m), true, pc);
		if (shadow_object((uintptr_t)m) == OBJECT_LOCKED)
			free_anew(m, pc);
	}
	*m = (pthread_mutex_t){ .__data = { .__kind = kind } };
}

void mutex_destroy(pthread_mutex_t *m, uint64_t pc)
{
	check_use(m, pc);
	if (m->__data.__lock)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)m, pc, "a locked mutex is destroyed");
	if (under_engine())
		shadow_plain((uintptr_t)m, sizeof(*m), true, pc);
	m->__data.__kind = KIND_DESTROYED;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int kind = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED;
	int protocol = PTHREAD_PRIO_NONE, ceiling = 0;

	if (!shared)
		return REAL(pthread_mutex_init)(m, attr);
	if (attr) {
		pthread_mutexattr_gettype(attr, &kind);
		pthread_mutexattr_getrobust(attr, &robust);
		pthread_mutexattr_getprotocol(attr, &protocol);
	}
	if (robust == PTHREAD_MUTEX_ROBUST)
		kind |= MUTEX_KIND_ROBUST;
	if (protocol == PTHREAD_PRIO_PROTECT) {
		if (robust == PTHREAD_MUTEX_ROBUST)
			return ENOTSUP;
		kind |= MUTEX_KIND_CEILING;
		pthread_mutexattr_getprioceiling(attr, &ceiling);
	}
	mutex_init(m, kind, CALLER());
	m->__data.__spins = (short)ceiling;
	return 0;
}

HEDDLE_HOOK int pthread_mutex_destroy(pthread_mutex_t *m)
{
	if (!shared)
		return REAL(pthread_mutex_destroy)(m);
	mutex_destroy(m, CALLER());
	return 0;
}

ENTERED static int hook_lock(pthread_mutex_t *m)
{
	if (kin_native(m, "a mutex"))
		return REAL(pthread_mutex_lock)(m);
	return then_pause(mutex_lock(m, ENTRY_CALLER()), ENTRY_CALLER());
}
HOOK_ENTRY(pthread_mutex_lock, hook_lock, 1);

ENTERED static int hook_trylock(pthread_mutex_t *m)
{
	if (kin_native(m, "a mutex"))
		return REAL(pthread_mutex_trylock)(m);
	return then_pause(mutex_trylock(m, ENTRY_CALLER()), ENTRY_CALLER());
}
HOOK_ENTRY(pthread_mutex_trylock, hook_trylock, 1);

ENTERED static int hook_unlock(pthread_mutex_t *m)
{
	if (kin_native(m, "a mutex"))
		return REAL(pthread_mutex_unlock)(m);
	return then_pause(mutex_unlock(m, ENTRY_CALLER()), ENTRY_CALLER());
}
HOOK_ENTRY(pthread_mutex_unlock, hook_unlock, 1);

static void mutex_root(void)
{
	polls_call((uintptr_t)hook_lock);
	polls_call((uintptr_t)hook_trylock);
	polls_call((uintptr_t)hook_unlock);
}

AT_ROOT(mutex_root);

ENTERED static int hook_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	if (kin_native(m, "a mutex"))
		return REAL(pthread_mutex_timedlock)(m, KERNEL_TIME(CLOCK_REALTIME, until));
	return mutex_timedlock(m, CLOCK_REALTIME, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_mutex_timedlock, hook_timedlock, 2);

ENTERED static int hook_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	if (kin_native(m, "a mutex"))
		return REAL(pthread_mutex_clocklock)(m, clock, KERNEL_TIME(clock, until));
	if (!time_has_clock(clock))
		return EINVAL;
	return mutex_timedlock(m, clock, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_mutex_clocklock, hook_clocklock, 3);
