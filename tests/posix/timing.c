/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timing.c - how time goes by for several threads
 *
 * case nanosleep_1_1: ok 1
 * case clock_nanosleep_1_1: ok 1
 * case clock_nanosleep_2_1: ok 1
 * case sleep_through_join: ok 1
 * case sleep_through_a_mutex: ok 6
 * case sleep_through_a_condition_variable: ok 2
 * case sleep_through_a_semaphore: ok 1
 * case sleep_through_a_barrier: ok 2
 * case sleep_through_a_flag: ok 2
 * case sleep_through_a_pipe: ok 1
 * case sleep_through_once: ok 2
 * case clock_gettime_never_goes_back: ok 6
 * case pthread_cond_timedwait_2_4: ok * (who comes, and who leaves, are in an order)
 * case pthread_cond_timedwait_2_6: ok * (likewise)
 * case pthread_cond_timedwait_of_the_past: ok 1
 * case pthread_cond_timedwait_until_it_is_signalled: ok 4
 * case pthread_mutex_timedlock_1_1: ok 1
 * case pthread_mutex_timedlock_4_1: ok 1
 * case pthread_rwlock_timedrdlock_1_1: ok 1
 * case pthread_rwlock_timedwrlock_2_1: ok 1
 * case sem_timedwait_9_1: ok 1
 * case sem_timedwait_10_1: ok 2
 * case sem_timedwait_that_is_posted: ok 2
 * case sigtimedwait_5_1: ok 1
 * case poll_waits_its_time: ok 1
 */
#define _GNU_SOURCE
#include <poll.h>
#include <semaphore.h>
#include <unistd.h>

#include "posix/posix.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static atomic_int flag;
static int state, ends[2];
static int64_t start;

static void took(int ms)
{
	assert(now() - start >= (int64_t)ms * MS);
}

/* ---- Sleeping ---- */

static void *sleeps(void *arg)
{
	int64_t from = now();

	sleep_ms(SHORT_MS);
	assert(now() - from >= SHORT_MS * MS);
	return arg;
}

/* The calling thread is suspended for at least as long. */
static void nanosleep_1_1(void)
{
	THREADS(2, sleeps);
}

static void *sleeps_until(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, SHORT_MS);

	assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL) == 0);
	assert(now_of(CLOCK_REALTIME) >= (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec);
	return arg;
}

static void clock_nanosleep_1_1(void)
{
	THREADS(2, sleeps_until);
}

/* A time that is over: it returns at once. */
static void clock_nanosleep_2_1(void)
{
	struct timespec t = in_ms(CLOCK_MONOTONIC, -1000);

	start = now();
	assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
	THREADS(1, nothing);
	assert(now() - start < 10000ll * MS);
}

/* ---- What one thread has slept, another one knows of ---- */

static void sleep_through_join(void)
{
	start = now();
	THREADS(2, sleeps);
	took(SHORT_MS);
}

static void *sleep_locked(void *arg)
{
	pthread_mutex_lock(&m);
	sleep_ms(SHORT_MS);
	state++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void sleep_through_a_mutex(void)
{
	pthread_t t[2];

	start = now();
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, sleep_locked, NULL) == 0);
	pthread_mutex_lock(&m);
	took(state * SHORT_MS);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
	took(2 * SHORT_MS);
}

static void *signals_later(void *arg)
{
	sleep_ms(SHORT_MS);
	pthread_mutex_lock(&m);
	state = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&m);
	return arg;
}

#define BESIDE(fn, ...)                                           \
	do {                                                      \
		pthread_t t_;                                     \
		start = now();                                    \
		assert(pthread_create(&t_, NULL, fn, NULL) == 0); \
		__VA_ARGS__;                                      \
		assert(pthread_join(t_, NULL) == 0);              \
	} while (0)

static void wait_for_state(void)
{
	pthread_mutex_lock(&m);
	while (!state)
		assert(pthread_cond_wait(&cond, &m) == 0);
	took(SHORT_MS);
	pthread_mutex_unlock(&m);
}

static void sleep_through_a_condition_variable(void)
{
	BESIDE(signals_later, wait_for_state());
}

static void *posts_later(void *arg)
{
	sleep_ms(SHORT_MS);
	assert(sem_post(&sem) == 0);
	return arg;
}

static void sleep_through_a_semaphore(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	BESIDE(posts_later, assert(sem_wait(&sem) == 0); took(SHORT_MS));
}

static void *arrives_later(void *arg)
{
	sleep_ms(SHORT_MS);
	pthread_barrier_wait(&barrier);
	return arg;
}

static void sleep_through_a_barrier(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	BESIDE(arrives_later, pthread_barrier_wait(&barrier); took(SHORT_MS));
}

static void *sets_later(void *arg)
{
	sleep_ms(SHORT_MS);
	atomic_store(&flag, 1);
	return arg;
}

static void sleep_through_a_flag(void)
{
	BESIDE(sets_later, if (atomic_load(&flag)) took(SHORT_MS));
}

static void *writes_later(void *arg)
{
	sleep_ms(SHORT_MS);
	assert(write(ends[1], "x", 1) == 1);
	return arg;
}

static void sleep_through_a_pipe(void)
{
	char c;

	assert(pipe(ends) == 0);
	BESIDE(writes_later, assert(read(ends[0], &c, 1) == 1); took(SHORT_MS));
}

static void takes_time(void)
{
	sleep_ms(SHORT_MS);
}

static void *does_it_once(void *arg)
{
	assert(pthread_once(&once, takes_time) == 0);
	took(SHORT_MS);
	return arg;
}

static void sleep_through_once(void)
{
	start = now();
	THREADS(2, does_it_once);
}

static void *looks_at_the_clock(void *arg)
{
	static int64_t last;

	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		assert(now() >= last);
		last = now();
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void clock_gettime_never_goes_back(void)
{
	THREADS(2, looks_at_the_clock);
}

/* ---- Calls with a time ---- */

static void *times_out(void *clock)
{
	clockid_t c = clock ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	struct timespec t = in_ms(c, SHORT_MS);

	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&cond, &m, &t) == ETIMEDOUT);
	assert(now_of(c) >= (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec);
	assert(pthread_mutex_trylock(&m) == EBUSY); /* it has the mutex */
	pthread_mutex_unlock(&m);
	return NULL;
}

static void wait_on_clock(clockid_t clock)
{
	pthread_condattr_t attr;
	pthread_t t[2];

	assert(pthread_condattr_init(&attr) == 0 && pthread_condattr_setclock(&attr, clock) == 0);
	assert(pthread_cond_init(&cond, &attr) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_create(&t[i], NULL, times_out,
				      clock == CLOCK_MONOTONIC ? &cond : NULL) == 0);
	for (int i = 0; i < 2; i++)
		assert(pthread_join(t[i], NULL) == 0);
}

/* When the time is over, it returns with an error, and owns the mutex. */
static void pthread_cond_timedwait_2_4(void)
{
	wait_on_clock(CLOCK_REALTIME);
}

static void pthread_cond_timedwait_2_6(void)
{
	wait_on_clock(CLOCK_MONOTONIC);
}

static void pthread_cond_timedwait_of_the_past(void)
{
	struct timespec t = in_ms(CLOCK_REALTIME, -1000);

	THREADS(1, nothing);
	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&cond, &m, &t) == ETIMEDOUT);
	assert(pthread_mutex_trylock(&m) == EBUSY && pthread_mutex_unlock(&m) == 0);
}

static void wait_a_long_time(void)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 60000);
	int error = 0;

	pthread_mutex_lock(&m);
	while (!state && !error)
		error = pthread_cond_timedwait(&cond, &m, &t);
	assert(error == ETIMEDOUT ? now() - start >= 60000ll * MS : state);
	took(SHORT_MS);
	pthread_mutex_unlock(&m);
}

static void pthread_cond_timedwait_until_it_is_signalled(void)
{
	BESIDE(signals_later, wait_a_long_time());
}

static void *finds_it_locked(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, SHORT_MS);
	int64_t from = now();

	assert(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT);
	assert(now() - from >= (SHORT_MS - 1) * MS);
	return arg;
}

static void pthread_mutex_timedlock_1_1(void)
{
	pthread_mutex_lock(&m);
	THREADS(1, finds_it_locked);
	pthread_mutex_unlock(&m);
}

/* What can be locked at once never times out. */
static void *finds_it_free(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, -1000);

	assert(pthread_mutex_timedlock(&m, &t) == 0 && pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void pthread_mutex_timedlock_4_1(void)
{
	THREADS(1, finds_it_free);
}

static void *finds_it_written(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, SHORT_MS);
	int64_t from = now();

	assert(pthread_rwlock_timedrdlock(&rw, &t) == ETIMEDOUT);
	assert(now() - from >= (SHORT_MS - 1) * MS);
	return arg;
}

static void pthread_rwlock_timedrdlock_1_1(void)
{
	pthread_rwlock_wrlock(&rw);
	THREADS(1, finds_it_written);
	pthread_rwlock_unlock(&rw);
}

static void *finds_it_read(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, SHORT_MS);

	assert(pthread_rwlock_timedwrlock(&rw, &t) == ETIMEDOUT);
	t = in_ms(CLOCK_REALTIME, -1000);
	assert(pthread_rwlock_timedrdlock(&rw, &t) == 0 && pthread_rwlock_unlock(&rw) == 0);
	return arg;
}

static void pthread_rwlock_timedwrlock_2_1(void)
{
	pthread_rwlock_rdlock(&rw);
	THREADS(1, finds_it_read);
	pthread_rwlock_unlock(&rw);
}

static void *finds_none(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, SHORT_MS);
	int64_t from = now();

	errno = 0;
	assert(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
	assert(now() - from >= (SHORT_MS - 1) * MS);
	return arg;
}

static void sem_timedwait_9_1(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	THREADS(1, finds_none);
}

static void *finds_one(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, -1000);

	assert(sem_timedwait(&sem, &t) == 0);
	return arg;
}

static void sem_timedwait_10_1(void)
{
	assert(sem_init(&sem, 0, 2) == 0);
	THREADS(2, finds_one);
}

static void wait_until_posted(void)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 60000);

	if (sem_timedwait(&sem, &t) == 0)
		took(SHORT_MS);
	else
		assert(errno == ETIMEDOUT && now() - start >= 59999ll * MS);
}

static void sem_timedwait_that_is_posted(void)
{
	assert(sem_init(&sem, 0, 0) == 0);
	BESIDE(posts_later, wait_until_posted());
}

static void *finds_no_signal(void *arg)
{
	struct timespec t = { 0, SHORT_MS * MS };
	sigset_t set = only(SIGUSR1);
	int64_t from = now();

	assert(sigtimedwait(&set, NULL, &t) == -1 && errno == EAGAIN);
	assert(now() - from >= SHORT_MS * MS);
	return arg;
}

static void sigtimedwait_5_1(void)
{
	block(SIGUSR1);
	THREADS(1, finds_no_signal);
}

static void *polls(void *arg)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };
	int64_t from = now();

	assert(poll(&p, 1, SHORT_MS) == 0 && now() - from >= SHORT_MS * MS);
	return arg;
}

static void poll_waits_its_time(void)
{
	assert(pipe(ends) == 0);
	THREADS(1, polls);
}

CASES(CASE(nanosleep_1_1), CASE(clock_nanosleep_1_1), CASE(clock_nanosleep_2_1),
      CASE(sleep_through_join), CASE(sleep_through_a_mutex),
      CASE(sleep_through_a_condition_variable), CASE(sleep_through_a_semaphore),
      CASE(sleep_through_a_barrier), CASE(sleep_through_a_flag), CASE(sleep_through_a_pipe),
      CASE(sleep_through_once), CASE(clock_gettime_never_goes_back),
      CASE(pthread_cond_timedwait_2_4), CASE(pthread_cond_timedwait_2_6),
      CASE(pthread_cond_timedwait_of_the_past), CASE(pthread_cond_timedwait_until_it_is_signalled),
      CASE(pthread_mutex_timedlock_1_1), CASE(pthread_mutex_timedlock_4_1),
      CASE(pthread_rwlock_timedrdlock_1_1), CASE(pthread_rwlock_timedwrlock_2_1),
      CASE(sem_timedwait_9_1), CASE(sem_timedwait_10_1), CASE(sem_timedwait_that_is_posted),
      CASE(sigtimedwait_5_1), CASE(poll_waits_its_time))
