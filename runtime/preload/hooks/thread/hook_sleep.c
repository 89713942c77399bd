/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_sleep.c - threads that sleep
 *
 * Virtual time goes by for them (hook_time.c), and others go first; nobody waits.
 */
/*
 * intercepts: Time
 *
 * deterministic nanosleep clock_nanosleep sleep usleep - the thread's clock goes on by the whole
 *	duration; nobody waits
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "preload/access/yield.h"
#include "preload/arch/x86_64/entry.h"
#include "preload/hooks/interrupt/interrupt.h"
#include "preload/hooks/thread/cancel.h"
#include "preload/hooks/world/time.h"

enum {
	NS_PER_US = 1000,
	US_PER_S = 1000000
};

static int fail(int error)
{
	errno = error;
	return -1;
}

/* A handler ends it before any time has passed: what the call then returns, and its error. */
static void sleep_for(const struct timespec *t, bool absolute, clockid_t clock, long result,
		      int error, uint64_t pc)
{
	cancellation_point(pc);
	if (interrupt_comes(pc))
		interrupt_ends(result, error, false, pc);
	time_waited(t, absolute, clock);
	thread_yield(pc);
}

/* What is left when a handler ends it at once; a thread that sleeps on does not look there. */
static void nothing_slept(const struct timespec *duration, struct timespec *left)
{
	if (!left || !current || !current->interrupted)
		return;
	note_plain_write((uintptr_t)left, sizeof(*left));
	*left = *duration;
}

ENTERED static int hook_nanosleep(const struct timespec *duration, struct timespec *left)
{
	if (!shared)
		return REAL(nanosleep)(duration, left);
	if (!memory_readable(duration, sizeof(*duration)))
		return fail(EFAULT);
	if (!time_valid(duration))
		return fail(EINVAL);
	nothing_slept(duration, left);
	sleep_for(duration, false, CLOCK_MONOTONIC, -1, EINTR, ENTRY_CALLER());
	return 0;
}
HOOK_ENTRY(nanosleep, hook_nanosleep, 2);

ENTERED static int hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
					struct timespec *left)
{
	if (!shared)
		return REAL(clock_nanosleep)(clock, flags, t, left);
	if (clock == CLOCK_THREAD_CPUTIME_ID || time_no_timer(clock))
		return time_no_timer(clock) ? time_no_timer(clock) : EINVAL;
	if (!memory_readable(t, sizeof(*t)))
		return EFAULT;
	if (!time_valid(t))
		return EINVAL;
	if (!(flags & TIMER_ABSTIME))
		nothing_slept(t, left);
	sleep_for(t, flags & TIMER_ABSTIME, clock, EINTR, 0, ENTRY_CALLER());
	return 0;
}
HOOK_ENTRY(clock_nanosleep, hook_clock_nanosleep, 4);

ENTERED static unsigned hook_sleep(unsigned seconds)
{
	const struct timespec t = { .tv_sec = seconds };

	if (!shared)
		return REAL(sleep)(seconds);
	sleep_for(&t, false, CLOCK_MONOTONIC, seconds, 0, ENTRY_CALLER());
	return 0;
}
HOOK_ENTRY(sleep, hook_sleep, 1);

ENTERED static int hook_usleep(useconds_t us)
{
	const struct timespec t = { .tv_sec = us / US_PER_S, .tv_nsec = us % US_PER_S * NS_PER_US };

	if (!shared)
		return REAL(usleep)(us);
	sleep_for(&t, false, CLOCK_MONOTONIC, -1, EINTR, ENTRY_CALLER());
	return 0;
}
HOOK_ENTRY(usleep, hook_usleep, 1);
