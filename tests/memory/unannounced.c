/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unannounced.c - variables on a stack that lie where others were which were accessed atomically
 *
 * Compilers do not announce stores to variables that no other thread can get hold of, though whoever reads them by a pointer
 * does. Functions here that are not instrumented stand for such stores.
 *
 * case alone: ok 1
 * case part: ok 1
 * case again: ok 1
 * case atomic: ok 1
 * case atomic_from_the_start: ok 1
 * case by_library: ok 1
 * case by_futex: ok 1
 * case by_futex_requeue: ok 1
 * case atomic_of_others: ok 3
 * case first_of_others_anew: ok 2
 * case second_of_others_anew: ok 2
 * case first_is_last: bug assertion at != 1)
 * case second_is_last: bug assertion at != 2)
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static atomic_int other_is_there;

static void *other(void *arg)
{
	atomic_fetch_add_explicit(&other_is_there, 1, memory_order_relaxed);
	return arg;
}

__attribute__((noinline, no_sanitize_thread)) static void put_int(void *at, int v)
{
	*(volatile int *)at = v;
}

static int get_int(const int *at)
{
	return *(const volatile int *)at;
}

/* What was there before: an atomic variable of the calling thread's own. */
static void use(void *at, long v)
{
	_Atomic long *a = at;

	atomic_store_explicit(a, v, memory_order_relaxed);
	atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
	assert(atomic_load_explicit(a, memory_order_relaxed) == v + 1);
}

static void use_int(void *at, int v)
{
	atomic_int *a = at;

	atomic_store_explicit(a, v, memory_order_relaxed);
	assert(atomic_load_explicit(a, memory_order_relaxed) == v);
}

static void with_other(void (*run)(void *at))
{
	_Alignas(8) char room[16];
	pthread_t t;

	pthread_create(&t, NULL, other, NULL);
	run(room);
	pthread_join(t, NULL);
}

static void in_place(void *at)
{
	use_int(at, 7);
	put_int(at, 5);
	assert(get_int(at) == 5);
	put_int(at, 6);
	assert(get_int(at) == 6);
	use_int(at, 8);
	assert(get_int(at) == 8);
}

static void alone(void)
{
	with_other(in_place);
}

/* The location has eight bytes; what is not overwritten stays. */
static void in_part(void *at)
{
	int *half = at;

	use(at, 0x300000003);
	put_int(half, 9);
	assert(get_int(half) == 9 && get_int(half + 1) == 3);
	put_int(half + 1, 4);
	half[0] = 1; /* of which the other half has to be known */
	assert(get_int(half + 1) == 4 && get_int(half) == 1);
}

static void part(void)
{
	with_other(in_part);
}

/* A value that the location had once. */
static void with_old_value(void *at)
{
	use_int(at, 7);
	use_int(at, 5);
	put_int(at, 7);
	assert(get_int(at) == 7);
}

static void again(void)
{
	with_other(with_old_value);
}

/* By atomic operations, as of a temporary that is passed by reference. */
static void by_atomics(void *at)
{
	atomic_int *a = at;
	int expected = 1;

	use_int(at, 7);
	put_int(at, 5);
	assert(atomic_load_explicit(a, memory_order_relaxed) == 5);
	put_int(at, 6);
	assert(atomic_fetch_add_explicit(a, 1, memory_order_relaxed) == 6);
	assert(get_int(at) == 7);
	put_int(at, 8);
	assert(!atomic_compare_exchange_strong(a, &expected, 2) && expected == 8);
	assert(atomic_exchange(a, 9) == 8 && atomic_load(a) == 9);
	put_int(at, 10);
	atomic_store(a, 11);
	assert(atomic_load(a) == 11);
}

static void atomic(void)
{
	with_other(by_atomics);
}

/* Nothing was written there before but so. */
static void never_written(void *at)
{
	atomic_int *a = at;

	put_int(at, 1);
	assert(atomic_load_explicit(a, memory_order_relaxed) == 1);
	put_int(at, 5);
	assert(atomic_load_explicit(a, memory_order_relaxed) == 5);
	put_int(at, 1);
	assert(atomic_load_explicit(a, memory_order_relaxed) == 1);
}

static void atomic_from_the_start(void)
{
	with_other(never_written);
}

/* Libatomic's functions for an object of any size, as of a structure of four characters. */
void library_load(size_t size, const void *at, void *out, int order) __asm__("__atomic_load");
_Bool library_exchange(size_t size, void *at, void *expected, void *desired, int succeeds,
		       int fails) __asm__("__atomic_compare_exchange");

static void in_library(void *at)
{
	int seen = 0, expected = 6, desired = 8;

	use_int(at, 7);
	put_int(at, 5);
	library_load(sizeof(seen), at, &seen, __ATOMIC_RELAXED);
	assert(get_int(&seen) == 5);
	put_int(at, 6);
	assert(library_exchange(sizeof(expected), at, &expected, &desired, __ATOMIC_RELAXED,
				__ATOMIC_RELAXED));
	assert(get_int(at) == 8);
}

static void by_library(void)
{
	with_other(in_library);
}

/* The word that a futex is to wait at: it is another one, so there is no wait. */
static void at_futex(void *at)
{
	use_int(at, 7);
	put_int(at, 5);
	assert(syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, 7, NULL, NULL, 0) == -1 &&
	       errno == EAGAIN);
}

static void by_futex(void)
{
	with_other(at_futex);
}

static void at_requeue(void *at)
{
	int elsewhere = 0;

	use_int(at, 7);
	put_int(at, 5);
	assert(syscall(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 1, NULL, &elsewhere, 7) == -1 &&
	       errno == EAGAIN);
}

static void by_futex_requeue(void)
{
	with_other(at_requeue);
}

static void *put_one(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 1, memory_order_relaxed);
	return arg;
}

static void *put_two(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 2, memory_order_relaxed);
	return arg;
}

static int written_by_two(void *at)
{
	pthread_t t, u;

	atomic_init((atomic_int *)at, 0);
	pthread_create(&t, NULL, put_one, at);
	pthread_create(&u, NULL, put_two, at);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return get_int(at);
}

static void *put_three(void *arg)
{
	atomic_store_explicit((atomic_int *)arg, 3, memory_order_relaxed);
	return arg;
}

/* What others write there is none of the thread's stores, whatever order it finds them in. */
static void atomic_of_others(void)
{
	_Alignas(8) char room[8];
	atomic_int *a = (atomic_int *)(void *)room;
	pthread_t t;

	atomic_init(a, 1);
	pthread_create(&t, NULL, put_three, room);
	if (atomic_load_explicit(a, memory_order_relaxed) == 1)
		(void)atomic_load_explicit(a, memory_order_relaxed);
	else
		atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
	pthread_join(t, NULL);
	put_int(room, 2);
	assert(atomic_load_explicit(a, memory_order_relaxed) == 2);
}

/* What a read has found is in memory then, whoever stored last; and that may be what is stored now. */
static void stored_anew(int first)
{
	_Alignas(8) char room[8];
	int *at = (int *)(void *)room;

	written_by_two(room);
	put_int(at, first);
	assert(get_int(at) == first);
	put_int(at, 3 - first);
	assert(get_int(at) == 3 - first);
	put_int(at, 3);
	assert(get_int(at) == 3);
}

static void first_of_others_anew(void)
{
	stored_anew(1);
}

static void second_of_others_anew(void)
{
	stored_anew(2);
}

/* The last store is another one than the last that was done: nobody has stored it anew. */
static void first_is_last(void)
{
	_Alignas(8) char room[8];

	assert(written_by_two(room) != 1);
}

static void second_is_last(void)
{
	_Alignas(8) char room[8];

	assert(written_by_two(room) != 2);
}

CASES(CASE(alone), CASE(part), CASE(again), CASE(atomic), CASE(atomic_from_the_start),
      CASE(by_library), CASE(by_futex), CASE(by_futex_requeue), CASE(atomic_of_others),
      CASE(first_of_others_anew), CASE(second_of_others_anew), CASE(first_is_last),
      CASE(second_is_last))
