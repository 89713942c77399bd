/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timers_alone.c - timers that ring before there are threads (timers.c has the semantics)
 *
 * The kernel knows the masks and calls the handlers, so it is told of the signals, too, but for those that it knows
 * too little about (hook_sigsend.c).
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/signal/timer_state.h"

#include <string.h>

#include "preload/core/sys.h"
#include "preload/hooks/signal/signal_send.h"

enum {
	IN_VAIN = 1000 /* rings that nobody hears: who waits for ever does so */
};

static void send_natively(const struct timer *t)
{
	long self = sys3(SYS_getpid, 0, 0, 0);
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = t->sig;
	info.si_code = t->code;
	info.si_value = t->value;
	sys4(SYS_rt_tgsigqueueinfo, self, sys3(SYS_gettid, 0, 0, 0), t->sig, (long)&info);
}

static void send(const struct timer *t)
{
	const struct signal_info with = { .code = t->code, .value = t->value };

	if (signal_is_fault(t->sig) ||
	    signal_wants_stack(t->sig, (uintptr_t)__builtin_frame_address(0)))
		signal_post(t->to, t->sig, with, t->pc);
	else
		send_natively(t);
}

/* A watchdog ends no wait for ever: that is reported as such. */
enum timer_rung timer_ring_alone(uint64_t until)
{
	struct timer *t = timer_next(until);
	struct sigaction a;
	bool blocked;

	for (int i = 0; t && i < IN_VAIN && timer_ignored(t); i++) {
		timer_goes_on(t);
		t = timer_next(until);
	}
	if (!t || timer_ignored(t))
		return TIMER_NONE;
	a = timer_action(t->sig);
	blocked = signal_blocked() & signal_bit(t->sig);
	if (!blocked && a.sa_handler == SIG_DFL) {
		if (until == TIME_FOR_EVER)
			return TIMER_NONE;
		timer_ends_program(t);
	}
	if (timer_sends(t, t->to, timer_goes_on(t)))
		send(t);
	if (blocked)
		return TIMER_PENDING;
	return a.sa_flags & SA_RESTART ? TIMER_RESTARTS : TIMER_ENDS;
}

/* What is blocked does not interrupt, and goes on being pending. */
enum time_ring timer_rings_alone(uint64_t until)
{
	enum timer_rung rung = TIMER_PENDING;

	for (int i = 0; rung == TIMER_PENDING && i < IN_VAIN; i++)
		rung = timer_ring_alone(until);
	return rung == TIMER_ENDS ? RING_ENDS : rung == TIMER_RESTARTS ? RING_RESTARTS : RING_NONE;
}
