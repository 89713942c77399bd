/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap.c - malloc and its family: what they return, and what may not be done with a block
 *
 * case each_call_gives_what_it_should: ok 1
 * case alignments: ok 1
 * case realloc_keeps_the_contents: ok 1
 * case strings_are_copied: ok 1
 * case a_block_goes_from_thread_to_thread: ok 1
 * case blocks_from_before_the_threads: ok 1
 * case the_last_byte: ok 1
 * case write_behind_the_end: bug out-of-bounds
 * case write_of_half_beyond_the_end: bug out-of-bounds at *(uint32_t *)(p + 12) = 1
 * case read_behind_the_end: bug out-of-bounds at sink = p[4]
 * case write_before_the_start: bug out-of-bounds at p[-1] = 0
 * case atomic_behind_the_end: bug out-of-bounds at atomic_store(&p[3], 1)
 * case nothing_of_an_empty_block: bug out-of-bounds at *p = 0
 * case behind_a_block_from_before_the_threads: bug out-of-bounds at early[20] = 1
 * case behind_what_realloc_left: bug out-of-bounds
 * case far_behind_the_end: bug out-of-bounds at p[1000000] = 1
 * case write_after_free: bug use-after-free at q[9] = 1
 * case read_after_free_by_another_thread: bug use-after-free at sink = shared_block[1]
 * case atomic_after_free: bug use-after-free
 * case plain_after_free_of_a_written_atomic: bug use-after-free at sink = *(volatile
 * case lock_after_free: bug use-after-free
 * case use_after_realloc: bug use-after-free at q[0] = 1
 * case freed_before_the_threads: bug use-after-free at sink = shared_block[0]
 * case free_and_write_race: bug data-race|use-after-free
 * case free_and_atomic_race: bug data-race|use-after-free
 * case free_and_atomic_race -e value: bug data-race|use-after-free
 * case realloc_and_read_race: bug data-race|use-after-free at sink = realloc(shared_block
 * case free_behind_an_acquire: ok 2
 * case contents_are_not_published: bug data-race at sink = *p
 * case double_free: bug double-free
 * case double_free_by_two_threads: bug double-free
 * case realloc_after_free: bug double-free at sink = realloc(q, 20) != NULL
 * case free_of_the_middle: bug invalid-free at free(hide(p + 16))
 * case free_of_a_global: bug invalid-free at free(hide(&shared_block))
 * case free_of_the_stack: bug invalid-free at free(hide(a))
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/blocks.h"

IN_A_THREAD(each_call_gives_what_it_should)
{
	char *p = hide(calloc(3, 5)), *q;

	for (int i = 0; i < 15; i++)
		assert(p[i] == 0);
	assert(malloc_usable_size(p) >= 15 && malloc_usable_size(NULL) == 0);
	p = hide(reallocarray(p, 5, 5));
	assert(p && p[14] == 0);
	free(p);
	p = hide(malloc(0));
	q = hide(malloc(0));
	assert(p && q && p != q);
	free(p);
	free(q);
	free(NULL);
	p = hide(realloc(NULL, 10));
	assert(p);
	assert(!realloc(p, 0));
	return arg;
}

IN_A_THREAD(alignments)
{
	void *p;

	assert((uintptr_t)hide(malloc(1)) % 16 == 0);
	for (size_t align = 8; align <= 65536; align *= 2) {
		assert(posix_memalign(&p, align, 10) == 0 && (uintptr_t)p % align == 0);
		memset(hide(p), 1, 10);
		free(p);
		p = hide(aligned_alloc(align, 2 * align));
		assert((uintptr_t)p % align == 0);
		memset(p, 1, 2 * align);
		free(p);
		assert((uintptr_t)hide(memalign(align, 1)) % align == 0);
	}
	assert((uintptr_t)hide(valloc(1)) % 4096 == 0 && (uintptr_t)hide(pvalloc(1)) % 4096 == 0);
	return arg;
}

IN_A_THREAD(realloc_keeps_the_contents)
{
	char *p = hide(malloc(4));

	memcpy(p, "abc", 4);
	for (size_t n = 4; n < 100000; n *= 3) {
		p = hide(realloc(p, n));
		assert(!strcmp(p, "abc"));
	}
	p = hide(realloc(p, 2));
	assert(p[0] == 'a' && p[1] == 'b');
	free(p);
	return arg;
}

IN_A_THREAD(strings_are_copied)
{
	char *p = hide(strdup("abc")), *q = hide(strndup("abcdef", 3)), *r;

	assert(!strcmp(p, "abc") && !strcmp(q, "abc"));
	free(p);
	free(q);
	assert(asprintf(&r, "%d-%s", 12, "x") == 4 && !strcmp(r, "12-x"));
	free(r);
	return arg;
}

static int *shared_block;

static void *fill(void *arg)
{
	shared_block = malloc(sizeof(int));
	*shared_block = 4;
	return arg;
}

static void *take(void *arg)
{
	assert(*shared_block == 4);
	free(shared_block);
	return arg;
}

static void a_block_goes_from_thread_to_thread(void)
{
	THREADS(1, fill);
	THREADS(1, take);
}

static void *use(void *arg)
{
	shared_block[0]++;
	shared_block = realloc(shared_block, 100);
	return arg;
}

static void blocks_from_before_the_threads(void)
{
	shared_block = calloc(1, 12);
	THREADS(1, use);
	assert(shared_block[0] == 1 && shared_block[2] == 0);
	free(shared_block);
}

IN_A_THREAD(the_last_byte)
{
	for (int n = 1; n < 40; n++) {
		char *p = hide(malloc(n));

		p[n - 1] = 1;
		assert(p[n - 1] == 1);
		free(p);
	}
	return arg;
}

IN_A_THREAD(write_behind_the_end)
{
	char *p = hide(malloc(10));

	p[10] = 1; /* bug: write_behind_the_end */
	return arg;
}

IN_A_THREAD(write_of_half_beyond_the_end)
{
	char *p = hide(malloc(14));

	*(uint32_t *)(p + 12) = 1;
	return arg;
}

static volatile int sink;

IN_A_THREAD(read_behind_the_end)
{
	int *p = hide(calloc(4, sizeof(int)));

	sink = p[4];
	return arg;
}

IN_A_THREAD(write_before_the_start)
{
	int *p = hide(malloc(16));

	p[-1] = 0;
	return arg;
}

IN_A_THREAD(atomic_behind_the_end)
{
	atomic_int *p = hide(calloc(3, sizeof(int)));

	atomic_store(&p[3], 1);
	return arg;
}

IN_A_THREAD(nothing_of_an_empty_block)
{
	char *p = hide(malloc(0));

	*p = 0;
	return arg;
}

static char *early;

static void *behind_early(void *arg)
{
	early[20] = 1;
	return arg;
}

static void behind_a_block_from_before_the_threads(void)
{
	early = hide(malloc(20));
	early[19] = 1;
	THREADS(1, behind_early);
}

IN_A_THREAD(behind_what_realloc_left)
{
	char *p = hide(malloc(100));

	p = hide(realloc(p, 10));
	p[10] = 1; /* bug: behind_what_realloc_left */
	return arg;
}

IN_A_THREAD(far_behind_the_end)
{
	char *p = hide(malloc(100));

	p[1000000] = 1;
	return arg;
}

IN_A_THREAD(write_after_free)
{
	char *p = hide(malloc(10)), *q = p;

	free(hide(p));
	q[9] = 1;
	return arg;
}

static void *free_it(void *arg)
{
	free(shared_block); /* bug: double_free_by_two_threads */
	return arg;
}

static void read_after_free_by_another_thread(void)
{
	shared_block = hide(malloc(20));
	THREADS(1, free_it);
	sink = shared_block[1];
}

static _Atomic int *shared_atomic;

static void *free_atomic(void *arg)
{
	atomic_store(shared_atomic, 1);
	free((void *)shared_atomic);
	return arg;
}

static void atomic_after_free(void)
{
	shared_atomic = calloc(1, sizeof(int));
	THREADS(1, free_atomic);
	sink = atomic_load(shared_atomic); /* bug: atomic_after_free */
}

static void plain_after_free_of_a_written_atomic(void)
{
	shared_atomic = calloc(1, sizeof(int));
	THREADS(1, free_atomic);
	sink = *(volatile int *)shared_atomic;
}

IN_A_THREAD(lock_after_free)
{
	pthread_mutex_t *m = hide(malloc(sizeof(*m)));

	pthread_mutex_init(m, NULL);
	pthread_mutex_destroy(m);
	free(m);
	pthread_mutex_init(m, NULL); /* bug: lock_after_free */
	return arg;
}

IN_A_THREAD(use_after_realloc)
{
	char *p = hide(malloc(10)), *q = p;

	sink = realloc(hide(p), 20) != NULL;
	q[0] = 1;
	return arg;
}

static void *read_it(void *arg)
{
	sink = shared_block[0];
	return arg;
}

static void freed_before_the_threads(void)
{
	shared_block = hide(calloc(1, 2000));
	free(hide(shared_block));
	THREADS(1, read_it);
}

static void *free_or_write(void *arg)
{
	if (arg)
		free(shared_block); /* bug: free_and_write_race */
	else
		*shared_block = 1;
	return NULL;
}

static void free_and_write_race(void)
{
	shared_block = malloc(sizeof(int));
	THREADS(2, free_or_write);
}

static void *free_or_load(void *arg)
{
	if (arg)
		free((void *)shared_atomic); /* bug: free_and_atomic_race */
	else
		sink = atomic_load(shared_atomic);
	return NULL;
}

static void free_and_atomic_race(void)
{
	shared_atomic = calloc(1, sizeof(int));
	THREADS(2, free_or_load);
}

static void *realloc_or_read(void *arg)
{
	if (arg)
		sink = realloc(shared_block, 100) != NULL;
	else
		sink = *shared_block;
	return NULL;
}

static void realloc_and_read_race(void)
{
	shared_block = calloc(1, sizeof(int));
	THREADS(2, realloc_or_read);
}

static atomic_int references;

static void *drop(void *arg)
{
	shared_block[(intptr_t)arg] = 1;
	if (atomic_fetch_sub_explicit(&references, 1, memory_order_acq_rel) == 1)
		free(shared_block);
	return NULL;
}

static void free_behind_an_acquire(void)
{
	shared_block = malloc(2 * sizeof(int));
	atomic_store(&references, 2);
	THREADS(2, drop);
}

static int *_Atomic published;

static void *publish_or_read(void *arg)
{
	int *p = NULL;

	if (arg) {
		p = hide(realloc(hide(calloc(1, 4)), 8));
		atomic_store_explicit(&published, p, memory_order_relaxed);
	} else {
		p = atomic_load_explicit(&published, memory_order_relaxed);
		if (p)
			sink = *p;
	}
	return NULL;
}

static void contents_are_not_published(void)
{
	THREADS(2, publish_or_read);
}

IN_A_THREAD(double_free)
{
	char *p = hide(malloc(10)), *q = hide(p);

	free(p);
	free(q); /* bug: double_free */
	return arg;
}

static void double_free_by_two_threads(void)
{
	shared_block = malloc(8);
	THREADS(1, free_it);
	THREADS(1, free_it);
}

IN_A_THREAD(realloc_after_free)
{
	char *p = hide(malloc(10)), *q = hide(p);

	free(p);
	sink = realloc(q, 20) != NULL;
	return arg;
}

IN_A_THREAD(free_of_the_middle)
{
	char *p = hide(malloc(100));

	free(hide(p + 16));
	return arg;
}

IN_A_THREAD(free_of_a_global)
{
	free(hide(&shared_block));
	return arg;
}

IN_A_THREAD(free_of_the_stack)
{
	char a[32];

	free(hide(a));
	return arg;
}

CASES(CASE(each_call_gives_what_it_should), CASE(alignments), CASE(realloc_keeps_the_contents),
      CASE(strings_are_copied), CASE(a_block_goes_from_thread_to_thread),
      CASE(blocks_from_before_the_threads), CASE(the_last_byte), CASE(write_behind_the_end),
      CASE(write_of_half_beyond_the_end), CASE(read_behind_the_end), CASE(write_before_the_start),
      CASE(atomic_behind_the_end), CASE(nothing_of_an_empty_block),
      CASE(behind_a_block_from_before_the_threads), CASE(behind_what_realloc_left),
      CASE(far_behind_the_end), CASE(write_after_free), CASE(read_after_free_by_another_thread),
      CASE(atomic_after_free), CASE(plain_after_free_of_a_written_atomic), CASE(lock_after_free),
      CASE(use_after_realloc), CASE(freed_before_the_threads), CASE(free_and_write_race),
      CASE(free_and_atomic_race), CASE(realloc_and_read_race), CASE(free_behind_an_acquire),
      CASE(contents_are_not_published), CASE(double_free), CASE(double_free_by_two_threads),
      CASE(realloc_after_free), CASE(free_of_the_middle), CASE(free_of_a_global),
      CASE(free_of_the_stack))
