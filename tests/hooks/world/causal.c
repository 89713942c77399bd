/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causal.c - time travels along what threads tell each other
 *
 * "At least that much has passed" holds wherever it holds natively, and what a thread sees of the time is the
 * same in every run of an execution: so the number of executions does not depend on how they are explored.
 *
 * case joining: ok 1
 * case creating: ok 1
 * case exiting_and_joining: ok 1
 * case by_others: ok 1
 * case ids_that_are_used_again: ok 1
 * case handed_over_with_a_mutex: ok 2
 * case handed_over_with_a_trylock: ok 2
 * case handed_over_with_a_spin_lock: ok 2
 * case handed_over_with_a_rwlock: ok 2
 * case a_trylock_that_fails: ok 3
 * case posted: ok 1
 * case signalled: ok 2
 * case at_a_barrier: ok 2
 * case once: ok 2
 * case by_a_pipe: ok 1
 * case by_a_futex: ok 2
 * case by_a_handler: ok 2
 * case by_a_signal_taken: ok 2
 * case released: ok 1
 * case relaxed: ok 1
 * case relaxed -m relaxed: ok 1
 * case relaxed -m tso: ok 1
 * case relaxed -m wra: ok 1
 * case exchanged: ok 1
 * case timed_out_and_told: ok 2
 * case age_decides: ok 60
 * case age_decides -j 2: ok 60
 * case age_decides -j 3: ok 60
 * case age_decides --backend=fork: ok 60
 * case age_decides -e mo: ok 205
 * case age_decides -e mo -j 2: ok 205
 * case age_decides -m sc: ok 60
 * case age_decides -m sc -j 2: ok 60
 * case nothing_was_told: ok 1
 * case slept_after_it_told: ok 1
 * case main_before_there_are_threads: ok 1
 * case processor_time_is_not_slept: ok 1
 * case processor_time_of_the_process: ok 1
 * case alone_with_sigtimedwait: ok 1
 * case alone_with_poll: ok 1
 * case alone_with_epoll: ok 1
 * case far_away: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "hooks/threads.h"

enum {
	MS = 1000000,
	NAP = 20 * MS
};

static int64_t stamp; /* what its writer's clock said */

static int64_t now_of(clockid_t clock)
{
	struct timespec t;

	assert(clock_gettime(clock, &t) == 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now(void)
{
	return now_of(CLOCK_MONOTONIC);
}

static void nap(void)
{
	assert(usleep(NAP / 1000) == 0);
}

static void leave_stamp(void)
{
	nap();
	stamp = now();
}

static void is_later(void)
{
	assert(now() >= stamp);
}

/* ---- Threads ----------------------------------------------------------------------------------- */

static void *sleeper(void *arg)
{
	leave_stamp();
	return arg;
}

static void joining(void)
{
	int64_t start = now();

	end(begin(sleeper, NULL));
	is_later();
	assert(now() - start >= NAP);
}

static void *created(void *arg)
{
	is_later();
	return arg;
}

static void creating(void)
{
	pthread_t t = begin(sleeper, NULL);

	end(t);
	leave_stamp();
	end(begin(created, NULL));
}

static void *exits(void *arg)
{
	leave_stamp();
	pthread_exit(arg);
}

static void exiting_and_joining(void)
{
	end(begin(exits, NULL));
	is_later();
}

/* It never asks for the time itself. */
static void *between(void *arg)
{
	end(begin(sleeper, NULL));
	return arg;
}

static void by_others(void)
{
	end(begin(between, NULL));
	is_later();
}

static void ids_that_are_used_again(void)
{
	int64_t start = now();

	for (int i = 0; i < 40; i++) {
		end(begin(sleeper, NULL));
		is_later();
	}
	assert(now() - start >= 40ll * NAP);
}

/* ---- Locks ------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static atomic_int looked;

static void two(void *(*one)(void *), void *(*other)(void *))
{
	pthread_t t = begin(one, NULL);

	other(NULL);
	end(t);
}

#define HANDED_OVER(name, lock, unlock)             \
	static void *name##_leave(void *arg)        \
	{                                           \
		nap();                              \
		lock;                               \
		stamp = now();                      \
		unlock;                             \
		return arg;                         \
	}                                           \
	static void *name##_find(void *arg)         \
	{                                           \
		lock;                               \
		is_later();                         \
		unlock;                             \
		return arg;                         \
	}                                           \
	static void handed_over_with_a_##name(void) \
	{                                           \
		pthread_spin_init(&spin, 0);        \
		two(name##_leave, name##_find);     \
	}

HANDED_OVER(mutex, pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
HANDED_OVER(trylock, while (pthread_mutex_trylock(&mutex));, pthread_mutex_unlock(&mutex))
HANDED_OVER(spin_lock, pthread_spin_lock(&spin), pthread_spin_unlock(&spin))
HANDED_OVER(rwlock, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))

/* Who finds it locked is behind the lock, though no order comes of that in C. */
static void *lock_late(void *arg)
{
	nap();
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *try_it(void *arg)
{
	if (pthread_mutex_trylock(&mutex) == 0)
		pthread_mutex_unlock(&mutex);
	else
		assert(now() - stamp >= NAP);
	return arg;
}

static void a_trylock_that_fails(void)
{
	stamp = now();
	two(lock_late, try_it);
}

/* ---- Waiting ----------------------------------------------------------------------------------- */

static sem_t sem;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static int ends[2];
static uint32_t word;

static void *post(void *arg)
{
	leave_stamp();
	sem_post(&sem);
	return arg;
}

static void *wait_for_post(void *arg)
{
	sem_wait(&sem);
	is_later();
	return arg;
}

static void posted(void)
{
	sem_init(&sem, 0, 0);
	two(post, wait_for_post);
}

static void *signal_it(void *arg)
{
	nap();
	pthread_mutex_lock(&mutex);
	stamp = now();
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *wait_for_signal(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!stamp)
		pthread_cond_wait(&cond, &mutex);
	is_later();
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void signalled(void)
{
	two(signal_it, wait_for_signal);
}

static void *come_late(void *arg)
{
	leave_stamp();
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *come(void *arg)
{
	pthread_barrier_wait(&barrier);
	is_later();
	return arg;
}

static void at_a_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	two(come_late, come);
}

static void *do_once(void *arg)
{
	pthread_once(&control, leave_stamp);
	is_later();
	return arg;
}

static void once(void)
{
	two(do_once, do_once);
}

static void *send(void *arg)
{
	leave_stamp();
	assert(write(ends[1], "x", 1) == 1);
	return arg;
}

static void *receive(void *arg)
{
	char c;

	assert(read(ends[0], &c, 1) == 1);
	is_later();
	return arg;
}

static void by_a_pipe(void)
{
	assert(pipe(ends) == 0);
	two(send, receive);
}

static void *wake(void *arg)
{
	leave_stamp();
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static void *sleep_there(void *arg)
{
	while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	is_later();
	return arg;
}

static void by_a_futex(void)
{
	two(wake, sleep_there);
}

/* ---- Signals ----------------------------------------------------------------------------------- */

static atomic_llong sent_at;
static atomic_int handled;
static pthread_t receiver;

static void handle(int sig)
{
	assert(sig == SIGUSR1);
	assert(now() >= atomic_load_explicit(&sent_at, memory_order_relaxed));
	atomic_store(&handled, 1);
}

static void *be_interrupted(void *arg)
{
	while (!atomic_load(&handled))
		;
	return arg;
}

static void by_a_handler(void)
{
	signal(SIGUSR1, handle);
	receiver = begin(be_interrupted, NULL);
	nap();
	atomic_store_explicit(&sent_at, now(), memory_order_relaxed);
	assert(pthread_kill(receiver, SIGUSR1) == 0);
	end(receiver);
}

static void *take_signal(void *arg)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert(sigwait(&set, &sig) == 0 && sig == SIGUSR1);
	is_later();
	return arg;
}

static void by_a_signal_taken(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	receiver = begin(take_signal, NULL);
	leave_stamp();
	assert(pthread_kill(receiver, SIGUSR1) == 0);
	end(receiver);
}

/* ---- Atomics ----------------------------------------------------------------------------------- */

static atomic_int flag;

static void *release(void *arg)
{
	leave_stamp();
	atomic_store_explicit(&flag, 1, memory_order_release);
	return arg;
}

static void *acquire(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	is_later();
	return arg;
}

static void released(void)
{
	two(release, acquire);
}

/* The time that has passed is known even where nothing else is: there is no other way to read that flag. */
static void *store(void *arg)
{
	nap();
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

static void *load(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	assert(now() - stamp >= NAP);
	return arg;
}

static void relaxed(void)
{
	stamp = now();
	two(store, load);
}

static void *set_one(void *arg)
{
	nap();
	atomic_fetch_add(&flag, 1);
	return arg;
}

static void *take_one(void *arg)
{
	int one = 1;

	while (!atomic_compare_exchange_strong(&flag, &one, 2))
		one = 1;
	assert(now() - stamp >= NAP);
	return arg;
}

static void exchanged(void)
{
	stamp = now();
	two(set_one, take_one);
}

/* ---- Time-outs --------------------------------------------------------------------------------- */

static void *time_out(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += NAP;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	if (sem_timedwait(&sem, &t) == 0)
		return arg;
	assert(errno == ETIMEDOUT && now() - stamp >= NAP);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

static void timed_out_and_told(void)
{
	pthread_t t;

	stamp = now();
	sem_init(&sem, 0, 0);
	t = begin(time_out, NULL);
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		assert(now() - stamp >= NAP);
	end(t);
}

/* ---- Time that decides ------------------------------------------------------------------------- */

static atomic_int box[2], seen[2];

/* How often it writes depends on how old it is, by what it found in the box. */
static void *as_it_ages(void *arg)
{
	int64_t start = now();
	long me = (long)arg;

	if (atomic_load_explicit(&box[!me], memory_order_relaxed) == 1)
		nap();
	if (me)
		nap();
	atomic_store_explicit(&box[me], 1, memory_order_relaxed);
	nap(); /* of which who reads the box does not know */
	for (int i = 0; i < 1 + (now() - start) / NAP; i++)
		atomic_fetch_add_explicit(&seen[me], 1, memory_order_relaxed);
	return arg;
}

static void *watch(void *arg)
{
	int64_t start = now();

	atomic_load_explicit(&seen[0], memory_order_relaxed);
	if (now() - start >= NAP)
		atomic_store_explicit(&box[0], 2, memory_order_relaxed);
	atomic_load_explicit(&seen[1], memory_order_relaxed);
	if (now() - start >= NAP)
		atomic_store_explicit(&box[1], 3, memory_order_relaxed);
	return arg;
}

static void age_decides(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		t[i] = begin(i == 2 ? watch : as_it_ages, (void *)i);
	for (int i = 0; i < 3; i++)
		end(t[i]);
}

/* ---- What is not known ------------------------------------------------------------------------- */

/* A thread that sleeps does not hold up others. */
static void nothing_was_told(void)
{
	pthread_t t = begin(sleeper, NULL);
	int64_t start = now();

	for (int i = 0; i < 3; i++)
		atomic_fetch_add(&looked, 1);
	assert(now() - start < 3000ll * MS);
	end(t);
	is_later();
}

/* What it slept behind the post is not told by it. */
static void *post_and_sleep(void *arg)
{
	assert(sem_post(&sem) == 0);
	sleep(2);
	atomic_fetch_add(&looked, 1);
	return arg;
}

static void slept_after_it_told(void)
{
	int64_t start = now();
	pthread_t t;

	sem_init(&sem, 0, 0);
	t = begin(post_and_sleep, NULL);
	assert(sem_wait(&sem) == 0);
	assert(now() - start < 1000ll * MS);
	end(t);
	assert(now() - start >= 2000ll * MS);
}

static void main_before_there_are_threads(void)
{
	leave_stamp();
	end(begin(created, NULL));
	is_later();
}

/* ---- Processor time ---------------------------------------------------------------------------- */

static void *use_little(void *arg)
{
	int64_t start = now_of(CLOCK_THREAD_CPUTIME_ID);

	assert(start < NAP);
	nap();
	assert(now_of(CLOCK_THREAD_CPUTIME_ID) >= start);
	assert(now_of(CLOCK_THREAD_CPUTIME_ID) < NAP);
	return arg;
}

static void processor_time_is_not_slept(void)
{
	nap();
	end(begin(use_little, NULL));
	use_little(NULL);
}

static void *use_some(void *arg)
{
	stamp = now_of(CLOCK_PROCESS_CPUTIME_ID);
	return arg;
}

static void processor_time_of_the_process(void)
{
	int64_t start = now_of(CLOCK_PROCESS_CPUTIME_ID);

	end(begin(use_some, NULL));
	assert(stamp >= start && now_of(CLOCK_PROCESS_CPUTIME_ID) >= stamp);
}

/* ---- Without threads --------------------------------------------------------------------------- */

static void alone_with_sigtimedwait(void)
{
	struct timespec t = { .tv_nsec = NAP };
	int64_t start = now();
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert(sigtimedwait(&set, NULL, &t) == -1 && errno == EAGAIN);
	assert(now() - start >= NAP);
}

static void alone_with_poll(void)
{
	struct timespec t = { .tv_nsec = NAP };
	struct timeval v = { .tv_usec = NAP / 1000 };
	int64_t start = now();

	assert(poll(NULL, 0, NAP / MS) == 0 && now() - start >= NAP);
	assert(ppoll(NULL, 0, &t, NULL) == 0 && now() - start >= 2 * NAP);
	assert(pselect(0, NULL, NULL, NULL, &t, NULL) == 0 && now() - start >= 3 * NAP);
	assert(select(0, NULL, NULL, NULL, &v) == 0 && now() - start >= 4 * NAP);
}

static void alone_with_epoll(void)
{
	int set = epoll_create1(0);
	int64_t start = now();
	struct epoll_event e;

	assert(epoll_wait(set, &e, 1, NAP / MS) == 0 && now() - start >= NAP);
	assert(epoll_pwait(set, &e, 1, NAP / MS, NULL) == 0 && now() - start >= 2 * NAP);
}

/* Nobody would live to see it, so nobody does natively. */
static void *for_ever(void *arg)
{
	struct timespec t = { .tv_sec = INT64_MAX, .tv_nsec = 999999999 };
	int64_t start = now();

	if (getenv("HEDDLE_TEST_NATIVELY"))
		return arg;
	assert(nanosleep(&t, NULL) == 0 && nanosleep(&t, NULL) == 0);
	assert(now() - start >= 100ll * 365 * 24 * 3600 * 1000 * MS);
	return arg;
}

static void far_away(void)
{
	end(begin(for_ever, NULL));
}

CASES(CASE(joining), CASE(creating), CASE(exiting_and_joining), CASE(by_others),
      CASE(ids_that_are_used_again), CASE(handed_over_with_a_mutex),
      CASE(handed_over_with_a_trylock), CASE(handed_over_with_a_spin_lock),
      CASE(handed_over_with_a_rwlock), CASE(a_trylock_that_fails), CASE(posted), CASE(signalled),
      CASE(at_a_barrier), CASE(once), CASE(by_a_pipe), CASE(by_a_futex), CASE(by_a_handler),
      CASE(by_a_signal_taken), CASE(released), CASE(relaxed), CASE(exchanged),
      CASE(timed_out_and_told), CASE(age_decides), CASE(nothing_was_told),
      CASE(slept_after_it_told), CASE(main_before_there_are_threads),
      CASE(processor_time_is_not_slept), CASE(processor_time_of_the_process),
      CASE(alone_with_sigtimedwait), CASE(alone_with_poll), CASE(alone_with_epoll), CASE(far_away))
