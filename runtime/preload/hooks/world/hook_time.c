/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_time.c - virtual time
 *
 * Each thread has a clock of its own that goes on by one microsecond whenever the thread asks for the
 * time, and by the whole duration when it sleeps (hook_sleep.c); nobody waits. It begins where its
 * creator's stands, and is never behind that of another thread at what that one is known to have
 * done: elapsed.c. So the time that a thread sees is a function of the execution's graph.
 *
 * The processor time of a thread is that which it spends asking.
 */
/*
 * intercepts: Time
 *
 * deterministic clock_gettime __clock_gettime gettimeofday __gettimeofday time timespec_get clock times getrusage - each
 *	thread has a clock of its own, which goes on by a microsecond whenever it is asked, and is never
 *	behind what the thread has learned from others
 */
#include "preload/hooks/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "preload/await/await.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/values.h"
#include "preload/hooks/world/elapsed.h"
#include "preload/hooks/world/kernel_time.h"
#include "preload/hooks/world/time.h"

enum {
	NS_PER_S = 1000000000,
	NS_PER_US = 1000,
	TICKS = 100 /* of times(), a second */
};

/* Processor time, of the main thread and of the others. */
static HEDDLE_IMAGE uint64_t main_used_ns = 0;
static uint64_t used_ns[HEDDLE_MAX_THREADS];
FRESH(used_ns);

#define FAR_AWAY_S (1l << 32) /* some 136 years */

/* 1 January 2026 for clocks of the time of day, an hour after it for those since boot. */
#define START_REALTIME_S  1767225600ul
#define START_MONOTONIC_S 3600ul

static uint64_t *used(void)
{
	return current && current->tid ? &used_ns[current->tid] : &main_used_ns;
}

static void time_thread_started(uint32_t tid)
{
	used_ns[tid] = 0;
}

AT_STARTED(time_thread_started);

static uint64_t start_of(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		return START_REALTIME_S;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return START_MONOTONIC_S;
	default:
		return 0; /* processor time */
	}
}

/* Clocks that the kernel has; those below 0 are of the processor time of others. */
static bool is_clock(clockid_t clock)
{
	if (clock < 0)
		return (clock & 3) != 3;
	return clock <= CLOCK_BOOTTIME_ALARM || clock == CLOCK_TAI;
}

/* Why nobody can wait on it, or sleep: EINVAL or ENOTSUP; 0 if they can. */
int time_no_timer(clockid_t clock)
{
	if (!is_clock(clock))
		return EINVAL;
	switch (clock) {
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
		return ENOTSUP;
	default:
		return 0;
	}
}

/* As Linux numbers them: of one thread (4), what its scheduler counts (2). */
enum {
	OF_THREAD = 6,
	OF_WHOM = 3 /* bits of what stand below whose it is */
};

clockid_t time_clock_of(pid_t id)
{
	return (clockid_t)(~(unsigned)id << OF_WHOM | OF_THREAD);
}

/* Its own one, by any name: what another one has used depends on the order in which threads run, which no graph says. */
static bool is_own(clockid_t clock)
{
	return clock == CLOCK_THREAD_CPUTIME_ID || (clock < 0 && clock == time_clock_of(gettid()));
}

static uint64_t now_ns(clockid_t clock)
{
	uint64_t now;

	values_give_up("it asks for the time");
	note_hidden_state();
	await_asks_time();
	now = elapsed_ns() + NS_PER_US;
	elapsed_until(now);
	*used() += NS_PER_US;
	return is_own(clock) ? *used() : start_of(clock) * NS_PER_S + now;
}

uint64_t time_ticks(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

bool time_valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

/* Of a time that is far away: so much that sums of two still fit. */
static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec >= FAR_AWAY_S ? (uint64_t)FAR_AWAY_S * NS_PER_S
				       : (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

uint64_t time_own_ns(void)
{
	return elapsed_ns();
}

uint64_t time_until_ns(clockid_t clock, const struct timespec *t)
{
	uint64_t now = start_of(clock) * NS_PER_S + elapsed_ns();

	return ns_of(t) > now ? ns_of(t) - now : 0;
}

bool time_has_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

bool time_can_wait(clockid_t clock, const struct timespec *until)
{
	return time_has_clock(clock) && until->tv_nsec >= 0 && until->tv_nsec < NS_PER_S;
}

void time_passed(clockid_t clock, const struct timespec *until)
{
	uint64_t start = start_of(clock) * NS_PER_S;

	if (until->tv_sec >= 0 && ns_of(until) > start)
		elapsed_until(ns_of(until) - start);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t time_end_ns(const struct timespec *t, bool absolute, clockid_t clock)
{
	static const struct timespec never = { .tv_sec = FAR_AWAY_S };
	uint64_t now;

	if (current && current->probing)
		return 0;
	now = elapsed_ns();
	if (!absolute)
		return least(now + ns_of(t), ns_of(&never));
	return t->tv_sec < 0 ? now : now + time_until_ns(clock, t);
}

struct time_watch time_watch;
KEPT(time_watch);

enum time_ring time_rings(uint64_t until_ns, uint64_t pc)
{
	if (!time_watch.rings || (current && current->probing))
		return RING_NONE;
	return time_watch.rings(until_ns, pc);
}

void time_rings_out(uint64_t pc)
{
	enum {
		TICKS_OUT = 16 /* of a timer that goes on for ever */
	};

	for (int i = 0; !under_engine() && i < TICKS_OUT; i++)
		if (time_rings(TIME_FOR_EVER, pc) == RING_NONE)
			return;
}

void time_passes(uint64_t until_ns, uint64_t pc)
{
	if (time_watch.passes && (!current || !current->probing))
		time_watch.passes(until_ns, pc);
}

/* In a probe (await.c) it goes by for nobody. */
void time_waited(const struct timespec *t, bool absolute, clockid_t clock)
{
	if (!current || !current->probing)
		elapsed_until(time_end_ns(t, absolute, clock));
}

int time_waited_alone(int result, bool timed_out, const struct timespec *t)
{
	if (shared && timed_out && t)
		time_waited(t, false, CLOCK_MONOTONIC);
	return result;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

/* ---- In a process that has let go of heddle ------------------------------------------------ */

/* goes_on does not matter: whoever has waited for a child has grown older, too. */
static void time_detach(uint32_t goes_on)
{
	(void)goes_on;
	kernel_time_begins(CLOCK_REALTIME, START_REALTIME_S * NS_PER_S + elapsed_ns());
	kernel_time_begins(CLOCK_MONOTONIC, START_MONOTONIC_S * NS_PER_S + elapsed_ns());
}

AT_DETACH(time_detach);

static int kernels(clockid_t clock, int result, struct timespec *now)
{
	if (!result)
		kernel_time_told(clock, now);
	return result;
}

static uint64_t kernels_ns(clockid_t clock)
{
	struct timespec now;

	kernels(clock, REAL(clock_gettime)(clock, &now), &now);
	return ns_of(&now);
}

/* ---- Asking ----------------------------------------------------------------------------- */

HEDDLE_HOOK int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!shared)
		return kernels(clock, REAL(clock_gettime)(clock, now), now);
	if (!is_clock(clock))
		return fail(EINVAL);
	*now = timespec_of(now_ns(clock));
	return 0;
}

HEDDLE_HOOK int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timeval *to = now;
	uint64_t ns;

	if (!shared && !kernel_time_ahead(CLOCK_REALTIME))
		return REAL(gettimeofday)(now, zone);
	__asm__("" : "+r"(to)); /* it may be NULL, whatever the header says */
	ns = shared ? now_ns(CLOCK_REALTIME) : kernels_ns(CLOCK_REALTIME);
	if (to) {
		to->tv_sec = (time_t)(ns / NS_PER_S);
		to->tv_usec = (suseconds_t)(ns % NS_PER_S / NS_PER_US);
	}
	if (zone)
		*(struct timezone *)zone = (struct timezone){ 0 };
	return 0;
}

HEDDLE_HOOK time_t time(time_t *out)
{
	time_t now;

	if (!shared && !kernel_time_ahead(CLOCK_REALTIME))
		return REAL(time)(out);
	now = (time_t)((shared ? now_ns(CLOCK_REALTIME) : kernels_ns(CLOCK_REALTIME)) / NS_PER_S);
	if (out)
		*out = now;
	return now;
}

HEDDLE_HOOK int timespec_get(struct timespec *now, int base)
{
	if (!shared && base == TIME_UTC)
		return clock_gettime(CLOCK_REALTIME, now) ? 0 : base;
	if (!shared)
		return REAL(timespec_get)(now, base);
	if (base != TIME_UTC)
		return 0;
	*now = timespec_of(now_ns(CLOCK_REALTIME));
	return base;
}

HEDDLE_HOOK clock_t clock(void)
{
	if (!shared)
		return REAL(clock)();
	return (clock_t)(now_ns(CLOCK_PROCESS_CPUTIME_ID) / (NS_PER_S / CLOCKS_PER_SEC));
}

HEDDLE_HOOK clock_t times(struct tms *out)
{
	clock_t now;

	if (!shared)
		return REAL(times)(out) +
		       (clock_t)(kernel_time_ahead(CLOCK_MONOTONIC) / (NS_PER_S / TICKS));
	now = (clock_t)(now_ns(CLOCK_MONOTONIC) / (NS_PER_S / TICKS));
	if (out)
		*out = (struct tms){ .tms_utime = now - (clock_t)(START_MONOTONIC_S * TICKS) };
	return now;
}

/* Whoever uses it: time, and nothing else. Children have used nothing. */
HEDDLE_HOOK int getrusage(__rusage_who_t who, struct rusage *out)
{
	uint64_t us;

	if (!shared)
		return REAL(getrusage)(who, out);
	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return fail(EINVAL);
	if (!memory_writable(out, sizeof(*out)))
		return fail(EFAULT);
	us = now_ns(who == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID) /
	     NS_PER_US;
	memset(out, 0, sizeof(*out));
	if (who == RUSAGE_CHILDREN)
		return 0;
	out->ru_utime.tv_sec = (time_t)(us / (NS_PER_S / NS_PER_US));
	out->ru_utime.tv_usec = (suseconds_t)(us % (NS_PER_S / NS_PER_US));
	return 0;
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__clock_gettime, clock_gettime);
ALSO_CALLED(__gettimeofday, gettimeofday);
