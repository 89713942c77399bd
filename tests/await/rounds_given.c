/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_given.c - rounds of a loop that differ only in what the next operation is given
 *
 * A thread counts its rounds, up to two, and the number decides about one part of the operation that comes
 * then. Nobody needs the number any more when the operation is over, so the states of the thread there are
 * the same: the operations are not. To leave out a round loses what happens behind the first one.
 *
 * Calls that differ in their arguments only are one in the machine code of an optimising compiler. Here they
 * are in the source.
 *
 * case value_stored: bug assertion
 * case address: bug assertion
 * case value_expected: bug assertion
 * case order: bug data-race at sink = plain;
 * case order_of_a_failure: bug data-race at sink = plain + 1;
 * case size: bug assertion
 * case function: bug assertion
 * case kind: bug assertion
 * case read_elsewhere: bug assertion
 * case place: bug assertion
 * case depth: bug assertion
 * case memory_only_another_wrote: bug assertion
 * case thread_joined: bug deadlock at assert(pthread_join(t[i], NULL) == 0);
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "cases.h"

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release

/* What compilers call. */
typedef void store32(volatile int *a, int v, int order);
typedef int update32(volatile int *a, int v, int order);

extern store32 tsan_store32 __asm__("__tsan_atomic32_store");
extern store32 tsan_store16 __asm__("__tsan_atomic16_store");
extern update32 tsan_add32 __asm__("__tsan_atomic32_fetch_add");
extern update32 tsan_or32 __asm__("__tsan_atomic32_fetch_or");
extern int tsan_cas32(volatile int *a, int expected, int v, int order,
		      int fail) __asm__("__tsan_atomic32_compare_exchange_val");

static atomic_int x;
static volatile int z, flag, cell[3];
static int plain;
static volatile int sink;
static sem_t sem, never;
static pthread_t helper[3];

static void *set_x(void *arg)
{
	atomic_store_explicit(&x, 1, RLX);
	return arg;
}

/*
 * The number of rounds: one only if x is set between the two looks. Compilers would give each round code of
 * its own if they knew how many there are.
 */
static inline __attribute__((always_inline)) int rounds(void)
{
	int number = 0;

	while (!atomic_load_explicit(&x, RLX)) {
		__asm__("" : "+r"(number));
		if (++number == 2)
			break;
	}
	return number;
}

static void with(void *(*fn)(void *), void *(*other)(void *))
{
	pthread_t t[3];

	assert(pthread_create(&t[0], NULL, fn, NULL) == 0);
	assert(pthread_create(&t[1], NULL, set_x, NULL) == 0);
	if (other)
		assert(pthread_create(&t[2], NULL, other, NULL) == 0);
	for (int i = 0; i < 2 + (other != NULL); i++)
		assert(pthread_join(t[i], NULL) == 0);
}

static void *stores_number(void *arg)
{
	tsan_store32(&z, rounds(), RLX);
	return arg;
}

static void value_stored(void)
{
	with(stores_number, NULL);
	assert(z != 1); /* bug: value_stored */
}

static void *stores_there(void *arg)
{
	tsan_store32(&cell[rounds()], 1, RLX);
	return arg;
}

static void address(void)
{
	with(stores_there, NULL);
	assert(!cell[1]); /* bug: address */
}

static void *expects_number(void *arg)
{
	z = 1;
	tsan_cas32(&z, rounds(), 5, RLX, RLX);
	return arg;
}

static void value_expected(void)
{
	with(expects_number, NULL);
	assert(z == 1); /* bug: value_expected */
}

static void *hands_on(void *arg)
{
	static const int of[] = { REL, RLX, REL };

	plain = 1;
	tsan_store32(&flag, 1, of[rounds()]);
	return arg;
}

static void *takes(void *arg)
{
	if (__atomic_load_n(&flag, ACQ))
		sink = plain;
	return arg;
}

static void order(void)
{
	with(hands_on, takes);
}

static void *releases(void *arg)
{
	plain = 1;
	tsan_store32(&flag, 1, REL);
	return arg;
}

static void *fails_to_swap(void *arg)
{
	static const int of[] = { ACQ, RLX, ACQ };

	if (tsan_cas32(&flag, 2, 3, RLX, of[rounds()]))
		sink = plain + 1;
	return arg;
}

static void order_of_a_failure(void)
{
	with(fails_to_swap, releases);
}

static void *stores_so_much(void *arg)
{
	static store32 *const of[] = { tsan_store32, tsan_store16, tsan_store32 };

	of[rounds()](&z, 1, RLX);
	return arg;
}

static void size(void)
{
	z = 1 << 16;
	with(stores_so_much, NULL);
	assert(z == 1); /* bug: size */
}

static void *updates(void *arg)
{
	static update32 *const of[] = { tsan_or32, tsan_add32, tsan_or32 };

	of[rounds()](&z, 3, RLX);
	return arg;
}

static void function(void)
{
	z = 1;
	with(updates, NULL);
	assert(z == 3); /* bug: function */
}

static void *posts_or_waits(void *arg)
{
	static int (*const of[])(sem_t *) = { sem_trywait, sem_post, sem_trywait };

	of[rounds()](&sem);
	return arg;
}

static void kind(void)
{
	int value;

	assert(sem_init(&sem, 0, 0) == 0);
	with(posts_or_waits, NULL);
	assert(sem_getvalue(&sem, &value) == 0);
	assert(value == 0); /* bug: kind */
}

/* What is read on the way, of another location. */
static atomic_int none, five = 5;

static void *reads_one_of_two(void *arg)
{
	atomic_int *from = rounds() == 1 ? &five : &none;

	tsan_store32(&z, atomic_load_explicit(from, RLX), RLX);
	return arg;
}

static void read_elsewhere(void)
{
	with(reads_one_of_two, NULL);
	assert(z != 5); /* bug: read_elsewhere */
}

/* The same operation at another place in the code. */
static void *stores_at_two_places(void *arg)
{
	if (rounds() == 1) {
		tsan_store32(&z, 1, RLX);
		plain = 1;
	} else {
		tsan_store32(&z, 1, RLX);
	}
	return arg;
}

static void place(void)
{
	with(stores_at_two_places, NULL);
	assert(!plain); /* bug: place */
}

/* The same operation at the same place, in an inner call. */
static __attribute__((noinline)) void look_inside(int left)
{
	if (left && !atomic_load_explicit(&x, RLX)) {
		look_inside(left - 1);
		plain++;
	} else {
		tsan_store32(&z, 1, RLX);
	}
}

static void *looks_inside(void *arg)
{
	look_inside(2);
	return arg;
}

static void depth(void)
{
	with(looks_inside, NULL);
	assert(plain != 1); /* bug: depth */
}

/* What it would have written after no round: here nothing is. */
static void *writes_without_a_round(void *arg)
{
	if (rounds() != 1)
		plain = 1;
	tsan_store32(&z, 1, RLX);
	return arg;
}

static void memory_only_another_wrote(void)
{
	with(writes_without_a_round, NULL);
	assert(plain); /* bug: memory_only_another_wrote */
}

static void *ends(void *arg)
{
	return arg;
}

static void *never_ends(void *arg)
{
	sem_wait(&never);
	return arg;
}

static void *joins(void *arg)
{
	int number = rounds();

	pthread_join(helper[number], NULL);
	return arg;
}

static void thread_joined(void)
{
	assert(sem_init(&never, 0, 0) == 0);
	for (int i = 0; i < 3; i++)
		assert(pthread_create(&helper[i], NULL, i == 1 ? never_ends : ends, NULL) == 0);
	with(joins, NULL);
	_exit(0);
}

CASES(CASE(value_stored), CASE(address), CASE(value_expected), CASE(order),
      CASE(order_of_a_failure), CASE(size), CASE(function), CASE(kind), CASE(read_elsewhere),
      CASE(place), CASE(depth), CASE(memory_only_another_wrote), CASE(thread_joined))
