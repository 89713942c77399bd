/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * membarrier.c - a fence on every thread, which one of them asks for (what threads may read then: places.test)
 *
 * case one_asks: ok 5
 * case one_asks -m sc: ok 5
 * case one_asks -m tso: ok 5
 * case one_asks -m ra: ok 5
 * case one_asks -m wra: ok 5
 * case one_asks -j 2: ok 5
 * case registered_before_threads: ok 5
 * case global: ok 5
 * case global_expedited: ok 5
 * case global_expedited_unregistered: bug assertion
 * case registered_by_another: bug assertion
 * case nobody_asks: bug assertion
 * case fence_of_the_other_side_only: bug assertion
 * case hazard: ok 10
 * case hazard_without: bug use-after-free
 * case grace_period: ok * (places of fences)
 * case grace_period -m tso: ok * (places of fences)
 * case grace_period_without: bug use-after-free
 * case waits_for_lock: ok 1
 * case waits_for_writer: ok 1
 * case waits_at_barrier: ok 4
 * case waits_for_condition: ok 3
 * case waits_for_semaphore: ok 1
 * case waits_at_futex: ok 9
 * case waits_for_pipe: ok 1
 * case waits_in_a_loop: ok 1
 * case polls_under_a_lock: ok 10
 * case waits_for_once: ok 3
 * case waits_for_ever: bug deadlock
 * case detached_has_ended: ok 3
 * case created_meanwhile: ok 9
 * case many_threads: ok 1
 * case ids_stay: ok * (places of fences)
 * case two_ask: ok 23
 * case alone: ok 1
 * case is_told: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static atomic_int x, y;
static int seen;

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static void registers(void)
{
	assert(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0);
}

static void everywhere(void)
{
	assert(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0);
}

/* ---- Store buffering with one fence that is cheap, and one that is dear --------------------------- */

static void *reads(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	seen = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static bool one_of_both(int command)
{
	int saw;
	pthread_t t;

	pthread_create(&t, NULL, reads, NULL);
	if (command == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
		registers();
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	if (command)
		assert(membarrier(command) == 0);
	saw = atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	return saw || seen;
}

static void one_asks(void)
{
	assert(one_of_both(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

static void registered_before_threads(void)
{
	registers();
	assert(one_of_both(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

static void global(void)
{
	assert(one_of_both(MEMBARRIER_CMD_GLOBAL));
}

static void global_expedited(void)
{
	assert(membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0);
	assert(one_of_both(MEMBARRIER_CMD_GLOBAL_EXPEDITED));
}

/* It is for processes that have registered. */
static void global_expedited_unregistered(void)
{
	bool seen_by_one = one_of_both(MEMBARRIER_CMD_GLOBAL_EXPEDITED);

	assert(seen_by_one); /* bug: global_expedited_unregistered */
}

static void nobody_asks(void)
{
	assert(one_of_both(0)); /* bug: nobody_asks */
}

static void fence_of_the_other_side_only(void)
{
	int saw;
	pthread_t t;

	pthread_create(&t, NULL, reads, NULL);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	saw = atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	assert(saw || seen); /* bug: fence_of_the_other_side_only */
}

static void *registers_late(void *arg)
{
	registers();
	return arg;
}

/* Perhaps it has not yet. */
static void registered_by_another(void)
{
	pthread_t t;
	long done;

	pthread_create(&t, NULL, registers_late, NULL);
	done = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
	assert(done == 0 || errno == EPERM);
	assert(done == 0); /* bug: registered_by_another */
}

/* ---- A hazard pointer, whose owner has no fence ---------------------------------------------------- */

static int *_Atomic object, *_Atomic hazard_pointer;

static void *uses(void *arg)
{
	int *p = atomic_load_explicit(&object, memory_order_relaxed);

	atomic_store_explicit(&hazard_pointer, p, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (p && atomic_load_explicit(&object, memory_order_relaxed) == p)
		seen = *p; /* bug: hazard_without */
	return arg;
}

static void frees(bool asks)
{
	int *p = malloc(sizeof(*p));
	pthread_t t;

	*p = 42;
	atomic_store(&object, p);
	registers();
	pthread_create(&t, NULL, uses, NULL);
	atomic_store_explicit(&object, NULL, memory_order_relaxed);
	if (asks)
		everywhere();
	if (atomic_load_explicit(&hazard_pointer, memory_order_relaxed) != p) {
		free(p);
		p = NULL;
	}
	pthread_join(t, NULL);
	free(p);
}

static void hazard(void)
{
	frees(true);
}

static void hazard_without(void)
{
	frees(false);
}

/* ---- A reader without a fence, and a writer that waits for it, as in liburcu -------------------------- */

static atomic_int active;

static void *reads_object(void *arg)
{
	int *p;

	atomic_store_explicit(&active, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	p = atomic_load_explicit(&object, memory_order_acquire);
	if (p)
		seen = *p; /* bug: grace_period_without */
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&active, 0, memory_order_relaxed);
	return arg;
}

static void retire(bool asks)
{
	int *p = malloc(sizeof(*p));
	pthread_t t;

	*p = 42;
	atomic_store(&object, p);
	registers();
	pthread_create(&t, NULL, reads_object, NULL);
	atomic_store_explicit(&object, NULL, memory_order_relaxed);
	if (asks)
		everywhere();
	while (atomic_load_explicit(&active, memory_order_relaxed))
		;
	if (asks)
		everywhere();
	free(p);
	pthread_join(t, NULL);
}

static void grace_period(void)
{
	retire(true);
}

static void grace_period_without(void)
{
	retire(false);
}

/* ---- Who waits has been interrupted meanwhile ------------------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t sem;
static atomic_int word;
static int ends[2], ready;

/* Twice, as who waits for readers does. */
static void twice(void)
{
	everywhere();
	everywhere();
}

static void with(void *(*fn)(void *), void (*before)(void), void (*after)(void))
{
	pthread_t t;

	registers();
	if (before)
		before();
	pthread_create(&t, NULL, fn, NULL);
	twice();
	after();
	pthread_join(t, NULL);
}

static void *locks(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void take(void)
{
	pthread_mutex_lock(&mutex);
}

static void give(void)
{
	pthread_mutex_unlock(&mutex);
}

static void waits_for_lock(void)
{
	with(locks, take, give);
}

static void *writes(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void read_lock(void)
{
	pthread_rwlock_rdlock(&rwlock);
}

static void read_unlock(void)
{
	pthread_rwlock_unlock(&rwlock);
}

static void waits_for_writer(void)
{
	with(writes, read_lock, read_unlock);
}

static void *arrives(void *arg)
{
	pthread_barrier_wait(&barrier);
	return arg;
}

static void two_of_them(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
}

static void arrive(void)
{
	pthread_barrier_wait(&barrier);
}

static void waits_at_barrier(void)
{
	with(arrives, two_of_them, arrive);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (!ready)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void tell(void)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	everywhere();
	pthread_mutex_unlock(&mutex);
}

static void waits_for_condition(void)
{
	pthread_t t;

	registers();
	pthread_create(&t, NULL, waits, NULL);
	tell();
	pthread_join(t, NULL);
}

static void *takes(void *arg)
{
	sem_wait(&sem);
	return arg;
}

static void post(void)
{
	sem_post(&sem);
}

static void waits_for_semaphore(void)
{
	with(takes, NULL, post);
}

static void *sleeps(void *arg)
{
	while (!atomic_load(&word))
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return arg;
}

static void wake(void)
{
	atomic_store(&word, 1);
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void waits_at_futex(void)
{
	with(sleeps, NULL, wake);
}

static void *reads_pipe(void *arg)
{
	char c;

	assert(read(ends[0], &c, 1) == 1);
	return arg;
}

static void make_pipe(void)
{
	assert(pipe(ends) == 0);
}

static void fill_pipe(void)
{
	assert(write(ends[1], "x", 1) == 1);
}

static void waits_for_pipe(void)
{
	with(reads_pipe, make_pipe, fill_pipe);
}

static void *spins(void *arg)
{
	while (!atomic_load_explicit(&word, memory_order_acquire))
		;
	return arg;
}

static void set(void)
{
	atomic_store_explicit(&word, 1, memory_order_release);
}

static void waits_in_a_loop(void)
{
	with(spins, NULL, set);
}

static void *polls(void *arg)
{
	for (bool is = false; !is;) {
		pthread_mutex_lock(&mutex);
		is = ready;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void set_under_lock(void)
{
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_mutex_unlock(&mutex);
}

static void polls_under_a_lock(void)
{
	with(polls, NULL, set_under_lock);
}

static void *does_once(void *arg)
{
	pthread_once(&once, everywhere);
	return arg;
}

static void waits_for_once(void)
{
	registers();
	THREADS(2, does_once);
}

static void *locks_twice(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
	return arg;
}

static void waits_for_ever(void)
{
	pthread_t t;

	registers();
	pthread_create(&t, NULL, locks_twice, NULL);
	everywhere();
	pthread_join(t, NULL); /* bug: waits_for_ever */
}

/* ---- Who is asked ---------------------------------------------------------------------------------- */

static void *sets(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	return arg;
}

static void detached_has_ended(void)
{
	pthread_t t;

	registers();
	pthread_create(&t, NULL, sets, NULL);
	pthread_detach(t);
	everywhere();
	atomic_load_explicit(&x, memory_order_relaxed);
}

static void *creates(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, reads, NULL);
	pthread_join(t, NULL);
	return arg;
}

/* The caller does not know of the thread that has no fence, but its creator does. */
static void created_meanwhile(void)
{
	pthread_t t;
	int saw;

	registers();
	pthread_create(&t, NULL, creates, NULL);
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	everywhere();
	saw = atomic_load_explicit(&x, memory_order_relaxed);
	pthread_join(t, NULL);
	assert(saw || seen);
}

static void *nothing(void *arg)
{
	return arg;
}

/* More than have ids of their own. */
static void many_threads(void)
{
	pthread_t t;

	registers();
	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, nothing, NULL);
		pthread_join(t, NULL);
	}
	everywhere();
}

static sem_t joined, is_there;

static void *waits_for_joined(void *arg)
{
	sem_wait(&joined);
	return arg;
}

/* Enough for ids to be used again; but not that of a thread that somebody else joins. */
static void *creates_many(void *arg)
{
	pthread_t t;

	for (int i = 0; i < 16; i++) {
		pthread_create(&t, NULL, nothing, NULL);
		pthread_join(t, NULL);
	}
	everywhere();
	pthread_create(&t, NULL, waits_for_joined, NULL);
	sem_post(&is_there);
	pthread_join(t, NULL);
	return arg;
}

static void ids_stay(void)
{
	pthread_t t, u;

	registers();
	pthread_create(&t, NULL, nothing, NULL);
	pthread_create(&u, NULL, creates_many, NULL);
	sem_wait(&is_there);
	pthread_join(t, NULL);
	sem_post(&joined);
	pthread_join(u, NULL);
}

static int saw[2];

static void *asks(void *arg)
{
	bool second = arg;

	atomic_store_explicit(second ? &y : &x, 1, memory_order_relaxed);
	everywhere();
	saw[second] = atomic_load_explicit(second ? &x : &y, memory_order_relaxed);
	return NULL;
}

static void two_ask(void)
{
	pthread_t t;

	registers();
	pthread_create(&t, NULL, asks, NULL);
	asks(&t);
	pthread_join(t, NULL);
	assert(saw[0] || saw[1]);
}

static void alone(void)
{
	registers();
	everywhere();
	THREADS(1, nothing);
	everywhere();
}

/* ---- What it answers -------------------------------------------------------------------------------- */

static void answers(void)
{
	const int all = MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED |
			MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED |
			MEMBARRIER_CMD_PRIVATE_EXPEDITED |
			MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;

	assert((membarrier(MEMBARRIER_CMD_QUERY) & all) == all);
	assert(membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == -1 && errno == EPERM);
	assert(membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0);
	assert(syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 2, 0) == -1 && errno == EINVAL);
	assert(membarrier(1 << 30) == -1 && errno == EINVAL);
	assert(membarrier(-1) == -1 && errno == EINVAL);
}

static void *answers_there(void *arg)
{
	answers();
	registers();
	everywhere();
	return arg;
}

static void is_told(void)
{
	answers();
	THREADS(1, answers_there);
}

CASES(CASE(one_asks), CASE(registered_before_threads), CASE(global), CASE(global_expedited),
      CASE(global_expedited_unregistered), CASE(registered_by_another), CASE(nobody_asks),
      CASE(fence_of_the_other_side_only), CASE(hazard), CASE(hazard_without), CASE(grace_period),
      CASE(grace_period_without), CASE(waits_for_lock), CASE(waits_for_writer),
      CASE(waits_at_barrier), CASE(waits_for_condition), CASE(waits_for_semaphore),
      CASE(waits_at_futex), CASE(waits_for_pipe), CASE(waits_in_a_loop), CASE(polls_under_a_lock),
      CASE(waits_for_once), CASE(waits_for_ever), CASE(detached_has_ended), CASE(created_meanwhile),
      CASE(many_threads), CASE(ids_stay), CASE(two_ask), CASE(alone), CASE(is_told))
