/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_static.c - the first initialisation of C++ static variables of functions
 *
 * The code that a compiler emits (Itanium C++ ABI, section 3.3.3) reads the first byte of
 * the variable's 64-bit guard with acquire order; when that is 0 it calls
 * __cxa_guard_acquire(), runs the constructor if the answer is 1, and calls
 * __cxa_guard_release(), or __cxa_guard_abort() when the constructor threw. The C++ library
 * does that with atomics and futexes that nobody has instrumented; here it is
 *
 *	guard + 4	a once control, as in hook_once.c: who initialises, who waits
 *	guard		a release store of 1, for the compiler's acquire load to read
 *
 * Bytes 4 to 7 are not used by the C++ library. Before the first thread exists the state of
 * the once control stands there in memory (a static object whose constructor creates threads
 * is running then), and is its initial value.
 *
 * Code that is not instrumented reads the byte behind our back. So that it does the same in
 * every execution, the byte stays 0 for it, and each of its uses is an operation.
 */
/*
 * intercepts: Initialisation
 *
 * explored __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort - C++ static
 *	variables of functions: who initialises them, while the others wait
 */
#include "preload/hooks/hook.h"

#include "preload/access/atomic.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/code/modules.h"
#include "preload/facts/memo.h"
#include "preload/hooks/world/time.h"
#include "preload/race/memo_shared.h"

enum {
	GUARD_NEW = 0,
	GUARD_RUNNING = 1,
	GUARD_DONE = 2
};

struct guard {
	uint8_t done; /* what the compiler's code looks at */
	uint8_t spare[3];
	uint32_t once;
};
_Static_assert(sizeof(struct guard) == 8, "as the C++ ABI has it");

int __cxa_guard_acquire(struct guard *g);
void __cxa_guard_release(struct guard *g);
void __cxa_guard_abort(struct guard *g);

static int acquire_alone(struct guard *g, uint64_t pc)
{
	if (g->done)
		return 0;
	if (g->once == GUARD_RUNNING) {
		time_rings_out(pc);
		report_bug_here(BUG_DEADLOCK, (uintptr_t)g, pc,
				"a static variable is needed to initialise itself");
	}
	g->once = GUARD_RUNNING;
	return 1;
}

ENTERED static int guard_acquire(struct guard *g)
{
	uint64_t pc = ENTRY_CALLER();

	if (!shared)
		return REAL(__cxa_guard_acquire)(g);
	if (!under_engine())
		return acquire_alone(g, pc);
	if (memo_watched)
		memo_uses((uintptr_t)&g->once, sizeof(g->once));
	/* Done before the root point: nothing is left to decide. */
	if (g->once == GUARD_DONE)
		return 0;
	return object_op(OP_ONCE_ENTER, &g->once, pc).wrote;
}
HOOK_ENTRY(__cxa_guard_acquire, guard_acquire, 1);

ENTERED static void guard_release(struct guard *g)
{
	uint64_t pc = ENTRY_CALLER();
	struct op op = {
		.kind = OP_STORE,
		.order = ORDER_REL,
		.size = 1,
		.addr = (uintptr_t)&g->done,
		.pc = pc,
		.arg = value_of(1),
	};
	struct op_result res;

	if (!shared) {
		REAL(__cxa_guard_release)(g);
		return;
	}
	if (!under_engine()) {
		g->done = 1;
		g->once = GUARD_DONE;
		return;
	}
	if (memory_from_program(pc))
		atomic_op(&op, &res);
	object_op(OP_ONCE_DONE, &g->once, pc);
}
HOOK_ENTRY(__cxa_guard_release, guard_release, 1);

ENTERED static void guard_abort(struct guard *g)
{
	if (!shared)
		REAL(__cxa_guard_abort)(g);
	else if (under_engine())
		object_op(OP_UNLOCK, &g->once, ENTRY_CALLER());
	else
		g->once = GUARD_NEW;
}
HOOK_ENTRY(__cxa_guard_abort, guard_abort, 1);
