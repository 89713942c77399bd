/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_spin.c - POSIX spin locks
 *
 * To the exploration they are mutexes: a thread that spins waits. The lock's own word says who
 * holds it (0 nobody, else thread + 1), and so is restored with the program; mutex_native_state()
 * reads it as it reads a mutex. Locking one that the caller holds is a deadlock, as with glibc.
 *
 * To glibc 1 is a free one, and 0 one that is taken. A process that has let go of heddle has locks that were made before,
 * so these stay ours there.
 */
/*
 * intercepts: Spin locks
 *
 * explored pthread_spin_lock pthread_spin_unlock pthread_spin_trylock - as mutexes: a
 *	thread that spins waits
 * checked pthread_spin_init pthread_spin_destroy - destruction of a locked one, and use
 *	afterwards, is lock-misuse
 */
#include "preload/hooks/hook.h"

#include <errno.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/polls.h"
#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/core/touch.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"

enum {
	DESTROYED = -1
};

static int me(void)
{
	return current ? (int)current->tid + 1 : 1;
}

/* One operation of the engine, and the word after it; false: not taken. */
static bool change(enum op_kind kind, pthread_spinlock_t *l, int owner, uint64_t pc)
{
	if (under_engine()) {
		if (!object_op(kind, l, pc).wrote)
			return false;
		shadow_object_set((uintptr_t)l, owner ? OBJECT_LOCKED : OBJECT_KNOWN);
	} else if (kind == OP_TRYLOCK && *l) {
		return false;
	}
	*l = owner;
	return true;
}

/* It is initialised although somebody has it. */
static void free_anew(pthread_spinlock_t *l, uint64_t pc)
{
	polls_minds((uintptr_t)l);
	change(OP_UNLOCK, l, 0, pc);
}

static void check_use(pthread_spinlock_t *l, uint64_t pc)
{
	if (*l == DESTROYED)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc, "use of a destroyed spin lock");
	if (!under_engine())
		return;
	shadow_use((uintptr_t)l, sizeof(*l), pc);
	/* Its memory was written anew while it was locked, without pthread_spin_init(). */
	if (unlikely(!*l && shadow_object((uintptr_t)l) == OBJECT_LOCKED))
		free_anew(l, pc);
}

/* ---- In a process that has let go of heddle ------------------------------------------------------- */

static bool is_ours(void)
{
	return init_state == INIT_DETACHED;
}

static int trylock_alone(pthread_spinlock_t *l)
{
	return __atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0; /* unlock_alone() */
}

static int lock_alone(pthread_spinlock_t *l)
{
	while (trylock_alone(l))
		__builtin_ia32_pause();
	return 0;
}

static int unlock_alone(pthread_spinlock_t *l)
{
	__atomic_store_n(l, 0, __ATOMIC_RELEASE); /* trylock_alone() */
	return 0;
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_spin_init(pthread_spinlock_t *l, int pshared)
{
	uint64_t pc = CALLER();

	if (!shared)
		return is_ours() ? unlock_alone(l) : REAL(pthread_spin_init)(l, pshared);
	if (under_engine()) {
		shadow_plain((uintptr_t)l, sizeof(*l), true, pc);
		if (shadow_object((uintptr_t)l) == OBJECT_LOCKED)
			free_anew(l, pc);
	}
	*l = 0;
	return 0;
}

HEDDLE_HOOK int pthread_spin_destroy(pthread_spinlock_t *l)
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL(pthread_spin_destroy)(l);
	if (!memory_writable((void *)(uintptr_t)l, sizeof(*l)))
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				"destruction of a spin lock where there is none");
	check_use(l, pc);
	if (*l)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				"a locked spin lock is destroyed");
	if (under_engine())
		shadow_plain((uintptr_t)l, sizeof(*l), true, pc);
	*l = DESTROYED;
	return 0;
}

ENTERED static int hook_lock(pthread_spinlock_t *l)
{
	uint64_t pc = ENTRY_CALLER();

	if (kin_native(l, "a spin lock"))
		return is_ours() ? lock_alone(l) : REAL(pthread_spin_lock)(l);
	check_use(l, pc);
	touch_to_write(l); /* also where it is locked */
	if (!under_engine() && *l) {
		time_rings_out(pc);
		report_bug_here(BUG_DEADLOCK, (uintptr_t)l, pc,
				"the only thread locks a spin lock that it holds");
	}
	change(OP_LOCK, l, me(), pc);
	return 0;
}
HOOK_ENTRY(pthread_spin_lock, hook_lock, 1);

ENTERED static int hook_trylock(pthread_spinlock_t *l)
{
	uint64_t pc = ENTRY_CALLER();

	if (kin_native(l, "a spin lock"))
		return is_ours() ? trylock_alone(l) : REAL(pthread_spin_trylock)(l);
	check_use(l, pc);
	touch_to_write(l);
	if (change(OP_TRYLOCK, l, me(), pc))
		return 0;
	try_failed(l, pc);
	return EBUSY;
}
HOOK_ENTRY(pthread_spin_trylock, hook_trylock, 1);

ENTERED static int hook_unlock(pthread_spinlock_t *l)
{
	uint64_t pc = ENTRY_CALLER();

	if (kin_native(l, "a spin lock"))
		return is_ours() ? unlock_alone(l) : REAL(pthread_spin_unlock)(l);
	check_use(l, pc);
	if (*l != me())
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)l, pc,
				*l ? "unlock of a spin lock that another thread holds"
				   : "unlock of a spin lock that is not locked");
	change(OP_UNLOCK, l, 0, pc);
	return 0;
}
HOOK_ENTRY(pthread_spin_unlock, hook_unlock, 1);

static void spin_root(void)
{
	polls_call((uintptr_t)hook_lock);
	polls_call((uintptr_t)hook_trylock);
	polls_call((uintptr_t)hook_unlock);
}

AT_ROOT(spin_root);
