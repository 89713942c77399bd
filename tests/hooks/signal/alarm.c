/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alarm.c - alarms, which never ring, and handlers of faults, which are not called
 *
 * case sent_before_the_threads: ok 1
 * case a_handler_of_faults_is_not_called: bug crash at *(volatile int *)8 = 1
 * case faults_cannot_be_blocked: bug crash at *(volatile int *)8 = 1
 * case alarms_of_each_thread: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "cases.h"
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

/* Natively it would end the process well. */
static void leave(int sig)
{
	(void)sig;
	_exit(0);
}

static void *fault(void *arg)
{
	*(volatile int *)8 = 1;
	return arg;
}

static void a_handler_of_faults_is_not_called(void)
{
	signal(SIGSEGV, leave);
	end(begin(fault, NULL));
}

static void faults_cannot_be_blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	assert(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
	assert(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	end(begin(fault, NULL));
}

/* They go by the time of the thread that set them, and ring for nobody. */
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

CASES(CASE(sent_before_the_threads), CASE(a_handler_of_faults_is_not_called),
      CASE(faults_cannot_be_blocked), CASE(alarms_of_each_thread))
