/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll_alarm.c - an alarm ends a wait for pipes of the program's own, before there are threads
 *
 * case wait: ok 1
 * case wait_for_a_time: ok 1
 * case wait_with_a_mask: ok 1
 * case wait_to_the_nanosecond: ok 1
 * case poll_of_a_set: ok 1
 * case comes_too_late: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"

static volatile sig_atomic_t rung;
static struct epoll_event event = { .events = EPOLLIN };

static void ring(int sig)
{
	(void)sig;
	rung++;
}

static void set_alarm(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 10000 };
	const struct sigaction hears = { .sa_handler = ring, .sa_flags = SA_RESTART };

	assert(!sigaction(SIGALRM, &hears, NULL));
	assert(!setitimer(ITIMER_REAL, &soon, NULL));
}

/* Of a pipe that nobody writes to, or with a byte in it. */
static int set_of_a_pipe(bool full)
{
	int ends[2], set = epoll_create1(0);

	assert(set >= 0 && !pipe(ends) && !epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event));
	assert(!full || write(ends[1], "x", 1) == 1);
	return set;
}

static void wait(void)
{
	int set = set_of_a_pipe(false);

	set_alarm();
	FAILS(EINTR, epoll_wait(set, &event, 1, -1));
	assert(rung == 1);
}

static void wait_for_a_time(void)
{
	int set = set_of_a_pipe(false);

	set_alarm();
	FAILS(EINTR, epoll_wait(set, &event, 1, 100000));
	assert(rung == 1 && !epoll_wait(set, &event, 1, 1));
}

static void wait_with_a_mask(void)
{
	int set = set_of_a_pipe(false);

	set_alarm();
	FAILS(EINTR, epoll_pwait(set, &event, 1, -1, NULL));
	assert(rung == 1);
}

static void wait_to_the_nanosecond(void)
{
	const struct timespec long_time = { .tv_sec = 100 };
	int set = set_of_a_pipe(false);

	set_alarm();
	FAILS(EINTR, epoll_pwait2(set, &event, 1, NULL, NULL));
	set_alarm();
	FAILS(EINTR, epoll_pwait2(set, &event, 1, &long_time, NULL));
	assert(rung == 2);
}

static void poll_of_a_set(void)
{
	struct pollfd p = { .fd = set_of_a_pipe(false), .events = POLLIN };

	set_alarm();
	FAILS(EINTR, poll(&p, 1, -1));
	assert(rung == 1);
}

/* Who need not wait does not hear of it. */
static void comes_too_late(void)
{
	int set = set_of_a_pipe(true);

	set_alarm();
	assert(epoll_wait(set, &event, 1, -1) == 1 && epoll_pwait(set, &event, 1, -1, NULL) == 1);
	assert(epoll_pwait2(set, &event, 1, NULL, NULL) == 1 && !rung);
}

CASES(CASE(wait), CASE(wait_for_a_time), CASE(wait_with_a_mask), CASE(wait_to_the_nanosecond),
      CASE(poll_of_a_set), CASE(comes_too_late))
