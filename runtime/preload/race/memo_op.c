/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo_op.c - which operations are a matter of what their thread has read (memo_shared.h)
 *
 * Asked of each that is not in the graph. What is no such matter is not made: the program runs each time. (engine/memo.txt, K6, K12)
 */
#include "preload/race/memo_shared.h"

#include "engine/engine.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/memo.h"
#include "preload/facts/values.h"

/* Those whose meaning is a matter of what hooks keep are known of the program's own objects only. */
static bool is_of_runtime(uint64_t addr)
{
	uint64_t start, end;

	runtime_data(&start, &end);
	return addr >= start && addr < end;
}

/* Of a library's object; it answers, and its hook does, what follows from what it reads. */
static bool is_known_of_object(const struct op *op)
{
	switch (op->kind) {
	case OP_SEM_WAIT:
		return !op->arg.hi;
	case OP_COND_WOKEN:
		return !op->arg.hi && !op->peer;
	case OP_COND_BEGIN:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_COND_LEAVE:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_RDLOCK:
	case OP_TRYRDLOCK:
	case OP_WRLOCK:
	case OP_TRYWRLOCK:
	case OP_RWUNLOCK:
	case OP_RW_ASK:
	case OP_BARRIER_ARRIVE:
	case OP_BARRIER_PASS:
	case OP_ONCE_ENTER:
	case OP_ONCE_DONE:
		return true;
	default:
		return false;
	}
}

/* Is what the operation answers, and what its hook does besides, a matter of what it reads? */
static bool is_known(const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
		return !op->fn && !op->peer && (op->order != ORDER_NA || values_explored());
	case OP_STORE:
		return !op->peer && (op->order != ORDER_NA || values_explored());
	case OP_RMW:
	case OP_CAS:
		return !op->peer;
	case OP_LOCK:
	case OP_TRYLOCK:
	case OP_UNLOCK:
	case OP_FENCE:
	case OP_CREATE:
	case OP_START:
	case OP_END:
	case OP_EXIT:
	case OP_STUCK:
		return true;
	case OP_CHOOSE:
		return !op->fn;
	case OP_BLOCK:
		return op->fn != BLOCK_OTHERWISE;
	case OP_JOIN:
		return !op->arg.hi;
	default:
		return is_known_of_object(op) && !is_of_runtime(op->addr);
	}
}

/* Who joins or detaches a thread that another one has joined, or detached, finds a bug, and need not know of the other one. */
void memo_joins(uint32_t tid)
{
	static uint32_t by[HEDDLE_MAX_THREADS]; /* 1 + who did, in any execution */
	KEPT(by);

	if (by[tid] && by[tid] != current->tid + 1)
		memo_give_up("threads are joined, or detached, by several ones");
	by[tid] = current->tid + 1;
}

enum {
	CONDS = 256 /* condition variables that are waited for */
};

/* Whether those who wait at one time wait with one mutex is looked at by who comes (hook_cond.c), and no operation tells. */
void memo_waits_with(uint64_t cond, uint64_t mutex)
{
	static struct with {
		uint64_t cond, mutex;
	} with[CONDS]; /* in any execution */
	KEPT(with);
	static uint32_t n;
	KEPT(n);
	uint32_t i = 0;

	while (i < n && with[i].cond != cond)
		i++;
	if (i == CONDS) {
		memo_give_up("threads wait for too many condition variables");
		return;
	}
	if (i == n)
		with[n++] = (struct with){ cond, mutex };
	if (with[i].mutex != mutex)
		memo_give_up("threads wait for a condition variable with several mutexes");
}

void memo_op(const struct op *op)
{
	if (!is_known(op)) {
		memo_give_up(op_kind_name(op->kind));
		return;
	}
	if (op->kind == OP_JOIN)
		memo_joins(op->peer);
	if (op->addr)
		memo_place(op);
}

/* ---- How deep main is (K13) ---------------------------------------------------------------------------- */

/* The lowest variable of main that others read, in any execution, and the highest place where it was while others were there, too. */
static uint64_t lowest = UINT64_MAX, highest;
KEPT(lowest);
KEPT(highest);

static void look_at_depth(void)
{
	if (lowest < highest)
		memo_give_up("a frame was left that others look into");
}

void memo_is_read_at(uint64_t addr)
{
	if (lowest > addr)
		lowest = addr;
	look_at_depth();
}

/* The main thread comes to its operation there. Behind that it may have returned, where nobody else is any more. */
void memo_note_depth(const struct op *op, uint64_t sp)
{
	if (current->tid || !sp ||
	    ((op->kind == OP_EXIT || op->kind == OP_END) &&
	     engine_by_itself(engine, current->tid, current->clock)))
		return;
	if (highest < sp)
		highest = sp;
	look_at_depth();
}
