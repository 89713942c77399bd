/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_alarm.c - timers that never ring
 *
 * Test frameworks set an alarm for tests that hang, which heddle finds out in other ways; and when a
 * signal arrives is no schedule that it explores. So timers are kept here, in virtual time
 * (hook_time.c): what is left of one is told as the program would be told by the kernel, but
 * nothing happens when nothing is left. Each thread has interval timers of its own, as it has a
 * clock of its own; those of timer_create() are named by their ids.
 */
/*
 * intercepts: Signals
 *
 * ignored alarm ualarm setitimer getitimer - they tell what is left, but never ring: --watchdog is
 *	there
 */
/*
 * intercepts: Services of libc and the kernel
 *
 * refused timer_create - with SIGEV_THREAD: call the function from a thread of the program
 * ignored timer_settime timer_gettime timer_getoverrun timer_delete - timers that would
 *	send a signal tell what is left, but never expire
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
#include "preload/hooks/world/time.h"
#include "preload/loop/children.h"

enum {
	NS_PER_S = 1000000000,
	US_PER_S = 1000000,
	KINDS = 3,  /* ITIMER_REAL and its like */
	TIMERS = 64 /* of timer_create(), at a time */
};

/* In nanoseconds, of the clock of the thread that set it. A child does not inherit it. */
struct countdown {
	uint64_t ends, interval; /* ends 0: it is not running */
	uint32_t level;          /* children_level() */
};

static HEDDLE_IMAGE_SELDOM struct countdown interval_timers[HEDDLE_MAX_THREADS][KINDS] = { 0 };

static HEDDLE_IMAGE_SELDOM struct {
	bool used;
	clockid_t clock;
	struct countdown count;
} timers[TIMERS] = { 0 };

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- Counting down -------------------------------------------------------------------------- */

static struct countdown begin(uint64_t ns, uint64_t interval)
{
	return (struct countdown){ ns ? time_own_ns() + ns : 0, interval, children_level() };
}

static uint64_t left_of(const struct countdown *c)
{
	uint64_t now = time_own_ns();

	if (c->ends > now)
		return c->ends - now;
	return c->ends && c->interval ? c->interval - (now - c->ends) % c->interval : 0;
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

static struct countdown *mine(int which)
{
	struct countdown *c = &interval_timers[self_id()][which];

	note_hidden_state();
	if (c->level != children_level())
		*c = begin(0, 0);
	return c;
}

/* 0, or why the kernel would neither read this nor write there: NULL is left out. */
static int error_of(const void *in, void *out, size_t size)
{
	return (in && !memory_readable(in, size)) || (out && !memory_writable(out, size)) ? EFAULT
											  : 0;
}

static void tell(int which, struct itimerval *out)
{
	const struct countdown *c = mine(which);

	note_plain_write((uint64_t)(uintptr_t)out, sizeof(*out));
	*out = (struct itimerval){ timeval_of(c->interval), timeval_of(left_of(c)) };
}

HEDDLE_HOOK int getitimer(__itimer_which_t which, struct itimerval *value)
{
	if (!init_active())
		return REAL(getitimer)(which, value);
	if ((unsigned)which >= KINDS)
		return fail(EINVAL);
	if (!memory_writable(value, sizeof(*value)))
		return fail(EFAULT);
	tell((int)which, value);
	return 0;
}

HEDDLE_HOOK int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
			  struct itimerval *restrict old)
{
	struct countdown next = { 0 };

	if (!init_active())
		return REAL(setitimer)(which, value, old);
	if (error_of(value, old, sizeof(*value)))
		return fail(error_of(value, old, sizeof(*value)));
	if ((unsigned)which >= KINDS ||
	    (value && (!valid(&value->it_value) || !valid(&value->it_interval))))
		return fail(EINVAL);
	if (value)
		next = begin(ns_of_timeval(&value->it_value), ns_of_timeval(&value->it_interval));
	if (old)
		tell((int)which, old);
	*mine((int)which) = next;
	return 0;
}

/* As the kernel rounds it: never to 0 what is left. */
HEDDLE_HOOK unsigned alarm(unsigned seconds)
{
	struct itimerval left;

	if (!init_active())
		return REAL(alarm)(seconds);
	tell(ITIMER_REAL, &left);
	*mine(ITIMER_REAL) = begin((uint64_t)seconds * NS_PER_S, 0);
	return (unsigned)left.it_value.tv_sec + (left.it_value.tv_usec >= US_PER_S / 2 ||
						 (left.it_value.tv_usec && !left.it_value.tv_sec));
}

HEDDLE_HOOK useconds_t ualarm(useconds_t value, useconds_t interval)
{
	struct itimerval next = { { 0, (suseconds_t)interval }, { 0, (suseconds_t)value } }, left;

	if (!init_active())
		return REAL(ualarm)(value, interval);
	if (setitimer(ITIMER_REAL, &next, &left))
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

/* Its place, or -1. Ids are places plus 1. */
static int slot_of(timer_t timer)
{
	uintptr_t i = (uintptr_t)timer - 1;

	note_hidden_state();
	return i < TIMERS && timers[i].used && timers[i].count.level == children_level() ? (int)i
											 : -1;
}

/* As the kernel looks at it. */
static bool may_notify(const struct sigevent *e)
{
	switch (e->sigev_notify) {
	case SIGEV_NONE:
		return true;
	case SIGEV_SIGNAL:
	case SIGEV_SIGNAL | SIGEV_THREAD_ID:
		return e->sigev_signo > 0 && e->sigev_signo <= SIGRTMAX;
	default:
		return false;
	}
}

HEDDLE_HOOK int timer_create(clockid_t clock, struct sigevent *restrict event,
			     timer_t *restrict timer)
{
	uint32_t from = current ? current->tid * 4 : 0; /* ids depend on the thread, if they can */
	int error;

	if (!init_active())
		return REAL(timer_create)(clock, event, timer);
	if (event && event->sigev_notify == SIGEV_THREAD)
		refuse("the program calls timer_create(), which heddle cannot explore: call the "
		       "function that the timer calls from a thread of the program",
		       NULL);
	error = time_no_timer(clock);
	if (error || (event && !may_notify(event)))
		return fail(error ? error : EINVAL);
	note_hidden_state();
	for (uint32_t i = 0; i < TIMERS; i++) {
		uint32_t at = (from + i) % TIMERS;

		if (timers[at].used && timers[at].count.level == children_level())
			continue;
		timers[at].used = true;
		timers[at].clock = clock;
		timers[at].count = begin(0, 0);
		note_plain_write((uint64_t)(uintptr_t)timer, sizeof(*timer));
		*timer = (timer_t)(uintptr_t)(at + 1);
		return 0;
	}
	return fail(EAGAIN);
}

static void tell_timer(int i, struct itimerspec *out)
{
	note_plain_write((uint64_t)(uintptr_t)out, sizeof(*out));
	*out = (struct itimerspec){ timespec_of(timers[i].count.interval),
				    timespec_of(left_of(&timers[i].count)) };
}

HEDDLE_HOOK int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
			      struct itimerspec *restrict old)
{
	uint64_t ns, interval;
	int i;

	if (!init_active())
		return REAL(timer_settime)(timer, flags, value, old);
	i = slot_of(timer);
	if (i >= 0 && error_of(value, old, sizeof(*value)))
		return fail(error_of(value, old, sizeof(*value)));
	if (i < 0 || !value || !time_valid(&value->it_value) || !time_valid(&value->it_interval))
		return fail(EINVAL);
	ns = ns_of(&value->it_value);
	interval = ns_of(&value->it_interval);
	if (ns && (flags & TIMER_ABSTIME))
		ns = time_until_ns(timers[i].clock, &value->it_value);
	if (old)
		tell_timer(i, old);
	timers[i].count = begin(ns, interval);
	return 0;
}

HEDDLE_HOOK int timer_gettime(timer_t timer, struct itimerspec *value)
{
	int i;

	if (!init_active())
		return REAL(timer_gettime)(timer, value);
	i = slot_of(timer);
	if (i < 0)
		return fail(EINVAL);
	if (!memory_writable(value, sizeof(*value)))
		return fail(EFAULT);
	tell_timer(i, value);
	return 0;
}

HEDDLE_HOOK int timer_getoverrun(timer_t timer)
{
	if (!init_active())
		return REAL(timer_getoverrun)(timer);
	return slot_of(timer) < 0 ? fail(EINVAL) : 0;
}

HEDDLE_HOOK int timer_delete(timer_t timer)
{
	int i;

	if (!init_active())
		return REAL(timer_delete)(timer);
	i = slot_of(timer);
	if (i < 0)
		return fail(EINVAL);
	timers[i].used = false;
	return 0;
}
