/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that poll under spin locks, read-write locks, semaphores, or by tries; and that write what they take back
 *
 * case spins: ok 6
 * case reads: ok 6
 * case reads -m sc: ok 6
 * case reads -m ra -e mo: ok 6
 * case reads -j 2 --backend=fork: ok 6
 * case writes: ok 6
 * case writes -m tso: ok 6
 * case writes_first: ok 56
 * case asks_first: ok 2
 * case counts: ok 6
 * case counts_two: ok 76
 * case counts_two -m ra: ok 76
 * case tries: ok 2
 * case tries -m sc: ok 2
 * case tries -j 2: ok 2
 * case tries_to_spin: ok 2
 * case tries_to_read: ok 2
 * case tries_to_write: ok 2
 * case tries_to_count: ok 2
 * case c11: ok 6
 * case two_read: ok 6
 * case two_try: ok 2
 * case two_try -e value: ok 2
 * case one_reads_and_one_writes: ok 2
 * case reads_while_it_is_tried -m sc: ok 8
 * case takes_back: ok 6
 * case takes_back -m sc: ok 6
 * case takes_back_two: ok 2
 * case takes_levels_back: ok 2
 * case swaps_in_vain: ok 2
 * case looks_at_halves: ok 2
 * case reads_for_ever: bug await-stuck
 * case reads_for_ever -m sc -j 2: bug await-stuck at bug: reads_for_ever
 * case two_read_for_ever: bug await-stuck at bug: reads_until
 * case tries_for_ever: bug await-stuck
 * case counts_for_ever: bug await-stuck
 * case takes_back_for_ever: bug await-stuck
 * case tried_to_lock --unroll=6: bug assertion
 * case tried_to_write --unroll=6: bug assertion
 * case tried_to_lock -m sc --unroll=6: bug assertion
 * case tried_to_try -m sc --unroll=6: bug assertion
 * case tried_to_spin -m sc --unroll=6: bug assertion
 * case tried_to_read -m sc --unroll=6: bug assertion
 * case tried_to_read_asked -m sc --unroll=6: bug assertion
 * case tried_to_write -m sc --unroll=6: bug assertion
 * case tried_to_count -m sc --unroll=6: bug assertion
 * case timed_to_write -m sc --unroll=6: bug assertion
 * case tried_in_a_round -m sc --unroll=6: bug assertion
 * case count_is_looked_at -m sc --unroll=6: bug assertion
 * case shown_under_another --unroll=20: bug assertion
 * case shown_by_a_silent_store: bug data-race
 * case shown_from_a_frame --unroll=20: bug assertion
 * case races_with_what_is_taken_back: bug data-race
 * case begun_anew --unroll=6: bug assertion
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t s;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static sem_t one, two;
static mtx_t c;
static int done, busy;
static atomic_int x;

/* What each worker does, and what is polled. */
struct way {
	void (*take)(void), (*give)(void), (*poll)(void);
};

#define WAY(name, call, object)        \
	static void name(void)         \
	{                              \
		assert(!call(object)); \
	}

WAY(lock, pthread_mutex_lock, &m)
WAY(unlock, pthread_mutex_unlock, &m)
WAY(spin_lock, pthread_spin_lock, &s)
WAY(spin_unlock, pthread_spin_unlock, &s)
WAY(wrlock, pthread_rwlock_wrlock, &l)
WAY(rwunlock, pthread_rwlock_unlock, &l)
WAY(first_wrlock, pthread_rwlock_wrlock, &first)
WAY(first_unlock, pthread_rwlock_unlock, &first)
WAY(wait_one, sem_wait, &one)
WAY(post_one, sem_post, &one)
WAY(take_c11, mtx_lock, &c)
WAY(give_c11, mtx_unlock, &c)

/* while (!under the lock (done == n)); without a break in the middle, which would leave with the lock. */
#define POLLS(name, take, give)                   \
	static void name(int n)                   \
	{                                         \
		for (bool over = false; !over;) { \
			take;                     \
			over = done == n;         \
			give;                     \
		}                                 \
	}

POLLS(lock_until, pthread_mutex_lock(&m), pthread_mutex_unlock(&m))
POLLS(spin_until, pthread_spin_lock(&s), pthread_spin_unlock(&s))
POLLS(read_until, pthread_rwlock_rdlock(&l) /* bug: reads_until */, pthread_rwlock_unlock(&l))
POLLS(write_until, pthread_rwlock_wrlock(&l), pthread_rwlock_unlock(&l))
POLLS(first_until, pthread_rwlock_wrlock(&first), pthread_rwlock_unlock(&first))
POLLS(count_until, sem_wait(&one), sem_post(&one))
POLLS(c11_until, mtx_lock(&c), mtx_unlock(&c))

#define TRIES(name, try, give)            \
	static void name(int n)           \
	{                                 \
		for (;;) {                \
			bool over;        \
                                          \
			if (try)          \
				continue; \
			over = done == n; \
			give;             \
			if (over)         \
				break;    \
		}                         \
	}

TRIES(try_until, pthread_mutex_trylock(&m), pthread_mutex_unlock(&m))
TRIES(try_spin_until, pthread_spin_trylock(&s), pthread_spin_unlock(&s))
TRIES(try_read_until, pthread_rwlock_tryrdlock(&l), pthread_rwlock_unlock(&l))
TRIES(try_write_until, pthread_rwlock_trywrlock(&l), pthread_rwlock_unlock(&l))
TRIES(try_count_until, sem_trywait(&one), sem_post(&one))

static void (*take)(void), (*give)(void);

static void *worker(void *arg)
{
	take();
	done++;
	give();
	return arg;
}

static void set_up(void)
{
	pthread_spin_init(&s, 0);
	sem_init(&one, 0, 1);
	sem_init(&two, 0, 2);
	mtx_init(&c, mtx_plain);
}

static void under(void (*takes)(void), void (*gives)(void))
{
	set_up();
	take = takes;
	give = gives;
}

static void with_workers(int n, void (*until)(int))
{
	pthread_t t[3];

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	until(n);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void spins(void)
{
	under(spin_lock, spin_unlock);
	with_workers(3, spin_until);
}

static void reads(void)
{
	under(wrlock, rwunlock);
	with_workers(3, read_until);
}

static void writes(void)
{
	under(wrlock, rwunlock);
	with_workers(3, write_until);
}

static void writes_first(void)
{
	under(first_wrlock, first_unlock);
	with_workers(2, first_until);
}

static void *stores_as_a_reader(void *arg)
{
	pthread_rwlock_rdlock(&first);
	atomic_store(&x, 1);
	pthread_rwlock_unlock(&first);
	return arg;
}

/* Where it stops it has not said that it will come, or the reader would wait for it. */
static void asks_first(void)
{
	pthread_t t;

	pthread_create(&t, NULL, stores_as_a_reader, NULL);
	for (bool over = false; !over;) {
		pthread_rwlock_wrlock(&first);
		over = __atomic_load_n((int *)&x, __ATOMIC_SEQ_CST);
		pthread_rwlock_unlock(&first);
	}
	pthread_join(t, NULL);
}

static void counts(void)
{
	under(wait_one, post_one);
	with_workers(3, count_until);
}

static void *stores(void *arg)
{
	sem_wait(&two);
	atomic_store(&x, 1);
	sem_post(&two);
	return arg;
}

/* Two may be in. */
static void counts_two(void)
{
	pthread_t t[2];

	set_up();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, stores, NULL);
	for (bool over = false; !over;) {
		sem_wait(&two);
		over = __atomic_load_n((int *)&x, __ATOMIC_SEQ_CST);
		sem_post(&two);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static void tries(void)
{
	under(lock, unlock);
	with_workers(2, try_until);
}

static void tries_to_spin(void)
{
	under(spin_lock, spin_unlock);
	with_workers(2, try_spin_until);
}

static void tries_to_read(void)
{
	under(wrlock, rwunlock);
	with_workers(2, try_read_until);
}

static void tries_to_write(void)
{
	under(wrlock, rwunlock);
	with_workers(2, try_write_until);
}

static void tries_to_count(void)
{
	under(wait_one, post_one);
	with_workers(2, try_count_until);
}

static void c11(void)
{
	under(take_c11, give_c11);
	with_workers(3, c11_until);
}

/* ---- Two that poll --------------------------------------------------------------------------------- */

static void *polls(void *until)
{
	((void (*)(int))until)(1);
	return NULL;
}

static void with_pollers(void (*until)(int), void (*until2)(int))
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, polls, (void *)until);
	pthread_create(&t[1], NULL, polls, (void *)until2);
	worker(NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* Behind the worker: each pair of readers that come and go in some order. */
static void two_read(void)
{
	under(wrlock, rwunlock);
	with_pollers(read_until, read_until);
}

static void two_try(void)
{
	under(lock, unlock);
	with_pollers(try_until, try_until);
}

static void one_reads_and_one_writes(void)
{
	under(wrlock, rwunlock);
	with_pollers(read_until, write_until);
}

/* A reader is nothing to who tries to read. */
static void *tries_to_look(void *arg)
{
	if (!pthread_rwlock_tryrdlock(&l))
		pthread_rwlock_unlock(&l);
	return arg;
}

static void reads_while_it_is_tried(void)
{
	pthread_t t;

	under(wrlock, rwunlock);
	pthread_create(&t, NULL, tries_to_look, NULL);
	with_workers(1, read_until);
	pthread_join(t, NULL);
}

/* ---- What is taken back ----------------------------------------------------------------------------- */

POLLS(mark_until, (pthread_mutex_lock(&m), busy++), (busy--, pthread_mutex_unlock(&m)))

static void takes_back(void)
{
	under(lock, unlock);
	with_workers(3, mark_until);
	assert(!busy);
}

static void takes_back_two(void)
{
	under(lock, unlock);
	with_pollers(mark_until, lock_until);
	assert(!busy);
}

static pthread_mutex_t levels;

POLLS(twice_until, (pthread_mutex_lock(&levels), pthread_mutex_lock(&levels)),
      (pthread_mutex_unlock(&levels), pthread_mutex_unlock(&levels)))
WAY(lock_levels, pthread_mutex_lock, &levels)
WAY(unlock_levels, pthread_mutex_unlock, &levels)

static void takes_levels_back(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&levels, &a);
	under(lock_levels, unlock_levels);
	with_workers(2, twice_until);
}

/* What a compare-and-swap that failed has found stands in a variable of its own. */
static void swap_until(int n)
{
	for (bool over = false; !over;) {
		int found = 1;

		pthread_mutex_lock(&m);
		over = done == n;
		atomic_compare_exchange_strong(&x, &found, 2);
		pthread_mutex_unlock(&m);
	}
}

static void swaps_in_vain(void)
{
	under(lock, unlock);
	with_workers(2, swap_until);
}

/* What others write in halves is looked at in two steps, each of which has to be the last word. */
static union halves {
	uint32_t whole;
	uint16_t half[2];
} first_word, second_word;

static void *stores_half(void *arg)
{
	__atomic_store_n(&((union halves *)arg)->half[0], arg == &first_word, __ATOMIC_SEQ_CST);
	return arg;
}

static void looks_at_halves(void)
{
	pthread_t t[2];
	uint32_t both = 0;

	pthread_create(&t[0], NULL, stores_half, &first_word);
	pthread_create(&t[1], NULL, stores_half, &second_word);
	while (!both) {
		pthread_mutex_lock(&m);
		both = __atomic_load_n(&first_word.whole, __ATOMIC_SEQ_CST);
		both |= __atomic_load_n(&second_word.whole, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&m);
	}
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* ---- For ever --------------------------------------------------------------------------------------- */

static void reads_for_ever(void)
{
	pthread_t t;

	under(wrlock, rwunlock);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_rwlock_rdlock(&l); /* bug: reads_for_ever */
		over = done == 2;
		pthread_rwlock_unlock(&l);
	}
	pthread_join(t, NULL);
}

static void *reads_until_two(void *arg)
{
	read_until(2);
	return arg;
}

static void two_read_for_ever(void)
{
	pthread_t t;

	under(wrlock, rwunlock);
	pthread_create(&t, NULL, reads_until_two, NULL);
	read_until(1);
	pthread_join(t, NULL);
}

static void tries_for_ever(void)
{
	pthread_t t;

	under(lock, unlock);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;)
		if (!pthread_mutex_trylock(&m)) { /* bug: tries_for_ever */
			over = done == 2;
			pthread_mutex_unlock(&m);
		}
	pthread_join(t, NULL);
}

static void counts_for_ever(void)
{
	pthread_t t;

	under(wait_one, post_one);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		sem_wait(&one); /* bug: counts_for_ever */
		over = done == 2;
		sem_post(&one);
	}
	pthread_join(t, NULL);
}

static void takes_back_for_ever(void)
{
	pthread_t t;

	under(lock, unlock);
	pthread_create(&t, NULL, worker, NULL);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m); /* bug: takes_back_for_ever */
		busy = 1;
		over = done == 2;
		busy = 0;
		pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
}

/* ---- Only in a round in vain others find the lock taken: what it is in comes behind them ----------- */

static int missed;

static void beside(void *(*thread)(void *), void (*until)(int))
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	until(1);
	pthread_join(t, NULL);
}

#define MISSES(name, try, gives)     \
	static void *name(void *arg) \
	{                            \
		if (try)             \
			missed = 1;  \
		else                 \
			gives;       \
		return worker(arg);  \
	}

static struct timespec now;

MISSES(misses_lock, pthread_mutex_trylock(&m), unlock())
MISSES(misses_spin, pthread_spin_trylock(&s), spin_unlock())
MISSES(misses_read, pthread_rwlock_tryrdlock(&l), rwunlock())
MISSES(misses_first, pthread_rwlock_tryrdlock(&first), first_unlock())
MISSES(misses_write, pthread_rwlock_trywrlock(&l), rwunlock())
MISSES(misses_in_time, pthread_rwlock_timedwrlock(&l, &now), rwunlock())
MISSES(misses_one, sem_trywait(&one), post_one())

static void tried_to_lock(void)
{
	under(lock, unlock);
	beside(misses_lock, lock_until);
	assert(!missed); /* bug: tried_to_lock */
}

static void tried_to_try(void)
{
	under(lock, unlock);
	beside(misses_lock, try_until);
	assert(!missed); /* bug: tried_to_try */
}

static void tried_to_spin(void)
{
	under(spin_lock, spin_unlock);
	beside(misses_spin, spin_until);
	assert(!missed); /* bug: tried_to_spin */
}

static void tried_to_read(void)
{
	under(wrlock, rwunlock);
	beside(misses_read, write_until);
	assert(!missed); /* bug: tried_to_read */
}

static void tried_to_write(void)
{
	under(wrlock, rwunlock);
	beside(misses_write, read_until);
	assert(!missed); /* bug: tried_to_write */
}

static void timed_to_write(void)
{
	clock_gettime(CLOCK_REALTIME, &now);
	under(wrlock, rwunlock);
	beside(misses_in_time, read_until);
	assert(!missed); /* bug: timed_to_write */
}

static void tried_to_count(void)
{
	under(wait_one, post_one);
	beside(misses_one, count_until);
	assert(!missed); /* bug: tried_to_count */
}

/* The writer has not got the lock: it says that it will come, and another one reads. */
static void *reads_first(void *arg)
{
	pthread_rwlock_rdlock(&first);
	misses_first(arg);
	return arg;
}

static void give_twice(void)
{
	first_unlock();
}

static void take_as_reader(void)
{
	pthread_rwlock_unlock(&first);
	pthread_rwlock_wrlock(&first);
}

static void tried_to_read_asked(void)
{
	under(take_as_reader, give_twice);
	beside(reads_first, first_until);
	assert(!missed); /* bug: tried_to_read_asked */
}

/* In a loop, which goes round for it. */
static void *tries_twice(void *arg)
{
	while (pthread_mutex_trylock(&m))
		missed = 1;
	done++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void tried_in_a_round(void)
{
	beside(tries_twice, lock_until);
	assert(!missed); /* bug: tried_in_a_round */
}

static void *looks_at_the_count(void *arg)
{
	int n;

	sem_getvalue(&one, &n);
	missed = n == 0;
	return worker(arg);
}

static void count_is_looked_at(void)
{
	under(wait_one, post_one);
	beside(looks_at_the_count, count_until);
	assert(!missed); /* bug: count_is_looked_at */
}

/* Who comes in between sees what is taken back. */
static void *sees(void *arg)
{
	pthread_rwlock_wrlock(&l);
	done = busy;
	pthread_rwlock_unlock(&l);
	return arg;
}

static void shown_under_another(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sees, NULL);
	for (bool over = false; !over;) {
		pthread_rwlock_wrlock(&l);
		over = done;
		busy++;
		pthread_rwlock_unlock(&l);
		pthread_rwlock_wrlock(&l);
		busy--;
		pthread_rwlock_unlock(&l);
	}
	pthread_join(t, NULL);
	assert(!done); /* bug: shown_under_another */
}

static void *sees_it_released(void *arg)
{
	if (atomic_load_explicit(&x, memory_order_acquire))
		done = busy; /* bug: shown_by_a_silent_store */
	return arg;
}

static void shown_by_a_silent_store(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sees_it_released, NULL);
	atomic_store(&x, 1);
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m);
		over = done == 7;
		busy = 7;
		atomic_fetch_add(&x, 0);
		busy = 0;
		pthread_mutex_unlock(&m);
	}
	pthread_join(t, NULL);
}

static int *shown;

static void *sees_a_frame(void *arg)
{
	pthread_rwlock_wrlock(&l);
	done = shown ? *shown : 0;
	pthread_rwlock_unlock(&l);
	return arg;
}

__attribute__((noinline)) static bool shows_its_frame(void)
{
	int mine = 7;
	bool over;

	pthread_rwlock_wrlock(&l);
	shown = &mine;
	over = done;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	shown = NULL;
	pthread_rwlock_unlock(&l);
	return over;
}

static void shown_from_a_frame(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sees_a_frame, NULL);
	while (!shows_its_frame())
		;
	pthread_join(t, NULL);
	assert(done != 7); /* bug: shown_from_a_frame */
}

static void *looks_without(void *arg)
{
	x = busy; /* bug: races_with_what_is_taken_back */
	return worker(arg);
}

static void races_with_what_is_taken_back(void)
{
	under(lock, unlock);
	beside(looks_without, mark_until);
}

/* A semaphore gets its value by as many posts and tries as it takes: it has one too many if somebody gives back later. */
static void *begins_anew(void *arg)
{
	pthread_mutex_lock(&m2);
	sem_init(&one, 0, 1);
	pthread_mutex_unlock(&m2);
	pthread_mutex_lock(&m2);
	done = 1;
	pthread_mutex_unlock(&m2);
	return arg;
}

static void counts_in_two_steps(int n)
{
	for (bool over = false; !over;) {
		pthread_mutex_lock(&m2);
		over = done == n;
		sem_wait(&one);
		pthread_mutex_unlock(&m2);
		pthread_mutex_lock(&m2);
		sem_post(&one);
		pthread_mutex_unlock(&m2);
	}
}

static void begun_anew(void)
{
	set_up();
	beside(begins_anew, counts_in_two_steps);
	assert(*(unsigned *)&one == 1); /* bug: begun_anew */
}

CASES(CASE(spins), CASE(reads), CASE(writes), CASE(writes_first), CASE(asks_first), CASE(counts),
      CASE(counts_two), CASE(tries), CASE(tries_to_spin), CASE(tries_to_read), CASE(tries_to_write),
      CASE(tries_to_count), CASE(c11), CASE(two_read), CASE(two_try),
      CASE(one_reads_and_one_writes), CASE(reads_while_it_is_tried), CASE(takes_back),
      CASE(takes_back_two), CASE(takes_levels_back), CASE(swaps_in_vain), CASE(looks_at_halves),
      CASE(reads_for_ever), CASE(two_read_for_ever), CASE(tries_for_ever), CASE(counts_for_ever),
      CASE(takes_back_for_ever), CASE(tried_to_lock), CASE(tried_to_try), CASE(tried_to_spin),
      CASE(tried_to_read), CASE(tried_to_read_asked), CASE(tried_to_write), CASE(tried_to_count),
      CASE(timed_to_write), CASE(tried_in_a_round), CASE(count_is_looked_at),
      CASE(shown_under_another), CASE(shown_by_a_silent_store), CASE(shown_from_a_frame),
      CASE(races_with_what_is_taken_back), CASE(begun_anew))
