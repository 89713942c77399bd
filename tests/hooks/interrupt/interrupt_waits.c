/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupt_waits.c - waits that a handler interrupts, or does not (interrupt.h)
 *
 * case sem_wait_EINTR: ok 3
 * case sem_timedwait_EINTR: ok 5
 * case sem_clockwait_EINTR: ok 5
 * case nanosleep_EINTR: ok 5
 * case clock_nanosleep_EINTR: ok 5
 * case usleep_EINTR: ok 5
 * case sleep_tells_what_is_left: ok 5
 * case syscall_EINTR: ok 5
 * case sigtimedwait_EINTR: ok 7
 * case sigwaitinfo_EINTR: ok 15
 * case sem_wait_is_restarted: ok 3
 * case pthread_mutex_lock_goes_on: ok 2
 * case pthread_cond_wait_goes_on: ok 6
 * case pthread_join_goes_on: ok 2
 * case sigwait_goes_on: ok 13
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>

#include "interrupt.h"

static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool flag;
static uint32_t word;

/* ---- Semaphores -------------------------------------------------------------------------------------- */

static void post(void)
{
	assert(sem_post(&sem) == 0);
}

static long wait_sem(void)
{
	return sem_wait(&sem);
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec += 1000;
	return t;
}

static long wait_sem_until(void)
{
	struct timespec t = later(CLOCK_REALTIME);

	return sem_timedwait(&sem, &t);
}

static long wait_sem_by_clock(void)
{
	struct timespec t = later(CLOCK_MONOTONIC);

	return sem_clockwait(&sem, CLOCK_MONOTONIC, &t);
}

static void sem_wait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	is_interrupted(wait_sem, post, 0);
}

/* It comes to an end by itself as well, perhaps before there is a signal. */
static void timed_EINTR(long (*fn)(void), int otherwise)
{
	bool must = interrupt(fn, NULL, 0);

	assert(result == -1 && (error == EINTR || (!must && error == otherwise)));
}

static void sem_timedwait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	timed_EINTR(wait_sem_until, ETIMEDOUT);
}

static void sem_clockwait_EINTR(void)
{
	sem_init(&sem, 0, 0);
	timed_EINTR(wait_sem_by_clock, ETIMEDOUT);
}

static void sem_wait_is_restarted(void)
{
	sem_init(&sem, 0, 0);
	is_restarted(wait_sem, post, 0);
}

/* ---- Sleeping ------------------------------------------------------------------------------------- */

static const struct timespec long_time = { .tv_sec = 1000 };

static long sleep_ns(void)
{
	struct timespec left = { 0 };
	int status = nanosleep(&long_time, &left);

	assert(!status || (left.tv_sec > 0 && left.tv_sec <= 1000));
	return status;
}

static long sleep_by_clock(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL);
	return errno ? -1 : 0;
}

static long sleep_us(void)
{
	return usleep(999999999);
}

static long sleep_s(void)
{
	return sleep(1000);
}

static void nanosleep_EINTR(void)
{
	is_interrupted(sleep_ns, NULL, 0);
}

static void clock_nanosleep_EINTR(void)
{
	is_interrupted(sleep_by_clock, NULL, 0);
}

static void usleep_EINTR(void)
{
	is_interrupted(sleep_us, NULL, 0);
}

static void sleep_tells_what_is_left(void)
{
	bool must = interrupt(sleep_s, NULL, 0);

	assert(must ? result > 0 : result >= 0 && result <= 1000);
}

/* ---- Others ---------------------------------------------------------------------------------------- */

static long wait_word(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void wake_word(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

static void syscall_EINTR(void)
{
	bool must = interrupt(wait_word, wake_word, 0);

	assert((result == -1 && error == EINTR) ||
	       (!must && (result == 0 || (result == -1 && error == EAGAIN))));
}

static void send_the_other(void)
{
	assert(kill(getpid(), SIGUSR2) == 0);
}

static long wait_for_the_other(void)
{
	sigset_t set = only(SIGUSR2);

	return sigwaitinfo(&set, NULL);
}

static long wait_for_the_other_until(void)
{
	sigset_t set = only(SIGUSR2);

	return sigtimedwait(&set, NULL, &long_time);
}

static long sigwait_for_the_other(void)
{
	sigset_t set = only(SIGUSR2);
	int sig;

	assert(sigwait(&set, &sig) == 0);
	return sig;
}

static void sigwaitinfo_EINTR(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	is_interrupted(wait_for_the_other, send_the_other, SIGUSR2);
}

static void sigtimedwait_EINTR(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	timed_EINTR(wait_for_the_other_until, EAGAIN);
}

static void sigwait_goes_on(void)
{
	mask(SIG_BLOCK, SIGUSR2);
	interrupt(sigwait_for_the_other, send_the_other, 0);
	assert(result == SIGUSR2);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

static long lock_it(void)
{
	int status = pthread_mutex_lock(&mutex);

	pthread_mutex_unlock(&mutex);
	return status;
}

static void pthread_mutex_lock_goes_on(void)
{
	pthread_mutex_lock(&mutex);
	interrupt(lock_it, unlock, 0);
	assert(result == 0);
}

static long wait_for_flag(void)
{
	int status = 0;

	pthread_mutex_lock(&mutex);
	while (!flag && !status)
		status = pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return status;
}

static void set_flag(void)
{
	pthread_mutex_lock(&mutex);
	flag = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

static void pthread_cond_wait_goes_on(void)
{
	interrupt(wait_for_flag, set_flag, 0);
	assert(result == 0);
}

static void *wait_in_another(void *arg)
{
	assert(sem_wait(&sem) == 0);
	return arg;
}

static pthread_t another;

static long join_it(void)
{
	return pthread_join(another, NULL);
}

static void pthread_join_goes_on(void)
{
	sem_init(&sem, 0, 0);
	another = begin(wait_in_another, NULL);
	interrupt(join_it, post, 0);
	assert(result == 0);
}

CASES(CASE(sem_wait_EINTR), CASE(sem_timedwait_EINTR), CASE(sem_clockwait_EINTR),
      CASE(nanosleep_EINTR), CASE(clock_nanosleep_EINTR), CASE(usleep_EINTR),
      CASE(sleep_tells_what_is_left), CASE(syscall_EINTR), CASE(sigtimedwait_EINTR),
      CASE(sigwaitinfo_EINTR), CASE(sem_wait_is_restarted), CASE(pthread_mutex_lock_goes_on),
      CASE(pthread_cond_wait_goes_on), CASE(pthread_join_goes_on), CASE(sigwait_goes_on))
