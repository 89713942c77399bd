/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sem.c - POSIX semaphores (names: hook_sem_open.c)
 *
 * The count stands in the first word of the sem_t as well, where glibc keeps it. The
 * operations of one semaphore form a chain (each takes the count that one other left), so
 * the word always holds the count of the last one.
 */
/*
 * intercepts: Semaphores
 *
 * explored sem_wait sem_post - in which order threads get there
 * explored sem_trywait sem_timedwait sem_clockwait - both outcomes, where both are
 *	possible
 * explored sem_getvalue - each value that it may have
 * checked sem_init sem_destroy - initialisation and destruction race with use; use after
 *	destruction is lock-misuse
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/sync/sem.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

static unsigned *count_of(sem_t *s)
{
	return (unsigned *)s;
}

enum {
	MARK = 2, /* the word that says whether it is destroyed */
	DESTROYED = 0x5ad5ad5a
};

/* Set by its destruction, cleared by its initialisation. */
static unsigned *mark_of(sem_t *s)
{
	return (unsigned *)s + MARK;
}

static void check_use(sem_t *s, uint64_t pc)
{
	if (unlikely(*mark_of(s) == DESTROYED))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)s, pc, "use of a destroyed semaphore");
}

static struct value sem_native_state(uint64_t addr)
{
	return value_of(*count_of((sem_t *)addr));
}

INITIAL_VALUE(sem_native_state, KIND(OP_SEM_WAIT) | KIND(OP_SEM_TRYWAIT) | KIND(OP_SEM_POST) |
					KIND(OP_LOAD)); /* OP_LOAD: sem_getvalue() */

static int fail(int error)
{
	errno = error;
	return -1;
}

/* One operation and the word after it. */
static struct op_result operate_on(enum op_kind kind, sem_t *s, uint64_t pc)
{
	struct op_result res;

	shadow_use((uintptr_t)s, sizeof(*s), pc);
	res = kind == OP_SEM_WAIT ? cancellable_op(kind, s, pc) : object_op(kind, s, pc);
	shadow_object_set((uintptr_t)s, OBJECT_KNOWN);
	if (res.wrote)
		*count_of(s) = (unsigned)res.stored.lo;
	return res;
}

/* False: the engine wrote nothing. */
static bool change(enum op_kind kind, sem_t *s, uint64_t pc)
{
	return operate_on(kind, s, pc).wrote;
}

/* A semaphore that had operations in this execution is brought to its new count by some
 * more: the engine has no other way to know. */
static void set_count(sem_t *s, unsigned count, uint64_t pc)
{
	while (*count_of(s) > count && change(OP_SEM_TRYWAIT, s, pc))
		;
	while (*count_of(s) < count && change(OP_SEM_POST, s, pc))
		;
}

void sem_begin(sem_t *s, unsigned count, uint64_t pc)
{
	if (under_engine()) {
		shadow_plain((uintptr_t)s, sizeof(*s), true, pc);
		if (shadow_object((uintptr_t)s) == OBJECT_KNOWN) {
			polls_minds((uintptr_t)s);
			set_count(s, count, pc);
		}
	}
	*s = (sem_t){ 0 };
	*count_of(s) = count;
}

HEDDLE_HOOK int sem_init(sem_t *s, int pshared, unsigned count)
{
	if (!shared)
		return REAL(sem_init)(s, pshared, count);
	if (count > SEM_VALUE_MAX)
		return fail(EINVAL);
	sem_begin(s, count, CALLER());
	return 0;
}

HEDDLE_HOOK int sem_destroy(sem_t *s)
{
	if (!shared)
		return REAL(sem_destroy)(s);
	if (!memory_writable(s, sizeof(*s)))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)s, CALLER(),
				"destruction of a semaphore where there is none");
	check_use(s, CALLER());
	if (under_engine())
		shadow_plain((uintptr_t)s, sizeof(*s), true, CALLER());
	*mark_of(s) = DESTROYED;
	return 0;
}

/* A handler that comes while it waits ends the call. */
static void wait_interrupted(sem_t *s, uint64_t pc)
{
	if (!interrupt_comes(pc))
		return;
	if (change(OP_SEM_TRYWAIT, s, pc))
		interrupt_too_early(pc);
	interrupt_ends(-1, EINTR, true, pc);
}

ENTERED static int hook_wait(sem_t *s)
{
	uint64_t pc = ENTRY_CALLER();

	if (kin_native(s, "a semaphore"))
		return REAL(sem_wait)(s);
	check_use(s, pc);
	touch_to_write(s);
	cancellation_point(pc);
	if (under_engine()) {
		wait_interrupted(s, pc);
		change(OP_SEM_WAIT, s, pc);
		return then_pause(0, pc);
	}
	while (!*count_of(s)) {
		switch (time_rings(TIME_FOR_EVER, pc)) {
		case RING_NONE:
			report_bug_here(BUG_DEADLOCK, (uintptr_t)s, pc,
					"the only thread waits for a semaphore at 0");
		case RING_ENDS:
			return fail(EINTR);
		case RING_RESTARTS:
			break;
		}
	}
	--*count_of(s);
	return 0;
}
HOOK_ENTRY(sem_wait, hook_wait, 1);

static bool taken(sem_t *s, uint64_t pc)
{
	check_use(s, pc);
	if (under_engine())
		return change(OP_SEM_TRYWAIT, s, pc);
	if (!*count_of(s))
		return false;
	--*count_of(s);
	return true;
}

ENTERED static int hook_trywait(sem_t *s)
{
	if (kin_native(s, "a semaphore"))
		return REAL(sem_trywait)(s);
	return taken(s, ENTRY_CALLER()) ? 0 : fail(EAGAIN);
}
HOOK_ENTRY(sem_trywait, hook_trywait, 1);

/* A timed wait is a try: see hook_rwlock.c. */
static int timed(sem_t *s, clockid_t clock, const struct timespec *until, uint64_t pc)
{
	enum time_ring ring;

	reads_time(until, pc);
	if (!time_can_wait(clock, until))
		return fail(EINVAL);
	touch_to_write(s);
	cancellation_point(pc);
	if (under_engine())
		wait_interrupted(s, pc);
	do {
		if (taken(s, pc))
			return 0;
		ring = time_rings(time_end_ns(until, true, clock), pc);
	} while (ring == RING_RESTARTS);
	if (ring == RING_ENDS) {
		if (under_engine())
			interrupt_ends(-1, EINTR, true, pc);
		return fail(EINTR);
	}
	timed_out(clock, until, pc);
	return fail(ETIMEDOUT);
}

ENTERED static int hook_timedwait(sem_t *s, const struct timespec *until)
{
	if (kin_native(s, "a semaphore"))
		return REAL(sem_timedwait)(s, KERNEL_TIME(CLOCK_REALTIME, until));
	return timed(s, CLOCK_REALTIME, until, ENTRY_CALLER());
}
HOOK_ENTRY(sem_timedwait, hook_timedwait, 2);

ENTERED static int hook_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	if (kin_native(s, "a semaphore"))
		return REAL(sem_clockwait)(s, clock, KERNEL_TIME(clock, until));
	return timed(s, clock, until, ENTRY_CALLER());
}
HOOK_ENTRY(sem_clockwait, hook_clockwait, 3);

_Static_assert(OP_SEM_MOST == SEM_VALUE_MAX, "where the engine does not add");

/* False: the count is at its most. */
static bool posted(sem_t *s, uint64_t pc)
{
	/* A thread that is only tried out writes nothing, too. */
	if (under_engine())
		return operate_on(OP_SEM_POST, s, pc).value.lo < SEM_VALUE_MAX;
	if (*count_of(s) == SEM_VALUE_MAX)
		return false;
	++*count_of(s);
	return true;
}

ENTERED static int hook_post(sem_t *s)
{
	if (kin_native(s, "a semaphore"))
		return REAL(sem_post)(s);
	check_use(s, ENTRY_CALLER());
	if (!posted(s, ENTRY_CALLER()))
		return fail(EOVERFLOW);
	return then_pause(0, ENTRY_CALLER());
}
HOOK_ENTRY(sem_post, hook_post, 1);

/* Any count that it had and that is not known to be over: POSIX promises no more. */
HEDDLE_HOOK int sem_getvalue(sem_t *s, int *value)
{
	struct op op = {
		.kind = OP_LOAD,
		.order = ORDER_RLX,
		.addr = (uintptr_t)s,
		.pc = CALLER(),
	};
	struct op_result res;

	if (kin_native(s, "a semaphore"))
		return REAL(sem_getvalue)(s, value);
	check_use(s, op.pc);
	if (!under_engine()) {
		*value = (int)*count_of(s);
		return 0;
	}
	shadow_use((uintptr_t)s, sizeof(*s), op.pc);
	operate(&op, &res);
	polls_minds((uintptr_t)s);
	shadow_object_set((uintptr_t)s, OBJECT_KNOWN);
	if (seen(op.pc))
		writes(value, sizeof(*value), op.pc);
	*value = (int)res.value.lo;
	return 0;
}

static void sem_root(void)
{
	polls_call((uintptr_t)hook_wait);
	polls_call((uintptr_t)hook_trywait);
	polls_call((uintptr_t)hook_post);
}

AT_ROOT(sem_root);
