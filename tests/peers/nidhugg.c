/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nidhugg.c - what Nidhugg hangs or crashes at, ends with, or does not report
 *
 * The programs come from what was measured before heddle was written. Counts are worked out by hand.
 * The states of a read-write lock, and the counts of a semaphore, come one after the other, those
 * of unlocking too. So two readers alone make 4!/4 = 6 orders. In the two of them in which they
 * do not meet a writer fits in at three places, else only at the ends: 2 * 3 + 4 * 2 = 14. Three
 * threads of which two may be between wait and post at a time: 6!/8 orders less the 3! * 3! in
 * which all wait before one posts, 54.
 *
 * case a_rwlock_of_two_readers_and_a_writer: ok 14
 * case a_barrier_of_three: ok 6
 * case a_barrier_of_two_rounds: ok 4
 * case a_semaphore_with_room_for_two_of_three: ok 54
 * case a_deadlock_at_semaphores: bug deadlock at THREADS(2, take_both)
 * case a_deadlock_at_a_barrier: bug deadlock at THREADS(2, meet)
 * case a_deadlock_at_rwlocks: bug deadlock at THREADS(2, write_both)
 * case once_by_two: ok 2
 * case detached: ok 1
 * case c11_threads: ok 2
 * case qsort_with_a_callback: ok 1
 * case realloc_in_threads: ok 1
 * case exit_ends_an_execution: ok 4
 * case longjmp_with_what_was_read: ok 2
 * case store_buffering_of_16_bytes: ok 4
 * case loads_and_stores_of_16_bytes: ok 2
 * case a_loop_of_20000_rounds: ok 1
 * case a_data_race: bug data-race
 * case a_leak --leaks: bug leak at volatile char *p = malloc(10)
 * case a_use_after_free: bug use-after-free at *p = 2
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#include "cases.h"

static int data;

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;

static void *first_writes(void *arg)
{
	if (!arg) {
		assert(pthread_rwlock_wrlock(&l) == 0);
		data++;
		data++;
	} else {
		assert(pthread_rwlock_rdlock(&l) == 0);
		assert(data == 0 || data == 2);
	}
	assert(pthread_rwlock_unlock(&l) == 0);
	return arg;
}

static void a_rwlock_of_two_readers_and_a_writer(void)
{
	THREADS(3, first_writes);
}

static pthread_barrier_t barrier;
static int slot[3];

static void *meet(void *arg)
{
	long i = (long)arg;
	int error;

	slot[i] = 1;
	error = pthread_barrier_wait(&barrier);
	assert(error == 0 || error == PTHREAD_BARRIER_SERIAL_THREAD);
	assert(slot[0] && slot[1] && slot[2]);
	return arg;
}

static void a_barrier_of_three(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 3) == 0);
	THREADS(3, meet);
	assert(pthread_barrier_destroy(&barrier) == 0);
}

static void *meet_twice(void *arg)
{
	long i = (long)arg;

	slot[i] = 1;
	pthread_barrier_wait(&barrier);
	assert(slot[1 - i] == 1);
	pthread_barrier_wait(&barrier);
	slot[1 - i] = 2;
	return arg;
}

static void a_barrier_of_two_rounds(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
	THREADS(2, meet_twice);
	assert(slot[0] == 2 && slot[1] == 2);
}

static sem_t room, items;

static void *pass(void *arg)
{
	assert(sem_wait(&room) == 0);
	assert(sem_post(&room) == 0);
	return arg;
}

static void a_semaphore_with_room_for_two_of_three(void)
{
	assert(sem_init(&room, 0, 2) == 0);
	THREADS(3, pass);
}

static void *take_both(void *arg)
{
	sem_t *first = arg ? &room : &items, *second = arg ? &items : &room;

	assert(sem_wait(first) == 0);
	assert(sem_wait(second) == 0);
	assert(sem_post(second) == 0);
	assert(sem_post(first) == 0);
	return arg;
}

static void a_deadlock_at_semaphores(void)
{
	assert(sem_init(&room, 0, 1) == 0 && sem_init(&items, 0, 1) == 0);
	THREADS(2, take_both);
}

static void a_deadlock_at_a_barrier(void)
{
	assert(pthread_barrier_init(&barrier, NULL, 3) == 0);
	THREADS(2, meet);
}

static void *write_both(void *arg)
{
	pthread_rwlock_t *first = arg ? &l : &k, *second = arg ? &k : &l;

	assert(pthread_rwlock_wrlock(first) == 0);
	assert(pthread_rwlock_rdlock(second) == 0);
	assert(pthread_rwlock_unlock(second) == 0);
	assert(pthread_rwlock_unlock(first) == 0);
	return arg;
}

static void a_deadlock_at_rwlocks(void)
{
	THREADS(2, write_both);
}

static pthread_once_t control = PTHREAD_ONCE_INIT;

static void begin(void)
{
	data++;
}

static void *begin_once(void *arg)
{
	assert(pthread_once(&control, begin) == 0);
	assert(data == 1);
	return arg;
}

static void once_by_two(void)
{
	THREADS(2, begin_once);
}

static void *post(void *arg)
{
	data = 1;
	assert(sem_post(&items) == 0);
	return arg;
}

static void detached(void)
{
	pthread_t t;

	assert(sem_init(&items, 0, 0) == 0);
	assert(pthread_create(&t, NULL, post, NULL) == 0);
	assert(pthread_detach(t) == 0);
	assert(sem_wait(&items) == 0);
	assert(data == 1);
}

static mtx_t mtx;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t tss;

static void begin_c11(void)
{
	assert(mtx_init(&mtx, mtx_plain) == thrd_success);
	assert(tss_create(&tss, NULL) == thrd_success);
}

static int c11_thread(void *arg)
{
	assert(tss_set(tss, arg) == thrd_success);
	assert(mtx_lock(&mtx) == thrd_success);
	data++;
	assert(mtx_unlock(&mtx) == thrd_success);
	assert(tss_get(tss) == arg);
	return 5;
}

static void c11_threads(void)
{
	thrd_t t[2];
	int result;

	call_once(&flag, begin_c11);
	for (int i = 0; i < 2; i++)
		assert(thrd_create(&t[i], c11_thread, &t[i]) == thrd_success);
	for (int i = 0; i < 2; i++)
		assert(thrd_join(t[i], &result) == thrd_success && result == 5);
	assert(data == 2);
}

static int by_size(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void *sort(void *arg)
{
	int a[200];

	for (int i = 0; i < 200; i++)
		a[i] = i * 7919 % 200;
	qsort(a, 200, sizeof(a[0]), by_size);
	for (int i = 0; i < 200; i++)
		assert(a[i] == i);
	return arg;
}

static void qsort_with_a_callback(void)
{
	THREADS(2, sort);
}

static void *grow(void *arg)
{
	char *p = NULL;

	for (size_t size = 1; size <= 1 << 16; size *= 4) {
		p = realloc(p, size);
		assert(p);
		p[size - 1] = (char)size;
		assert(size == 1 || p[size / 4 - 1] == (char)(size / 4));
	}
	free(p);
	return arg;
}

static void realloc_in_threads(void)
{
	THREADS(2, grow);
}

static atomic_int x, y;

static void *buffer(void *arg)
{
	atomic_int *mine = arg ? &x : &y, *other = arg ? &y : &x;

	atomic_store_explicit(mine, 1, memory_order_relaxed);
	(void)atomic_load_explicit(other, memory_order_relaxed);
	return arg;
}

static void exit_ends_an_execution(void)
{
	THREADS(2, buffer);
	exit(0);
}

static void *set(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void longjmp_with_what_was_read(void)
{
	jmp_buf here;
	pthread_t t;
	int came;

	assert(pthread_create(&t, NULL, set, NULL) == 0);
	came = setjmp(here);
	if (!came)
		longjmp(here, 1 + atomic_load(&x));
	assert(came == 1 || came == 2);
	assert(pthread_join(t, NULL) == 0);
}

typedef unsigned __int128 two_words;
static _Atomic two_words wide_x, wide_y;

static two_words both(uint64_t word)
{
	return (two_words)word << 64 | word;
}

static void *buffer_16_bytes(void *arg)
{
	_Atomic two_words *mine = arg ? &wide_x : &wide_y, *other = arg ? &wide_y : &wide_x;
	two_words seen;

	atomic_store_explicit(mine, both(1), memory_order_relaxed);
	seen = atomic_load_explicit(other, memory_order_relaxed);
	assert(seen == 0 || seen == both(1));
	return arg;
}

static void store_buffering_of_16_bytes(void)
{
	THREADS(2, buffer_16_bytes);
}

static void *store_or_load(void *arg)
{
	two_words seen = arg ? 0 : atomic_load_explicit(&wide_x, memory_order_acquire);

	if (arg) {
		data = 3;
		atomic_store_explicit(&wide_x, both(5), memory_order_release);
	}
	assert(seen == 0 || (seen == both(5) && data == 3));
	return arg;
}

static void loads_and_stores_of_16_bytes(void)
{
	THREADS(2, store_or_load);
}

static void *go_round(void *arg)
{
	volatile long sum = 0;

	for (int i = 0; i < 20000; i++)
		sum += i;
	assert(sum == 199990000);
	return arg;
}

static void a_loop_of_20000_rounds(void)
{
	THREADS(2, go_round);
}

static void *count(void *arg)
{
	data++; /* bug: a_data_race */
	return arg;
}

static void a_data_race(void)
{
	THREADS(2, count);
}

static void *lose(void *arg)
{
	volatile char *p = malloc(10);

	p[0] = 1;
	return arg;
}

static void a_leak(void)
{
	THREADS(1, lose);
}

static _Atomic(int *) shared;

static void *use(void *arg)
{
	int *p = atomic_load(&shared);

	if (p)
		*p = 1;
	return arg;
}

static void a_use_after_free(void)
{
	int *p = malloc(sizeof(*p));
	pthread_t t;

	atomic_store(&shared, p);
	assert(pthread_create(&t, NULL, use, NULL) == 0);
	atomic_store(&shared, NULL);
	assert(pthread_join(t, NULL) == 0);
	free(p);
	*p = 2;
}

CASES(CASE(a_rwlock_of_two_readers_and_a_writer), CASE(a_barrier_of_three),
      CASE(a_barrier_of_two_rounds), CASE(a_semaphore_with_room_for_two_of_three),
      CASE(a_deadlock_at_semaphores), CASE(a_deadlock_at_a_barrier), CASE(a_deadlock_at_rwlocks),
      CASE(once_by_two), CASE(detached), CASE(c11_threads), CASE(qsort_with_a_callback),
      CASE(realloc_in_threads), CASE(exit_ends_an_execution), CASE(longjmp_with_what_was_read),
      CASE(store_buffering_of_16_bytes), CASE(loads_and_stores_of_16_bytes),
      CASE(a_loop_of_20000_rounds), CASE(a_data_race), CASE(a_leak), CASE(a_use_after_free))
