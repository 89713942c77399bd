/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * atomic.c - atomic operations of every size, and plain accesses of the same locations
 *
 * case operations_of_1_byte: ok 1
 * case operations_of_2_bytes: ok 1
 * case operations_of_4_bytes: ok 1
 * case operations_of_8_bytes: ok 1
 * case operations_of_16_bytes: ok 1
 * case small_neighbours_are_apart: ok 1
 * case statically_initialised: ok 4
 * case initialised_before_the_threads: ok 4
 * case plain_read_after_the_join_sees_the_last: ok 2
 * case plain_write_before_the_threads: ok 2
 * case plain_write_between_two_rounds: ok 4
 * case plain_read_of_what_nobody_writes: ok 1
 * case plain_reads_of_a_modification_order: ok 2
 * case plain_write_of_a_part: ok 1
 * case plain_range_over_atomics: ok 1
 * case atomic_and_plain_write: bug data-race at atomic_store(&x, 1)
 * case atomic_read_and_plain_write: bug data-race
 * case atomic_write_and_plain_read: bug data-race
 * case mixed_sizes: ok 1
 * case acquire_orders_plain_accesses: ok 2
 * case relaxed_does_not: bug data-race
 * case fences_order_plain_accesses: ok 2
 * case use_after_free_of_an_atomic: bug use-after-free at atomic_fetch_add(p, 1)
 * case weak_compare_exchange: ok 1
 * case weak_compare_exchange --spurious-cas=1: bug assertion at assert(atomic_compare_exchange_weak
 * case weak_loop --spurious-cas=1: ok 4
 * case weak_that_reads_another_value --spurious-cas=1: ok 3
 * case strong_compare_exchange --spurious-cas=1: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

static void *nothing(void *arg)
{
	return arg;
}

/* All operations on one object, in one thread, against plain arithmetic. */
#define OPERATIONS(name, type)                                                        \
	static void *do_##name(void *arg)                                             \
	{                                                                             \
		static _Alignas(16) type x;                                           \
		type v = (type)0x1234567890abcdef, w = (type)~v, e, r;                \
                                                                                      \
		__atomic_store_n(&x, v, __ATOMIC_SEQ_CST);                            \
		assert(__atomic_load_n(&x, __ATOMIC_ACQUIRE) == v);                   \
		assert(__atomic_exchange_n(&x, w, __ATOMIC_ACQ_REL) == v);            \
		assert(__atomic_fetch_add(&x, 3, __ATOMIC_RELAXED) == w);             \
		assert(__atomic_fetch_sub(&x, 5, __ATOMIC_RELAXED) == (type)(w + 3)); \
		r = (type)(w - 2);                                                    \
		assert(__atomic_fetch_and(&x, v, __ATOMIC_RELEASE) == r);             \
		r &= v;                                                               \
		assert(__atomic_fetch_or(&x, w, __ATOMIC_RELEASE) == r);              \
		r |= w;                                                               \
		assert(__atomic_fetch_xor(&x, v, __ATOMIC_RELEASE) == r);             \
		r ^= v;                                                               \
		assert(__atomic_fetch_nand(&x, v, __ATOMIC_RELEASE) == r);            \
		r = (type) ~(r & v);                                                  \
		assert(__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST) == (type)(r + 1)); \
		r++;                                                                  \
		e = (type)(r + 1);                                                    \
		assert(!__atomic_compare_exchange_n(&x, &e, v, 0, __ATOMIC_SEQ_CST,   \
						    __ATOMIC_RELAXED));               \
		assert(e == r);                                                       \
		assert(__atomic_compare_exchange_n(&x, &e, v, 0, __ATOMIC_SEQ_CST,    \
						   __ATOMIC_RELAXED));                \
		assert(e == r && __atomic_load_n(&x, __ATOMIC_RELAXED) == v);         \
		assert(__sync_val_compare_and_swap(&x, v, w) == v);                   \
		assert(__sync_bool_compare_and_swap(&x, w, v));                       \
		return arg;                                                           \
	}                                                                             \
	static void name(void)                                                        \
	{                                                                             \
		do_##name(NULL);                                                      \
		THREADS(1, do_##name);                                                \
	}

OPERATIONS(operations_of_1_byte, uint8_t)
OPERATIONS(operations_of_2_bytes, uint16_t)
OPERATIONS(operations_of_4_bytes, uint32_t)
OPERATIONS(operations_of_8_bytes, uint64_t)

/* gcc turns most operations on 16 bytes into calls of libatomic; these it does not. */
static void *do_16(void *arg)
{
	static _Alignas(16) unsigned __int128 x;
	unsigned __int128 v = (unsigned __int128)0x123456789 << 64 | 7, w = ~v;

	assert(__sync_val_compare_and_swap(&x, 0, v) == 0);
	assert(__sync_val_compare_and_swap(&x, 0, w) == v);
	assert(__sync_bool_compare_and_swap(&x, v, w));
	assert(!__sync_bool_compare_and_swap(&x, v, w));
	assert(__sync_bool_compare_and_swap(&x, w, 0));
	return arg;
}

static void operations_of_16_bytes(void)
{
	do_16(NULL);
	THREADS(1, do_16);
}

static _Atomic uint8_t bytes[8];

static void *own_byte(void *arg)
{
	int i = (int)(intptr_t)arg;

	atomic_store_explicit(&bytes[i], (uint8_t)(i + 1), memory_order_relaxed);
	assert(atomic_fetch_add_explicit(&bytes[i], 1, memory_order_relaxed) == i + 1);
	return NULL;
}

static void small_neighbours_are_apart(void)
{
	THREADS(3, own_byte);
	for (int i = 0; i < 3; i++)
		assert(atomic_load(&bytes[i]) == i + 2);
}

static atomic_int x = 5, y = 6, flag;
static int data;

static void *buffer(void *arg)
{
	atomic_int *mine = arg ? &x : &y, *other = arg ? &y : &x;
	int v;

	atomic_store_explicit(mine, 1, memory_order_relaxed);
	v = atomic_load_explicit(other, memory_order_relaxed);
	assert(v == 1 || v == (arg ? 6 : 5));
	return NULL;
}

static void statically_initialised(void)
{
	THREADS(2, buffer);
}

static void initialised_before_the_threads(void)
{
	pthread_t t;

	/* After the root point, but before anything atomic happens. */
	assert(pthread_create(&t, NULL, nothing, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	atomic_init(&x, 5);
	atomic_init(&y, 6);
	THREADS(2, buffer);
}

static void *set(void *arg)
{
	atomic_store_explicit(&x, (int)(intptr_t)arg + 1, memory_order_relaxed);
	return NULL;
}

static void plain_read_after_the_join_sees_the_last(void)
{
	THREADS(2, set);
	data = *(volatile int *)&x;
	assert(data == 1 || data == 2);
	assert(data == atomic_load(&x));
}

static void *expect_seven(void *arg)
{
	int e = 7;

	atomic_compare_exchange_strong(&x, &e, 8);
	assert(e == 7 || e == 8);
	return arg;
}

static void plain_write_before_the_threads(void)
{
	pthread_t t;

	assert(pthread_create(&t, NULL, nothing, NULL) == 0);
	assert(pthread_join(t, NULL) == 0);
	*(volatile int *)&x = 7;
	THREADS(2, expect_seven);
	assert(atomic_load(&x) == 8);
}

static void plain_write_between_two_rounds(void)
{
	*(volatile int *)&x = 7;
	THREADS(2, expect_seven);
	assert(*(volatile int *)&x == 8);
	*(volatile int *)&x = 7;
	THREADS(2, expect_seven);
	assert(*(volatile int *)&x == 8);
}

static void *look(void *arg)
{
	assert(atomic_load_explicit(&x, memory_order_relaxed) == 5);
	assert(*(volatile int *)&x == 5);
	return arg;
}

static void plain_read_of_what_nobody_writes(void)
{
	THREADS(2, look);
}

static void plain_reads_of_a_modification_order(void)
{
	int a, b;

	THREADS(2, set);
	a = *(volatile int *)&x;
	THREADS(1, nothing);
	b = *(volatile int *)&x;
	assert(a == b);
}

static union {
	atomic_uint whole;
	volatile uint8_t byte[4];
} parts;

static void *set_whole(void *arg)
{
	atomic_store_explicit(&parts.whole, 0x11223344, memory_order_relaxed);
	return arg;
}

static void plain_write_of_a_part(void)
{
	THREADS(1, set_whole);
	parts.byte[1] = 0xff;
	assert(atomic_load(&parts.whole) == 0x1122ff44);
	assert(parts.byte[2] == 0x22);
}

static struct several {
	atomic_int a;
	int plain;
	atomic_llong b;
} several, copy;

static void *set_several(void *arg)
{
	atomic_store(&several.a, 1);
	atomic_store(&several.b, 2);
	return arg;
}

static void plain_range_over_atomics(void)
{
	struct several zero = { 0 };

	THREADS(1, set_several);
	__builtin_memcpy(&copy, &several, sizeof(copy));
	assert(copy.a == 1 && copy.b == 2);
	*(volatile struct several *)&several = *(volatile struct several *)&zero;
	assert(atomic_load(&several.a) == 0 && atomic_load(&several.b) == 0);
}

static void *atomic_or_plain_write(void *arg)
{
	if (arg)
		atomic_store(&x, 1);
	else
		*(volatile int *)&x = 2;
	return NULL;
}

static void atomic_and_plain_write(void)
{
	THREADS(2, atomic_or_plain_write);
}

static void *atomic_read_or_plain_write(void *arg)
{
	if (!arg)
		data = atomic_load(&x);
	else
		*(volatile int *)&x = 2; /* bug: atomic_read_and_plain_write */
	return NULL;
}

static void atomic_read_and_plain_write(void)
{
	THREADS(2, atomic_read_or_plain_write);
}

static void *atomic_write_or_plain_read(void *arg)
{
	if (!arg)
		atomic_store(&x, 2);
	else
		data = *(volatile int *)&x; /* bug: atomic_write_and_plain_read */
	return NULL;
}

static void atomic_write_and_plain_read(void)
{
	THREADS(2, atomic_write_or_plain_read);
}

_Alignas(8) char place[8];

static void *wide_or_narrow(void *arg)
{
	if (arg)
		__atomic_store_n((uint64_t *)place, 1, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n((uint32_t *)place, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void mixed_sizes(void)
{
	THREADS(2, wide_or_narrow);
}

static void pass(memory_order release, memory_order acquire, void *arg)
{
	if (!arg) {
		data = 1;
		atomic_store_explicit(&flag, 1, release);
	} else if (atomic_load_explicit(&flag, acquire)) {
		assert(*(volatile int *)&data == 1); /* bug: relaxed_does_not */
	}
}

static void *pass_acquire(void *arg)
{
	pass(memory_order_release, memory_order_acquire, arg);
	return NULL;
}

static void acquire_orders_plain_accesses(void)
{
	THREADS(2, pass_acquire);
}

static void *pass_relaxed(void *arg)
{
	pass(memory_order_relaxed, memory_order_relaxed, arg);
	return NULL;
}

static void relaxed_does_not(void)
{
	THREADS(2, pass_relaxed);
}

static void *pass_fences(void *arg)
{
	if (!arg) {
		data = 1;
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&flag, 1, memory_order_relaxed);
	} else if (atomic_load_explicit(&flag, memory_order_relaxed)) {
		atomic_thread_fence(memory_order_acquire);
		assert(*(volatile int *)&data == 1);
	}
	return NULL;
}

static void fences_order_plain_accesses(void)
{
	THREADS(2, pass_fences);
}

static _Atomic(atomic_int *) pointer;

static void *use_or_free(void *arg)
{
	atomic_int *p = atomic_load(&pointer);

	(void)arg;
	if (p)
		atomic_fetch_add(p, 1);
	return NULL;
}

static void use_after_free_of_an_atomic(void)
{
	atomic_int *p = calloc(1, sizeof(*p));
	pthread_t t;

	atomic_store(&pointer, p);
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	free(p);
	THREADS(1, use_or_free);
}

static atomic_int weak;

static void *weak_once(void *arg)
{
	int expected = 0;

	assert(atomic_compare_exchange_weak(&weak, &expected, 1));
	return arg;
}

static void weak_compare_exchange(void)
{
	THREADS(1, weak_once);
}

static void *weak_until(void *arg)
{
	int expected = 0;

	while (!atomic_compare_exchange_weak(&weak, &expected, expected + 1))
		;
	return arg;
}

static void weak_loop(void)
{
	THREADS(2, weak_until);
	assert(weak == 2);
}

/* It succeeds, fails and reads 0, or fails and reads 5; the store comes before or after. */
static void *weak_or_store(void *arg)
{
	int expected = 0;

	if (arg)
		atomic_store(&weak, 5);
	else if (!atomic_compare_exchange_weak(&weak, &expected, 1))
		assert(expected == 0 || expected == 5);
	return NULL;
}

static void weak_that_reads_another_value(void)
{
	THREADS(2, weak_or_store);
}

static void *strong_once(void *arg)
{
	int expected = 0;

	assert(atomic_compare_exchange_strong(&weak, &expected, 2));
	return arg;
}

static void strong_compare_exchange(void)
{
	THREADS(1, strong_once);
}

CASES(CASE(operations_of_1_byte), CASE(operations_of_2_bytes), CASE(operations_of_4_bytes),
      CASE(operations_of_8_bytes), CASE(operations_of_16_bytes), CASE(small_neighbours_are_apart),
      CASE(statically_initialised), CASE(initialised_before_the_threads),
      CASE(plain_read_after_the_join_sees_the_last), CASE(plain_write_before_the_threads),
      CASE(plain_write_between_two_rounds), CASE(plain_read_of_what_nobody_writes),
      CASE(plain_reads_of_a_modification_order), CASE(plain_write_of_a_part),
      CASE(plain_range_over_atomics), CASE(atomic_and_plain_write),
      CASE(atomic_read_and_plain_write), CASE(atomic_write_and_plain_read), CASE(mixed_sizes),
      CASE(acquire_orders_plain_accesses), CASE(relaxed_does_not),
      CASE(fences_order_plain_accesses), CASE(use_after_free_of_an_atomic),
      CASE(weak_compare_exchange), CASE(weak_loop), CASE(weak_that_reads_another_value),
      CASE(strong_compare_exchange))
