/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap_fails.c - how allocation fails
 *
 * C and POSIX leave open which alignments aligned_alloc() takes, memalign() is glibc's: up to 2.37
 * both take the next power of two. What no power of two can follow is EINVAL in all of them.
 *
 * ways malloc: ENOMEM
 * ways calloc: ENOMEM
 * ways realloc: ENOMEM
 * ways reallocarray: ENOMEM
 * ways aligned_alloc: EINVAL ENOMEM
 * ways memalign: EINVAL ENOMEM
 * ways posix_memalign: EINVAL ENOMEM
 * ways valloc: ENOMEM
 * ways pvalloc: ENOMEM
 * never fails: free malloc_usable_size
 *
 * case malloc_ENOMEM: ok 1
 * case calloc_ENOMEM: ok 1
 * case calloc_ENOMEM_of_a_product: ok 1
 * case realloc_ENOMEM: ok 1
 * case realloc_ENOMEM_of_nothing: ok 1
 * case reallocarray_ENOMEM: ok 1
 * case aligned_alloc_EINVAL: ok 1
 * case aligned_alloc_ENOMEM: ok 1
 * case memalign_EINVAL: ok 1
 * case memalign_ENOMEM: ok 1
 * case memalign_takes_the_next_power_of_two: ok 1
 * case posix_memalign_EINVAL: ok 1
 * case posix_memalign_ENOMEM: ok 1
 * case valloc_ENOMEM: ok 1
 * case pvalloc_ENOMEM: ok 1
 * case pvalloc_ENOMEM_of_the_last_page: ok 1
 * case free_keeps_errno: ok 1
 * case of_nothing: ok 1
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>

#include "hooks/fails.h"

/* More than there can be; volatile, so that no compiler knows. */
static volatile size_t huge = SIZE_MAX / 2 + 1, all = SIZE_MAX, not_one = 3, none = 0;

#define IN_BOTH(name, statement)                  \
	static void *name##_in_thread(void *arg_) \
	{                                         \
		statement;                        \
		return arg_;                      \
	}                                         \
	static void name(void)                    \
	{                                         \
		BOTH(name##_in_thread);           \
	}

IN_BOTH(malloc_ENOMEM, NONE(ENOMEM, malloc(huge)))
IN_BOTH(calloc_ENOMEM, NONE(ENOMEM, calloc(1, huge)))
IN_BOTH(calloc_ENOMEM_of_a_product, NONE(ENOMEM, calloc(all / 2, not_one)))
IN_BOTH(realloc_ENOMEM_of_nothing, NONE(ENOMEM, realloc(NULL, huge)))
IN_BOTH(aligned_alloc_EINVAL, NONE(EINVAL, aligned_alloc(huge + 1, 16)))
IN_BOTH(aligned_alloc_ENOMEM, NONE(ENOMEM, aligned_alloc(64, huge)))
IN_BOTH(memalign_EINVAL, NONE(EINVAL, memalign(huge + 1, 16)))
IN_BOTH(memalign_ENOMEM, NONE(ENOMEM, memalign(64, huge)))
IN_BOTH(valloc_ENOMEM, NONE(ENOMEM, valloc(huge)))
IN_BOTH(pvalloc_ENOMEM, NONE(ENOMEM, pvalloc(huge)))
/* To whole pages, the size would be 0. */
IN_BOTH(pvalloc_ENOMEM_of_the_last_page, NONE(ENOMEM, pvalloc(all)))

/* What there was stays as it was. */
static void *resize(void *arg)
{
	char *p = malloc(10);

	memcpy(p, "contents", 9);
	NONE(ENOMEM, realloc(p, huge));
	assert(!strcmp(p, "contents"));
	free(p);
	return arg;
}

static void realloc_ENOMEM(void)
{
	BOTH(resize);
}

static void *resize_array(void *arg)
{
	char *p = malloc(10);

	memcpy(p, "contents", 9);
	NONE(ENOMEM, reallocarray(p, all / 2, not_one));
	NONE(ENOMEM, reallocarray(p, 1, huge));
	assert(!strcmp(p, "contents"));
	free(p);
	return arg;
}

static void reallocarray_ENOMEM(void)
{
	BOTH(resize_array);
}

static void *align_to_what_is_none(void *arg)
{
	for (size_t align = 0; align < 50; align += 17) {
		char *p = memalign(align, 10);

		assert(p && (uintptr_t)p % 16 == 0 && (align <= 32 || (uintptr_t)p % 64 == 0));
		memset(p, 1, 10);
		free(p);
	}
	return arg;
}

static void memalign_takes_the_next_power_of_two(void)
{
	BOTH(align_to_what_is_none);
}

/* Nothing is said about *p then, but glibc leaves it. */
static void *align_for_posix(void *arg)
{
	void *p = &p;

	GIVES(EINVAL, posix_memalign(&p, none, 10));
	GIVES(EINVAL, posix_memalign(&p, 4, 10));
	GIVES(EINVAL, posix_memalign(&p, 24, 10));
	assert(p == &p);
	return arg;
}

static void posix_memalign_EINVAL(void)
{
	BOTH(align_for_posix);
}

static void *align_too_much(void *arg)
{
	void *p = &p;

	GIVES(ENOMEM, posix_memalign(&p, 64, huge));
	GIVES(ENOMEM, posix_memalign(&p, huge, 64));
	assert(p == &p);
	return arg;
}

static void posix_memalign_ENOMEM(void)
{
	BOTH(align_too_much);
}

static void *free_after_an_error(void *arg)
{
	void *p = keep_(malloc(1)), *q = keep_(malloc(1 << 20));

	errno = EDOM;
	free(p);
	free(q);
	free(NULL);
	assert(errno == EDOM);
	return arg;
}

static void free_keeps_errno(void)
{
	BOTH(free_after_an_error);
}

/* Blocks of no bytes are blocks. That realloc() to 0 frees is glibc's way. */
static void *allocate_nothing(void *arg)
{
	void *p = keep_(malloc(none)), *q = keep_(calloc(none, 10)), *r;

	assert(p && q && p != q);
	assert(!keep_(realloc(q, none)));
	r = keep_(malloc(10));
	assert(r && malloc_usable_size(r) >= 10 && malloc_usable_size(NULL) == 0);
	assert(!keep_(reallocarray(r, none, 10)));
	free(p);
	return arg;
}

static void of_nothing(void)
{
	BOTH(allocate_nothing);
}

CASES(CASE(malloc_ENOMEM), CASE(calloc_ENOMEM), CASE(calloc_ENOMEM_of_a_product),
      CASE(realloc_ENOMEM), CASE(realloc_ENOMEM_of_nothing), CASE(reallocarray_ENOMEM),
      CASE(aligned_alloc_EINVAL), CASE(aligned_alloc_ENOMEM), CASE(memalign_EINVAL),
      CASE(memalign_ENOMEM), CASE(memalign_takes_the_next_power_of_two),
      CASE(posix_memalign_EINVAL), CASE(posix_memalign_ENOMEM), CASE(valloc_ENOMEM),
      CASE(pvalloc_ENOMEM), CASE(pvalloc_ENOMEM_of_the_last_page), CASE(free_keeps_errno),
      CASE(of_nothing))
