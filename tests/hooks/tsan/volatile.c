/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * volatile.c - volatile accesses, as they are and as relaxed atomic ones
 *
 * case a_flag: bug data-race
 * case a_flag --volatile=relaxed: ok 2
 * case store_buffering --volatile=relaxed: ok 4
 * case message_passing --volatile=relaxed: bug data-race at result[0] = data
 * case initial_values --volatile=relaxed: ok 4
 * case lost_increment --volatile=relaxed: bug assertion at assert(x == 2
 * case waits_for_a_flag --volatile=relaxed: ok 1
 * case waits_for_ever --volatile=relaxed: bug await-stuck
 * case peterson_needs_fences --volatile=relaxed: bug data-race at inside++
 * case with_fences --volatile=relaxed: ok 2
 * case atomic_and_volatile --volatile=relaxed: ok 2
 * case plain_and_volatile --volatile=relaxed: bug data-race at sometimes = 1
 * case all_sizes --volatile=relaxed: ok 1
 * case in_a_structure --volatile=relaxed: ok 2
 * case ring --volatile=relaxed: ok 14
 * case after_free --volatile=relaxed: bug use-after-free at *q = 1
 * case old_value_on_own_stack --volatile=relaxed: ok 4
 * case old_value_on_own_stack --volatile=relaxed -m sc: ok 2
 * case old_value_on_own_stack --volatile=relaxed -e mo --no-memo: ok 4
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

static volatile int x, y;
static int data, result[2];

static void *read_or_write(void *arg)
{
	if (arg)
		x = 1; /* bug: a_flag */
	else
		assert(x == 0 || x == 1);
	return NULL;
}

static void a_flag(void)
{
	THREADS(2, read_or_write);
	assert(x == 1);
}

static void *buffer(void *arg)
{
	if (arg) {
		x = 1;
		result[1] = y;
	} else {
		y = 1;
		result[0] = x;
	}
	return NULL;
}

static void store_buffering(void)
{
	THREADS(2, buffer);
}

static void *pass(void *arg)
{
	if (arg) {
		data = 1;
		x = 1;
	} else if (x) {
		result[0] = data;
	}
	return NULL;
}

static void message_passing(void)
{
	THREADS(2, pass);
}

static volatile long before = 5, other = 6;

static void *initials(void *arg)
{
	volatile long *mine = arg ? &before : &other, *theirs = arg ? &other : &before;
	long v;

	*mine = 1;
	v = *theirs;
	assert(v == 1 || v == (arg ? 6 : 5));
	return NULL;
}

static void initial_values(void)
{
	THREADS(2, initials);
}

static void *increment(void *arg)
{
	x = x + 1;
	return arg;
}

static void lost_increment(void)
{
	THREADS(2, increment);
	assert(x == 2 || getenv("HEDDLE_TEST_NATIVELY"));
}

static void *wait_or_set(void *arg)
{
	if (arg)
		x = 1;
	else
		while (!x)
			;
	return NULL;
}

static void waits_for_a_flag(void)
{
	THREADS(2, wait_or_set);
}

static void *wait_only(void *arg)
{
	while (!x) /* bug: waits_for_ever */
		;
	return arg;
}

static void waits_for_ever(void)
{
	THREADS(1, wait_only);
}

static volatile int wants[2], turn;
static int inside;

static void *critical(void *arg)
{
	int me = arg != NULL;

	wants[me] = 1;
	turn = !me;
	while (wants[!me] && turn == !me)
		;
	inside++;
	wants[me] = 0;
	return NULL;
}

static void peterson_needs_fences(void)
{
	THREADS(2, critical);
}

static void *pass_with_fences(void *arg)
{
	if (arg) {
		data = 1;
		atomic_thread_fence(memory_order_release);
		x = 1;
	} else if (x) {
		atomic_thread_fence(memory_order_acquire);
		assert(data == 1);
	}
	return NULL;
}

static void with_fences(void)
{
	THREADS(2, pass_with_fences);
}

static atomic_int counter;

static void *both_ways(void *arg)
{
	if (arg)
		atomic_fetch_add(&counter, 1);
	else
		assert(*(volatile int *)&counter <= 1);
	return NULL;
}

static void atomic_and_volatile(void)
{
	THREADS(2, both_ways);
	assert(counter == 1);
}

static int sometimes;

static void *plain_or_volatile(void *arg)
{
	if (arg)
		sometimes = 1;
	else
		*(volatile int *)&sometimes = 2;
	return NULL;
}

static void plain_and_volatile(void)
{
	THREADS(2, plain_or_volatile);
}

#define SIZE(type)                                     \
	do {                                           \
		static volatile type v = 3;            \
                                                       \
		assert(v == 3);                        \
		v = (type)0x1122334455667788;          \
		v++;                                   \
		assert(v == (type)0x1122334455667789); \
	} while (0)

static void *sizes(void *arg)
{
	SIZE(uint8_t);
	SIZE(uint16_t);
	SIZE(uint32_t);
	SIZE(uint64_t);
	return arg;
}

static void all_sizes(void)
{
	THREADS(1, sizes);
}

/*
 * A ring for one producer and one consumer, three items. Each reads its own index by an
 * ordinary instruction, the other one's by a volatile one.
 */
static unsigned head, tail;
static int item[4];
#define VOLATILE(x) (*(volatile unsigned *)&(x))

static bool put(int what)
{
	unsigned at = tail;

	if (at - VOLATILE(head) == 4)
		return false;
	item[at % 4] = what;
	atomic_thread_fence(memory_order_release);
	VOLATILE(tail) = at + 1;
	return true;
}

static bool get(int *what)
{
	unsigned at = head;

	if (at == VOLATILE(tail))
		return false;
	atomic_thread_fence(memory_order_acquire);
	*what = item[at % 4];
	atomic_thread_fence(memory_order_release);
	VOLATILE(head) = at + 1;
	return true;
}

static void *get_all(void)
{
	int what;

	for (int i = 1; i <= 3; i++) {
		while (!get(&what))
			;
		assert(what == i);
	}
	return NULL;
}

static void *put_or_get(void *arg)
{
	if (arg)
		return get_all();
	for (int i = 1; i <= 3; i++)
		while (!put(i))
			;
	return NULL;
}

static void ring(void)
{
	THREADS(2, put_or_get);
}

struct packet {
	int length;
	volatile char full, spare;
} packet;

static void *fill(void *arg)
{
	if (arg) {
		packet.full = 1;
		packet.spare = 2;
	} else {
		packet.length = packet.full;
	}
	return NULL;
}

static void in_a_structure(void)
{
	struct packet copy;

	THREADS(2, fill);
	copy = packet;
	assert(copy.full == 1 && copy.spare == 2 && copy.length <= 1);
}

static void *use_freed(void *arg)
{
	volatile int *p = malloc(sizeof(*p)), *q;

	__asm__ volatile("" : "=r"(q) : "0"(p));
	free((void *)p);
	*q = 1;
	return arg;
}

static void after_free(void)
{
	THREADS(1, use_freed);
}

static volatile int told;

static void *write_and_tell(void *at)
{
	*(volatile int *)at = 1;
	told = 1;
	return at;
}

/* Who is told and reads an old value twice has stored nothing. */
static void old_value_on_own_stack(void)
{
	volatile int own = 0;
	pthread_t t;

	assert(pthread_create(&t, NULL, write_and_tell, (void *)&own) == 0);
	if (told) {
		int first = own, second = own;

		assert(first <= second);
	}
	assert(pthread_join(t, NULL) == 0);
	assert(own == 1);
}

CASES(CASE(a_flag), CASE(store_buffering), CASE(message_passing), CASE(initial_values),
      CASE(lost_increment), CASE(waits_for_a_flag), CASE(waits_for_ever),
      CASE(peterson_needs_fences), CASE(with_fences), CASE(atomic_and_volatile),
      CASE(plain_and_volatile), CASE(all_sizes), CASE(in_a_structure), CASE(ring), CASE(after_free),
      CASE(old_value_on_own_stack))
