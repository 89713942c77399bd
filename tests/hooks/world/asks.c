/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asks.c - instructions that ask the processor for the time, or for random numbers
 *
 * case clock_goes_on: ok 1
 * case clock_of_calls: ok 1
 * case wait_gives_up: ok 5
 * case decides_by_clock: ok 2
 * case numbers: ok 1
 * case draws_until_zero: bug assertion
 */
#include <cpuid.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#include "cases.h"

enum {
	RDRAND = 1 << 30, /* of ecx, leaf 1 */
	RDSEED = 1 << 18, /* of ebx, leaf 7 */
	CARRY = 1
};

static atomic_int x;
static atomic_uint drawn;

static void *writer(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void beside(void *(*other)(void *), void (*own)(void))
{
	pthread_t t;

	assert(!pthread_create(&t, NULL, other, NULL));
	own();
	assert(!pthread_join(t, NULL));
}

static void ask_clock(void)
{
	unsigned where = 12345;
	uint64_t a = __rdtsc(), b = __rdtscp(&where), c = __rdtsc();

	assert(a < b && b < c && where != 12345);
}

static void *ask_clock_there(void *arg)
{
	ask_clock();
	return arg;
}

static void clock_goes_on(void)
{
	ask_clock();
	beside(ask_clock_there, ask_clock);
	ask_clock();
}

/* Who sleeps for a second sees more than a tenth of 10^9 ticks: so it is on every processor of today. */
static void sleep_a_second(void)
{
	struct timespec second = { .tv_sec = 1 };
	uint64_t before = __rdtsc();

	nanosleep(&second, NULL);
	assert(__rdtsc() - before > 100000000);
}

static void clock_of_calls(void)
{
	beside(ask_clock_there, sleep_a_second);
}

/* It looks up to four times at what the other thread sets, or never sees it. */
static void wait_a_little(void)
{
	uint64_t until = __rdtsc() + 3500;

	while (!atomic_load_explicit(&x, memory_order_relaxed) && __rdtsc() < until)
		continue;
}

static void wait_gives_up(void)
{
	beside(writer, wait_a_little);
}

/* One of the two looks whatever the time is: at random that came out in another way each time. */
static void look_by_clock(void)
{
	if (__rdtsc() & 1024)
		atomic_load(&x);
	else
		atomic_load_explicit(&x, memory_order_relaxed);
}

static void decides_by_clock(void)
{
	beside(writer, look_by_clock);
}

static bool has(unsigned leaf, unsigned bit)
{
	unsigned a, b = 0, c = 0, d;

	return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) && ((leaf == 1 ? c : b) & bit);
}

/* Natively there may be none for a while: what a processor gathers for rdseed is for all who ask. */
static bool may_be_later(void)
{
	static int times;

	return getenv("HEDDLE_TEST_NATIVELY") && times++ < 10000000;
}

/* Every bit of so many bytes is 0 once and 1 once, nothing else changes, and the carry flag says that there was a number. */
#define DRAWS(instruction, type, suffix)                                            \
	do {                                                                        \
		uint64_t ones = 0, zeros = 0, there = 0x1122334455667788;           \
		const uint64_t bits = (type) ~(type)0;                              \
                                                                                    \
		for (int i = 0; i < 200; i++) {                                     \
			uint64_t v;                                                 \
			bool carry;                                                 \
                                                                                    \
			do {                                                        \
				v = there;                                          \
				__asm__ volatile(instruction " %" suffix "0"        \
						 : "+r"(v), "=@ccc"(carry));        \
			} while (!carry && may_be_later());                         \
			assert(carry);                                              \
			ones |= v & bits;                                           \
			zeros |= ~v & bits;                                         \
			assert(sizeof(type) > 2 || (v & ~bits) == (there & ~bits)); \
			assert(sizeof(type) != 4 || !(v & ~bits));                  \
		}                                                                   \
		assert(ones == bits && zeros == bits);                              \
	} while (0)

static void draw_all(void)
{
	if (has(1, RDRAND)) {
		DRAWS("rdrand", uint16_t, "w");
		DRAWS("rdrand", uint32_t, "k");
		DRAWS("rdrand", uint64_t, "q");
	}
	if (has(7, RDSEED)) {
		DRAWS("rdseed", uint16_t, "w");
		DRAWS("rdseed", uint32_t, "k");
		DRAWS("rdseed", uint64_t, "q");
	}
}

static void numbers(void)
{
	draw_all();
	beside(ask_clock_there, draw_all);
}

/* After some numbers, as many each time: or the bug would not come back. */
static void *draw_until_zero(void *arg)
{
	uint64_t v;

	do {
		__asm__ volatile("rdrand %0" : "=r"(v));
		atomic_store(&drawn, (unsigned)v & 15);
	} while (v & 15);
	assert(atomic_load(&drawn)); /* bug: draws_until_zero */
	return arg;
}

static void draws_until_zero(void)
{
	beside(draw_until_zero, ask_clock);
}

CASES(CASE(clock_goes_on), CASE(clock_of_calls), CASE(wait_gives_up), CASE(decides_by_clock),
      CASE(numbers), CASE(draws_until_zero))
