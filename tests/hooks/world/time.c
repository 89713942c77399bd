/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time.c - how asking for the time, and sleeping, fails
 *
 * ways clock_gettime: EINVAL; not EOVERFLOW (not before 2262)
 * ways clock_nanosleep: EINVAL ENOTSUP EINTR
 * ways nanosleep: EINVAL EINTR
 * ways getrusage: EINVAL
 * ways timespec_get: 0
 * ways usleep: EINTR
 * never fails: clock gettimeofday sleep time times
 *
 * case clock_gettime_EINVAL: ok 1
 * case clock_nanosleep_EINVAL: ok 1
 * case clock_nanosleep_EINVAL_of_the_threads_own_time: ok 1
 * case clock_nanosleep_ENOTSUP: ok 1
 * case clock_nanosleep_until_what_has_passed: ok 1
 * case nanosleep_EINVAL: ok 1
 * case getrusage_EINVAL: ok 1
 * case getrusage_of_children: ok 1
 * case timespec_get_0: ok 1
 * case sleeps_of_nothing: ok 1
 * case all_clocks_tell: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

static struct timespec now;

IN_EACH(clock_gettime_EINVAL)
{
	FAILS(EINVAL, clock_gettime(100, &now));
	FAILS(EINVAL, clock_gettime(10, &now)); /* CLOCK_SGI_CYCLE, which is gone */
	return arg;
}

IN_EACH(clock_nanosleep_EINVAL)
{
	struct timespec t = { 0, 1000000000 };

	GIVES(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	GIVES(EINVAL, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
	t = (struct timespec){ 0, -1 };
	GIVES(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	t = (struct timespec){ -1, 0 };
	GIVES(EINVAL, clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL));
	t = (struct timespec){ 0, 0 };
	GIVES(EINVAL, clock_nanosleep(100, 0, &t, NULL));
	return arg;
}

IN_EACH(clock_nanosleep_EINVAL_of_the_threads_own_time)
{
	struct timespec t = { 0, 0 };

	GIVES(EINVAL, clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &t, NULL));
	return arg;
}

IN_EACH(clock_nanosleep_ENOTSUP)
{
	struct timespec t = { 0, 0 };

	GIVES(ENOTSUP, clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &t, NULL));
	GIVES(ENOTSUP, clock_nanosleep(CLOCK_REALTIME_COARSE, 0, &t, NULL));
	GIVES(ENOTSUP, clock_nanosleep(CLOCK_MONOTONIC_COARSE, TIMER_ABSTIME, &t, NULL));
	return arg;
}

IN_EACH(clock_nanosleep_until_what_has_passed)
{
	struct timespec t = { 1, 0 };

	GIVES(0, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL));
	GIVES(0, clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	return arg;
}

IN_EACH(nanosleep_EINVAL)
{
	struct timespec t = { 0, 1000000000 };

	FAILS(EINVAL, nanosleep(&t, NULL));
	t = (struct timespec){ 0, -1 };
	FAILS(EINVAL, nanosleep(&t, NULL));
	t = (struct timespec){ -1, 0 };
	FAILS(EINVAL, nanosleep(&t, NULL));
	return arg;
}

IN_EACH(getrusage_EINVAL)
{
	struct rusage usage;

	FAILS(EINVAL, getrusage(7, &usage));
	return arg;
}

/* There were none. */
IN_EACH(getrusage_of_children)
{
	struct rusage usage;

	assert(getrusage(RUSAGE_CHILDREN, &usage) == 0);
	assert(!usage.ru_utime.tv_sec && !usage.ru_utime.tv_usec);
	assert(getrusage(RUSAGE_SELF, &usage) == 0 && getrusage(RUSAGE_THREAD, &usage) == 0);
	return arg;
}

IN_EACH(timespec_get_0)
{
	assert(timespec_get(&now, 0) == 0 && timespec_get(&now, 1000) == 0);
	assert(timespec_get(&now, TIME_UTC) == TIME_UTC);
	return arg;
}

IN_EACH(sleeps_of_nothing)
{
	struct timespec t = { 0, 0 };

	assert(sleep(0) == 0 && usleep(0) == 0 && nanosleep(&t, NULL) == 0);
	return arg;
}

IN_EACH(all_clocks_tell)
{
	static const clockid_t clocks[] = {
		CLOCK_REALTIME,          CLOCK_MONOTONIC,     CLOCK_PROCESS_CPUTIME_ID,
		CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
		CLOCK_MONOTONIC_COARSE,  CLOCK_BOOTTIME,      CLOCK_TAI
	};
	struct timeval day;
	struct tms ticks;
	time_t seconds;

	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		assert(clock_gettime(clocks[i], &now) == 0 && now.tv_nsec < 1000000000);
	assert(gettimeofday(&day, NULL) == 0 && day.tv_usec < 1000000);
	assert(time(&seconds) == seconds && seconds >= day.tv_sec);
	assert(clock() != -1 && times(&ticks) != -1);
	return arg;
}

CASES(CASE(clock_gettime_EINVAL), CASE(clock_nanosleep_EINVAL),
      CASE(clock_nanosleep_EINVAL_of_the_threads_own_time), CASE(clock_nanosleep_ENOTSUP),
      CASE(clock_nanosleep_until_what_has_passed), CASE(nanosleep_EINVAL), CASE(getrusage_EINVAL),
      CASE(getrusage_of_children), CASE(timespec_get_0), CASE(sleeps_of_nothing),
      CASE(all_clocks_tell))
