/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.c - see untold.h
 *
 * What a thread does between two operations is known from the code (stretch.h), as for threads that wait. Of each thread the
 * latest such stretch stands for all before.
 *
 * What lies between two operations is a function of what the thread has read. So an operation that the graph has already was looked at
 * in an earlier run, with the same values: as long as nothing untold was found anywhere, it is not looked at again.
 *
 * Cost: a walk of the thread's frames for each operation that is new in the graph; once there was something untold, for each.
 */
#include "preload/await/untold.h"

#include <string.h>

#include "base/insn.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/core/code.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/reset.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/liveness/stretch.h"

bool untold_watched;

/* Of a thread in this execution. */
struct thread_untold {
	bool known;         /* `ahead` is about its latest operation */
	bool begins;        /* which is its begin */
	uint32_t behind;    /* its clock behind all that it has done untold, or 0 */
	enum stretch worst; /* that it may do from there on */
};

static struct thread_untold threads[HEDDLE_EXPLORED_THREADS];
static bool any; /* has any thread done something untold? */
static struct frames ahead[HEDDLE_EXPLORED_THREADS];
KEPT(ahead);

static void watch(void)
{
	untold_watched = shared->config.mode == ENGINE_EXPLORE && values_explored();
	memset(threads, 0, sizeof(threads));
	any = false;
}

AT_BEGIN(watch);

static LASTING(uint32_t, was_found); /* something untold, in any execution */

/* Is it known that the stretch before the thread's next operation, or the one it is about to do, is told? */
static bool is_told(void)
{
	return !*was_found && engine_known(engine, current->tid);
}

/* Has another thread done something that is not ordered by creation and join? To read untold counts as told, so it is not asked what. */
static bool others_are_there(const uint32_t *clock)
{
	for (uint32_t t = 0; t < engine_threads(engine); t++)
		if (t != current->tid && engine_done(engine, t) > clock[t])
			return true;
	return false;
}

void untold_does(void)
{
	const uint32_t *clock = current ? current->clock : NULL;

	if (!clock || current->probing)
		return;
	if (others_are_there(clock))
		values_give_up();
	threads[current->tid].behind = clock[current->tid] + 1;
	any = true;
}

/* The calling thread has done something, too. */
static void comes_beside(void)
{
	for (uint32_t t = 0; t < engine_threads(engine); t++)
		if (t != current->tid && current->clock[t] < threads[t].behind)
			values_give_up();
}

/* ---- Where a thread is --------------------------------------------------------------------------- */

/* What libstdc++ does to call the program's function in a thread, and behind that, is nobody's business. */
static void leave_out_library(struct frames *f)
{
	const uint64_t first = (uint64_t)(uintptr_t)fiber_self()->fn;

	if (!f->n || !first || memory_from_program(first) ||
	    stretch_known(f->at[f->n - 1].pc)->start != first)
		return;
	f->n--;
	f->whole = true;
}

static enum stretch worst_of(const struct frames *f)
{
	enum stretch worst = STRETCH_TOLD;
	bool returns = true;

	for (uint32_t i = 0; i < f->n && returns; i++) {
		const struct stretch_known *k = stretch_known(f->at[i].pc);

		if (worst < k->worst)
			worst = (enum stretch)k->worst;
		returns = k->returns;
	}
	return !f->whole && returns && worst < STRETCH_UNSEEN ? STRETCH_UNSEEN : worst;
}

/* The place behind the first instruction of a function, if that does nothing that others see, or 0: what is known is known of places behind one. */
static uint64_t behind_first(uint64_t start)
{
	uint8_t room[CODE_ROOM];
	uint64_t left = INSN_LONGEST;
	struct insn in;

	if (!insn_decode(code_at(start, &left, room), left, start, &in))
		return 0;
	if (in.kind == INSN_LEA || (in.kind <= INSN_ADD && !in.memory) ||
	    (in.kind == INSN_PUSH && !in.memory))
		return start + in.length;
	return 0;
}

/* From the thread's begin to that place. */
static enum stretch since_begin(const struct frames *here)
{
	struct frames first = { .n = 1, .whole = true, .worst = STRETCH_UNSEEN };
	uint64_t start = (uint64_t)(uintptr_t)fiber_self()->fn;

	if (here->n && here->whole) {
		first.at[0].cfa = here->at[here->n - 1].cfa;
		start = stretch_known(here->at[here->n - 1].pc)->start;
	}
	first.at[0].pc = start ? behind_first(start) : 0;
	return first.at[0].pc ? stretch_between(&first, here) : STRETCH_UNSEEN;
}

/* ---- What it does -------------------------------------------------------------------------------- */

void untold_arrives(const struct op *op)
{
	const struct thread_untold *u = &threads[current->tid];
	struct frames here;

	if (!u->known || u->worst == STRETCH_TOLD || is_told())
		return;
	told_arrival(op, &here);
	leave_out_library(&here);
	if ((u->begins ? since_begin(&here) : stretch_between(&ahead[current->tid], &here)) !=
	    STRETCH_TOLD) {
		*was_found = 1;
		untold_does();
	}
}

void untold_leaves(const struct op *op)
{
	struct thread_untold *u = &threads[current->tid];
	struct frames *f = &ahead[current->tid];

	if (any)
		comes_beside();
	u->known = !is_told();
	if (!u->known)
		return;
	u->begins = op->kind == OP_START;
	u->worst = STRETCH_UNSEEN;
	if (u->begins)
		return;
	told_arrival(op, f);
	leave_out_library(f);
	f->worst = u->worst = worst_of(f);
}
