/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timers_ring.c - timers that ring once there are threads (timers.c has the semantics)
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/signal/timer_state.h"

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/signal/signal_send.h"
#include "preload/hooks/thread/thread.h"

enum {
	ARMINGS = 1024 /* in an execution */
};

/* Which events have set timers in this execution: how many its thread had done. Those before there were threads are none. */
static struct arming {
	uint32_t tid, from;
} armings[ARMINGS];
FRESH(armings);
static uint32_t narmings;
FRESH(narmings);
static HEDDLE_IMAGE uint64_t armings_alone = 0;

/* When a thread looked last: how many armings it knew of, and when the next timer was to ring. */
static struct looked {
	uint64_t known, next;
} looked[HEDDLE_MAX_THREADS];
FRESH(looked);

static void timers_begin(void)
{
	narmings = 0;
	looked[0] = (struct looked){ 0 };
}

AT_BEGIN(timers_begin);

static void timers_thread_started(uint32_t tid)
{
	looked[tid] = (struct looked){ 0 };
}

AT_STARTED(timers_thread_started);

/* ---- One that rings ----------------------------------------------------------------------------- */

static bool tells_me(const struct timer *t)
{
	return t->notify != TIMER_TICKS && (t->to == TO_PROCESS || t->to == (int)self_id()) &&
	       !(signal_blocked() & signal_bit(t->sig));
}

/* So often more. Where nobody has the descriptor, it never does again. */
static void tick(struct timer *t, uint64_t n, uint64_t pc)
{
	if (t->tick(t, n, pc))
		return;
	t->ends = t->interval = 0;
	t->setting++;
}

/* It rings: for the calling thread alone, or for whom it is meant. With the guard held. */
static void ring(struct timer *t, bool for_me, uint64_t pc)
{
	struct signal_info with = { .code = t->code, .value = t->value };
	int to = for_me ? (int)self_id() : t->to;
	uint64_t missed = timer_goes_on(t);

	if (t->notify == TIMER_TICKS)
		tick(t, missed + 1, pc);
	if (t->notify == TIMER_TICKS || t->notify == SIGEV_THREAD || timer_ignored(t))
		return;
	if (timer_sends(t, to, missed))
		signal_put(to, t->sig, with, timer_handled(t->sig), pc);
}

/* As threads that time out again and again are left behind (timeout.c). With the guard held. */
static void lie_down(struct timer *t, uint64_t pc)
{
	struct op wait = { .kind = OP_COND_WOKEN, .peer = 1, .addr = (uintptr_t)&t->bed, .pc = pc };
	struct op_result res;

	/* relaxed: the controller looks at it in the end */
	atomic_fetch_or_explicit(&shared->not_followed, CUT_TIMEOUTS, memory_order_relaxed);
	object_op(OP_COND_BEGIN, &t->bed, pc);
	mutex_unlock(&signals_guard, pc);
	operate(&wait, &res);
}

/* In a replay the recorded steps say it. With the guard held. */
static bool rings_no_more(const struct timer *t, uint32_t rung)
{
	uint32_t most = shared->config.timeouts;

	if (shared->config.mode == ENGINE_REPLAY)
		return engine_recorded(engine, current->tid, OP_COND_BEGIN);
	return most && rung + t->chain >= most;
}

static void *ring_later(void *arg)
{
	struct timer *t = &timers[(uintptr_t)arg % TIMERS];
	uint64_t setting = (uintptr_t)arg / TIMERS, pc = t->pc;
	union sigval value = { 0 };
	void (*fn)(union sigval) = NULL;
	bool again = true, calls = false;

	for (uint32_t n = 0; again; n++) {
		mutex_lock(&signals_guard, pc);
		if (t->setting != setting || !t->ends) {
			mutex_unlock(&signals_guard, pc);
			return NULL;
		}
		if (rings_no_more(t, n)) {
			lie_down(t, pc);
			return NULL;
		}
		ring(t, false, pc);
		again = t->ends;
		value = t->value;
		calls = t->notify == SIGEV_THREAD;
		fn = t->fn;
		mutex_unlock(&signals_guard, pc);
	}
	if (calls) /* NULL, too */
		fn(value);
	return NULL;
}

/* It blocks all signals: none of the program's comes to it. With the guard held. */
void timer_make_ringer(struct timer *t)
{
	uint64_t blocked = signal_blocked();
	uintptr_t arg = t->setting * TIMERS + (uintptr_t)(t - timers);

	deliver_block(UINT64_MAX);
	thread_create_own(&t->ringer, ring_later, (void *)arg, t->pc);
	deliver_block(blocked);
	t->waits = true;
}

bool timer_wants_ringer(const struct timer *t)
{
	if (t->notify == SIGEV_THREAD || t->notify == TIMER_TICKS)
		return true;
	return t->notify != SIGEV_NONE &&
	       (timer_handled(t->sig) || signal_blocked() & signal_bit(t->sig));
}

void timer_note(void)
{
	if (!under_engine()) {
		armings_alone++;
		return;
	}
	if (narmings == ARMINGS)
		refuse("the program sets more than 1024 timers in one execution: make it smaller",
		       NULL);
	armings[narmings++] = (struct arming){ current->tid, engine_done(engine, current->tid) };
}

/* How many of them does the calling thread know of? Whoever is known has run, so all that it set are listed. */
uint64_t timer_settings_known(void)
{
	const uint32_t *events = engine_porf(engine, current->tid);
	uint64_t n = armings_alone;

	for (uint32_t i = 0; i < narmings; i++)
		n += armings[i].tid == current->tid || armings[i].from < events[armings[i].tid];
	return n;
}

/* Is there a signal that interrupts the calling thread already? Only that it was slow would tell it from one that came. */
static bool is_told(void)
{
	uint64_t there = pending_of((int)self_id()) | pending_of(PENDING_PROCESS);

	there &= ~signal_blocked();
	for (int sig = 1; there && sig <= SIGRTMAX; sig++)
		if (there & signal_bit(sig) && timer_handled(sig))
			return true;
	return false;
}

/* Rings what comes to its end until then, up to the first that interrupts the calling thread. With the guard held. */
bool timer_ring_until(uint64_t until, uint64_t pc)
{
	struct timer *t;

	while (!is_told() && (t = timer_next(until))) {
		bool for_me = tells_me(t) && !timer_ignored(t);

		if (for_me && !timer_handled(t->sig))
			timer_ends_program(t);
		ring(t, for_me, pc);
		if (!for_me && t->interval && t->ends <= until) { /* the rest of them at once */
			uint64_t more = (until - t->ends) / t->interval;

			t->overrun += more;
			t->ends += more * t->interval;
			if (t->notify == TIMER_TICKS && more)
				tick(t, more, pc);
		}
	}
	return is_told();
}

enum time_ring timer_rings_under_engine(uint64_t until, uint64_t pc)
{
	struct looked *l = &looked[current->tid];
	uint64_t known = timer_settings_known();
	struct timer *next;
	bool comes;

	if (!known || (known == l->known && until < l->next))
		return RING_NONE;
	mutex_lock(&signals_guard, pc);
	comes = timer_ring_until(until, pc);
	l->known = timer_settings_known();
	next = timer_next(UINT64_MAX);
	l->next = next ? next->ends : UINT64_MAX;
	mutex_unlock(&signals_guard, pc);
	return comes ? RING_ENDS : RING_NONE;
}

/* Of all timers that have none and want one, of those that send these signals. */
void timer_make_ringers(uint64_t bits, uint64_t pc)
{
	mutex_lock(&signals_guard, pc);
	for (uint32_t i = 0; i < TIMERS; i++) {
		struct timer *t = &timers[i];

		if (timer_is_running(t) && !t->waits && t->notify != SIGEV_THREAD &&
		    t->notify != TIMER_TICKS && bits & signal_bit(t->sig) && timer_wants_ringer(t))
			timer_make_ringer(t);
	}
	mutex_unlock(&signals_guard, pc);
}
