/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signal.c - signals that threads send or wait for, and alarms
 *
 * case kill_is_refused: refused a signal with kill()
 * case killpg_is_refused: refused a signal with killpg()
 * case tgkill_is_refused: refused a signal with tgkill()
 * case raise_is_refused: refused a signal with raise()
 * case sigqueue_is_refused: refused a signal with sigqueue()
 * case pthread_kill_is_refused: refused a signal with pthread_kill()
 * case pthread_sigqueue_is_refused: refused a signal with pthread_sigqueue()
 * case raise_of_abort: bug abort
 * case pause_is_refused: refused waits for a signal with pause()
 * case sigsuspend_is_refused: refused waits for a signal with sigsuspend()
 * case sigwait_is_refused: refused waits for a signal with sigwait()
 * case sigwaitinfo_is_refused: refused waits for a signal with sigwaitinfo()
 * case sigtimedwait_is_refused: refused waits for a signal with sigtimedwait()
 * case sent_before_the_threads: ok 1
 * case a_handler_of_faults_is_not_called: bug crash
 * case faults_cannot_be_blocked: bug crash
 * case alarms_of_each_thread: ok *
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "threads.h"

static volatile sig_atomic_t handled;
static const union sigval nothing;

static void handle(int sig)
{
	(void)sig;
	handled++;
}

static sigset_t one(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return set;
}

#define IN_A_THREAD(name, ...)                    \
	static void *name##_in_thread(void *arg_) \
	{                                         \
		sigset_t set = one();             \
		siginfo_t info;                   \
		int sig;                          \
                                                  \
		(void)set, (void)info, (void)sig; \
		signal(SIGUSR1, handle);          \
		__VA_ARGS__;                      \
		return arg_;                      \
	}                                         \
	static void name(void)                    \
	{                                         \
		THREADS(1, name##_in_thread);     \
	}

IN_A_THREAD(kill_is_refused, kill(getpid(), SIGUSR1))
IN_A_THREAD(killpg_is_refused, killpg(0, SIGUSR1))
IN_A_THREAD(tgkill_is_refused, tgkill(getpid(), gettid(), SIGUSR1))
IN_A_THREAD(raise_is_refused, raise(SIGUSR1))
IN_A_THREAD(sigqueue_is_refused, sigqueue(getpid(), SIGUSR1, nothing))
IN_A_THREAD(pthread_kill_is_refused, pthread_kill(pthread_self(), SIGUSR1))
IN_A_THREAD(pthread_sigqueue_is_refused, pthread_sigqueue(pthread_self(), SIGUSR1, nothing))
IN_A_THREAD(raise_of_abort, raise(SIGABRT))
IN_A_THREAD(pause_is_refused, pause())
IN_A_THREAD(sigsuspend_is_refused, sigsuspend(&set))
IN_A_THREAD(sigwait_is_refused, sigwait(&set, &sig))
IN_A_THREAD(sigwaitinfo_is_refused, sigwaitinfo(&set, &info))
IN_A_THREAD(sigtimedwait_is_refused, sigtimedwait(&set, &info, &(struct timespec){ 1, 0 }))

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

CASES(CASE(kill_is_refused), CASE(killpg_is_refused), CASE(tgkill_is_refused),
      CASE(raise_is_refused), CASE(sigqueue_is_refused), CASE(pthread_kill_is_refused),
      CASE(pthread_sigqueue_is_refused), CASE(raise_of_abort), CASE(pause_is_refused),
      CASE(sigsuspend_is_refused), CASE(sigwait_is_refused), CASE(sigwaitinfo_is_refused),
      CASE(sigtimedwait_is_refused), CASE(sent_before_the_threads),
      CASE(a_handler_of_faults_is_not_called), CASE(faults_cannot_be_blocked),
      CASE(alarms_of_each_thread))
