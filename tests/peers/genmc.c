/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * genmc.c - what GenMC does not compile, crashes at, or gets wrong
 *
 * The programs come from what was measured before heddle was written. Counts are worked out by hand:
 * n! orders of n critical sections and of n compare-and-swap loops, two for a waiter that comes
 * before or after what it waits for, and one where nothing can differ.
 *
 * case condition_variable: ok 2
 * case c11_condition_variable: ok 2
 * case rwlock_of_two_writers_and_a_reader: ok 6
 * case once: ok 3
 * case keys: ok 1
 * case detach: ok 1
 * case spinlock: ok 6
 * case mutex_attributes: ok 2
 * case timed_lock: ok 3
 * case calloc_and_realloc: ok 1
 * case strings: ok 1
 * case the_clock: ok 1
 * case exit_in_a_thread: ok 1
 * case exit_in_a_thread_says_no: bug exit-code at exit((int)(long)arg)
 * case snprintf_in_threads: ok 1
 * case setjmp_in_threads: ok 1
 * case variable_arguments: ok 1
 * case semaphores_order_what_they_protect: ok 1
 * case a_semaphore_excludes: ok 6
 * case cas_of_16_bytes: ok 6
 * case inline_assembly: ok 6
 * case two_stores_and_a_spinning_reader: ok 1
 * case two_mutexes_in_two_orders: bug deadlock at THREADS(2, lock_both)
 * case ten_rounds_then_a_failure: bug assertion
 * case ten_rounds_of_loads_then_a_failure: bug assertion
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "cases.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int data;

static void *wait_for_it(void *arg)
{
	assert(pthread_mutex_lock(&m) == 0);
	while (!data)
		assert(pthread_cond_wait(&ready, &m) == 0);
	assert(data == 1);
	assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

static void condition_variable(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, wait_for_it, NULL) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	data = 1;
	assert(pthread_cond_signal(&ready) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static mtx_t c11_m;
static cnd_t c11_ready;

static int c11_wait_for_it(void *arg)
{
	(void)arg;
	assert(mtx_lock(&c11_m) == thrd_success);
	while (!data)
		assert(cnd_wait(&c11_ready, &c11_m) == thrd_success);
	assert(mtx_unlock(&c11_m) == thrd_success);
	return data;
}

static void c11_condition_variable(void)
{
	thrd_t t;
	int result;

	assert(mtx_init(&c11_m, mtx_plain) == thrd_success);
	assert(cnd_init(&c11_ready) == thrd_success);
	assert(thrd_create(&t, c11_wait_for_it, NULL) == thrd_success);
	assert(mtx_lock(&c11_m) == thrd_success);
	data = 7;
	assert(cnd_signal(&c11_ready) == thrd_success);
	assert(mtx_unlock(&c11_m) == thrd_success);
	assert(thrd_join(t, &result) == thrd_success && result == 7);
	cnd_destroy(&c11_ready);
	mtx_destroy(&c11_m);
}

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *read_or_write(void *arg)
{
	if (arg) {
		assert(pthread_rwlock_wrlock(&l) == 0);
		data++;
		data++;
	} else {
		assert(pthread_rwlock_rdlock(&l) == 0);
		assert(data % 2 == 0);
	}
	assert(pthread_rwlock_unlock(&l) == 0);
	return arg;
}

static void rwlock_of_two_writers_and_a_reader(void)
{
	THREADS(3, read_or_write);
	assert(data == 4);
}

static pthread_once_t once_control = PTHREAD_ONCE_INIT;

static void begin(void)
{
	data++;
}

static void *begin_once(void *arg)
{
	assert(pthread_once(&once_control, begin) == 0);
	assert(data == 1);
	return arg;
}

static void once(void)
{
	THREADS(3, begin_once);
}

static pthread_key_t key;
static int destroyed[3];

static void destroy(void *value)
{
	*(int *)value += 1;
}

static void *set_key(void *arg)
{
	long i = (long)arg;

	assert(pthread_getspecific(key) == NULL);
	assert(pthread_setspecific(key, &destroyed[i]) == 0);
	assert(pthread_getspecific(key) == &destroyed[i]);
	return arg;
}

static void keys(void)
{
	assert(pthread_key_create(&key, destroy) == 0);
	THREADS(3, set_key);
	for (int i = 0; i < 3; i++)
		assert(destroyed[i] == 1);
	assert(pthread_key_delete(key) == 0);
}

static sem_t done;

static void *post(void *arg)
{
	data = 1;
	assert(sem_post(&done) == 0);
	return arg;
}

static void detach(void)
{
	pthread_attr_t attr;
	pthread_t t;

	assert(sem_init(&done, 0, 0) == 0);
	assert(pthread_create(&t, NULL, post, NULL) == 0);
	assert(pthread_detach(t) == 0);
	assert(sem_wait(&done) == 0);
	assert(data == 1);
	assert(pthread_attr_init(&attr) == 0);
	assert(pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0);
	assert(pthread_create(&t, &attr, post, NULL) == 0);
	assert(pthread_attr_destroy(&attr) == 0);
	assert(sem_wait(&done) == 0);
}

static pthread_spinlock_t spin;

static void *spin_and_count(void *arg)
{
	assert(pthread_spin_lock(&spin) == 0);
	data++;
	assert(pthread_spin_unlock(&spin) == 0);
	return arg;
}

static void spinlock(void)
{
	assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
	THREADS(3, spin_and_count);
	assert(data == 3);
	assert(pthread_spin_destroy(&spin) == 0);
}

static void of_type(pthread_mutex_t *mutex, int type)
{
	pthread_mutexattr_t attr;

	assert(pthread_mutexattr_init(&attr) == 0);
	assert(pthread_mutexattr_settype(&attr, type) == 0);
	assert(pthread_mutex_init(mutex, &attr) == 0);
	assert(pthread_mutexattr_destroy(&attr) == 0);
}

static pthread_mutex_t recursive, checking[2];

static void *lock_all(void *arg)
{
	pthread_mutex_t *own = &checking[(long)arg];

	assert(pthread_mutex_lock(own) == 0);
	assert(pthread_mutex_lock(own) == EDEADLK);
	assert(pthread_mutex_unlock(own) == 0);
	assert(pthread_mutex_unlock(own) == EPERM);
	assert(pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_lock(&recursive) == 0);
	data++;
	assert(pthread_mutex_unlock(&recursive) == 0);
	data++;
	assert(pthread_mutex_unlock(&recursive) == 0);
	return arg;
}

static void mutex_attributes(void)
{
	of_type(&recursive, PTHREAD_MUTEX_RECURSIVE);
	of_type(&checking[0], PTHREAD_MUTEX_ERRORCHECK);
	of_type(&checking[1], PTHREAD_MUTEX_ERRORCHECK);
	THREADS(2, lock_all);
	assert(data == 4);
}

static void *lock_in_time(void *arg)
{
	static const struct timespec past = { 0, 0 };
	int error = pthread_mutex_timedlock(&m, &past);

	assert(error == 0 || error == ETIMEDOUT);
	if (!error)
		assert(pthread_mutex_unlock(&m) == 0);
	return arg;
}

/* Before the other, after it, or not at all. */
static void timed_lock(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, lock_in_time, NULL) == 0);
	assert(pthread_mutex_lock(&m) == 0);
	assert(pthread_mutex_unlock(&m) == 0);
	assert(pthread_join(t, NULL) == 0);
}

static void *allocate(void *arg)
{
	int *p = calloc(100, sizeof(*p));

	assert(p);
	for (int i = 0; i < 100; i++)
		assert(p[i] == 0);
	p[99] = 5;
	p = realloc(p, 10000 * sizeof(*p));
	assert(p && p[99] == 5 && p[0] == 0);
	p[9999] = 6;
	p = realloc(p, sizeof(*p));
	assert(p && p[0] == 0);
	free(p);
	return arg;
}

static void calloc_and_realloc(void)
{
	THREADS(2, allocate);
}

static const char *word = "warp and weft";

static void *look_at_strings(void *arg)
{
	char copy[20];

	assert(strlen(word) == 13);
	memcpy(copy, word, 14);
	assert(memcmp(copy, word, 14) == 0);
	copy[0] = 'v';
	assert(memcmp(copy, word, 14) < 0);
	return arg;
}

static void strings(void)
{
	THREADS(2, look_at_strings);
}

static void *read_clock(void *arg)
{
	struct timespec a, b;

	assert(clock_gettime(CLOCK_MONOTONIC, &a) == 0);
	assert(clock_gettime(CLOCK_MONOTONIC, &b) == 0);
	assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
	assert(clock_gettime(CLOCK_REALTIME, &a) == 0);
	assert(a.tv_sec > 0);
	return arg;
}

static void the_clock(void)
{
	THREADS(2, read_clock);
}

static void *exit_with(void *arg)
{
	exit((int)(long)arg);
}

static void join_who_exits(long status)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, exit_with, (void *)status) == 0);
	pthread_join(t, NULL);
	assert(0);
}

static void exit_in_a_thread(void)
{
	join_who_exits(0);
}

static void exit_in_a_thread_says_no(void)
{
	join_who_exits(3);
}

static void *print(void *arg)
{
	char text[64];

	assert(snprintf(text, sizeof(text), "%ld %s %5.2f %p", (long)arg, word, 2.5, NULL) > 20);
	assert(text[0] == '0' + (char)(long)arg);
	assert(!strcmp(text + 1, " warp and weft  2.50 (nil)"));
	return arg;
}

static void snprintf_in_threads(void)
{
	THREADS(2, print);
}

static void fall_back(jmp_buf *to, int depth)
{
	if (depth == 0)
		longjmp(*to, 4);
	fall_back(to, depth - 1);
}

static void *jump(void *arg)
{
	jmp_buf here;
	volatile int rounds = 0;
	int came = setjmp(here);

	assert(came == (rounds ? 4 : 0));
	if (rounds++ < 3)
		fall_back(&here, 5);
	assert(rounds == 4);
	return arg;
}

static void setjmp_in_threads(void)
{
	THREADS(2, jump);
}

static long sum(int count, ...)
{
	va_list list, again;
	long total = 0;

	va_start(list, count);
	va_copy(again, list);
	for (int i = 0; i < count; i++)
		total += va_arg(list, long);
	for (int i = 0; i < count; i++)
		total += va_arg(again, long);
	va_end(again);
	va_end(list);
	return total;
}

static void *add_up(void *arg)
{
	/* More than there are registers for. */
	assert(sum(8, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L) == 72);
	assert(sum(0) == 0);
	return arg;
}

static void variable_arguments(void)
{
	THREADS(2, add_up);
}

static sem_t empty, full;
static int slot;

static void *produce(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		assert(sem_wait(&empty) == 0);
		slot = i;
		assert(sem_post(&full) == 0);
	}
	return arg;
}

static void semaphores_order_what_they_protect(void)
{
	pthread_t t;

	assert(sem_init(&empty, 0, 1) == 0 && sem_init(&full, 0, 0) == 0);
	assert(pthread_create(&t, NULL, produce, NULL) == 0);
	for (int i = 1; i <= 3; i++) {
		assert(sem_wait(&full) == 0);
		assert(slot == i);
		assert(sem_post(&empty) == 0);
	}
	assert(pthread_join(t, NULL) == 0);
}

static void *count_alone(void *arg)
{
	assert(sem_wait(&done) == 0);
	data++;
	assert(sem_post(&done) == 0);
	return arg;
}

static void a_semaphore_excludes(void)
{
	assert(sem_init(&done, 0, 1) == 0);
	THREADS(3, count_alone);
	assert(data == 3);
}

static _Alignas(16) unsigned __int128 pair;

static void *count_in_both_halves(void *arg)
{
	const unsigned __int128 one = (unsigned __int128)1 << 64 | 1;
	unsigned __int128 seen = 0, old;

	while ((old = __sync_val_compare_and_swap(&pair, seen, seen + one)) != seen)
		seen = old;
	return arg;
}

static void cas_of_16_bytes(void)
{
	THREADS(3, count_in_both_halves);
	assert((uint64_t)pair == 3 && (uint64_t)(pair >> 64) == 3);
}

/* A locked instruction is a read-modify-write: three of them come in 3! orders, as with atomic_fetch_add(). */
static void *count_in_assembly(void *arg)
{
	__asm__ volatile("lock; addl $1, %0" : "+m"(data) : : "cc");
	return arg;
}

static void inline_assembly(void)
{
	THREADS(3, count_in_assembly);
	assert(data == 3);
}

static atomic_int flag;

static void *store_twice(void *arg)
{
	atomic_store(&flag, 1);
	atomic_store(&flag, 2);
	return arg;
}

static void two_stores_and_a_spinning_reader(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, store_twice, NULL) == 0);
	while (atomic_load(&flag) != 2)
		;
	assert(pthread_join(t, NULL) == 0);
}

static void *lock_both(void *arg)
{
	pthread_mutex_t *first = arg ? &m : &n, *second = arg ? &n : &m;

	assert(pthread_mutex_lock(first) == 0);
	assert(pthread_mutex_lock(second) == 0);
	assert(pthread_mutex_unlock(second) == 0);
	assert(pthread_mutex_unlock(first) == 0);
	return arg;
}

static void two_mutexes_in_two_orders(void)
{
	THREADS(2, lock_both);
}

static void *go_round(void *arg)
{
	for (int i = 0; i < 10; i++)
		data++;
	assert(data != 10); /* bug: ten_rounds_then_a_failure */
	return arg;
}

static void ten_rounds_then_a_failure(void)
{
	THREADS(1, go_round);
}

static void *go_round_loading(void *arg)
{
	for (int i = 0; i < 10; i++)
		data += 1 + atomic_load(&flag);
	assert(data != 10); /* bug: ten_rounds_of_loads_then_a_failure */
	return arg;
}

static void ten_rounds_of_loads_then_a_failure(void)
{
	THREADS(1, go_round_loading);
}

CASES(CASE(condition_variable), CASE(c11_condition_variable),
      CASE(rwlock_of_two_writers_and_a_reader), CASE(once), CASE(keys), CASE(detach),
      CASE(spinlock), CASE(mutex_attributes), CASE(timed_lock), CASE(calloc_and_realloc),
      CASE(strings), CASE(the_clock), CASE(exit_in_a_thread), CASE(exit_in_a_thread_says_no),
      CASE(snprintf_in_threads), CASE(setjmp_in_threads), CASE(variable_arguments),
      CASE(semaphores_order_what_they_protect), CASE(a_semaphore_excludes), CASE(cas_of_16_bytes),
      CASE(inline_assembly), CASE(two_stores_and_a_spinning_reader),
      CASE(two_mutexes_in_two_orders), CASE(ten_rounds_then_a_failure),
      CASE(ten_rounds_of_loads_then_a_failure))
