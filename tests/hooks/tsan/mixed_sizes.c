/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed_sizes.c - atomic accesses that overlap others, or lie across two words: refused, and where they are said
 *
 * case a_byte_of_a_word: refused of 1 byte at program+.*overlaps an atomic object of 4 bytes at
 * case a_word_over_a_byte: refused of 4 bytes at .* overlaps an atomic object of 1 byte there
 * case the_last_byte_of_sixteen: refused of 1 byte at .* overlaps an atomic object of 16 bytes at
 * case in_a_block: refused of 2 bytes at byte 10 of a heap block of 24, .* 8 bytes at byte 8 of a heap
 * case on_a_stack: refused of 2 bytes at 0x[0-9a-f]*, called at program+0x[0-9a-f]*.*, overlaps
 * case across_two_words: refused an atomic access of 4 bytes at the unaligned address 0x
 * case nothing_at_all: ok 1
 * case next_to_each_other: ok 2
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static union {
	_Atomic uint8_t byte[16];
	_Atomic uint16_t half[8];
	_Atomic uint32_t word[4];
	_Atomic unsigned __int128 all;
} shared;

/* Compilers must not know what lies where. */
static void *at(void *p, size_t offset)
{
	char *volatile hidden = p;

	return hidden + offset;
}

static void *nothing(void *arg)
{
	return arg;
}

#define CASE_OF(name, ...)                       \
	static void *name##_in_thread(void *arg) \
	{                                        \
		__VA_ARGS__;                     \
		return arg;                      \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(1, name##_in_thread);    \
	}

#define STORE(type, place) atomic_store((_Atomic type *)(place), 1)

CASE_OF(a_byte_of_a_word, STORE(uint32_t, &shared); STORE(uint8_t, at(&shared, 2)))
CASE_OF(a_word_over_a_byte, STORE(uint8_t, &shared); STORE(uint32_t, at(&shared, 0)))
CASE_OF(the_last_byte_of_sixteen, STORE(unsigned __int128, &shared);
	STORE(uint8_t, at(&shared, 15)))
CASE_OF(in_a_block, char *block = malloc(24); STORE(uint64_t, at(block, 8));
	STORE(uint16_t, at(block, 10)))
CASE_OF(on_a_stack, _Atomic uint32_t word; STORE(uint32_t, at(&word, 0));
	STORE(uint16_t, at(&word, 2)))
CASE_OF(across_two_words, STORE(uint32_t, at(&shared, 2)))

/* No byte is touched, so nothing is raced with. */
static void *touch_nothing(void *arg)
{
	volatile size_t none = 0;

	memset(at(&shared, 3), 0, none);
	return arg;
}

static void nothing_at_all(void)
{
	THREADS(2, touch_nothing);
	THREADS(1, nothing);
}

/* Halves of a word that nobody takes as a whole are objects of their own. */
static void *set_halves(void *arg)
{
	atomic_store(&shared.half[0], 1);
	atomic_store(&shared.half[1], (uint16_t)(uintptr_t)arg);
	return arg;
}

static void next_to_each_other(void)
{
	THREADS(2, set_halves);
	assert(atomic_load(&shared.half[0]) == 1);
}

CASES(CASE(a_byte_of_a_word), CASE(a_word_over_a_byte), CASE(the_last_byte_of_sixteen),
      CASE(in_a_block), CASE(on_a_stack), CASE(across_two_words), CASE(nothing_at_all),
      CASE(next_to_each_other))
