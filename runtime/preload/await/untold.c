/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * untold.c - see untold.h
 *
 * What a thread does between two operations is known from the code (stretch.h), as for threads that wait. Of each thread the
 * latest such stretch stands for all before. Where the code does not say whom it calls, the thread is watched on its way (taken.h). That all is looked at
 * which it has done: value.txt, M6.
 *
 * What lies between two operations is a function of what the thread has read. So an operation that the graph has already was looked at
 * in an earlier run, with the same values: as long as nothing untold was found anywhere, it is not looked at again. Nor is what a thread
 * does while all others are over and joined, or not created yet: that is beside nobody.
 *
 * Cost: a walk of the thread's frames for each operation that is new in the graph; once there was something untold, for each.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/await/untold.h"

#include <dlfcn.h>
#include <string.h>

#include "base/insn.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/code/code.h"
#include "preload/code/modules.h"
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/memo.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/liveness/stretch.h"
#include "preload/liveness/taken.h"

bool untold_watched;
KEPT(untold_watched); /* but for the memo (facts/memo.h) it stays what it is */

/* Of a thread in this execution. */
struct thread_untold {
	bool known;         /* `ahead` is about its latest operation */
	bool begins;        /* which is its begin */
	uint64_t runs;      /* of a std::thread: the function that calls the program's, */
	uint64_t ends;      /* and the one that frees it, behind that; else 0 */
	uint32_t behind;    /* its clock behind all that it has done untold, or 0 */
	enum stretch worst; /* that it may do from there on */
};

/* In the table of virtual functions of the object that a std::thread is given. */
enum {
	ENDS = 1,
	RUNS
};

static struct thread_untold threads[HEDDLE_EXPLORED_THREADS];
static bool any; /* has any thread done something untold? */
static struct frames ahead[HEDDLE_EXPLORED_THREADS];
KEPT(ahead);

static void watch(void)
{
	untold_watched =
		shared->config.mode == ENGINE_EXPLORE && (values_explored() || memo_is_in_use());
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

/*
 * Is the thread by itself, so that what it does now is beside nobody? For the memo, and for executions that are made by values, that says nothing: what it finds, and
 * others have left there, is no matter of what it has read.
 */
static bool is_alone(void)
{
	return values_explored() && !memo_is_in_use() &&
	       engine_by_itself(engine, current->tid, current->clock);
}

void untold_does(void)
{
	const uint32_t *clock = current ? current->clock : NULL;

	if (!clock || current->probing)
		return;
	memo_give_up("code does what it does not tell");
	if (others_are_there(clock))
		values_give_up("code beside other threads does what it does not announce");
	threads[current->tid].behind = clock[current->tid] + 1;
	any = true;
}

/* The calling thread has done something, too. */
static void comes_beside(void)
{
	for (uint32_t t = 0; t < engine_threads(engine); t++)
		if (t != current->tid && current->clock[t] < threads[t].behind)
			values_give_up("code beside other threads does what it does not announce");
}

/* ---- Where a thread is --------------------------------------------------------------------------- */

static bool is_of_library(uint64_t fn)
{
	static uint64_t last;
	static bool is;
	KEPT(last);
	KEPT(is);
	struct self *caller = current;
	Dl_info info;

	if (fn != last && !memory_from_program(fn)) {
		current = NULL; /* libraries may come back to our hooks */
		is = dladdr((const void *)fn, &info) && strstr(info.dli_fname, "/libstdc++.so.");
		current = caller;
	} else if (fn != last) {
		is = false;
	}
	last = fn;
	return is;
}

/*
 * What a std::thread runs first is a function of libstdc++ that does no more than this: it calls a virtual function of the object that it
 * was given, and then the destructor that frees it.
 */
static void find_library(struct thread_untold *u)
{
	const struct fiber *f = fiber_self();

	if (!is_of_library((uint64_t)(uintptr_t)f->fn))
		return;
	u->runs = (*(const uint64_t *const *)f->arg)[RUNS];
	u->ends = (*(const uint64_t *const *)f->arg)[ENDS];
}

/* So its frame is left out. */
static void leave_out_library(const struct thread_untold *u, struct frames *f)
{
	if (!f->n || !u->runs ||
	    stretch_start(f->at[f->n - 1].pc) != (uint64_t)(uintptr_t)fiber_self()->fn)
		return;
	f->n--;
	f->whole = true;
}

static enum stretch worse_of(enum stretch a, enum stretch b)
{
	return a > b ? a : b;
}

static enum stretch worst_of(const struct thread_untold *u, const struct frames *f)
{
	enum stretch worst = STRETCH_TOLD;
	bool returns = true;

	for (uint32_t i = 0; i < f->n && returns; i++) {
		const struct stretch_known *k = stretch_known(f->at[i].pc);

		if (worst < k->worst)
			worst = (enum stretch)k->worst;
		returns = k->returns;
	}
	if (returns && u->ends)
		worst = worse_of(worst, stretch_from_begin(u->ends));
	return !f->whole && returns ? worse_of(worst, STRETCH_UNSEEN) : worst;
}

/* Where the function begins that the thread was in first; 0: in none, or that is not known. */
static uint64_t first_of(const struct frames *f)
{
	return f->n && f->whole ? stretch_start(f->at[f->n - 1].pc) : 0;
}

/*
 * The worst that the thread has done since its latest operation. Its first function may have been left by a jump, so what the thread is in first
 * now may be another one. Of a std::thread that may also be the one that frees its object.
 */
static enum stretch done_to(const struct thread_untold *u, const struct frames *here)
{
	const struct frames *from = &ahead[current->tid];
	const uint64_t own = u->runs ? u->runs : (uint64_t)(uintptr_t)fiber_self()->fn;
	const uint64_t before = u->begins ? own : first_of(from), now = first_of(here);
	const struct frames none = { .whole = true };
	const struct frames *to = u->ends && now == u->ends && now != before ? &none : here;
	enum stretch worst;

	worst = u->begins ? stretch_since_begin(own, to) : stretch_between(from, to);
	if (!u->ends || now == before || before == u->ends)
		return worst;
	if (now == u->ends)
		return worse_of(worst, stretch_since_begin(now, here));
	return worse_of(worst, stretch_from_begin(u->ends));
}

/*
 * Also beyond what the code says, where calls and jumps are watched. For the memo they are not: a program whose code does not say whom it
 * calls runs each time, as it is.
 */
static enum stretch done_exactly(const struct thread_untold *u, const struct frames *here)
{
	const bool watched = values_explored();
	enum stretch worst;

	stretch_ask(true, watched ? taken_since() : NULL);
	worst = done_to(u, here);
	stretch_ask(false, NULL);
	if (worst != STRETCH_TOLD && watched && taken_is_news())
		repeat_execution(); /* others are watched there */
	return worst;
}

/* ---- What it does -------------------------------------------------------------------------------- */

void untold_arrives(const struct op *op)
{
	const struct thread_untold *u = &threads[current->tid];
	struct frames here;

	if (!u->known || u->worst == STRETCH_TOLD || is_told())
		return;
	told_arrival(op, &here);
	leave_out_library(u, &here);
	if (done_exactly(u, &here) != STRETCH_TOLD) {
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
	if (op->kind == OP_START)
		find_library(u);
	/* Behind the end of the process the program does nothing. */
	u->known = op->kind != OP_EXIT && !is_told() && !is_alone();
	u->begins = op->kind == OP_START;
	u->worst = STRETCH_UNSEEN;
	if (u->known && !u->begins) {
		told_arrival(op, f);
		leave_out_library(u, f);
		stretch_ask(true, NULL);
		f->worst = u->worst = worst_of(u, f);
		stretch_ask(false, NULL);
	}
	if (values_explored())
		taken_forget(u->known && u->worst != STRETCH_TOLD);
}
