/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timers.c - timers and alarms
 *
 * case alarm_1_1: ok 1
 * case alarm_2_1: ok 1
 * case alarm_3_1: ok 1
 * case alarm_of_a_thread: ok 2
 * case setitimer_rings: ok 1
 * case setitimer_again: ok 1
 * case timer_create_1_1: ok 2
 * case timer_create_7_1: ok 2
 * case timer_create_none: ok 1
 * case timer_create_calls: ok 1
 * case timer_delete_1_1: ok 1
 * case timer_settime_1_1: ok 1
 * case timer_settime_2_1: ok 1
 * case timer_settime_3_1: ok 1
 * case timer_settime_5_2: ok 1
 * case timer_gettime_1_1: ok 1
 * case timer_gettime_3_1: ok 1
 * case timer_getoverrun_1_1: ok 1
 * case timers_are_not_inherited: ok 1
 * case nanosleep_of_a_process: ok 1
 */
#define _GNU_SOURCE
#include <semaphore.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "posix/posix.h"

static atomic_int rung;
static sem_t sem;
static int64_t start;

static void handle(int sig)
{
	(void)sig;
	atomic_fetch_add(&rung, 1);
}

static void hear(int sig)
{
	struct sigaction a = { .sa_handler = handle };

	assert(sigaction(sig, &a, NULL) == 0);
}

/* For SIGUSR1, which is blocked: whoever asks takes it. */
static timer_t make_timer(int value)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t t;

	event.sigev_value.sival_int = value;
	block(SIGUSR1);
	assert(timer_create(CLOCK_MONOTONIC, &event, &t) == 0);
	return t;
}

static struct itimerspec after_ms(int ms, int again_ms)
{
	return (struct itimerspec){ { 0, again_ms * MS }, { 0, ms * MS } };
}

static void set_timer(timer_t t, int ms)
{
	struct itimerspec value = after_ms(ms, 0);

	start = now();
	assert(timer_settime(t, 0, &value, NULL) == 0);
}

static siginfo_t take(void)
{
	sigset_t set = only(SIGUSR1);
	siginfo_t info;

	assert(sigwaitinfo(&set, &info) == SIGUSR1);
	return info;
}

/* ---- Alarms, before there are threads ---- */

/* SIGALRM comes when so many seconds have passed. */
static void alarm_1_1(void)
{
	hear(SIGALRM);
	start = now();
	assert(alarm(1) == 0 && pause() == -1 && errno == EINTR && rung == 1);
	assert(now() - start >= 1000ll * MS - MS);
	THREADS(1, nothing);
}

/* 0 takes it back. */
static void alarm_2_1(void)
{
	hear(SIGALRM);
	assert(alarm(1) == 0 && alarm(0) == 1);
	assert(sleep(2) == 0 && rung == 0);
	THREADS(1, nothing);
}

/* It returns what was left of the one before. */
static void alarm_3_1(void)
{
	assert(alarm(10) == 0 && sleep(1) == 0);
	assert(alarm(0) >= 8 && alarm(0) == 0);
	THREADS(1, nothing);
}

static void *takes_alarm(void *arg)
{
	sigset_t set = only(SIGALRM);
	int sig;

	assert(sigwait(&set, &sig) == 0 && sig == SIGALRM);
	assert(now() - start >= 1000ll * MS - MS);
	return arg;
}

static void alarm_of_a_thread(void)
{
	block(SIGALRM);
	start = now();
	assert(alarm(1) == 0);
	THREADS(1, takes_alarm);
}

static void ring_every(int ms, int again_ms)
{
	struct itimerval value = { { 0, again_ms * 1000 }, { 0, ms * 1000 } };

	start = now();
	assert(setitimer(ITIMER_REAL, &value, NULL) == 0);
}

static void setitimer_rings(void)
{
	hear(SIGALRM);
	ring_every(SHORT_MS, 0);
	assert(pause() == -1 && rung == 1 && now() - start >= SHORT_MS * MS);
	THREADS(1, nothing);
}

static void setitimer_again(void)
{
	hear(SIGALRM);
	ring_every(SHORT_MS, SHORT_MS);
	for (int i = 1; i <= 3; i++)
		assert(pause() == -1 && rung >= i && now() - start >= i * SHORT_MS * MS);
	ring_every(0, 0);
	THREADS(1, nothing);
}

/* ---- Timers ---- */

static void *takes_it(void *arg)
{
	siginfo_t info = take();

	assert(info.si_code == SI_TIMER && info.si_value.sival_int == 42);
	assert(now() - start >= SHORT_MS * MS);
	return arg;
}

static void timer_create_1_1(void)
{
	set_timer(make_timer(42), SHORT_MS);
	THREADS(1, takes_it);
}

/* Each of several has a name of its own. */
static void timer_create_7_1(void)
{
	timer_t a = make_timer(1), b = make_timer(2);

	assert(a != b);
	set_timer(b, SHORT_MS);
	THREADS(1, nothing);
	assert(take().si_value.sival_int == 2 && timer_delete(a) == 0 && timer_delete(b) == 0);
}

static void timer_create_none(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	struct itimerspec left;
	timer_t t;

	assert(timer_create(CLOCK_MONOTONIC, &event, &t) == 0);
	set_timer(t, SHORT_MS);
	sleep_ms(2 * SHORT_MS);
	assert(timer_gettime(t, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	THREADS(1, nothing);
}

static void post_it(union sigval value)
{
	assert(value.sival_int == 7 && sem_post(&sem) == 0);
}

static void timer_create_calls(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD };
	timer_t t;

	event.sigev_notify_function = post_it;
	event.sigev_value.sival_int = 7;
	assert(sem_init(&sem, 0, 0) == 0 && timer_create(CLOCK_MONOTONIC, &event, &t) == 0);
	set_timer(t, SHORT_MS);
	assert(sem_wait(&sem) == 0 && now() - start >= SHORT_MS * MS);
	THREADS(1, nothing);
}

/* It never rings then. */
static void timer_delete_1_1(void)
{
	timer_t t = make_timer(1);

	set_timer(t, SHORT_MS);
	assert(timer_delete(t) == 0);
	sleep_ms(2 * SHORT_MS);
	assert(!is_pending(SIGUSR1));
	THREADS(1, nothing);
}

static void timer_settime_1_1(void)
{
	set_timer(make_timer(1), SHORT_MS);
	assert(take().si_value.sival_int == 1 && now() - start >= SHORT_MS * MS);
	THREADS(1, nothing);
}

/* A value of 0 disarms it. */
static void timer_settime_2_1(void)
{
	timer_t t = make_timer(1);

	set_timer(t, SHORT_MS);
	set_timer(t, 0);
	sleep_ms(2 * SHORT_MS);
	assert(!is_pending(SIGUSR1));
	THREADS(1, nothing);
}

/* To set it again is to begin anew. */
static void timer_settime_3_1(void)
{
	timer_t t = make_timer(1);

	set_timer(t, SHORT_MS);
	set_timer(t, 3 * SHORT_MS);
	assert(take().si_value.sival_int == 1 && now() - start >= 3 * SHORT_MS * MS);
	THREADS(1, nothing);
}

/* A time that is over: it rings at once. */
static void timer_settime_5_2(void)
{
	struct itimerspec value = { .it_value = in_ms(CLOCK_MONOTONIC, -500) };
	timer_t t = make_timer(1);

	assert(timer_settime(t, TIMER_ABSTIME, &value, NULL) == 0);
	assert(take().si_value.sival_int == 1);
	THREADS(1, nothing);
}

static void timer_gettime_1_1(void)
{
	timer_t t = make_timer(1);
	struct itimerspec left, value = { { 0, 0 }, { 100, 0 } };

	assert(timer_settime(t, 0, &value, NULL) == 0);
	assert(timer_gettime(t, &left) == 0);
	assert(left.it_value.tv_sec >= 98 && left.it_value.tv_sec <= 100);
	assert(!left.it_interval.tv_sec && !left.it_interval.tv_nsec);
	THREADS(1, nothing);
}

static void timer_gettime_3_1(void)
{
	timer_t t = make_timer(1);
	struct itimerspec left;

	assert(timer_gettime(t, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	THREADS(1, nothing);
}

static void timer_getoverrun_1_1(void)
{
	struct itimerspec value = after_ms(SHORT_MS, SHORT_MS), never = after_ms(0, 0);
	timer_t t = make_timer(1);

	start = now();
	assert(timer_settime(t, 0, &value, NULL) == 0);
	take();
	assert(timer_getoverrun(t) >= 0);
	take();
	assert(now() - start >= 2 * SHORT_MS * MS);
	assert(timer_settime(t, 0, &never, NULL) == 0);
	THREADS(1, nothing);
}

static void timers_are_not_inherited(void)
{
	int status = -1;
	pid_t pid;

	alarm(100);
	pid = fork();
	assert(pid >= 0);
	if (!pid)
		_exit(alarm(0) != 0);
	assert(waitpid(pid, &status, 0) == pid && status == 0 && alarm(0) > 90);
	THREADS(1, nothing);
}

/* A parent and a child that sleep. */
static void nanosleep_of_a_process(void)
{
	int status = -1;

	start = now();
	if (!fork()) {
		int64_t from = now();

		sleep_ms(2 * SHORT_MS);
		_exit(now() - from < 2 * SHORT_MS * MS);
	}
	sleep_ms(SHORT_MS);
	assert(now() - start >= SHORT_MS * MS && wait(&status) > 0 && status == 0);
	THREADS(1, nothing);
}

CASES(CASE(alarm_1_1), CASE(alarm_2_1), CASE(alarm_3_1), CASE(alarm_of_a_thread),
      CASE(setitimer_rings), CASE(setitimer_again), CASE(timer_create_1_1), CASE(timer_create_7_1),
      CASE(timer_create_none), CASE(timer_create_calls), CASE(timer_delete_1_1),
      CASE(timer_settime_1_1), CASE(timer_settime_2_1), CASE(timer_settime_3_1),
      CASE(timer_settime_5_2), CASE(timer_gettime_1_1), CASE(timer_gettime_3_1),
      CASE(timer_getoverrun_1_1), CASE(timers_are_not_inherited), CASE(nanosleep_of_a_process))
