/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt.c - handlers that interrupt a thread, since another one sent it a signal
 *
 * A handler may begin between any two instructions. What it does meets the rest of the program in
 * operations, and so does what the thread does; so it is enough that it may begin before each hook of the
 * thread, and where a call waits. There the thread looks at its bell, a semaphore that is posted (and
 * never taken) when a signal became pending for it, or for the process (signal_send.c): an operation like any other, of which all
 * answers are explored. When it has been rung since, the thread takes the signals out that it does not block,
 * and runs their handlers. Between plain accesses of a thread that are not volatile handlers begin nowhere: where that makes a
 * difference to another thread, the accesses race with those of the handler, or it is the same before or
 * behind them.
 *
 * Looking would double the operations of programs that never need it. So a thread looks only for signals that
 * were once sent to it, and that it has let in at some time of that execution (deliver.c). The first time that happens the exploration starts
 * again, with that among the facts (facts.h): part of a trace, shared by all workers.
 *
 * A thread that waits, and has not heard the bell, is never woken: that it waits for ever is then no
 * deadlock (interrupts_pending()), since in another execution it looked later. There the call tries once
 * without waiting; if it need not wait that execution is none (the signal came after the call).
 *
 * A hook that is entered (entry.h) begins with the look if self.interrupted is set, on the program's stack,
 * and the look is an entered hook itself, so that loops which do nothing else can be run again (probe.c).
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/interrupt/interrupt.h"

#include <errno.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/await/await.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/fiber/fiber.h"
#include "preload/fiber/leave.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/fence.h"

struct bell {
	uint32_t rings; /* as sem_native_state() reads it */
	uint32_t heard;
};

static HEDDLE_IMAGE_SELDOM struct bell bells[HEDDLE_MAX_THREADS] = { { .rings = 0 } };

/* How a call that was entered goes on behind the handlers. */
static HEDDLE_IMAGE_SELDOM struct leaving {
	struct entry entry;
	long result;
	int error;
	bool restarts;
} leavings[HEDDLE_MAX_THREADS] = { { .result = 0 } };

struct interrupt_other interrupt_other;
KEPT(interrupt_other);

/* The calling thread has heard of that, and is on its way from its look to its stack. */
static HEDDLE_IMAGE_SELDOM bool other_comes[HEDDLE_MAX_THREADS] = { false };

static void interrupts_begin(void)
{
	if (!fact_in_use(FACT_INTERRUPTED))
		return;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		if (facts->interrupts[t])
			fibers[t].self.interrupted |= INTERRUPTED_BY_OTHERS;
}

AT_BEGIN(interrupts_begin);

bool interrupt_known(uint32_t tid, int sig)
{
	return facts->interrupts[tid] & signal_bit(sig);
}

bool interrupt_may_come(void)
{
	return current && facts->interrupts[current->tid];
}

void interrupt_learn(uint32_t tid, int sig)
{
	if (shared->config.mode == ENGINE_REPLAY)
		return;
	fact_learn_interrupted(tid, sig);
	repeat_execution();
}

void interrupt_ring(uint32_t tid, int sig, uint64_t pc)
{
	struct bell *b = &bells[tid];

	if (interrupt_known(tid, sig))
		b->rings = (uint32_t)object_op(OP_SEM_POST, &b->rings, pc).stored.lo;
}

/* ---- Looking ------------------------------------------------------------------------------------ */

/* Where a call waits it is another look than that before the call (await.c): inside. */
static bool rings(bool inside, uint64_t pc)
{
	struct bell *b = &bells[current->tid];
	struct op op = {
		.kind = OP_LOAD,
		.order = ORDER_ACQ,
		.addr = (uintptr_t)&b->rings,
		.arg = value_of(inside),
		.pc = pc,
	};
	struct op_result res;

	if (!(facts->interrupts[current->tid] & deliver_hears()))
		return false;
	operate(&op, &res);
	if (res.value.lo == b->heard)
		return false;
	if (current->probing) /* handlers do what they like */
		probe_differs();
	note_plain_write((uintptr_t)&b->heard, sizeof(b->heard));
	b->heard = (uint32_t)res.value.lo;
	return true;
}

bool interrupt_rings(uint64_t pc)
{
	return rings(true, pc);
}

static bool comes(uint64_t pc)
{
	return interrupt_other.comes && interrupt_other.comes(pc);
}

void interrupt_look(uint64_t pc)
{
	if (current->entry.sp)
		return;
	if (rings(false, pc))
		signal_let_in(pc);
	if (comes(pc))
		interrupt_other.acts();
}

/* The hook that hook_enter calls first, and what it calls then, on the program's stack. */
static int look_entered(void)
{
	/* behind its return address: what hook_enter saved, and the return address of the hook */
	uint64_t pc = ((const uint64_t *)current->entry.sp)[8];
	bool rang = rings(false, pc);

	if (current->fences)
		fence_look(pc);
	if (rang || !comes(pc))
		return rang;
	other_comes[current->tid] = true;
	return true;
}

static void run_entered(uint64_t pc)
{
	bool ends = other_comes[current->tid];

	other_comes[current->tid] = false;
	if (!ends)
		signal_let_in(pc);
	if (ends || comes(pc))
		interrupt_other.acts();
}

static void interrupts_root(void)
{
	entry_handlers = (struct entry_handlers){ .look = look_entered, .run = run_entered };
}

AT_ROOT(interrupts_root);

/* ---- Calls that wait ------------------------------------------------------------------------------- */

void interrupt_too_early(uint64_t pc)
{
	struct bell *b = &bells[current->tid];
	struct op op = { .kind = OP_BLOCK, .pc = pc };
	struct op_result res;

	if (shared->config.mode == ENGINE_EXPLORE ||
	    (shared->config.mode == ENGINE_REPLAY &&
	     engine_recorded(engine, current->tid, OP_BLOCK)))
		operate(&op, &res);
	note_plain_write((uintptr_t)&b->heard, sizeof(b->heard));
	b->heard--; /* it rings again, for whatever comes next */
}

/* Called by the program, so to say, instead of the hook. */
static long leave(void)
{
	const struct leaving l = leavings[current->tid];
	bool again = signal_let_in(CALLER()) && l.restarts;

	signal_mask_swap_back();
	if (again)
		entry_again(&l.entry);
	if (l.error)
		errno = l.error;
	return l.result;
}

bool interrupt_ends(long result, int error, bool restarts, uint64_t pc)
{
	struct leaving *l = &leavings[current->tid];

	if (!current->entry.sp)
		return signal_let_in(pc) && restarts;
	*l = (struct leaving){ current->entry, result, error, restarts };
	entry_leave((void (*)(void))leave);
}
