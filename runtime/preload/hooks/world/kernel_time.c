/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_time.c - see kernel_time.h
 *
 * A child that runs alone lives in real time, since it may wait for others. Its clocks go on from where its parent's stood:
 * what the parent measured from, or until, would be days away otherwise. So the kernel's clocks are told with what they
 * were behind, or ahead, when the process was let go, and times that calls wait until are given to the kernel without that.
 * Clocks of processors begin anew in a child, as ever.
 */
#include "preload/hooks/hook.h"

#include "preload/hooks/world/kernel_time.h"

#include "preload/core/reset.h"
#include "preload/core/sys.h"

enum {
	NS_PER_S = 1000000000
};

enum {
	OF_DAY,
	SINCE_BOOT,
	KINDS
};

/* Processes that are let go of explore nothing. */
static int64_t ahead_ns[KINDS];
KEPT(ahead_ns);

static int kind_of(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		return OF_DAY;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return SINCE_BOOT;
	default:
		return KINDS;
	}
}

static void move(struct timespec *t, int64_t by_ns)
{
	int64_t ns = t->tv_nsec + by_ns % NS_PER_S;

	t->tv_sec += by_ns / NS_PER_S + (ns >= NS_PER_S) - (ns < 0);
	t->tv_nsec = ns + (ns < 0 ? NS_PER_S : 0) - (ns >= NS_PER_S ? NS_PER_S : 0);
}

void kernel_time_begins(clockid_t clock, uint64_t now_ns)
{
	struct timespec t = { 0 };

	sys3(SYS_clock_gettime, clock, (long)&t, 0);
	ahead_ns[kind_of(clock)] = (int64_t)now_ns - (t.tv_sec * NS_PER_S + t.tv_nsec);
}

int64_t kernel_time_ahead(clockid_t clock)
{
	int kind = kind_of(clock);

	return kind < KINDS ? ahead_ns[kind] : 0;
}

void kernel_time_told(clockid_t clock, struct timespec *t)
{
	move(t, kernel_time_ahead(clock));
}

const struct timespec *kernel_time(clockid_t clock, const struct timespec *until,
				   struct timespec *room)
{
	int64_t ahead = kernel_time_ahead(clock);

	/* What is none is for libc to say. */
	if (!ahead || !memory_readable(until, sizeof(*until)) || until->tv_nsec < 0 ||
	    until->tv_nsec >= NS_PER_S || until->tv_sec < 0 || until->tv_sec > INT32_MAX)
		return until;
	*room = *until;
	move(room, -ahead);
	if (room->tv_sec < 0) /* long ago, which is no error */
		*room = (struct timespec){ 0 };
	return room;
}
