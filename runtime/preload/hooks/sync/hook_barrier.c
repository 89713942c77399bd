/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_barrier.c - POSIX barriers
 *
 * The engine counts how many threads have arrived since the barrier was initialised
 * (OP_BARRIER_ARRIVE); whoever makes the count a multiple of the threads of a round lets the
 * others of the round go on, who wait for that and nothing else (OP_BARRIER_PASS). Every order
 * of arrival is explored. The last to arrive is the one that gets
 * PTHREAD_BARRIER_SERIAL_THREAD, as with glibc; POSIX leaves open which it is.
 *
 * What we keep of a barrier stands in the pthread_barrier_t, and so is restored with the
 * program. That a barrier exists is known where its memory is a variable's or a block's of the
 * heap: on a stack, or in a mapping, it may be what an earlier frame, or process, left behind. A
 * child may make its barriers anew.
 *
 * To glibc 0 threads would wait there, so a process that has let go of heddle makes those that it had before into glibc's
 * when it comes there.
 *
 * It is not looked at after the caller has arrived: the barrier may be destroyed,
 * and its memory be used for something else, as soon as one thread of the round is through.
 */
/*
 * intercepts: Barriers
 *
 * explored pthread_barrier_wait - every order of arrival; the last to arrive gets
 *	PTHREAD_BARRIER_SERIAL_THREAD
 * checked pthread_barrier_init pthread_barrier_destroy - destruction while somebody waits, use
 *	afterwards, and initialisation of one that is not destroyed, is lock-misuse
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/hooks/world/time.h"
#include "preload/loop/children.h"

struct native_barrier {
	uint32_t arrived; /* as the engine has it */
	uint32_t count;   /* of a round; 0: never initialised */
	uint32_t destroyed;
	uint32_t exists; /* EXISTS and the process, from its initialisation on */
	uint64_t self;   /* where; it cannot be copied */
};

enum {
	DESTROYED = 0x5ad5ad5a,
	EXISTS = 0x6be6be00,
	LEVELS = 0xff
};

_Static_assert(sizeof(struct native_barrier) <= sizeof(pthread_barrier_t), "it fits");

static struct native_barrier *native(pthread_barrier_t *b)
{
	return (struct native_barrier *)b;
}

static struct value barrier_native_state(uint64_t addr)
{
	return value_of(((const struct native_barrier *)addr)->arrived);
}

INITIAL_VALUE(barrier_native_state, KIND(OP_BARRIER_ARRIVE));

static void check_use(pthread_barrier_t *b, uint64_t pc)
{
	if (native(b)->destroyed == DESTROYED)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)b, pc, "use of a destroyed barrier");
	if (!native(b)->count)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)b, pc,
				"use of a barrier that is not initialised");
	if (under_engine())
		shadow_use((uintptr_t)b, sizeof(*b), pc);
}

/* Does no frame come and go there, also not on a stack that the program gave a thread? */
static bool memory_is_kept(uint64_t addr)
{
	struct place place;

	return module_of(addr) >= 0 || (heap_covers(addr) && !place_on_stack(addr, &place));
}

static void check_init(pthread_barrier_t *b, uint64_t pc)
{
	const struct native_barrier *n = native(b);
	uint64_t addr = (uintptr_t)b;

	if (n->count && n->destroyed != DESTROYED && n->exists == EXISTS + children_level() &&
	    n->self == addr && memory_is_kept(addr))
		report_bug_here(BUG_LOCK_MISUSE, addr, pc,
				"a barrier that exists is initialised again");
}

/* True for the last of the round; the others wait for it. */
static bool arrive(pthread_barrier_t *b, uint64_t pc)
{
	struct op op = {
		.kind = OP_BARRIER_ARRIVE,
		.addr = (uintptr_t)b,
		.arg = value_of(native(b)->count),
		.pc = pc,
	};
	struct op_result res;

	operate(&op, &res);
	shadow_object_set((uintptr_t)b, OBJECT_KNOWN);
	native(b)->arrived = (uint32_t)res.stored.lo;
	if (native(b)->arrived % native(b)->count == 0)
		return true;
	op.kind = OP_BARRIER_PASS;
	operate(&op, &res);
	return false;
}

/* Where glibc keeps what a barrier is shared by there is EXISTS in ours. */
static void take_over(pthread_barrier_t *b)
{
	struct native_barrier *n = native(b);

	if (!kin_takes_over())
		return;
	if ((n->exists & ~LEVELS) == EXISTS && n->self == (uintptr_t)b)
		REAL(pthread_barrier_init)(b, NULL, n->count);
	kin_took_over();
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
				     unsigned count)
{
	uint64_t pc = CALLER();

	if (!shared)
		return REAL(pthread_barrier_init)(b, attr, count);
	if (attr)
		touch_to_read(attr);
	if (!count || count > INT_MAX)
		return EINVAL;
	if (under_engine()) {
		shadow_plain((uintptr_t)b, sizeof(*b), true, pc);
		check_init(b, pc);
		if (shadow_object((uintptr_t)b) == OBJECT_KNOWN)
			object_op(OP_UNLOCK, b, pc); /* nobody has arrived */
	} else {
		check_init(b, pc);
	}
	memset(b, 0, sizeof(*b));
	native(b)->count = count;
	native(b)->exists = EXISTS + children_level();
	native(b)->self = (uintptr_t)b;
	return 0;
}

HEDDLE_HOOK int pthread_barrier_destroy(pthread_barrier_t *b)
{
	uint64_t pc = CALLER();

	if (!shared)
		return take_over(b), REAL(pthread_barrier_destroy)(b);
	check_use(b, pc);
	if (native(b)->arrived % native(b)->count)
		report_bug_here(BUG_LOCK_MISUSE, (uintptr_t)b, pc,
				"a barrier is destroyed while a thread waits at it");
	if (under_engine())
		shadow_plain((uintptr_t)b, sizeof(*b), true, pc);
	native(b)->destroyed = DESTROYED;
	return 0;
}

ENTERED static int hook_wait(pthread_barrier_t *b)
{
	uint64_t pc = ENTRY_CALLER();

	if (kin_native(b, "a barrier"))
		return take_over(b), REAL(pthread_barrier_wait)(b);
	check_use(b, pc);
	if (under_engine())
		return arrive(b, pc) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
	if (native(b)->count > 1) {
		time_rings_out(pc);
		report_bug_here(BUG_DEADLOCK, (uintptr_t)b, pc,
				"the only thread waits at a barrier for others");
	}
	native(b)->arrived++;
	return PTHREAD_BARRIER_SERIAL_THREAD;
}
HOOK_ENTRY(pthread_barrier_wait, hook_wait, 1);
