/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plain.c - data races between plain accesses, and uses of freed memory
 *
 * case write_and_write: bug data-race at data = (int)(intptr_t)arg
 * case read_and_write: bug data-race
 * case read_and_read: ok 1
 * case neighbouring_bytes: ok 1
 * case overlapping_accesses_of_different_sizes: bug data-race at bytes[3] = 1
 * case across_a_granule: bug data-race at odd.word = 1
 * case ranges: bug data-race at *(volatile struct
 * case passed_on_by_create_and_join: ok 1
 * case two_readers_then_a_writer: bug data-race
 * case free_and_use: bug data-race|use-after-free
 * case use_after_free: bug use-after-free at *block = 2
 * case many_accesses: ok 1
 * case on_the_stack_of_another: ok 1
 * case bit_fields_of_one_unit: bug data-race at bits.a = 1
 * case bit_fields_apart: ok 1
 * case bit_field_and_its_neighbour: ok 1
 * case bit_field_and_an_atomic_neighbour: ok 2
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

static _Alignas(16) volatile uint8_t bytes[32];
static volatile int data;

static void *write_it(void *arg)
{
	data = (int)(intptr_t)arg;
	return NULL;
}

static void write_and_write(void)
{
	THREADS(2, write_it);
}

static void *read_or_write(void *arg)
{
	if (arg)
		data = 1; /* bug: read_and_write */
	else
		(void)data;
	return NULL;
}

static void read_and_write(void)
{
	THREADS(2, read_or_write);
}

static void *read_it(void *arg)
{
	(void)data;
	return arg;
}

static void read_and_read(void)
{
	data = 1;
	THREADS(3, read_it);
	data = 2;
}

static void *own_byte(void *arg)
{
	for (int i = 0; i < 10; i++)
		bytes[(intptr_t)arg]++;
	return NULL;
}

static void neighbouring_bytes(void)
{
	THREADS(4, own_byte);
	for (int i = 0; i < 4; i++)
		assert(bytes[i] == 10);
}

static void *byte_or_word(void *arg)
{
	if (arg)
		bytes[3] = 1;
	else
		*(volatile uint32_t *)bytes = 2;
	return NULL;
}

static void overlapping_accesses_of_different_sizes(void)
{
	THREADS(2, byte_or_word);
}

struct __attribute__((packed)) odd {
	char c[5];
	volatile uint64_t word;
};
static struct odd odd;

static void *odd_word(void *arg)
{
	if (arg)
		odd.word = 1;
	else
		((volatile char *)&odd)[12] = 1;
	return NULL;
}

static void across_a_granule(void)
{
	THREADS(2, odd_word);
}

static struct big {
	char c[1000];
} big, other;

static void *copy_or_write(void *arg)
{
	if (arg)
		*(volatile struct big *)&big = *(volatile struct big *)&other;
	else
		((volatile struct big *)&other)->c[777] = 1;
	return NULL;
}

static void ranges(void)
{
	THREADS(2, copy_or_write);
}

static void *increment(void *arg)
{
	data++;
	return arg;
}

static void passed_on_by_create_and_join(void)
{
	data = 0;
	for (int i = 0; i < 3; i++) {
		data++;
		THREADS(1, increment);
	}
	assert(data == 6);
}

static void *read_twice_or_write(void *arg)
{
	if (arg == (void *)2)
		data = 1; /* bug: two_readers_then_a_writer */
	else
		(void)data;
	return NULL;
}

static void two_readers_then_a_writer(void)
{
	THREADS(3, read_twice_or_write);
}

static volatile int *block;

static void *free_or_use(void *arg)
{
	if (arg)
		*block = 1; /* bug: free_and_use */
	else
		free((void *)block);
	return NULL;
}

static void free_and_use(void)
{
	block = malloc(sizeof(*block));
	THREADS(2, free_or_use);
}

static void *use(void *arg)
{
	*block = 1;
	return arg;
}

static void use_after_free(void)
{
	pthread_t t;

	block = malloc(sizeof(*block));
	pthread_create(&t, NULL, use, NULL);
	pthread_join(t, NULL);
	free((void *)block);
	*block = 2;
}

static volatile int array[1000];

static void *sweep(void *arg)
{
	for (int i = 0; i < 1000000; i++)
		array[i % 1000] += i;
	return arg;
}

static void many_accesses(void)
{
	THREADS(1, sweep);
	sweep(NULL);
}

static void *write_argument(void *arg)
{
	*(volatile int *)arg = 3;
	return NULL;
}

static void on_the_stack_of_another(void)
{
	volatile int local = 1;
	pthread_t t;

	assert(pthread_create(&t, NULL, write_argument, (void *)&local) == 0);
	assert(pthread_join(t, NULL) == 0);
	assert(local == 3);
}

/* Adjacent bit-fields are one memory location, others are not (C11, 3.14). */
static struct {
	unsigned a : 3, b : 5;
	unsigned : 0;
	unsigned c : 7;
	char d;
	_Atomic char e;
} bits;

static void *one_unit(void *arg)
{
	if (arg)
		bits.a = 1;
	else
		bits.b = 1;
	return NULL;
}

static void bit_fields_of_one_unit(void)
{
	THREADS(2, one_unit);
}

static void *apart(void *arg)
{
	if (arg)
		bits.b = 2;
	else
		bits.c = 3;
	return NULL;
}

static void bit_fields_apart(void)
{
	THREADS(2, apart);
	assert(bits.b == 2 && bits.c == 3);
}

static void *neighbour(void *arg)
{
	if (arg)
		bits.c = 3;
	else
		bits.d = 4;
	return NULL;
}

static void bit_field_and_its_neighbour(void)
{
	THREADS(2, neighbour);
	assert(bits.c == 3 && bits.d == 4);
}

static void *atomic_neighbour(void *arg)
{
	bits.e++;
	if (arg)
		bits.c = 3;
	return NULL;
}

static void bit_field_and_an_atomic_neighbour(void)
{
	THREADS(2, atomic_neighbour);
	assert(bits.c == 3 && bits.e == 2);
}

CASES(CASE(write_and_write), CASE(read_and_write), CASE(read_and_read), CASE(neighbouring_bytes),
      CASE(overlapping_accesses_of_different_sizes), CASE(across_a_granule), CASE(ranges),
      CASE(passed_on_by_create_and_join), CASE(two_readers_then_a_writer), CASE(free_and_use),
      CASE(use_after_free), CASE(many_accesses), CASE(on_the_stack_of_another),
      CASE(bit_fields_of_one_unit), CASE(bit_fields_apart), CASE(bit_field_and_its_neighbour),
      CASE(bit_field_and_an_atomic_neighbour))
