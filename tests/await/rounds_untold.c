/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds_untold.c - rounds that change what nobody announces
 *
 * Each loop counts its rounds where the redundant-round rule does not look by itself. A thread may leave it behind none,
 * one, or more rounds; one of these breaks an assertion. (preload/liveness/stretch.c)
 *
 * case key_of_a_thread: bug assertion at "two rounds, by a key"
 * case key_of_c11: bug assertion at "two rounds, by a key of C11"
 * case function_without_instrumentation: bug assertion at count != 1
 * case rounds_counted_twice: bug assertion at "one round, counted twice"
 * case inline_assembly: bug assertion at count_asm != 1
 * case position_of_a_file: bug assertion at "two rounds, by a file"
 * case position_by_assembly: bug assertion at "one round, by the kernel"
 * case function_of_libc: bug assertion at "two rounds, by libc"
 * case nothing_changes: ok 1
 * case call_that_keeps_nothing: ok 1
 * case processor_is_no_memory: ok 1
 * without notes: inline assembly stands for what nobody announces
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "cases.h"
#include "waits_for_x.h"

static int count, count_asm;
static pthread_key_t key;
static tss_t tss;
static int zeros;

static void *counts_in_key(void *arg)
{
	while (!atomic_load(&x)) {
		pthread_setspecific(key, (char *)pthread_getspecific(key) + 1);
		assert(pthread_getspecific(key) != (void *)2 && "two rounds, by a key");
	}
	return arg;
}

static void key_of_a_thread(void)
{
	assert(pthread_key_create(&key, NULL) == 0);
	with(counts_in_key);
}

static void *counts_in_tss(void *arg)
{
	while (!atomic_load(&x)) {
		tss_set(tss, (char *)tss_get(tss) + 1);
		assert(tss_get(tss) != (void *)2 && "two rounds, by a key of C11");
	}
	return arg;
}

static void key_of_c11(void)
{
	assert(tss_create(&tss, NULL) == thrd_success);
	with(counts_in_tss);
}

__attribute__((no_sanitize("thread"), noinline)) static void add_one(void)
{
	count++;
}

static void *counts_unseen(void *arg)
{
	while (!atomic_load(&x))
		add_one();
	return arg;
}

static void function_without_instrumentation(void)
{
	with(counts_unseen);
	assert(count != 1);
}

/* No two looks are in the same state: the thread never comes back to where it was. */
static void *counts_seen_and_unseen(void *arg)
{
	for (int left = 2; left && !atomic_load(&x); left--) {
		__asm__("" : "+r"(left)); /* or each round would have code of its own */
		add_one();
	}
	return arg;
}

static void rounds_counted_twice(void)
{
	with(counts_seen_and_unseen);
	assert(1 != count && "one round, counted twice");
}

static void *counts_in_assembly(void *arg)
{
	while (!atomic_load(&x))
		__asm__ volatile("incl %0" : "+m"(count_asm));
	return arg;
}

static void inline_assembly(void)
{
	with(counts_in_assembly);
	assert(count_asm != 1);
}

static void *counts_in_file(void *arg)
{
	while (!atomic_load(&x))
		assert(lseek(zeros, 1, SEEK_CUR) != 2 && "two rounds, by a file");
	return arg;
}

static void position_of_a_file(void)
{
	zeros = open("/proc/self/exe", O_RDONLY);
	assert(zeros >= 0);
	with(counts_in_file);
}

/* Without lseek(), whose call says what it does: all memory is as it was. */
static inline __attribute__((always_inline)) long seek_by_hand(long by, long whence)
{
	long position;

	__asm__ volatile("syscall"
			 : "=a"(position)
			 : "a"((long)SYS_lseek), "D"((long)zeros), "S"(by), "d"(whence)
			 : "rcx", "r11", "memory");
	return position;
}

static void *counts_in_the_kernel(void *arg)
{
	seek_by_hand(0, SEEK_SET);
	while (!atomic_load(&x))
		seek_by_hand(1, SEEK_CUR);
	assert(seek_by_hand(0, SEEK_CUR) != 1 && "one round, by the kernel");
	return arg;
}

static void position_by_assembly(void)
{
	zeros = open("/proc/self/exe", O_RDONLY);
	assert(zeros >= 0);
	with(counts_in_the_kernel);
}

static unsigned state;
static int second;

static void *counts_in_libc(void *arg)
{
	while (!atomic_load(&x)) {
		int next = rand_r(&state); /* which is not announced */

		assert(next != second && "two rounds, by libc");
	}
	return arg;
}

static void function_of_libc(void)
{
	unsigned same = state;

	rand_r(&same);
	second = rand_r(&same);
	with(counts_in_libc);
}

static void *looks(void *arg)
{
	while (!atomic_load(&x))
		__asm__ volatile("pause");
	return arg;
}

static void nothing_changes(void)
{
	with(looks);
}

static void *looks_and_computes(void *arg)
{
	while (!atomic_load(&x))
		if (abs(atomic_load(&x)) > 7)
			break;
	return arg;
}

static void call_that_keeps_nothing(void)
{
	with(looks_and_computes);
}

/*
 * Where memory is compared, the kernel must not note in it on which processor the process runs: as it did in the rseq area
 * of a thread, where the program has thread-local variables. Counts went by the load of the machine.
 */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));
static _Thread_local int of_a_thread;

static void processor_is_no_memory(void)
{
	const char *self = __builtin_thread_pointer();

	with(looks_and_computes);
	of_a_thread++;
	if (!getenv("HEDDLE_TEST_NATIVELY") && &__rseq_size && __rseq_size)
		assert(*(const int *)(self + __rseq_offset + 4) < 0);
}

CASES(CASE(key_of_a_thread), CASE(key_of_c11), CASE(function_without_instrumentation),
      CASE(rounds_counted_twice), CASE(inline_assembly), CASE(position_of_a_file),
      CASE(position_by_assembly), CASE(function_of_libc), CASE(nothing_changes),
      CASE(call_that_keeps_nothing), CASE(processor_is_no_memory))
