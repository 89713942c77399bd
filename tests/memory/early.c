/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * early.c - errors with memory before the first thread is created, and where there is none
 *
 * case write_behind_the_end: bug out-of-bounds at block[10] = 1
 * case read_behind_the_end: bug out-of-bounds at (void)block[12]
 * case write_before_the_begin: bug out-of-bounds at block[-1] = 1
 * case write_after_free: bug use-after-free at block[3] = 1
 * case read_and_write_after_free: bug use-after-free at block[5] = 1
 * case write_after_free_and_the_next_block: bug use-after-free
 * case write_after_realloc: bug use-after-free at block[1] = 1
 * case fill_too_much: bug out-of-bounds
 * case copy_too_much: bug out-of-bounds at memcpy(copied
 * case a_text_without_end: bug out-of-bounds at strlen(text)
 * case an_atomic_behind_the_end: bug out-of-bounds at atomic_fetch_add(&word[2]
 * case an_atomic_after_free: bug use-after-free at atomic_load(&word[0])
 * case an_atomic_never_written: bug uninitialised-read at atomic_load(never)
 * case an_atomic_never_written_is_added_to: bug uninitialised-read at atomic_fetch_add(never
 * case an_atomic_never_written_is_compared: bug uninitialised-read at atomic_compare_exchange_strong(never
 * case atomics_that_were_written: ok 1
 * case read_from_a_stream: bug out-of-bounds at fread(block, 1, too_much
 * case read_a_line: bug out-of-bounds at fgets(
 * case read_from_a_descriptor: bug out-of-bounds at (read(
 * case receive_too_much: bug out-of-bounds at (recv(
 * case receive_a_message: bug out-of-bounds at (recvmsg(
 * case read_what_fits: ok 1
 * case a_loop_that_looks: bug await-stuck at atomic_load(&word_of_nobody)
 * case a_loop_of_compare_and_swaps: bug await-stuck at atomic_compare_exchange_weak(
 * case a_loop_with_an_end: ok 1
 * case without_a_thread: bug out-of-bounds at block[16] = 1
 * case all_is_well: ok 1
 * case blocks_again_and_again: ok 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cases.h"

static void *nothing(void *arg)
{
	return arg;
}

/* A block of ten bytes that the compiler knows nothing of. */
static volatile char *ten(void)
{
	void *p = malloc(10);

	__asm__ volatile("" : "+r"(p));
	return p;
}

static void write_behind_the_end(void)
{
	volatile char *block = ten();

	block[9] = 1;
	block[10] = 1;
	THREADS(1, nothing);
}

static void read_behind_the_end(void)
{
	volatile char *block = ten();

	(void)block[12];
	THREADS(1, nothing);
}

static void write_before_the_begin(void)
{
	volatile char *block = ten();

	block[-1] = 1;
	THREADS(1, nothing);
}

static void write_after_free(void)
{
	volatile char *block = ten();

	free((void *)(uintptr_t)block);
	__asm__ volatile("" : "+r"(block));
	block[3] = 1;
	THREADS(1, nothing);
}

/* What is known of the block of the last access is no longer true. */
static void read_and_write_after_free(void)
{
	volatile char *block = malloc(64);

	(void)block[4];
	free((void *)(uintptr_t)block);
	__asm__ volatile("" : "+r"(block));
	block[5] = 1;
	THREADS(1, nothing);
}

static void write_after_free_and_the_next_block(void)
{
	volatile char *block = ten(), *next;

	free((void *)(uintptr_t)block);
	__asm__ volatile("" : "+r"(block));
	next = ten();
	next[0] = 1;
	block[0] = 1; /* bug: write_after_free_and_the_next_block */
	THREADS(1, nothing);
}

static void write_after_realloc(void)
{
	volatile char *block = ten(), *next = realloc((void *)(uintptr_t)block, 4000);

	__asm__ volatile("" : "+r"(block));
	next[3999] = 1;
	block[1] = 1;
	THREADS(1, nothing);
}

static void fill_too_much(void)
{
	volatile char *fill = ten();
	size_t n = 11;

	__asm__ volatile("" : "+r"(n));
	memset((void *)(uintptr_t)fill, 0, n - 1);
	memset(fill + (n - 11), 0, n); /* bug: fill_too_much */
	THREADS(1, nothing);
}

static void copy_too_much(void)
{
	volatile char *copied = ten();
	char text[16] = "to be copied";
	size_t n = 13;

	__asm__ volatile("" : "+r"(n));
	memcpy(copied, text, n);
	THREADS(1, nothing);
}

static void a_text_without_end(void)
{
	char *text = (char *)(uintptr_t)ten();

	memset(text, 'x', 10);
	__asm__ volatile("" : : "r"(strlen(text)));
	THREADS(1, nothing);
}

static _Atomic uint32_t *words(void)
{
	void *p = malloc(8);

	memset(p, 0, 8);
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void an_atomic_behind_the_end(void)
{
	_Atomic uint32_t *word = words();

	atomic_fetch_add(&word[1], 1);
	atomic_fetch_add(&word[2], 1);
	THREADS(1, nothing);
}

static void an_atomic_after_free(void)
{
	_Atomic uint32_t *word = words();

	atomic_store(&word[0], 1);
	free(word);
	__asm__ volatile("" : "+r"(word));
	(void)atomic_load(&word[0]);
	THREADS(1, nothing);
}

static atomic_int word_of_nobody;

static void a_loop_that_looks(void)
{
	while (!atomic_load(&word_of_nobody))
		;
	THREADS(1, nothing);
}

static void a_loop_of_compare_and_swaps(void)
{
	int expected;

	do
		expected = 1;
	while (!atomic_compare_exchange_weak(&word_of_nobody, &expected, 2));
}

static void a_loop_with_an_end(void)
{
	for (int i = 0; i < 100000; i++)
		if (atomic_load_explicit(&word_of_nobody, memory_order_relaxed))
			return;
	THREADS(1, nothing);
}

/* ---- Never written ---- */

static _Atomic(uint64_t) *fresh(void)
{
	void *p = malloc(sizeof(uint64_t));

	__asm__ volatile("" : "+r"(p));
	return p;
}

static void an_atomic_never_written(void)
{
	_Atomic(uint64_t) *never = fresh();

	(void)atomic_load(never);
	THREADS(1, nothing);
}

static void an_atomic_never_written_is_added_to(void)
{
	_Atomic(uint64_t) *never = fresh();

	atomic_fetch_add(never, 1);
	THREADS(1, nothing);
}

static void an_atomic_never_written_is_compared(void)
{
	_Atomic(uint64_t) *never = fresh();
	uint64_t zero = 0;

	atomic_compare_exchange_strong(never, &zero, 1);
	THREADS(1, nothing);
}

static void atomics_that_were_written(void)
{
	_Atomic(uint64_t) *a = fresh(), *b = fresh(), *c = fresh(), *d = calloc(1, sizeof(*d));

	atomic_init(a, 1);
	atomic_store(b, 1);
	memset((void *)c, 1, sizeof(*c));
	assert(atomic_load(a) == atomic_load(b) && atomic_load(c) && !atomic_load(d));
	THREADS(1, nothing);
}

/* ---- What libc and the kernel write ---- */

static int ends[2];

/* Larger than what there is room for. */
static volatile size_t too_much = 11;

static char *with_twelve(int pair)
{
	char *block = malloc(10);

	assert((pair ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) == 0);
	assert(write(ends[1], "0123456789\n", 12) == 12);
	return block;
}

static void read_from_a_stream(void)
{
	char *block = with_twelve(0);
	FILE *f = fdopen(ends[0], "r");

	assert(fread(block, 1, too_much, f) == too_much);
	THREADS(1, nothing);
}

static void read_a_line(void)
{
	char *block = with_twelve(0);
	FILE *f = fdopen(ends[0], "r");

	assert(fgets(block, (int)too_much + 1, f));
	THREADS(1, nothing);
}

static void read_from_a_descriptor(void)
{
	char *block = with_twelve(0);

	assert(read(ends[0], block, too_much) == (ssize_t)too_much);
	THREADS(1, nothing);
}

static void receive_too_much(void)
{
	char *block = with_twelve(1);

	assert(recv(ends[0], block, too_much, 0) == (ssize_t)too_much);
	THREADS(1, nothing);
}

static void receive_a_message(void)
{
	char *block = with_twelve(1);
	struct iovec v = { block, too_much };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };

	assert(recvmsg(ends[0], &m, 0) == (ssize_t)too_much);
	THREADS(1, nothing);
}

static void read_what_fits(void)
{
	char *block = with_twelve(0);
	FILE *f = fdopen(ends[0], "r");

	close(ends[1]);
	assert(fread(block, 1, 10, f) == 10 && fread(block, 5, too_much, f) == 0);
	THREADS(1, nothing);
}

static void without_a_thread(void)
{
	volatile char *block = ten();

	block[16] = 1;
}

static void all_is_well(void)
{
	char *block = (char *)(uintptr_t)ten(), *more;

	memset(block, 'x', 9);
	block[9] = 0;
	more = realloc(block, strlen(block) + 11);
	memcpy(more + 10, more, 10);
	free(more);
	THREADS(1, nothing);
}

/* A block is used again after a while, with another size: nothing of what it was is remembered. */
static void blocks_again_and_again(void)
{
	for (size_t i = 0; i < 5000; i++) {
		size_t n = 1 + i % 300;
		volatile char *p = malloc(n);

		p[0] = p[n - 1] = 1;
		free((void *)(uintptr_t)p);
	}
	THREADS(1, nothing);
}

CASES(CASE(write_behind_the_end), CASE(read_behind_the_end), CASE(write_before_the_begin),
      CASE(write_after_free), CASE(read_and_write_after_free),
      CASE(write_after_free_and_the_next_block), CASE(write_after_realloc), CASE(fill_too_much),
      CASE(copy_too_much), CASE(a_text_without_end), CASE(an_atomic_behind_the_end),
      CASE(an_atomic_after_free), CASE(a_loop_that_looks), CASE(a_loop_of_compare_and_swaps),
      CASE(a_loop_with_an_end), CASE(without_a_thread), CASE(an_atomic_never_written),
      CASE(an_atomic_never_written_is_added_to), CASE(an_atomic_never_written_is_compared),
      CASE(atomics_that_were_written), CASE(read_from_a_stream), CASE(read_a_line),
      CASE(read_from_a_descriptor), CASE(receive_too_much), CASE(receive_a_message),
      CASE(read_what_fits), CASE(all_is_well), CASE(blocks_again_and_again))
