/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fence.c - a fence on every thread, which one of them asks for
 *
 * What membarrier() promises: each other thread executes a full fence at some place of its program order, between the
 * begin and the end of the call. The kernel interrupts the processors for that. A library without such a kernel sends a
 * signal to each thread, with a fence in its handler, and waits for the answers (liburcu's signal flavour). That is what
 * is explored here, in operations that exist:
 *
 *	caller	fence; ask each; wait for the answer of each; fence
 *	others	before each operation: was I asked? Then: fence; answer
 *
 * To ask and to be answered synchronise, both are messages between two threads: so what the caller did before the call
 * happens before what the other thread does behind its fence, and what that did before its fence happens before what the
 * caller does behind the call. With the fences, all sequentially consistent, that is the promise, in each model:
 * Alglave et al., "Frightening Small Children and Disconcerting Grown-ups" (ASPLOS 2018), state it as a choice for each
 * other thread, of the place of its fence, under which all axioms hold. Here each place is a look that finds the request,
 * a read as any other, so each choice is a graph, and none is left out. Two callers share no location: to ask
 * orders nothing but the two threads that it is between.
 *
 * Nothing has to be said of places between plain accesses, see interrupt.c.
 *
 * Who waits (for a lock, say, that the caller holds) has been interrupted while it waited. That is the same as before
 * its operation: what it waits in others do not see. So the caller's wait has an end in the graph where the thread
 * looks later, right before it waits; and where it looked too early, the wait without end is no execution
 * (OP_COND_WOKEN, peer). A thread that has ended has looked right before its end.
 *
 * Who is asked? All threads that the caller knows to have begun (po u rf), and not to have ended, until the answers
 * tell of no more. Of a thread that it has not heard of by then the creator has answered before it created it: all
 * of it happens behind the creator's fence.
 *
 * Of a thread that has looked for a signal, then answers, and waits, a signal that comes behind the answer is not heard before that wait in an
 * exploration, and such executions are left out: a look more there would be a round of a loop to await.c. At random it is heard.
 *
 * Looking doubles the operations of all threads. So they look only for callers that are known: the first call
 * of a thread while there are others starts the exploration again, with that among the facts.
 */
#include "preload/hooks/hook.h"

#include "preload/facts/values.h"
#include "preload/hooks/interrupt/fence.h"

#include "engine/engine.h"
#include "engine/graph/guard.h"
#include "preload/await/await.h"
#include "preload/core/lifecycle.h"
#include "preload/facts/facts.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/interrupt/interrupt.h"

/* Names: of a set (as a condition variable's) that has `by` in it while that waits for `of`. Never read or written. */
static const char requests[HEDDLE_MAX_THREADS][HEDDLE_MAX_THREADS];

/* By whom a thread is asked, in the order in which this execution goes. */
static HEDDLE_IMAGE_SELDOM struct thread_set unanswered[HEDDLE_MAX_THREADS] = { { .some = 0 } };

static struct op op_on(enum op_kind kind, uint32_t by, uint32_t of, uint64_t pc)
{
	return (struct op){ .kind = kind, .addr = (uintptr_t)&requests[by][of], .pc = pc };
}

void fence_here(uint64_t pc)
{
	struct op op = { .kind = OP_FENCE, .order = ORDER_SC, .pc = pc };
	struct op_result res;

	settle();
	perform_now(&op, &res);
}

/* ---- Who is asked ---------------------------------------------------------------------------------- */

static bool is_asked(uint32_t by, enum load_how how, uint64_t pc)
{
	struct op op = op_on(OP_LOAD, by, current->tid, pc);
	struct op_result res;

	op.order = ORDER_ACQ;
	op.fn = (uint8_t)how;
	perform_now(&op, &res);
	return res.value.lo; /* 0 says nobody, also of more threads than a word has room for */
}

static void answer(uint32_t to, uint64_t pc)
{
	struct op op = op_on(OP_COND_BROADCAST, to, current->tid, pc);
	struct op_result res;

	if (current->probing) /* it is no loop that only looks */
		probe_differs();
	fence_here(pc);
	perform_now(&op, &res);
	thread_set_remove(&unanswered[current->tid], to);
}

/*
 * In turn, until none of them has asked since the last answer. So they may be answered in each order, in one way, and
 * one that asks again at once may be as well.
 */
static void look(enum load_how how, uint64_t pc)
{
	const bool nothing = interrupt_has_done_nothing();
	struct thread_set others = facts->fences;
	uint32_t in_vain = 0, n;

	thread_set_remove(&others, current->tid);
	n = thread_set_count(&others);
	settle();
	for (uint32_t by = 0; in_vain < n; by++) {
		by = thread_set_next(&others, by);
		if (by == HEDDLE_MAX_THREADS)
			by = thread_set_first(&others);
		in_vain++;
		if (!is_asked(by, how, pc))
			continue;
		answer(by, pc);
		in_vain = 0;
	}
	if (nothing)
		interrupt_comes_to_hook();
}

void fence_look(uint64_t pc)
{
	look(LOAD_LATELY, pc);
}

/* A hook that was entered has looked (interrupt.c). In it there may be a wait behind what others have seen by then. */
static bool waits_behind(const struct op *op)
{
	switch (op->kind) {
	case OP_BARRIER_PASS:
	case OP_COND_WOKEN:
	case OP_COUNT_ADD:
	case OP_COUNT_AWAIT:
	case OP_READY_TAKE:
	case OP_READY_LOCK:
		return true;
	case OP_WRLOCK:
		return op->arg.lo;
	default:
		return false;
	}
}

/* Is it an operation by itself, of which others may know? */
static bool counts(const struct op *op)
{
	switch (op->kind) {
	case OP_YIELD:
	case OP_PAUSE:
	case OP_CHOOSE:
	case OP_BLOCK:
	case OP_STUCK:
	case OP_FUTEX_WAIT: /* one step with the look before it */
	case OP_FUTEX_REQUEUE:
		return false;
	case OP_LOAD:
		return op->fn != LOAD_OF_FUTEX; /* likewise */
	default:
		return true;
	}
}

/* May it be long, or for ever, until the thread looks again? */
static bool may_be_last(const struct op *op)
{
	return guard_may_block(op->kind) || op->kind == OP_JOIN || op->kind == OP_COND_WOKEN ||
	       op->kind == OP_BARRIER_PASS || op->kind == OP_END || op->kind == OP_EXIT;
}

/* Of looks where a thread waits one that finds a signal is not of these (interrupt.c). */
static bool replays_look(void)
{
	return shared->config.mode == ENGINE_REPLAY &&
	       engine_recorded(engine, current->tid, OP_LOAD) &&
	       !engine_recorded_from(engine, current->tid, OP_SEM_POST);
}

/* Behind its looks for other callers, if there are any. */
static bool replays_rather(enum op_kind kind, enum op_kind other)
{
	return shared->config.mode == ENGINE_REPLAY &&
	       engine_recorded_rather(engine, current->tid, kind, other);
}

static bool at_random(void)
{
	return shared->config.mode == ENGINE_ONLINE;
}

/* At random nobody goes back to look later: who waits, or ends, has the latest look. */
static void look_before(const struct op *op, bool waits)
{
	bool last = waits || may_be_last(op);

	if (waits || (current->entry.sp ? waits_behind(op) || (at_random() && last) : counts(op)))
		look(last ? LOAD_LATEST : LOAD_LATELY, op->pc);
	while (last && replays_look())
		look(LOAD_LATEST, op->pc);
}

static void fences_root(void)
{
	perform_behind = look_before;
}

AT_ROOT(fences_root);

static void fences_begin(void)
{
	const uint32_t n = thread_set_count(&facts->fences);

	if (!n)
		return;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		struct self *s = &fibers[t].self;

		s->fences = n > thread_set_has(&facts->fences, t);
		if (s->fences)
			s->interrupted |= INTERRUPTED_BY_OTHERS;
		s->asked = false;
	}
}

AT_BEGIN(fences_begin);

/* ---- Who asks -------------------------------------------------------------------------------------- */

static void learn(void)
{
	if (thread_set_has(&facts->fences, current->tid) || shared->config.mode == ENGINE_REPLAY)
		return;
	fact_learn_fences(current->tid);
	repeat_execution();
}

static void ask(uint32_t of, uint64_t pc)
{
	struct op op = op_on(OP_COND_BEGIN, current->tid, of, pc);
	struct op_result res;

	operate(&op, &res);
	thread_set_add(&unanswered[of], current->tid);
}

/* At random a thread that waits looks again: its look came too early, and nobody goes back to look later. */
static void hurry(uint32_t of)
{
	struct op op;

	if (!at_random() || !engine_waiting(engine, of, &op) || !may_be_last(&op))
		return;
	fibers[of].self.asked = true;
	fiber_switch(of);
}

/* Likewise: has it come to its end without an answer? */
static bool is_through(uint32_t of)
{
	return (at_random() && !fibers[of].alive &&
		thread_set_has(&unanswered[of], current->tid)) ||
	       replays_rather(OP_JOIN, OP_COND_WOKEN);
}

static void wait_for(uint32_t of, uint64_t pc)
{
	struct op op = op_on(OP_COND_WOKEN, current->tid, of, pc);
	struct op_result res;

	op.peer = 1;
	if (is_through(of))
		op = (struct op){ .kind = OP_JOIN, .fn = 1, .peer = of, .pc = pc };
	operate(&op, &res);
}

/* Threads that were not asked so far; has[]: how often each id was given to a thread when its last one was. */
static struct thread_set not_asked(uint32_t has[HEDDLE_MAX_THREADS])
{
	uint32_t given[HEDDLE_MAX_THREADS];
	struct thread_set alive, found = { 0 };

	values_give_up("membarrier() is used");
	alive = engine_known_threads(engine, current->tid, given);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		if (t != current->tid && thread_set_has(&alive, t) && given[t] > has[t])
			thread_set_add(&found, t);
		has[t] = given[t];
	}
	return found;
}

static void ask_all(const struct thread_set *threads, uint64_t pc)
{
	THREAD_SET_EACH(t, threads)
		ask(t, pc);
	THREAD_SET_EACH(t, threads)
		hurry(t);
	THREAD_SET_EACH(t, threads)
		wait_for(t, pc);
}

void fence_everywhere(uint64_t pc)
{
	uint32_t has[HEDDLE_MAX_THREADS] = { 0 };
	struct thread_set others;

	fence_here(pc);
	for (others = not_asked(has); thread_set_any(&others); others = not_asked(has)) {
		learn();
		ask_all(&others, pc);
	}
	fence_here(pc);
}
