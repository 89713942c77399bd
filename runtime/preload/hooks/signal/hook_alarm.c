/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_alarm.c - alarms, interval timers and timers by their ids
 *
 * What they do when they ring: timers.c. Interval timers are the process's; those of timer_create() are named by
 * their ids. What is left of one is told in virtual time (elapsed.c). Those of processor time go by the same time.
 */
/*
 * intercepts: Signals
 *
 * explored alarm ualarm setitimer getitimer - a timer may ring at any time from its virtual time
 *	on, and does before a thread sleeps beyond that; one whose signal would end the program does not
 */
/*
 * intercepts: Services of libc and the kernel
 *
 * explored timer_create timer_settime timer_gettime timer_getoverrun timer_delete - likewise, with
 *	SIGEV_SIGNAL, SIGEV_THREAD_ID, SIGEV_THREAD and SIGEV_NONE; an interval with SIGEV_THREAD is
 *	refused
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"
#include "preload/facts/values.h"
#include "preload/hooks/interrupt/deliver.h"
#include "preload/hooks/signal/timers.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/time.h"
#include "preload/loop/children.h"

enum {
	NS_PER_S = 1000000000,
	US_PER_S = 1000000
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Timers of the process -------------------------------------------------------------------- */

static struct timeval timeval_of(uint64_t ns)
{
	return (struct timeval){ (time_t)(ns / NS_PER_S), (suseconds_t)(ns % NS_PER_S / 1000) };
}

static uint64_t ns_of_timeval(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * 1000;
}

static bool valid(const struct timeval *t)
{
	return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < US_PER_S;
}

/* They are there from the beginning, and need no place that is free. */
static struct timer *of_process(int which)
{
	static const int sig[TIMERS_OF_PROCESS] = { SIGALRM, SIGVTALRM, SIGPROF };
	struct timer *t = &timers[which];

	if (!t->used) {
		t->clock = which == ITIMER_REAL ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
		t->notify = SIGEV_SIGNAL;
		t->sig = sig[which];
		t->code = SI_KERNEL;
		t->to = TO_PROCESS;
		t->used = true;
	}
	return t;
}

/* 0, or why the kernel would neither read this nor write there: NULL is left out. */
static int error_of(const void *in, void *out, size_t size)
{
	return (in && !memory_readable(in, size)) || (out && !memory_writable(out, size)) ? EFAULT
											  : 0;
}

static void tell(const struct timer_left *left, struct itimerval *out)
{
	note_plain_write((uint64_t)(uintptr_t)out, sizeof(*out));
	*out = (struct itimerval){ timeval_of(left->interval), timeval_of(left->ns) };
}

HEDDLE_HOOK int getitimer(__itimer_which_t which, struct itimerval *value)
{
	struct timer_left left;

	if (!init_active())
		return REAL(getitimer)(which, value);
	if ((unsigned)which >= TIMERS_OF_PROCESS)
		return fail(EINVAL);
	if (!memory_writable(value, sizeof(*value)))
		return fail(EFAULT);
	timer_ask(of_process((int)which), &left, CALLER());
	tell(&left, value);
	return 0;
}

static int set_of_process(int which, const struct itimerval *value, struct itimerval *old,
			  uint64_t pc)
{
	const struct itimerval off = { { 0, 0 }, { 0, 0 } };
	struct timer_left left;

	if (error_of(value, old, sizeof(*value)))
		return fail(error_of(value, old, sizeof(*value)));
	if (!value)
		value = &off;
	if ((unsigned)which >= TIMERS_OF_PROCESS || !valid(&value->it_value) ||
	    !valid(&value->it_interval))
		return fail(EINVAL);
	timer_set(of_process(which), ns_of_timeval(&value->it_value),
		  ns_of_timeval(&value->it_interval), &left, pc);
	if (old)
		tell(&left, old);
	return 0;
}

HEDDLE_HOOK int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
			  struct itimerval *restrict old)
{
	if (!init_active())
		return REAL(setitimer)(which, value, old);
	return set_of_process((int)which, value, old, CALLER());
}

/* As the kernel rounds it: never to 0 what is left. */
HEDDLE_HOOK unsigned alarm(unsigned seconds)
{
	struct timer_left left;
	struct timeval v;

	if (!init_active())
		return REAL(alarm)(seconds);
	timer_set(of_process(ITIMER_REAL), (uint64_t)seconds * NS_PER_S, 0, &left, CALLER());
	v = timeval_of(left.ns);
	return (unsigned)v.tv_sec + (v.tv_usec >= US_PER_S / 2 || (left.ns && !v.tv_sec));
}

HEDDLE_HOOK useconds_t ualarm(useconds_t value, useconds_t interval)
{
	struct itimerval next = { { 0, (suseconds_t)interval }, { 0, (suseconds_t)value } }, left;

	if (!init_active())
		return REAL(ualarm)(value, interval);
	if (set_of_process(ITIMER_REAL, &next, &left, CALLER()))
		return (useconds_t)-1;
	return (useconds_t)(left.it_value.tv_sec * US_PER_S + left.it_value.tv_usec);
}

/* ---- Timers by their ids ------------------------------------------------------------------------ */

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static uint64_t ns_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

/* NULL: there is none. Ids are places plus 1. */
static struct timer *timer_of(timer_t id)
{
	uintptr_t i = (uintptr_t)id - 1;
	struct timer *t = i < TIMERS_BY_ID ? &timers[TIMERS_OF_PROCESS + i] : NULL;

	values_give_up("timers are used");
	note_hidden_state();
	return t && t->used && t->level == children_level() ? t : NULL;
}

/* As the kernel looks at it. Which thread is told: -1 if there is no such. */
static bool may_notify(const struct sigevent *e, int *to)
{
	*to = TO_PROCESS;
	switch (e->sigev_notify) {
	case SIGEV_NONE:
	case SIGEV_THREAD:
		return true;
	case SIGEV_SIGNAL | SIGEV_THREAD_ID:
		*to = under_engine() ? identity_thread(e->_sigev_un._tid) : 0;
		if (*to < 0 || (!under_engine() && e->_sigev_un._tid != gettid()))
			return false;
		/* fallthrough */
	case SIGEV_SIGNAL:
		return e->sigev_signo > 0 && e->sigev_signo <= SIGRTMAX;
	default:
		return false;
	}
}

static struct timer *free_place(void)
{
	uint32_t from = self_id() * 4; /* ids depend on the thread, if they can */

	for (uint32_t i = 0; i < TIMERS_BY_ID; i++) {
		struct timer *t = &timers[TIMERS_OF_PROCESS + (from + i) % TIMERS_BY_ID];

		if (!t->used || t->level != children_level())
			return t;
	}
	return NULL;
}

HEDDLE_HOOK int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id)
{
	int error, to = TO_PROCESS;
	struct timer *t;

	if (!init_active())
		return REAL(timer_create)(clock, event, id);
	error = time_no_timer(clock);
	if (error || (event && !may_notify(event, &to)))
		return fail(error ? error : EINVAL);
	values_give_up("timers are used");
	note_hidden_state();
	t = free_place();
	if (!t)
		return fail(EAGAIN);
	*t = (struct timer){
		.used = true,
		.clock = clock,
		.level = children_level(),
		.notify = event ? event->sigev_notify & ~SIGEV_THREAD_ID : SIGEV_SIGNAL,
		.sig = event ? event->sigev_signo : SIGALRM,
		.code = SI_TIMER,
		.to = to,
		.setting = t->setting + 1, /* another one may still wait for what it was */
	};
	if (event)
		t->value = event->sigev_value;
	else
		t->value.sival_int = (int)(t - timers) + 1;
	if (t->notify == SIGEV_THREAD)
		t->fn = event->sigev_notify_function;
	note_plain_write((uint64_t)(uintptr_t)id, sizeof(*id));
	*id = (timer_t)(uintptr_t)(t - timers - TIMERS_OF_PROCESS + 1);
	return 0;
}

static void tell_by_id(const struct timer_left *left, struct itimerspec *out)
{
	note_plain_write((uint64_t)(uintptr_t)out, sizeof(*out));
	*out = (struct itimerspec){ timespec_of(left->interval), timespec_of(left->ns) };
}

/* What has passed already is to ring at once. */
static uint64_t from_now(const struct timer *t, int flags, const struct timespec *value)
{
	uint64_t ns = ns_of(value);

	if (!ns || !(flags & TIMER_ABSTIME))
		return ns;
	ns = time_until_ns(t->clock, value);
	return ns ? ns : TIMER_NOW;
}

HEDDLE_HOOK int timer_settime(timer_t id, int flags, const struct itimerspec *restrict value,
			      struct itimerspec *restrict old)
{
	struct timer_left left;
	struct timer *t;

	if (!init_active())
		return REAL(timer_settime)(id, flags, value, old);
	t = timer_of(id);
	if (t && error_of(value, old, sizeof(*value)))
		return fail(error_of(value, old, sizeof(*value)));
	if (!t || !value || !time_valid(&value->it_value) || !time_valid(&value->it_interval))
		return fail(EINVAL);
	if (t->notify == SIGEV_THREAD && ns_of(&value->it_value) && ns_of(&value->it_interval))
		refuse("the program sets a timer with an interval that calls a function "
		       "(SIGEV_THREAD), which is not explored: let the function set it anew",
		       NULL);
	timer_set(t, from_now(t, flags, &value->it_value), ns_of(&value->it_interval), &left,
		  CALLER());
	if (old)
		tell_by_id(&left, old);
	return 0;
}

HEDDLE_HOOK int timer_gettime(timer_t id, struct itimerspec *value)
{
	struct timer_left left;
	struct timer *t;

	if (!init_active())
		return REAL(timer_gettime)(id, value);
	t = timer_of(id);
	if (!t)
		return fail(EINVAL);
	if (!memory_writable(value, sizeof(*value)))
		return fail(EFAULT);
	timer_ask(t, &left, CALLER());
	tell_by_id(&left, value);
	return 0;
}

HEDDLE_HOOK int timer_getoverrun(timer_t id)
{
	struct timer *t;

	if (!init_active())
		return REAL(timer_getoverrun)(id);
	t = timer_of(id);
	return t ? timer_overrun(t, CALLER()) : fail(EINVAL);
}

HEDDLE_HOOK int timer_delete(timer_t id)
{
	struct timer_left left;
	struct timer *t;

	if (!init_active())
		return REAL(timer_delete)(id);
	t = timer_of(id);
	if (!t)
		return fail(EINVAL);
	timer_set(t, 0, 0, &left, CALLER());
	t->used = false;
	return 0;
}
