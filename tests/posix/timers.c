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
 * case every_interval_of_a_sleep: ok 1
 * case every_interval_of_a_poll: ok 1
 * case every_interval_of_a_select: ok 1
 * case every_interval_of_sem_timedwait: ok 1
 * case every_interval_of_pthread_cond_timedwait: ok 1
 * case every_interval_of_pthread_mutex_timedlock: ok 1
 * case missed_intervals_are_counted: ok 1
 * case missed_intervals_are_counted_in_a_thread: ok * (when the timer's own thread rings)
 * case a_timerfd_counts_them: ok * (when the timer's own thread rings)
 * case read_is_interrupted: ok 1
 * case read_is_restarted: ok 1
 * case timers_are_not_inherited: ok 1
 * case nanosleep_of_a_process: ok 1
 */
#define _GNU_SOURCE
#include <poll.h>
#include <semaphore.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
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

/* ---- Several ends in one wait ---- */

enum {
	INTERVALS = 5,
	WAIT_MS = INTERVALS * SHORT_MS + SHORT_MS / 2
};

static void ring_often(void)
{
	hear(SIGALRM);
	ring_every(SHORT_MS, SHORT_MS);
}

/* As natively, but for a machine that is slow. */
static void rang_often(void)
{
	ring_every(0, 0);
	assert(rung >= INTERVALS - 1 && rung <= INTERVALS + 3);
	THREADS(1, nothing);
}

static void every_interval_of_a_sleep(void)
{
	struct timespec t = { 0, WAIT_MS * MS };

	ring_often();
	while (nanosleep(&t, &t) == -1)
		assert(errno == EINTR);
	rang_often();
}

static int left_ms(void)
{
	int64_t left = start + (int64_t)WAIT_MS * MS - now();

	return left > 0 ? (int)(left / MS) : 0;
}

static void every_interval_of_a_poll(void)
{
	ring_often();
	while (poll(NULL, 0, left_ms()) == -1)
		assert(errno == EINTR);
	rang_often();
}

static void every_interval_of_a_select(void)
{
	struct timeval t;
	fd_set set;
	int ends[2];

	assert(pipe(ends) == 0);
	ring_often();
	do {
		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		t = (struct timeval){ 0, left_ms() * 1000 };
	} while (select(ends[0] + 1, &set, NULL, NULL, &t) == -1);
	rang_often();
}

static void every_interval_of_sem_timedwait(void)
{
	struct timespec until = in_ms(CLOCK_REALTIME, WAIT_MS);

	assert(sem_init(&sem, 0, 0) == 0);
	ring_often();
	while (sem_timedwait(&sem, &until) == -1 && errno == EINTR)
		;
	assert(errno == ETIMEDOUT);
	rang_often();
}

static void every_interval_of_pthread_cond_timedwait(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec until = in_ms(CLOCK_REALTIME, WAIT_MS);

	pthread_mutex_lock(&m);
	ring_often();
	while (pthread_cond_timedwait(&cond, &m, &until) == 0)
		;
	pthread_mutex_unlock(&m);
	rang_often();
}

static void every_interval_of_pthread_mutex_timedlock(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	struct timespec until = in_ms(CLOCK_REALTIME, WAIT_MS);

	pthread_mutex_lock(&m);
	ring_often();
	assert(pthread_mutex_timedlock(&m, &until) == ETIMEDOUT);
	rang_often();
}

static void sleep_through(timer_t t)
{
	struct itimerspec value = after_ms(SHORT_MS, SHORT_MS), never = after_ms(0, 0);
	int missed;

	assert(timer_settime(t, 0, &value, NULL) == 0);
	sleep_ms(WAIT_MS);
	take();
	missed = timer_getoverrun(t);
	assert(missed >= INTERVALS - 2 && missed <= INTERVALS + 2);
	assert(timer_settime(t, 0, &never, NULL) == 0);
}

static void missed_intervals_are_counted(void)
{
	sleep_through(make_timer(1));
	THREADS(1, nothing);
}

static void missed_intervals_are_counted_in_a_thread(void)
{
	timer_t t = make_timer(1);

	THREADS(1, nothing);
	sleep_through(t);
}

static void a_timerfd_counts_them(void)
{
	struct itimerspec value = after_ms(SHORT_MS, SHORT_MS);
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	uint64_t n = 0;

	assert(fd >= 0 && timerfd_settime(fd, 0, &value, NULL) == 0);
	sleep_ms(WAIT_MS);
	assert(read(fd, &n, sizeof(n)) == sizeof(n) && n >= INTERVALS && n <= INTERVALS + 3);
	close(fd);
}

static void read_is_interrupted(void)
{
	int ends[2];
	char c;

	assert(pipe(ends) == 0);
	hear(SIGALRM);
	ring_every(SHORT_MS, 0);
	assert(read(ends[0], &c, 1) == -1 && errno == EINTR && rung == 1);
	THREADS(1, nothing);
}

static int writer;

static void write_one(int sig)
{
	(void)sig;
	if (++rung == 3)
		assert(write(writer, "x", 1) == 1);
}

static void read_is_restarted(void)
{
	struct sigaction a = { .sa_handler = write_one, .sa_flags = SA_RESTART };
	int ends[2];
	char c;

	assert(pipe(ends) == 0 && sigaction(SIGALRM, &a, NULL) == 0);
	writer = ends[1];
	ring_every(SHORT_MS, SHORT_MS);
	assert(read(ends[0], &c, 1) == 1 && rung >= 3 && now() - start >= 3 * SHORT_MS * MS);
	ring_every(0, 0);
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
      CASE(timer_getoverrun_1_1), CASE(every_interval_of_a_sleep), CASE(every_interval_of_a_poll),
      CASE(every_interval_of_a_select), CASE(every_interval_of_sem_timedwait),
      CASE(every_interval_of_pthread_cond_timedwait),
      CASE(every_interval_of_pthread_mutex_timedlock), CASE(missed_intervals_are_counted),
      CASE(missed_intervals_are_counted_in_a_thread), CASE(a_timerfd_counts_them),
      CASE(read_is_interrupted), CASE(read_is_restarted), CASE(timers_are_not_inherited),
      CASE(nanosleep_of_a_process))
