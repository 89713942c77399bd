/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_cancel.c - cancellation
 *
 * A request is a semaphore of the thread's that is posted; a thread looks at its count at each
 * cancellation point (as sem_getvalue() does), and ends there if it is above 0, as with
 * pthread_exit(PTHREAD_CANCELED): cleanup handlers run, C++ frames are unwound. Both is explored
 * where both is possible.
 *
 * Blocking calls look before they block. To be cancelled while one waits for a thread or a
 * semaphore leaves no more traces than to be cancelled before it, so that is the same; a waiter
 * at a condition variable looks behind the unlock of its mutex (hook_cond.c). A thread that
 * looked too early, blocks, and is sent a request then, is no deadlock: in another execution it
 * looked later. So blocking operations say where its requests are (op.arg.hi).
 *
 * Only programs that can call pthread_cancel() (imports.c) have these events.
 *
 * A thread whose cancellation is asynchronous may end anywhere. What it does meets others in operations, so it is enough that it
 * looks before each hook, where handlers of signals may begin as well (interrupt.c), and before its function returns; a call that it
 * makes then has looked as it began. While it waits in a call, for a lock, say, it leaves no more traces than before that: where it
 * did not look again before it was sent a request, that is no deadlock, as above.
 *
 * Cancellation points: pthread_testcancel(), waits for condition variables, semaphores, signals and
 * children, joins, sleeps, reads and writes of descriptors, poll() and select(), opening and closing.
 */
/*
 * intercepts: Threads
 *
 * explored pthread_cancel pthread_testcancel - a thread is cancelled at each cancellation
 *	point at which that is possible, or not; if its cancellation is asynchronous, before each
 *	atomic or volatile access and call
 * internal pthread_setcancelstate pthread_setcanceltype - as POSIX has it
 * internal fsync fdatasync msync - cancellation points
 */
#include "preload/hooks/thread/cancel.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/arch/x86_64/entry.h"
#include "preload/await/await.h"
#include "preload/code/imports.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/thread/thread.h"

struct cancel {
	uint32_t requests; /* as sem_native_state() reads it */
	int state, type;
	bool ends; /* it was cancelled, or ends by itself: requests come too late */
};

static HEDDLE_IMAGE_SELDOM struct cancel cancels[HEDDLE_MAX_THREADS] = { { .requests = 0 } };

/* Set at the root point. */
static bool can_cancel;

static void cancel_id_again(uint32_t tid)
{
	if (!can_cancel) /* where threads can be, an id stands for one of them only */
		cancels[tid] = (struct cancel){ .requests = 0 };
}

AT_ID_AGAIN(cancel_id_again);

static struct cancel *me(void)
{
	return &cancels[self_id()];
}

/* May a request reach the calling thread here? */
static bool open_to_requests(void)
{
	return me()->state == PTHREAD_CANCEL_ENABLE && !me()->ends;
}

static bool is_at_once(const struct cancel *c)
{
	return c->type == PTHREAD_CANCEL_ASYNCHRONOUS && c->state == PTHREAD_CANCEL_ENABLE &&
	       !c->ends;
}

/* May the calling thread end anywhere? */
static bool is_asynchronous(void)
{
	return under_engine() && can_cancel && is_at_once(me());
}

uint64_t cancel_location(void)
{
	return can_cancel && open_to_requests() ? (uint64_t)(uintptr_t)&me()->requests : 0;
}

bool cancel_requested(uint64_t pc)
{
	struct op op = {
		.kind = OP_LOAD,
		.order = ORDER_ACQ,
		.addr = (uintptr_t)&me()->requests,
		.pc = pc,
	};
	struct op_result res;

	if (!shared || !open_to_requests())
		return false;
	if (!under_engine())
		return me()->requests != 0;
	if (!can_cancel)
		return false;
	operate(&op, &res);
	return res.value.lo != 0;
}

void cancel_end(void)
{
	if (can_cancel || me()->requests) /* else the image need not change */
		me()->ends = true;
}

static heddle_noreturn void end_here(void)
{
	thread_exit(PTHREAD_CANCELED);
}

void cancel_act(void)
{
	if (current && current->probing)
		await_hidden_state(); /* only tried out: that ends here */
	if (current && current->entry.sp)
		entry_leave(end_here);
	end_here();
}

void cancellation_point(uint64_t pc)
{
	interrupt_point(pc);
	if (!is_asynchronous() && unlikely(cancel_requested(pc)))
		cancel_act();
}

/* ---- Asynchronous ones --------------------------------------------------------------------- */

static bool comes(uint64_t pc)
{
	if (!is_asynchronous() || !cancel_requested(pc))
		return false;
	if (current->probing) /* it ends there */
		probe_differs();
	return true;
}

static bool is_due(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		if (fibers[t].alive && is_at_once(&cancels[t]) && cancels[t].requests)
			return true;
	return false;
}

static void cancel_root(void)
{
	can_cancel = program_imports("pthread_cancel");
	if (can_cancel)
		interrupt_other = (struct interrupt_other){ comes, cancel_act, is_due };
}

AT_ROOT(cancel_root);

/* The main thread may have asked for that before there were others. */
static void cancel_begin(void)
{
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		fibers[t].self.interrupted &= (uint8_t)~INTERRUPTED_BY_REQUESTS;
	if (cancels[0].type == PTHREAD_CANCEL_ASYNCHRONOUS)
		fibers[0].self.interrupted |= INTERRUPTED_BY_REQUESTS;
}

AT_BEGIN(cancel_begin);

void cancel_look(uint64_t pc)
{
	if (is_asynchronous())
		interrupt_point(pc);
}

/* ---- The hooks -------------------------------------------------------------------------- */

HEDDLE_HOOK int pthread_cancel(pthread_t thread)
{
	uint64_t pc = CALLER();
	struct cancel *c;
	int tid;

	if (!shared)
		return REAL(pthread_cancel)(thread);
	tid = under_engine() ? tid_of(thread) : pthread_equal(thread, pthread_self()) ? 0 : -1;
	if (tid < 0)
		return no_thread(thread, 0);
	if (under_engine() && !can_cancel)
		refuse("pthread_cancel, found with dlsym() only, is not supported: call it by name",
		       NULL);
	c = &cancels[tid];
	if (under_engine())
		c->requests = (uint32_t)object_op(OP_SEM_POST, &c->requests, pc).stored.lo;
	else
		c->requests++;
	if (c == me() && c->type == PTHREAD_CANCEL_ASYNCHRONOUS)
		cancellation_point(pc);
	return 0;
}

ENTERED static void hook_testcancel(void)
{
	if (!shared)
		REAL(pthread_testcancel)();
	else
		cancellation_point(ENTRY_CALLER());
}
HOOK_ENTRY(pthread_testcancel, hook_testcancel, 0);

/* The thread may only be tried out (await.c). */
static void set(int *field, int value)
{
	note_plain_write((uintptr_t)field, sizeof(*field));
	*field = value;
}

HEDDLE_HOOK int pthread_setcancelstate(int state, int *old)
{
	if (!shared)
		return REAL(pthread_setcancelstate)(state, old);
	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	cancel_look(CALLER());
	if (old)
		*old = me()->state;
	set(&me()->state, state);
	if (me()->type == PTHREAD_CANCEL_ASYNCHRONOUS)
		cancellation_point(CALLER());
	return 0;
}

HEDDLE_HOOK int pthread_setcanceltype(int type, int *old)
{
	if (!shared)
		return REAL(pthread_setcanceltype)(type, old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	cancel_look(CALLER());
	if (old)
		*old = me()->type;
	set(&me()->type, type);
	if (type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return 0;
	if (current)
		current->interrupted |= INTERRUPTED_BY_REQUESTS;
	cancellation_point(CALLER());
	return 0;
}

/* ---- Calls that are nothing else to heddle ------------------------------------------------ */

#define POINT(name, params, args)             \
	HEDDLE_HOOK int name params           \
	{                                     \
		cancellation_point(CALLER()); \
		return REAL(name) args;       \
	}

POINT(fsync, (int fd), (fd))
POINT(fdatasync, (int fd), (fd))
POINT(msync, (void *start, size_t size, int flags), (start, size, flags))
