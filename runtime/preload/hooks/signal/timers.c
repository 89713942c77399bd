/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timers.c - timers of the program that ring
 *
 * That a timer rings is one more event, which may come at any time from its virtual time on (elapsed.c):
 * a thread of our own, the ringer, is created when a timer is set. It grows as old as the timer is to be then, and sends
 * the signal as another thread would, or calls the program's function (SIGEV_THREAD). So it is explored like
 * all that threads send one another, and who handles the signal is at least that old. A ringer
 * that finds the timer set anew, or stopped, does nothing.
 *
 * A thread that sleeps, or waits until some time, beyond the end of a timer that it knows of does not get there
 * before the timer has rung: then it rings the timer itself, on the way, and the ringer has nothing left to do. Whether it
 * knows of it is a function of the graph, as its age is: the timer was set by an event that comes before in
 * po and rf. Nobody else has to hurry: other threads may be as slow as they like.
 *
 * The state of all timers is guarded by the mutex of the signals, so its changes are in one order, which the graph has.
 *
 * A timer with an interval, or that its own function sets anew, rings as often as threads are followed
 * through time-outs (config.timeouts). Then its ringer lies down for good: that is no deadlock, nor is any
 * other wait of that execution one, since it might have rung again. The program is told so.
 *
 * A signal that would end the program, since it has no handler for it, is a watchdog's: natively it comes when
 * something hangs, and heddle finds that out by itself. So such a timer has no ringer, until the
 * program wants to hear of the signal. But who sleeps beyond its end is ended natively, for sure: that is refused.
 *
 * Before there are threads, time goes by only in calls that sleep or wait. There timers ring when it is their time, one
 * after the other, and the kernel calls the handlers.
 */
#include "preload/hooks/hook.h"

#include "preload/facts/values.h"
#include "preload/hooks/signal/timer_state.h"

#include <string.h>

#include "preload/core/refuse.h"
#include "preload/core/sys.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/lock/mutex.h"
#include "preload/hooks/thread/run.h"
#include "preload/hooks/thread/thread.h"
#include "preload/hooks/world/elapsed.h"
#include "preload/loop/children.h"

HEDDLE_IMAGE_SELDOM struct timer timers[TIMERS] = { { .used = false } };

/* ---- Arithmetic --------------------------------------------------------------------------------- */

bool timer_is_running(const struct timer *t)
{
	return t->used && t->ends && t->level == children_level();
}

/* Does sleeping bring its end nearer? */
static bool counts_time(const struct timer *t)
{
	return t->clock != CLOCK_PROCESS_CPUTIME_ID && t->clock != CLOCK_THREAD_CPUTIME_ID;
}

static struct timer_left left_of(const struct timer *t)
{
	uint64_t now = elapsed_ns();

	if (!timer_is_running(t))
		return (struct timer_left){ 0, t->interval };
	if (t->ends > now)
		return (struct timer_left){ t->ends - now, t->interval };
	if (t->interval)
		return (struct timer_left){ t->interval - (now - t->ends) % t->interval,
					    t->interval };
	/* it has not rung yet, if it will at all */
	return (struct timer_left){ t->notify == SIGEV_NONE ? 0 : 1, 0 };
}

/* It rings now, or would have by now: more than once counts as once, and the rest as overrun. */
uint64_t timer_goes_on(struct timer *t)
{
	uint64_t now, missed;

	elapsed_until(t->ends);
	now = elapsed_ns();
	if (!t->interval) {
		t->ends = 0;
		t->setting++;
		return 0;
	}
	missed = (now - t->ends) / t->interval;
	t->ends += (missed + 1) * t->interval;
	return missed;
}

/* Before there are threads the kernel may have it. */
static bool is_pending(const struct timer *t, int to)
{
	uint64_t there = 0;

	if (!under_engine())
		sys3(SYS_rt_sigpending, (long)&there, sizeof(there), 0);
	there |= pending_of(to == TO_PROCESS ? PENDING_PROCESS : to);
	return there & signal_bit(t->sig);
}

bool timer_sends(struct timer *t, int to, uint64_t missed)
{
	if (is_pending(t, to)) {
		t->overrun += missed + 1;
		return false;
	}
	t->missed = t->overrun;
	t->overrun = missed;
	return true;
}

/* The next one that sleeping brings to its end until then, and that tells a thread of the program; NULL: none. */
struct timer *timer_next(uint64_t until)
{
	struct timer *next = NULL;

	for (uint32_t i = 0; i < TIMERS; i++) {
		struct timer *t = &timers[i];

		if (timer_is_running(t) && counts_time(t) && t->ends <= until &&
		    t->notify != SIGEV_THREAD && t->notify != SIGEV_NONE &&
		    (!next || t->ends < next->ends))
			next = t;
	}
	return next;
}

/* ---- What becomes of the signal -------------------------------------------------------------------- */

static bool ignored_by_default(int sig)
{
	return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

struct sigaction timer_action(int sig)
{
	struct sigaction a = { .sa_handler = SIG_DFL };

	sigaction(sig, NULL, &a);
	return a;
}

bool timer_ignored(const struct timer *t)
{
	struct sigaction a;

	if (t->notify == TIMER_TICKS)
		return false;
	a = timer_action(t->sig);
	return a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && ignored_by_default(t->sig));
}

bool timer_handled(int sig)
{
	struct sigaction a = timer_action(sig);

	return a.sa_handler != SIG_IGN && a.sa_handler != SIG_DFL;
}

heddle_noreturn void timer_ends_program(const struct timer *t)
{
	refuse("a timer of the program would end it with SIG", signal_name(t->sig),
	       " while a thread sleeps: let the program handle the signal, or set no timer", NULL);
}

/* ---- When time goes by --------------------------------------------------------------------------- */

/* The first thread begins: timers that were set before there were any have their ringers from now on. */
static void ringers_begin(void)
{
	timer_make_ringers(UINT64_MAX, CALLER());
}

static enum time_ring rings(uint64_t until, uint64_t pc)
{
	return under_engine() ? timer_rings_under_engine(until, pc) : timer_rings_alone(until);
}

/* Before there are threads the handlers run here, one for each ring; under the engine it is the thread's own bell: it hears it for sure. */
static void passes(uint64_t until, uint64_t pc)
{
	enum {
		RINGS = 1000 /* the rest is missed, as by a thread that is slow */
	};
	uint64_t there;

	for (int i = 0; !under_engine() && i < RINGS; i++)
		if (rings(until, pc) == RING_NONE)
			return;
	if (!under_engine() || rings(until, pc) == RING_NONE)
		return;
	there = (pending_of((int)self_id()) | pending_of(PENDING_PROCESS)) & ~signal_blocked();
	for (int sig = 1; there && sig <= SIGRTMAX; sig++) {
		if (!(there & signal_bit(sig)) || !timer_handled(sig))
			continue;
		if (!interrupt_known(self_id(), sig))
			interrupt_learn(self_id(), sig);
		interrupt_ring(self_id(), sig, pc);
		return;
	}
}

/* ---- What calls do ------------------------------------------------------------------------------- */

/* What a call holds, and whether a signal for the calling thread is pending then. */
struct held {
	bool guard, told;
};

/*
 * Before there are threads nobody else is there, and nothing is held. Nor is it for a timer that tells nobody: what is
 * left of one that several threads set at once is for them to know.
 */
static struct held enter(const struct timer *t, uint64_t pc)
{
	struct held held = { .guard = under_engine() && t->notify != SIGEV_NONE };

	values_give_up("timers are used");
	note_hidden_state();
	if (!held.guard)
		return held;
	mutex_lock(&signals_guard, pc);
	held.told = timer_ring_until(elapsed_ns(), pc);
	return held;
}

static void leave(struct held held, uint64_t pc)
{
	if (held.guard)
		mutex_unlock(&signals_guard, pc);
	if (held.told)
		signal_let_in(pc);
}

static void listen(void)
{
	time_watch = (struct time_watch){ rings, passes };
	if (!rooted)
		first_thread_begins = ringers_begin;
}

static uint64_t end_in(uint64_t ns)
{
	uint64_t now = elapsed_ns();

	if (ns != TIMER_NOW)
		return ns ? now + ns : 0;
	elapsed_until(1); /* no timer ends at 0 */
	return elapsed_ns();
}

void timer_set(struct timer *t, uint64_t ns, uint64_t interval, struct timer_left *old, uint64_t pc)
{
	struct held held = enter(t, pc);
	pthread_t before;
	bool waited;

	waited = t->waits;
	before = t->ringer;
	*old = left_of(t);
	if (waited && (t->interval || t->chain)) /* it may lie there */
		object_op(OP_COND_BROADCAST, &t->bed, pc);
	t->chain = waited && under_engine() && pthread_equal(before, pthread_self()) ? t->chain + 1
										     : 0;
	t->ends = end_in(ns);
	t->interval = interval;
	t->level = children_level();
	t->setting++;
	t->overrun = t->missed = 0;
	t->waits = false;
	t->pc = pc;
	if (t->notify == TIMER_TICKS && under_engine())
		t->clear(t, pc);
	if (ns && t->notify != SIGEV_NONE) {
		listen();
		timer_note();
		if (t->notify == SIGEV_THREAD || t->notify == TIMER_TICKS)
			spawn_root(OUTSET_TIMER); /* it needs a thread */
		if (t->notify == SIGEV_THREAD || (under_engine() && timer_wants_ringer(t)))
			timer_make_ringer(t);
	}
	leave(held, pc);
	if (waited && t->notify != SIGEV_THREAD)
		thread_join_now(before, NULL, pc);
}

void timer_ask(struct timer *t, struct timer_left *left, uint64_t pc)
{
	struct held held = enter(t, pc);

	*left = left_of(t);
	leave(held, pc);
}

int timer_overrun(struct timer *t, uint64_t pc)
{
	struct held held = enter(t, pc);
	uint64_t n = is_pending(t, t->to) ? t->missed : t->overrun;

	leave(held, pc);
	return n > INT32_MAX ? INT32_MAX : (int)n; /* as DELAYTIMER_MAX */
}

bool timers_known(void)
{
	return !current->probing && timer_settings_known();
}

void timers_heard(uint64_t bits, uint64_t pc)
{
	if (under_engine() && timers_known())
		timer_make_ringers(bits, pc);
}
