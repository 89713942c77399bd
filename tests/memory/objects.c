/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is an atomic variable first, then an object of the library, then something else, as on the stack where functions
 * follow each other
 *
 * also -O0: the compiler announces more of what is on the stack
 *
 * case mutex_then_atomic: ok 4
 * case rwlock_then_atomic: ok 4
 * case spin_then_atomic: ok 4
 * case semaphore_then_atomic: ok 12
 * case condition_then_atomic: ok 2
 * case barrier_then_atomic: ok 4
 * case once_then_atomic: ok 4
 * case two_post: ok 90
 * case two_post --plain=explore: ok 90
 * case two_post -j 2: ok 90
 * case three_meet: ok 6
 * case two_lock_on_the_stack: ok 2
 * case two_wait_on_the_stack: ok 110
 * case two_wait_on_the_stack --plain=explore: ok 110
 * case two_wait_on_the_stack --backend=fork: ok 110
 * case lock_left_behind: ok 2
 * case two_in_eight_bytes: ok 2
 * case kept_to_the_end: ok 2
 * case one_is_kept: ok 4
 * case tried_where_a_race_was --plain=explore: ok 3
 * case races_with_an_atomic: bug data-race at bug: used
 * case races_with_an_atomic -e value: bug data-race at bug: used
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "cases.h"

union memory {
	_Atomic long word;
	long plain;
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
	pthread_cond_t cond;
	pthread_barrier_t barrier;
	pthread_once_t once;
	sem_t sem;
};

static union memory u;

/* Each case has the number of executions that its object alone makes, times what is read of the atomic variable. */

static void *stores(void *arg)
{
	union memory *m = arg;

	atomic_store(&m->word, 1);
	return arg;
}

static void is_atomic(union memory *m)
{
	pthread_t thread;

	assert(!pthread_create(&thread, NULL, stores, m));
	assert(!pthread_join(thread, NULL));
}

static void *loads(void *arg)
{
	union memory *m = arg;
	long found = atomic_load(&m->word);

	assert(found == 5 || found == 6);
	return arg;
}

static void is_atomic_again(union memory *m)
{
	pthread_t thread;

	m->plain = 5;
	assert(!pthread_create(&thread, NULL, loads, m));
	atomic_store(&m->word, 6);
	assert(!pthread_join(thread, NULL));
	assert(m->plain == 6);
}

/* Used by two threads. */
static void with_another(void *(*uses)(void *), union memory *m)
{
	pthread_t thread;

	assert(!pthread_create(&thread, NULL, uses, m));
	uses(m);
	assert(!pthread_join(thread, NULL));
}

static void *locks_mutex(void *arg)
{
	union memory *m = arg;

	assert(!pthread_mutex_lock(&m->mutex));
	assert(!pthread_mutex_unlock(&m->mutex));
	return arg;
}

static void mutex_then_atomic(void)
{
	is_atomic(&u);
	assert(!pthread_mutex_init(&u.mutex, NULL));
	with_another(locks_mutex, &u);
	is_atomic_again(&u);
}

static void *locks_rwlock(void *arg)
{
	union memory *m = arg;

	assert(!pthread_rwlock_wrlock(&m->rwlock));
	assert(!pthread_rwlock_unlock(&m->rwlock));
	return arg;
}

static void rwlock_then_atomic(void)
{
	is_atomic(&u);
	assert(!pthread_rwlock_init(&u.rwlock, NULL));
	with_another(locks_rwlock, &u);
	is_atomic_again(&u);
}

static void *spins(void *arg)
{
	union memory *m = arg;

	assert(!pthread_spin_lock(&m->spin));
	assert(!pthread_spin_unlock(&m->spin));
	return arg;
}

static void spin_then_atomic(void)
{
	is_atomic(&u);
	assert(!pthread_spin_init(&u.spin, PTHREAD_PROCESS_PRIVATE));
	with_another(spins, &u);
	is_atomic_again(&u);
}

static void *posts(void *arg)
{
	union memory *m = arg;

	assert(!sem_post(&m->sem));
	assert(!sem_wait(&m->sem));
	return arg;
}

static void semaphore_then_atomic(void)
{
	is_atomic(&u);
	assert(!sem_init(&u.sem, 0, 0));
	with_another(posts, &u);
	is_atomic_again(&u);
}

static void *signals(void *arg)
{
	union memory *m = arg;

	assert(!pthread_cond_signal(&m->cond));
	return arg;
}

static void condition_then_atomic(void)
{
	is_atomic(&u);
	assert(!pthread_cond_init(&u.cond, NULL));
	with_another(signals, &u);
	is_atomic_again(&u);
}

static void *arrives(void *arg)
{
	union memory *m = arg;
	int last = pthread_barrier_wait(&m->barrier);

	assert(!last || last == PTHREAD_BARRIER_SERIAL_THREAD);
	return arg;
}

static void barrier_then_atomic(void)
{
	is_atomic(&u);
	assert(!pthread_barrier_init(&u.barrier, NULL, 2));
	with_another(arrives, &u);
	is_atomic_again(&u);
}

static void nothing(void)
{
}

static void *once(void *arg)
{
	union memory *m = arg;

	assert(!pthread_once(&m->once, nothing));
	return arg;
}

static void once_then_atomic(void)
{
	is_atomic(&u);
	u.once = PTHREAD_ONCE_INIT;
	with_another(once, &u);
	is_atomic_again(&u);
}

/* Who comes first finds an object that nobody used yet, and the others do not. */
static void two_post(void)
{
	pthread_t thread;

	is_atomic(&u);
	assert(!sem_init(&u.sem, 0, 0));
	assert(!pthread_create(&thread, NULL, posts, &u));
	with_another(posts, &u);
	assert(!pthread_join(thread, NULL));
}

static void three_meet(void)
{
	pthread_t thread;

	is_atomic(&u);
	assert(!pthread_barrier_init(&u.barrier, NULL, 3));
	assert(!pthread_create(&thread, NULL, arrives, &u));
	with_another(arrives, &u);
	assert(!pthread_join(thread, NULL));
}

static void two_lock_on_the_stack(void)
{
	union memory here;

	is_atomic(&here);
	assert(!pthread_mutex_init(&here.mutex, NULL));
	with_another(locks_mutex, &here);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *waits(void *arg)
{
	union memory *m = arg;

	assert(!pthread_mutex_lock(&mutex));
	while (ready < 2)
		assert(!pthread_cond_wait(&m->cond, &mutex));
	assert(!pthread_mutex_unlock(&mutex));
	return arg;
}

/* The hooks write into the object what the owner of the stack has not stored. */
static void two_wait_on_the_stack(void)
{
	union memory here;
	pthread_t threads[2];

	is_atomic(&here);
	assert(!pthread_cond_init(&here.cond, NULL));
	for (int i = 0; i < 2; i++)
		assert(!pthread_create(&threads[i], NULL, waits, &here));
	for (int i = 0; i < 2; i++) {
		assert(!pthread_mutex_lock(&mutex));
		ready++;
		assert(!pthread_mutex_unlock(&mutex));
		assert(!pthread_cond_broadcast(&here.cond));
	}
	for (int i = 0; i < 2; i++)
		assert(!pthread_join(threads[i], NULL));
	assert(!pthread_cond_destroy(&here.cond));
}

/* A function returns with a lock that is taken; the next one has an atomic variable there, and the one after it a lock. */
static void lock_left_behind(void)
{
	is_atomic(&u);
	assert(!pthread_mutex_init(&u.mutex, NULL));
	assert(!pthread_mutex_lock(&u.mutex));
	u.plain = 0;
	is_atomic(&u);
	memset(&u, 0, sizeof(u));
	with_another(locks_mutex, &u);
}

/* The inner one is not the one that is taken. */
static pthread_spinlock_t pair[2];

static void *spins_twice(void *arg)
{
	for (int i = 0; i < 2; i++)
		assert(!pthread_spin_lock(&pair[i]));
	for (int i = 0; i < 2; i++)
		assert(!pthread_spin_unlock(&pair[i]));
	return arg;
}

static void two_in_eight_bytes(void)
{
	for (int i = 0; i < 2; i++)
		assert(!pthread_spin_init(&pair[i], PTHREAD_PROCESS_PRIVATE));
	with_another(spins_twice, &u);
}

/* The next execution begins with a lock that nobody has. */
static void *keeps(void *arg)
{
	union memory *m = arg;
	int found = pthread_mutex_trylock(&m->mutex);

	assert(!found || found == EBUSY);
	return arg;
}

static void kept_to_the_end(void)
{
	with_another(keeps, &u);
}

static void *uses_one_and_keeps_one(void *arg)
{
	int found;

	assert(!pthread_spin_lock(&pair[0]));
	assert(!pthread_spin_unlock(&pair[0]));
	found = pthread_spin_trylock(&pair[1]);
	assert(!found || found == EBUSY);
	return arg;
}

static void one_is_kept(void)
{
	for (int i = 0; i < 2; i++)
		assert(!pthread_spin_init(&pair[i], PTHREAD_PROCESS_PRIVATE));
	with_another(uses_one_and_keeps_one, &u);
}

static void *adds(void *arg)
{
	union memory *m = arg;

	m->plain++;
	return arg;
}

static void *tries(void *arg)
{
	union memory *m = arg;

	while (sem_trywait(&m->sem))
		;
	return arg;
}

static void tried_where_a_race_was(void)
{
	pthread_t thread;

	with_another(adds, &u);
	assert(!sem_init(&u.sem, 0, 0));
	assert(!pthread_create(&thread, NULL, tries, &u));
	assert(!sem_post(&u.sem));
	assert(!pthread_join(thread, NULL));
}

static atomic_int stored;

/* The object is there, and somebody else still takes it for an atomic variable. */
static void *stores_late(void *arg)
{
	union memory *m = arg;

	atomic_store_explicit(&m->word, 0, memory_order_relaxed);
	atomic_store_explicit(&stored, 1, memory_order_relaxed);
	return arg;
}

static void races_with_an_atomic(void)
{
	pthread_t thread;

	is_atomic(&u);
	assert(!sem_init(&u.sem, 0, 1));
	assert(!pthread_create(&thread, NULL, stores_late, &u));
	while (!atomic_load_explicit(&stored, memory_order_relaxed))
		;
	assert(!sem_post(&u.sem)); /* bug: used */
	assert(!pthread_join(thread, NULL));
}

CASES(CASE(mutex_then_atomic), CASE(rwlock_then_atomic), CASE(spin_then_atomic),
      CASE(semaphore_then_atomic), CASE(condition_then_atomic), CASE(barrier_then_atomic),
      CASE(once_then_atomic), CASE(two_post), CASE(three_meet), CASE(two_lock_on_the_stack),
      CASE(two_wait_on_the_stack), CASE(lock_left_behind), CASE(two_in_eight_bytes),
      CASE(kept_to_the_end), CASE(one_is_kept), CASE(tried_where_a_race_was),
      CASE(races_with_an_atomic))
