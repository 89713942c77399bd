/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perform.h - what a hook may ask of the core of the runtime
 *
 * A hook of a program thread looks like this:
 *
 *	HEDDLE_HOOK int sem_post(sem_t *sem)
 *	{
 *		struct op op = { .kind = OP_SEM_POST, .addr = (uintptr_t)sem, .pc = CALLER() };
 *		struct op_result res;
 *
 *		if (!under_engine())
 *			return REAL(sem_post)(sem);
 *		perform(&op, &res);
 *		return 0;
 *	}
 *
 * perform() may run other threads before it returns, so nothing that is not on the stack
 * of the calling fiber, or in the image, may be half changed across it. It may also never
 * return: the execution can end while the thread waits, and then its stack is abandoned.
 *
 * State of hooks. The runtime's own .data and .bss survive from execution to execution and
 * are not rolled back. State that belongs to one execution is either
 *	- reset by AT_BEGIN() (lifecycle.h), or
 *	- declared with HEDDLE_IMAGE, and then restored to what it was at the root point: compared
 *	  before each execution, so it is to be small;
 *	- or with HEDDLE_IMAGE_SELDOM, for tables that most programs never write to: a program that
 *	  does not pays nothing for them. Never passed to the kernel, which would not wait for the fault.
 *
 * One kernel thread runs everything here, so nothing locks. No __thread variables, no
 * stdio, no malloc. errno of the program is kept by the hooks.
 */
#ifndef HEDDLE_PRELOAD_PERFORM_H
#define HEDDLE_PRELOAD_PERFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "preload/await/follow.h"
#include "preload/await/polls.h"
#include "preload/await/untold.h"
#include "preload/code/real.h"
#include "preload/core/context.h"
#include "preload/core/lifecycle.h"
#include "preload/core/text.h"
#include "preload/fiber/stack.h"
#include "preload/memory/heap.h"
#include "preload/memory/place.h"
#include "wire/op.h"
#include "wire/shared.h"

#pragma GCC visibility push(hidden)

/* ---- Operations ----------------------------------------------------------------------- */

/*
 * Runs one operation of the calling fiber to its end, other threads first where the engine
 * wants them. On return *res is the engine's answer and current->clock is fresh. When
 * res->wrote and op->size > 0 the hook stores the value: perform_store(). Does not return
 * when the thread never goes on.
 */
void perform(const struct op *op, struct op_result *res);
/* The same in a hook that was entered, on its stack of hooks (entry.h). */
void perform_entered(const struct op *op, struct op_result *res);

/*
 * What comes before the operation of a thread that others may ask for a fence (self.fences); waits: it
 * waits in it already. That is fence.c, whose own operations are performed by perform_now().
 */
extern void (*perform_behind)(const struct op *op, bool waits);
void perform_now(const struct op *op, struct op_result *res);

/*
 * Random testing and replays, of a thread with self.interrupted: it asks for its turn with that operation, and may have to
 * wait. And its wait is called off (STEP_OFF): what comes does, and then the thread waits again, or does the operation that
 * this returns, as that one. That is interrupt.c.
 */
extern struct perform_waits {
	void (*begins)(const struct op *op);
	const struct op *(*is_off)(const struct op *op);
} perform_waits;

/*
 * A fence that the next operation of the same hook has before it, or that one had behind it, not in a probe: what is run again is that
 * operation, and to await.c all is one. more: fences that are of it, this one too, if it comes before; else 0.
 */
void perform_beside(const struct op *fence, unsigned more);

/*
 * An operation that is several of the engine's (access/parts.h), not in a probe: what it is begins with
 * perform_begin(), each of them is a perform_part(), and perform_done() is told what came of it, and how many there were.
 */
void perform_begin(const struct op *op);
void perform_part(const struct op *op, struct op_result *res);
void perform_done(const struct op *op, const struct op_result *res, uint32_t parts);

/*
 * Called before operations of a thread whose stack others have touched (self.visited), when it is above that
 * address, or ends: access/foreign.c sees whether they might.
 */
extern void (*look_below)(const struct op *op, uint64_t sp);

/*
 * For the end of a hook: returns result. In a program that is not instrumented, random testing draws
 * when the thread goes on from there; else what it does between operations would always follow at
 * once, before anybody else did anything.
 */
int then_pause(int result, uint64_t pc);

/* Did the compare-and-swap succeed? Not res->wrote: a thread that is only tried out stores nothing. */
static inline bool cas_succeeded(const struct op *op, const struct op_result *res)
{
	return value_eq(res->value, op->expected);
}

/* Stores a value of 1, 2, 4, 8 or 16 bytes into the program's memory, or loads one. */
void perform_store(uint64_t addr, unsigned size, struct value v);
struct value perform_load(uint64_t addr, unsigned size);

/*
 * A plain write by the program is about to happen (any size): the redundant-round rule
 * (await.c) wants to know. To be called in every hook of a plain write, before the write;
 * also where a hook itself writes through a pointer of the program's.
 */
static inline void note_plain_write(uint64_t addr, uint64_t size)
{
	if (unlikely(current && (current->polls | current->cancels) && !current->probing))
		current->only_locks &=
			(uint8_t) ~(WROTE_NOTHING | CHANGED_NOTHING | TOUCHED_NOTHING);
	if (unlikely(current && current->logs && !current->probing))
		polls_plain_write(addr, size);
	if (unlikely(current && current->window))
		await_plain_write(addr, size);
}

/*
 * Before the memory of an atomic location is made to show what the next instruction is to read
 * there. To be undone behind a probe, and no change that nobody announced (unseen.h).
 */
static inline void note_shown(uint64_t addr, uint64_t size)
{
	if (unlikely(current->window))
		await_shows(addr, size);
}

/* A library call with hidden state (time, random numbers, input): to be called in its hook,
 * before anything else, unless the hook calls perform() anyway. */
static inline void note_hidden_state(void)
{
	lifecycle_hidden();
	if (unlikely(untold_watched))
		untold_does();
}

/* The calling thread is about to end (OP_END, value) or to end the process (OP_EXIT): to be
 * called before any destructor runs. May not return. */
void perform_end(enum op_kind kind, void *value);

/* The engine says that the program did something else than before: the end, with its reason. */
heddle_noreturn void engine_disagrees(void);

#pragma GCC visibility pop

#endif
