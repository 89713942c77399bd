/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alarm.c - what alarms and timers answer (how timers ring: timer.c)
 *
 * case sent_before_the_threads: ok 1
 * case faults_cannot_be_blocked: bug crash at *(volatile int *)8 = 1
 * case alarms_of_each_thread: ok 1
 *
 * ways setitimer: EINVAL
 * ways getitimer: EINVAL
 * ways ualarm: EINVAL
 * ways timer_create: EINVAL ENOTSUP; not EAGAIN (a limit of the system)
 * ways timer_settime: EINVAL
 * ways timer_gettime: EINVAL
 * ways timer_getoverrun: EINVAL
 * ways timer_delete: EINVAL
 * never fails: alarm
 *
 * case setitimer_EINVAL: ok 1
 * case setitimer_tells_what_was_left: ok 1
 * case getitimer_EINVAL: ok 1
 * case ualarm_EINVAL: ok 1
 * case alarm_tells_what_was_left: ok 1
 * case timer_create_EINVAL: ok 1
 * case timer_create_ENOTSUP: ok 1
 * case timer_settime_EINVAL: ok 1
 * case timer_settime_tells_what_was_left: ok 1
 * case timer_settime_of_what_has_passed: ok 1
 * case timer_gettime_EINVAL: ok 1
 * case timer_getoverrun_EINVAL: ok 1
 * case timer_delete_EINVAL: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

static volatile sig_atomic_t handled;
static const union sigval nothing;

static void handle(int sig)
{
	(void)sig;
	handled++;
}

static void *nothing_to_do(void *arg)
{
	return arg;
}

static void sent_before_the_threads(void)
{
	signal(SIGUSR1, handle);
	assert(raise(SIGUSR1) == 0 && handled == 1);
	assert(kill(getpid(), SIGUSR1) == 0 && handled == 2);
	assert(tgkill(getpid(), gettid(), SIGUSR1) == 0 && handled == 3);
	assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 4);
	assert(sigqueue(getpid(), SIGUSR1, nothing) == 0 && handled == 5);
	end(begin(nothing_to_do, NULL));
	assert(handled == 5);
}

static void *fault(void *arg)
{
	*(volatile int *)8 = 1;
	return arg;
}

static void faults_cannot_be_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	assert(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
	assert(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	end(begin(fault, NULL));
}

/* Nobody handles them, so they do not ring. */
static void *set_an_alarm(void *arg)
{
	struct itimerval left;

	assert(alarm(2000) == 0);
	assert(alarm(1000) >= 1999);
	assert(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec >= 999);
	assert(alarm(0) >= 999);
	return arg;
}

static void alarms_of_each_thread(void)
{
	THREADS(1, set_an_alarm);
	THREADS(1, set_an_alarm);
}

/* --- how they fail ---------------------------------------------------------------------------- */

#define NO_TIMER ((timer_t)(uintptr_t)0x123456)

IN_EACH(setitimer_EINVAL)
{
	struct itimerval value = { { 0, 0 }, { 0, 1000000 } }, old;

	FAILS(EINVAL, setitimer(ITIMER_REAL, &value, NULL));
	value = (struct itimerval){ { 0, -1 }, { 1, 0 } };
	FAILS(EINVAL, setitimer(ITIMER_REAL, &value, NULL));
	value = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	FAILS(EINVAL, setitimer(3, &value, &old));
	FAILS(EINVAL, setitimer(-1, &value, &old));
	return arg;
}

static int nearly(long left, long whole)
{
	return left == whole || left == whole - 1;
}

IN_EACH(setitimer_tells_what_was_left)
{
	struct itimerval value = { { 7, 0 }, { 1000, 0 } }, off = { 0 }, old;

	assert(setitimer(ITIMER_REAL, &value, NULL) == 0);
	assert(getitimer(ITIMER_REAL, &old) == 0);
	assert(nearly(old.it_value.tv_sec, 1000) && old.it_interval.tv_sec == 7);
	assert(setitimer(ITIMER_REAL, &off, &old) == 0);
	assert(nearly(old.it_value.tv_sec, 1000) && old.it_interval.tv_sec == 7);
	assert(setitimer(ITIMER_REAL, &off, &old) == 0);
	assert(!old.it_value.tv_sec && !old.it_value.tv_usec);
	return arg;
}

IN_EACH(getitimer_EINVAL)
{
	struct itimerval value;

	FAILS(EINVAL, getitimer(3, &value));
	return arg;
}

IN_EACH(ualarm_EINVAL)
{
	errno = 0;
	assert(ualarm(1000000, 0) == (useconds_t)-1 && errno == EINVAL);
	return arg;
}

IN_EACH(alarm_tells_what_was_left)
{
	struct itimerval value;

	assert(alarm(1000) == 0);
	assert(nearly(alarm(500), 1000));
	assert(getitimer(ITIMER_REAL, &value) == 0 && nearly(value.it_value.tv_sec, 500));
	assert(nearly(alarm(0), 500));
	assert(alarm(0) == 0);
	return arg;
}

static timer_t make_timer(int notify)
{
	struct sigevent event = { .sigev_notify = notify, .sigev_signo = SIGALRM };
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	return timer;
}

IN_EACH(timer_create_EINVAL)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 100 };
	timer_t timer;

	FAILS(EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
	event.sigev_signo = 0;
	FAILS(EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
	event.sigev_notify = 77;
	event.sigev_signo = SIGALRM;
	FAILS(EINVAL, timer_create(CLOCK_MONOTONIC, &event, &timer));
	FAILS(EINVAL, timer_create(100, NULL, &timer));
	return arg;
}

IN_EACH(timer_create_ENOTSUP)
{
	timer_t timer;

	FAILS(ENOTSUP, timer_create(CLOCK_MONOTONIC_RAW, NULL, &timer));
	return arg;
}

IN_EACH(timer_settime_EINVAL)
{
	struct itimerspec value = { { 0, 0 }, { 0, 1000000000 } };
	timer_t timer = make_timer(SIGEV_SIGNAL);

	FAILS(EINVAL, timer_settime(timer, 0, &value, NULL));
	value = (struct itimerspec){ { 0, -1 }, { 1, 0 } };
	FAILS(EINVAL, timer_settime(timer, 0, &value, NULL));
	value = (struct itimerspec){ { 0, 0 }, { 1, 0 } };
	FAILS(EINVAL, timer_settime(NO_TIMER, 0, &value, NULL));
	assert(timer_delete(timer) == 0);
	FAILS(EINVAL, timer_settime(timer, 0, &value, NULL));
	return arg;
}

IN_EACH(timer_settime_tells_what_was_left)
{
	struct itimerspec value = { { 7, 0 }, { 1000, 0 } }, off = { 0 }, old;
	timer_t timer = make_timer(SIGEV_SIGNAL), other = make_timer(SIGEV_SIGNAL);

	assert(timer_settime(timer, 0, &value, NULL) == 0);
	assert(timer_gettime(timer, &old) == 0);
	assert(nearly(old.it_value.tv_sec, 1000) && old.it_interval.tv_sec == 7);
	assert(timer_settime(timer, 0, &off, &old) == 0);
	assert(nearly(old.it_value.tv_sec, 1000) && old.it_interval.tv_sec == 7);
	assert(timer_gettime(timer, &old) == 0 && !old.it_value.tv_sec && !old.it_value.tv_nsec);
	assert(timer_gettime(other, &old) == 0 && !old.it_value.tv_sec && !old.it_value.tv_nsec);
	assert(timer_getoverrun(timer) == 0);
	assert(timer_delete(timer) == 0 && timer_delete(other) == 0);
	return arg;
}

/* Nothing is sent. */
IN_EACH(timer_settime_of_what_has_passed)
{
	struct itimerspec value = { { 0, 0 }, { 1, 0 } }, old;
	timer_t timer = make_timer(SIGEV_NONE);

	assert(timer_settime(timer, TIMER_ABSTIME, &value, NULL) == 0);
	assert(timer_gettime(timer, &old) == 0 && !old.it_value.tv_sec && !old.it_value.tv_nsec);
	assert(timer_delete(timer) == 0);
	return arg;
}

IN_EACH(timer_gettime_EINVAL)
{
	struct itimerspec value;

	FAILS(EINVAL, timer_gettime(NO_TIMER, &value));
	return arg;
}

EACH_FAILS(timer_getoverrun_EINVAL, EINVAL, timer_getoverrun(NO_TIMER))

IN_EACH(timer_delete_EINVAL)
{
	timer_t timer = make_timer(SIGEV_SIGNAL);

	FAILS(EINVAL, timer_delete(NO_TIMER));
	assert(timer_delete(timer) == 0);
	FAILS(EINVAL, timer_delete(timer));
	return arg;
}

CASES(CASE(sent_before_the_threads), CASE(faults_cannot_be_blocked), CASE(alarms_of_each_thread),
      CASE(setitimer_EINVAL), CASE(setitimer_tells_what_was_left), CASE(getitimer_EINVAL),
      CASE(ualarm_EINVAL), CASE(alarm_tells_what_was_left), CASE(timer_create_EINVAL),
      CASE(timer_create_ENOTSUP), CASE(timer_settime_EINVAL),
      CASE(timer_settime_tells_what_was_left), CASE(timer_settime_of_what_has_passed),
      CASE(timer_gettime_EINVAL), CASE(timer_getoverrun_EINVAL), CASE(timer_delete_EINVAL))
