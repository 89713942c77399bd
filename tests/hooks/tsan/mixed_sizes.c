/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed_sizes.c - atomic accesses that overlap others of another size; and that lie across two words, which is refused
 *
 * What such accesses may read: tests/sizes. Here, where they are, and what else the program does with them.
 *
 * case a_byte_of_a_word: ok 1
 * case a_byte_of_a_word -m wra: refused of 1 byte at program+.*overlaps an atomic object of 4 bytes at .*wra has no order
 * case a_word_over_a_byte: ok 1
 * case a_word_over_a_byte -m wra: refused of 4 bytes at .* overlaps an atomic object of 1 byte there
 * case the_last_byte_of_sixteen: ok 1
 * case halves_of_sixteen: ok 1
 * case in_a_block: ok 1
 * case in_a_block -m wra: refused of 2 bytes at byte 10 of a heap block of 24, .* 8 bytes at byte 8 of a heap
 * case in_blocks_used_again: ok 1
 * case on_a_stack: ok 1
 * case on_a_stack -m wra: refused of 2 bytes at 0x[0-9a-f]*, called at program+0x[0-9a-f]*.*, overlaps
 * case across_two_words: refused an atomic access of 4 bytes at the unaligned address 0x
 * case all_operations: ok 1
 * case all_operations -m tso: ok 1
 * case a_store_is_not_torn: ok 2
 * case two_stores_are: bug assertion
 * case a_swap_of_all_keeps_halves: ok 6
 * case a_swap_that_reads_both: ok 2
 * case released_by_a_half: ok 4
 * case released_by_the_other_half: bug data-race
 * case plain_read_of_the_other_half: ok 2
 * case plain_read_of_that_half: bug data-race
 * case waits_for_all: ok 1
 * case waits_for_ever: bug await-stuck
 * case ticket_lock: ok 2
 * case ticket_lock -e mo: ok 2
 * case ticket_lock -m sc: ok 2
 * case ticket_lock -m tso: ok 2
 * case ticket_lock -m ra: ok 2
 * case ticket_lock_tried: ok 7
 * case ticket_lock_without_release: bug data-race
 * case ticket_lock_never_freed: bug await-stuck at while (ORDERED(load
 * case too_many_to_judge: inconclusive where atomic accesses of several sizes meet
 * case a_futex_in_two_sizes: ok 2
 * case a_futex_in_one_size: ok 2
 * case a_futex_that_was_bytes: ok 2
 * case a_futex_that_nobody_wakes: bug deadlock at RUN(sleeps, sets_only)
 * case a_futex_whose_halves_change: ok 3
 * case nothing_at_all: ok 1
 * case next_to_each_other: ok 2
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
CASE_OF(halves_of_sixteen, STORE(unsigned __int128, &shared); STORE(uint64_t, at(&shared, 8));
	assert(atomic_load(&shared.all) == ((unsigned __int128)1 << 64 | 1)))
CASE_OF(in_a_block, char *block = malloc(24); STORE(uint64_t, at(block, 8));
	STORE(uint16_t, at(block, 10)))
CASE_OF(on_a_stack, _Atomic uint32_t word; STORE(uint32_t, at(&word, 0));
	STORE(uint16_t, at(&word, 2)))
CASE_OF(
	in_blocks_used_again, for (int i = 0; i < 3; i++) {
		char *block = malloc(24);
		if (i != 1) {
			STORE(uint64_t, at(block, 8));
			STORE(uint16_t, at(block, 10));
			assert(atomic_load((_Atomic uint64_t *)at(block, 8)) == 0x10001);
		} else {
			STORE(uint16_t, at(block, 10));
		}
		free(block);
	})
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

/* ---- What they do ---------------------------------------------------------------------------------- */

#define ORDERED(name, ...) atomic_##name##_explicit(__VA_ARGS__)
#define HALF(i)            ((_Atomic uint16_t *)at(&shared, 2 * (i)))

static void *do_all(void *arg)
{
	_Atomic uint32_t *word = &shared.word[0];
	uint32_t expected = 7;

	atomic_store(HALF(1), 1);
	assert(atomic_load(word) == 0x10000);
	assert(atomic_fetch_add(word, 0xffff) == 0x10000);
	assert(atomic_fetch_add(word, 1) == 0x1ffff);
	assert(atomic_load(HALF(0)) == 0 && atomic_load(HALF(1)) == 2);
	assert(atomic_fetch_sub(word, 1) == 0x20000);
	assert(atomic_exchange(HALF(0), 5) == 0xffff);
	assert(atomic_fetch_or(word, 0x30002) == 0x10005);
	assert(atomic_fetch_and(word, 0x10003) == 0x30007);
	assert(atomic_fetch_xor(word, 0x10001) == 0x10003);
	assert(!atomic_compare_exchange_strong(word, &expected, 9) && expected == 2);
	assert(atomic_compare_exchange_strong(word, &expected, 0x80007));
	assert(atomic_exchange(word, 0x90008) == 0x80007);
	assert(atomic_load(HALF(1)) == 9);
	return arg;
}

static void all_operations(void)
{
	THREADS(1, do_all);
}

static void *stores_all(void *arg)
{
	if (arg)
		ORDERED(store, &shared.word[0], 0x10001, memory_order_relaxed);
	else
		assert(ORDERED(load, &shared.word[0], memory_order_relaxed) % 0x10001 == 0);
	return NULL;
}

static void a_store_is_not_torn(void)
{
	THREADS(2, stores_all);
	assert(ORDERED(load, HALF(1), memory_order_relaxed) == 1);
}

static void *stores_halves(void *arg)
{
	if (arg) {
		ORDERED(store, HALF(0), 1, memory_order_relaxed);
		ORDERED(store, HALF(1), 1, memory_order_relaxed);
	} else {
		uint32_t seen = ORDERED(load, &shared.word[0], memory_order_relaxed);

		assert(seen % 0x10001 == 0); /* bug: two_stores_are */
	}
	return NULL;
}

static void two_stores_are(void)
{
	THREADS(2, stores_halves);
}

/* A half that is added to between the load and the swap is not lost. */
static void *swaps(void *arg)
{
	uint32_t seen = ORDERED(load, &shared.word[0], memory_order_relaxed);

	if (arg)
		atomic_fetch_add(HALF(1), 1);
	else if (atomic_compare_exchange_strong(&shared.word[0], &seen, seen + 1))
		assert(atomic_load(HALF(1)) >= seen >> 16);
	return NULL;
}

static void a_swap_of_all_keeps_halves(void)
{
	THREADS(2, swaps);
	assert(atomic_load(HALF(1)) == 1);
}

static void *adds_to_all(void *arg)
{
	if (arg)
		atomic_fetch_add(HALF(1), 1);
	else
		assert(atomic_fetch_add(&shared.word[0], 0x10001) % 0x10000 == 0);
	return NULL;
}

static void a_swap_that_reads_both(void)
{
	THREADS(2, adds_to_all);
	assert(atomic_load(&shared.word[0]) == 0x20001);
}

static int data;

static void *passes(void *arg)
{
	if (arg) {
		data = 1;
		ORDERED(store, HALF(1), 1, memory_order_release);
		ORDERED(store, HALF(0), 1, memory_order_relaxed);
	} else if (ORDERED(load, &shared.word[0], memory_order_acquire) >> 16) {
		assert(data == 1);
	}
	return NULL;
}

static void released_by_a_half(void)
{
	THREADS(2, passes);
}

static void *passes_wrong(void *arg)
{
	if (arg) {
		ORDERED(store, HALF(1), 1, memory_order_release);
		data = 1;
		ORDERED(store, HALF(0), 1, memory_order_relaxed);
	} else if (ORDERED(load, &shared.word[0], memory_order_acquire) == 0x10001) {
		assert(data == 1); /* bug: released_by_the_other_half */
	}
	return NULL;
}

static void released_by_the_other_half(void)
{
	THREADS(2, passes_wrong);
}

static void *touches_halves(void *arg)
{
	(void)atomic_load(&shared.word[0]);
	if (arg)
		atomic_store(HALF(1), 1);
	else
		assert(*(volatile uint16_t *)at(&shared, 0) == 0);
	return NULL;
}

static void plain_read_of_the_other_half(void)
{
	THREADS(2, touches_halves);
}

static void *touches_a_half(void *arg)
{
	(void)atomic_load(HALF(1));
	if (arg)
		atomic_store(&shared.word[0], 1); /* bug: plain_read_of_that_half */
	else
		data = *(volatile uint16_t *)at(&shared, 0);
	return NULL;
}

static void plain_read_of_that_half(void)
{
	THREADS(2, touches_a_half);
}

static void *waits_for(void *arg)
{
	uint32_t until = (uint32_t)(uintptr_t)data;

	if (arg)
		atomic_store(HALF((uintptr_t)arg - 1), 1);
	else
		while (atomic_load(&shared.word[0]) != until) /* bug: waits_for_ever */
			;
	return NULL;
}

static void waits_for_all(void)
{
	data = 0x10001;
	THREADS(3, waits_for);
}

static void waits_for_ever(void)
{
	data = 0x20001;
	THREADS(3, waits_for);
}

/* ---- A ticket lock: two halves, and both at once to try -------------------------------------------------- */

static memory_order frees = memory_order_release;

static void lock(void)
{
	uint16_t mine = ORDERED(fetch_add, HALF(1), 1, memory_order_relaxed);

	while (ORDERED(load, HALF(0), memory_order_acquire) != mine)
		;
}

static void unlock(void)
{
	uint16_t now = ORDERED(load, HALF(0), memory_order_relaxed);

	if (frees == memory_order_release)
		ORDERED(store, HALF(0), now + 1, memory_order_release);
	else
		ORDERED(store, HALF(0), now + 1, memory_order_relaxed);
}

static int try_lock(void)
{
	uint32_t old = ORDERED(load, &shared.word[0], memory_order_relaxed);

	return old >> 16 == (old & 0xffff) &&
	       ORDERED(compare_exchange_strong, &shared.word[0], &old, old + 0x10000,
		       memory_order_acquire, memory_order_relaxed);
}

static void *locks(void *arg)
{
	lock();
	data++;
	unlock();
	return arg;
}

static void ticket_lock(void)
{
	THREADS(2, locks);
	assert(data == 2 && ORDERED(load, &shared.word[0], memory_order_relaxed) == 0x20002);
}

static void *locks_or_tries(void *arg)
{
	if (!arg)
		return locks(arg);
	if (try_lock()) {
		data++; /* bug: ticket_lock_without_release */
		unlock();
	}
	return NULL;
}

static void ticket_lock_tried(void)
{
	THREADS(2, locks_or_tries);
	assert(data == (ORDERED(load, &shared.word[0], memory_order_relaxed) & 0xffff));
}

static void ticket_lock_without_release(void)
{
	frees = memory_order_relaxed;
	THREADS(2, locks_or_tries);
}

static void *keeps(void *arg)
{
	if (!arg)
		return locks(arg);
	return try_lock() ? arg : NULL;
}

static void ticket_lock_never_freed(void)
{
	THREADS(2, keeps);
}

static void *adds_often(void *arg)
{
	atomic_store(HALF(0), 1);
	for (int i = 0; i < 130; i++)
		atomic_fetch_add(&shared.word[0], 1);
	return arg;
}

static void too_many_to_judge(void)
{
	THREADS(1, adds_often);
}

/* Waits until the word is not 0, as code does that counts sleepers nowhere. */
static void *sleeps(void *arg)
{
	while (!atomic_load_explicit(&shared.word[0], memory_order_acquire))
		syscall(SYS_futex, &shared.word[0], FUTEX_WAIT, 0, NULL, NULL, 0);
	return arg;
}

static void wake(void)
{
	syscall(SYS_futex, &shared.word[0], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *sets_a_half(void *arg)
{
	atomic_store_explicit(HALF(1), 1, memory_order_release);
	wake();
	return arg;
}

static void *sets_the_word(void *arg)
{
	atomic_store_explicit(&shared.word[0], 1, memory_order_release);
	wake();
	return arg;
}

static void *sets_halves(void *arg)
{
	atomic_store_explicit(HALF(0), 1, memory_order_release);
	return sets_a_half(arg);
}

static void *sets_only(void *arg)
{
	atomic_store_explicit(HALF(0), 1, memory_order_release);
	return arg;
}

static void a_futex_in_two_sizes(void)
{
	RUN(sleeps, sets_a_half);
}

static void a_futex_in_one_size(void)
{
	RUN(sleeps, sets_the_word);
}

/* As where C++'s atomics wait, on a stack that had others before. */
static void a_futex_that_was_bytes(void)
{
	atomic_store(&shared.byte[2], 1);
	atomic_store(&shared.byte[2], 0);
	RUN(sleeps, sets_the_word);
}

static void a_futex_that_nobody_wakes(void)
{
	RUN(sleeps, sets_only);
}

static void a_futex_whose_halves_change(void)
{
	RUN(sleeps, sets_halves);
}

CASES(CASE(a_byte_of_a_word), CASE(a_word_over_a_byte), CASE(the_last_byte_of_sixteen),
      CASE(halves_of_sixteen), CASE(in_a_block), CASE(in_blocks_used_again), CASE(on_a_stack),
      CASE(across_two_words), CASE(all_operations), CASE(a_store_is_not_torn), CASE(two_stores_are),
      CASE(a_swap_of_all_keeps_halves), CASE(a_swap_that_reads_both), CASE(released_by_a_half),
      CASE(released_by_the_other_half), CASE(plain_read_of_the_other_half),
      CASE(plain_read_of_that_half), CASE(waits_for_all), CASE(waits_for_ever), CASE(ticket_lock),
      CASE(ticket_lock_tried), CASE(ticket_lock_without_release), CASE(ticket_lock_never_freed),
      CASE(too_many_to_judge), CASE(a_futex_in_two_sizes), CASE(a_futex_in_one_size),
      CASE(a_futex_that_was_bytes), CASE(a_futex_that_nobody_wakes),
      CASE(a_futex_whose_halves_change), CASE(nothing_at_all), CASE(next_to_each_other))
