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
 * A thread that waits, and has not heard the bell, is never woken in an exploration: that it waits for ever is then no
 * deadlock (deliver_may_interrupt()), since in another execution it looked later. There the call tries once
 * without waiting; if it need not wait that execution is none (the signal came after the call).
 *
 * Random testing has no other execution, and whoever sent the signal may ask for ever whether the handler has run. So there a
 * thread that waits for a lock, a semaphore, a thread, or to be woken, and was rung, may be drawn as if it need not wait: its
 * wait is called off (engine_call_off()), it looks once more, runs the handlers, and waits again. Nobody sees that it waits, so that is an
 * execution in which it looked later, with looks in vain before. A call that was entered begins anew, which it may if it has done nothing so far;
 * others go on waiting, as a handler leaves them, or take themselves out of a futex's queue, as behind the look that they have there. In a trace
 * that is a look where the thread waits, and in a replay the wait is called off there. Looks for fences (fence.c) may stand there, too: one that finds a
 * signal reads from a semaphore.
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
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++) {
		fibers[t].self.waits = false;
		if (facts->interrupts[t])
			fibers[t].self.interrupted |= INTERRUPTED_BY_OTHERS;
	}
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

/* Does it listen now, and has been rung since it looked? */
static bool is_rung(uint32_t tid)
{
	return (facts->interrupts[tid] & deliver_hears(tid)) &&
	       bells[tid].rings != bells[tid].heard;
}

void interrupt_ring(uint32_t tid, int sig, uint64_t pc)
{
	struct bell *b = &bells[tid];

	if (!interrupt_known(tid, sig))
		return;
	b->rings = (uint32_t)object_op(OP_SEM_POST, &b->rings, pc).stored.lo;
	if (shared->config.mode == ENGINE_ONLINE && fibers[tid].self.waits && is_rung(tid))
		engine_call_off(engine, tid);
}

/* ---- Looking ------------------------------------------------------------------------------------ */

/* How many operations each thread had done when it came to the hook that it is in, looks apart. */
static uint32_t came[HEDDLE_MAX_THREADS];
FRESH(came);

/* What a thread does where it waited to be woken; OP_COND_LEAVE: it has, or is about to. */
static HEDDLE_IMAGE_SELDOM struct op leaving_waits[HEDDLE_MAX_THREADS] = { { .kind = 0 } };

/* Its wait was called off: it looks at what is there. */
static HEDDLE_IMAGE_SELDOM bool called_off[HEDDLE_MAX_THREADS] = { false };

bool interrupt_has_done_nothing(void)
{
	return engine_operations(engine, current->tid) == came[current->tid];
}

void interrupt_comes_to_hook(void)
{
	came[current->tid] = engine_operations(engine, current->tid);
}

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
	bool nothing = interrupt_has_done_nothing();

	if (!(facts->interrupts[current->tid] & deliver_hears(current->tid)))
		return false;
	if (called_off[current->tid]) {
		called_off[current->tid] = false;
		op.fn = shared->config.mode == ENGINE_ONLINE ? LOAD_LATEST : 0;
		settle();
		perform_now(&op, &res); /* with no look for a fence before: it has looked */
	} else {
		operate(&op, &res);
	}
	if (nothing)
		interrupt_comes_to_hook();
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
	if (!rang && comes(pc))
		rang = other_comes[current->tid] = true;
	interrupt_comes_to_hook();
	return rang;
}

static void run_entered(uint64_t pc)
{
	bool ends = other_comes[current->tid];

	other_comes[current->tid] = false;
	if (!ends)
		signal_let_in(pc);
	if (ends || comes(pc))
		interrupt_other.acts();
	interrupt_comes_to_hook();
}

/* ---- Out of a wait, at random ----------------------------------------------------------------------- */

/* What the thread waits in nobody sees, so what comes to it there may come right before that. */
static bool may_come_out(const struct op *op)
{
	switch (op->kind) {
	case OP_LOCK:
	case OP_RDLOCK:
	case OP_WRLOCK:
	case OP_ONCE_ENTER:
	case OP_SEM_WAIT:
	case OP_JOIN:
		return !current->entry.sp || interrupt_has_done_nothing();
	case OP_COND_WOKEN:
		return !current->entry.sp && op->fn;
	default:
		return false;
	}
}

static void waits(const struct op *op)
{
	if (shared->config.mode == ENGINE_EXPLORE || !facts->interrupts[current->tid])
		return;
	current->waits = may_come_out(op);
	if (current->waits && (shared->config.mode == ENGINE_REPLAY || is_rung(current->tid)))
		engine_call_off(engine, current->tid);
}

/* Instead of waiting to be woken. */
static const struct op *takes_itself_out(const struct op *op)
{
	struct op *leaves = &leaving_waits[current->tid];

	if (!rings(true, op->pc))
		return op;
	*leaves = (struct op){ .kind = OP_COND_LEAVE, .addr = op->addr, .pc = op->pc };
	return leaves;
}

bool interrupt_left(void)
{
	struct op *leaves = current ? &leaving_waits[current->tid] : NULL;
	bool is = leaves && leaves->kind == OP_COND_LEAVE;

	if (is)
		leaves->kind = OP_COND_WOKEN;
	return is;
}

/* In a replay: is the look that is recorded one for a fence (fence.c)? */
static bool replays_fence(void)
{
	return current->fences && shared->config.mode == ENGINE_REPLAY &&
	       !engine_recorded_from(engine, current->tid, OP_SEM_POST);
}

/* A call that was entered is made again, as it has done nothing so far, and looks first. */
static const struct op *is_off(const struct op *op)
{
	struct entry call = current->entry;

	if (replays_fence()) {
		perform_behind(op, true);
		return op;
	}
	called_off[current->tid] = true;
	if (call.sp) {
		current->entry.sp = 0;
		entry_again(&call);
	}
	if (op->kind == OP_COND_WOKEN && op->fn == WOKEN_OR_ENDED)
		return takes_itself_out(op);
	if (rings(false, op->pc))
		signal_let_in(op->pc);
	return op;
}

static void interrupts_root(void)
{
	entry_handlers = (struct entry_handlers){ .look = look_entered, .run = run_entered };
	perform_waits = (struct perform_waits){ .begins = waits, .is_off = is_off };
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
