/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_rwlock.c - POSIX read-write locks
 *
 * Who gets the lock, and after whom, is explored (OP_RDLOCK, OP_WRLOCK, their try forms,
 * OP_RWUNLOCK): the states of one lock form a chain, so readers come one after the other, as
 * at a semaphore. What POSIX asks for beyond the state stands in the pthread_rwlock_t, laid
 * out by us and restored with the program; all zero is PTHREAD_RWLOCK_INITIALIZER, and
 * glibc's flags behind it are left alone.
 *
 * A reader waits for writers that hold the lock, and for one that only waits if the lock is of the
 * kind PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, as in glibc: POSIX leaves that to the
 * implementation. A writer of such a lock says first that it will come (OP_RW_ASK). It does so where
 * it could have the lock at once, too: for all others that is no other than if it had it.
 *
 * A timed lock is a try that fails with ETIMEDOUT: that the lock was taken all the time until
 * then is possible whenever the thread can find it taken. So both outcomes are explored, and
 * no thread is stuck in a timed call. (engine: nothing blocks; time passes, see hook_time.c.)
 */
/*
 * intercepts: Read-write locks
 *
 * explored pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock - in which
 *	order readers and writers get there; readers wait for writers that wait if the
 *	lock prefers writers (and is not recursive), and only then
 * explored pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_timedrdlock
 *	pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock -
 *	both outcomes, where both are possible
 * checked pthread_rwlock_init pthread_rwlock_destroy - destruction of a locked one, and
 *	use afterwards, is lock-misuse
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <string.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/core/touch.h"
#include "preload/hooks/lock/far_readers.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

struct native_rwlock {
	uint32_t state;     /* as the engine has it */
	uint32_t writer;    /* thread + 1 */
	uint32_t destroyed; /* DESTROYED */
	/* of each reader, in four bits; see deeper. Of others: far_readers.h */
	uint8_t depth[HEDDLE_EXPLORED_THREADS / 2];
	uint32_t early; /* EARLY: it was locked before there were threads */
};

enum {
	DEPTH_BITS = 4,
	DEPTH_MAX = (1 << DEPTH_BITS) - 1,
	DESTROYED = 0x5ad5ad5a,
	DEEPER = 16,
	EARLY = 0x6be6be6b
};

_Static_assert(sizeof(struct native_rwlock) <= offsetof(pthread_rwlock_t, __data.__flags),
	       "it fits before the flags");

static struct native_rwlock *native(pthread_rwlock_t *l)
{
	return (struct native_rwlock *)l;
}

static struct value rwlock_native_state(uint64_t addr)
{
	return value_of(((const struct native_rwlock *)addr)->state);
}

INITIAL_VALUE(rwlock_native_state, KIND(OP_RDLOCK) | KIND(OP_TRYRDLOCK) | KIND(OP_WRLOCK) |
					   KIND(OP_TRYWRLOCK) | KIND(OP_RWUNLOCK) |
					   KIND(OP_RW_ASK));

static unsigned my_depth(pthread_rwlock_t *l)
{
	if (is_far(self_id()))
		return native(l)->state % OP_RW_WRITER ? far_depth(self_id(), l) : 0;
	return native(l)->depth[self_id() / 2] >> self_id() % 2 * DEPTH_BITS & DEPTH_MAX;
}

/* How often a reader holds a lock beyond DEPTH_MAX. */
struct deeper {
	const pthread_rwlock_t *lock;
	uint32_t tid, more; /* 0: the entry is free */
};

static HEDDLE_IMAGE_SELDOM struct deeper deeper[DEEPER] = { { .more = 0 } };

/* The caller's entry; of nobody's, with NULL, a free one. NULL if there is none. */
static struct deeper *deeper_of(const pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < DEEPER; i++) {
		struct deeper *d = &deeper[i];

		if (l ? d->more && d->lock == l && d->tid == self_id() : !d->more)
			return d;
	}
	return NULL;
}

/* At DEPTH_MAX: true if that is what it stays at. */
static bool add_deeper(pthread_rwlock_t *l, int by)
{
	struct deeper *d = deeper_of(l);

	if (d) {
		d->more += (uint32_t)by;
		return true;
	}
	if (by < 0)
		return false;
	d = deeper_of(NULL);
	if (!d)
		refuse("more than 16 read-write locks are held more than 15 times by one thread: release them earlier",
		       NULL);
	*d = (struct deeper){ .lock = l, .tid = self_id(), .more = 1 };
	return true;
}

static void add_depth(pthread_rwlock_t *l, int by)
{
	uint8_t *pair;

	if (is_far(self_id())) {
		far_add(self_id(), l, by);
		return;
	}
	pair = &native(l)->depth[self_id() / 2];
	if (unlikely(my_depth(l) == DEPTH_MAX) && add_deeper(l, by))
		return;
	if (unlikely(my_depth(l) == DEPTH_MAX - 1 && by > 0) && deeper_of(l))
		deeper_of(l)->more = 0; /* of a lock whose memory was written anew */
	*pair = (uint8_t)(*pair + by * (1 << self_id() % 2 * DEPTH_BITS));
}

static bool mine(pthread_rwlock_t *l)
{
	return (native(l)->state & OP_RW_WRITER) && native(l)->writer == self_id() + 1;
}

/* One operation of the engine, and the lock's state after it; false: not taken. */
static bool change_by(const struct op *op, pthread_rwlock_t *l)
{
	struct op_result res;

	operate(op, &res);
	if (!res.wrote)
		return false;
	native(l)->state = (uint32_t)res.stored.lo;
	shadow_object_set((uintptr_t)l, native(l)->state ? OBJECT_LOCKED : OBJECT_KNOWN);
	return true;
}

static bool change(enum op_kind kind, pthread_rwlock_t *l, uint64_t pc)
{
	struct op op = { .kind = kind, .addr = (uint64_t)(uintptr_t)l, .pc = pc };

	return change_by(&op, l);
}

static bool prefers_writers(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* Waits as a writer does. */
static bool change_to_writer(pthread_rwlock_t *l, uint64_t pc)
{
	struct op op = {
		.kind = OP_WRLOCK,
		.addr = (uint64_t)(uintptr_t)l,
		.arg = value_of(prefers_writers(l)),
		.pc = pc,
	};

	if (op.arg.lo)
		change(OP_RW_ASK, l, pc);
	return change_by(&op, l);
}

/* It is initialised although somebody has it. */
static void free_anew(pthread_rwlock_t *l, uint64_t pc)
{
	polls_minds((uintptr_t)l);
	change(OP_UNLOCK, l, pc);
}

/*
 * In a process that has let go of heddle. To glibc a lock that nobody holds looks the same, and what is EARLY in ours is
 * not looked at.
 */
static void take_over(pthread_rwlock_t *l)
{
	uint32_t state = native(l)->state;

	if (!kin_takes_over())
		return;
	if (native(l)->early == EARLY) {
		memset(l, 0, sizeof(*native(l)));
		if (state == OP_RW_WRITER) {
			REAL(pthread_rwlock_wrlock)(l);
			/* Not by the caller: by the first thread, of the parent if this is a child. */
			l->__data.__cur_writer =
				(int)sys3(kin_is_child() ? SYS_getppid : SYS_getpid, 0, 0, 0);
		}
		for (; state && state < OP_RW_WRITER; state--)
			REAL(pthread_rwlock_rdlock)(l);
	}
	kin_took_over();
}

/* What must hold whenever the lock is used. */
static void check_use(pthread_rwlock_t *l, uint64_t pc)
{
	if (native(l)->destroyed == DESTROYED)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				"use of a destroyed read-write lock");
	if (!under_engine())
		return;
	shadow_use((uintptr_t)l, sizeof(*l), pc);
	/* Its memory was written anew while it was locked, without pthread_rwlock_init(). */
	if (unlikely(!native(l)->state && shadow_object((uintptr_t)l) == OBJECT_LOCKED)) {
		far_forget(l);
		free_anew(l, pc);
	}
}

/* Locks before the first thread exists: the state after it, or 0 when it is taken. */
static uint32_t alone(const struct native_rwlock *n, bool writes)
{
	if (writes)
		return n->state ? 0 : OP_RW_WRITER;
	return n->state == OP_RW_WRITER ? 0 : n->state + 1;
}

/* Tries or locks, as kind says; false: it is taken. */
static bool acquire(enum op_kind kind, pthread_rwlock_t *l, uint64_t pc)
{
	bool writes = kind == OP_WRLOCK || kind == OP_TRYWRLOCK;
	bool waits = kind == OP_WRLOCK || kind == OP_RDLOCK;
	uint32_t state;

	if (under_engine()) {
		if (!(kind == OP_WRLOCK ? change_to_writer(l, pc) : change(kind, l, pc)))
			return false;
	} else {
		state = alone(native(l), writes);
		if (!state && waits) {
			time_rings_out(pc);
			report_bug_here(BUG_DEADLOCK, (uintptr_t)l, pc,
					"the only thread locks a read-write lock that it holds");
		}
		if (!state)
			return false;
		native(l)->state = state;
		native(l)->early = EARLY;
	}
	if (writes)
		native(l)->writer = self_id() + 1;
	else
		add_depth(l, 1);
	return true;
}

static int attempt(enum op_kind kind, pthread_rwlock_t *l, uint64_t pc)
{
	if (acquire(kind, l, pc))
		return 0;
	try_failed(l, pc);
	return EBUSY;
}

static int rdlock(pthread_rwlock_t *l, uint64_t pc)
{
	check_use(l, pc);
	if (mine(l))
		return EDEADLK;
	acquire(OP_RDLOCK, l, pc);
	return 0;
}

static int tryrdlock(pthread_rwlock_t *l, uint64_t pc)
{
	check_use(l, pc);
	return attempt(OP_TRYRDLOCK, l, pc);
}

static int wrlock(pthread_rwlock_t *l, uint64_t pc)
{
	check_use(l, pc);
	if (mine(l))
		return EDEADLK;
	touch_to_write(l); /* also where others have it */
	acquire(OP_WRLOCK, l, pc);
	return 0;
}

static int trywrlock(pthread_rwlock_t *l, uint64_t pc)
{
	check_use(l, pc);
	return attempt(OP_TRYWRLOCK, l, pc);
}

static int timed(int (*try)(pthread_rwlock_t *, uint64_t), pthread_rwlock_t *l, clockid_t clock,
		 const struct timespec *until, uint64_t pc)
{
	int error;

	reads_time(until, pc);
	if (!time_can_wait(clock, until))
		return EINVAL;
	check_use(l, pc);
	if (mine(l))
		return EDEADLK;
	touch_to_write(l);
	error = try(l, pc);
	if (error != EBUSY)
		return error;
	timed_out(clock, until, pc);
	return ETIMEDOUT;
}

static int unlock(pthread_rwlock_t *l, uint64_t pc)
{
	bool writes = mine(l);

	check_use(l, pc);
	if (!writes && !my_depth(l))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				native(l)->state
					? "unlock of a read-write lock that other threads hold"
					: "unlock of a read-write lock that is not locked");
	if (under_engine())
		change(OP_RWUNLOCK, l, pc);
	else
		native(l)->state = writes ? 0 : native(l)->state - 1;
	if (writes)
		native(l)->writer = 0;
	else
		add_depth(l, -1);
	return 0;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	uint64_t pc = CALLER();
	int kind;

	if (!shared)
		return REAL(pthread_rwlock_init)(l, attr);
	if (under_engine()) {
		shadow_plain((uintptr_t)l, sizeof(*l), true, pc);
		if (shadow_object((uintptr_t)l) == OBJECT_LOCKED)
			free_anew(l, pc);
	}
	memset(l, 0, sizeof(*l));
	far_forget(l);
	if (attr && pthread_rwlockattr_getkind_np(attr, &kind) == 0)
		l->__data.__flags = (unsigned)kind;
	return 0;
}

HEDDLE_HOOK int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	uint64_t pc = CALLER();

	if (!shared)
		return take_over(l), REAL(pthread_rwlock_destroy)(l);
	if (!memory_writable((void *)(uintptr_t)l, sizeof(*l)))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				"destruction of a read-write lock where there is none");
	check_use(l, pc);
	if (native(l)->state)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				"a locked read-write lock is destroyed");
	if (under_engine())
		shadow_plain((uintptr_t)l, sizeof(*l), true, pc);
	native(l)->destroyed = DESTROYED;
	return 0;
}

#define RWLOCK_HOOK(name)                                                    \
	ENTERED static int hook_##name(pthread_rwlock_t *l)                  \
	{                                                                    \
		if (kin_native(l, "a read-write lock"))                      \
			return take_over(l), REAL(pthread_rwlock_##name)(l); \
		return name(l, ENTRY_CALLER());                              \
	}                                                                    \
	HOOK_ENTRY(pthread_rwlock_##name, hook_##name, 1)

RWLOCK_HOOK(rdlock);
RWLOCK_HOOK(tryrdlock);
RWLOCK_HOOK(wrlock);
RWLOCK_HOOK(trywrlock);
RWLOCK_HOOK(unlock);

static void rwlock_root(void)
{
	polls_call((uintptr_t)hook_rdlock);
	polls_call((uintptr_t)hook_tryrdlock);
	polls_call((uintptr_t)hook_wrlock);
	polls_call((uintptr_t)hook_trywrlock);
	polls_call((uintptr_t)hook_unlock);
}

AT_ROOT(rwlock_root);

ENTERED static int hook_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	if (kin_native(l, "a read-write lock"))
		return take_over(l),
		       REAL(pthread_rwlock_timedrdlock)(l, KERNEL_TIME(CLOCK_REALTIME, until));
	return timed(tryrdlock, l, CLOCK_REALTIME, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_rwlock_timedrdlock, hook_timedrdlock, 2);

ENTERED static int hook_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	if (kin_native(l, "a read-write lock"))
		return take_over(l),
		       REAL(pthread_rwlock_timedwrlock)(l, KERNEL_TIME(CLOCK_REALTIME, until));
	return timed(trywrlock, l, CLOCK_REALTIME, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_rwlock_timedwrlock, hook_timedwrlock, 2);

ENTERED static int hook_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
				    const struct timespec *until)
{
	if (kin_native(l, "a read-write lock"))
		return take_over(l),
		       REAL(pthread_rwlock_clockrdlock)(l, clock, KERNEL_TIME(clock, until));
	return timed(tryrdlock, l, clock, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_rwlock_clockrdlock, hook_clockrdlock, 3);

ENTERED static int hook_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
				    const struct timespec *until)
{
	if (kin_native(l, "a read-write lock"))
		return take_over(l),
		       REAL(pthread_rwlock_clockwrlock)(l, clock, KERNEL_TIME(clock, until));
	return timed(trywrlock, l, clock, until, ENTRY_CALLER());
}
HOOK_ENTRY(pthread_rwlock_clockwrlock, hook_clockwrlock, 3);
