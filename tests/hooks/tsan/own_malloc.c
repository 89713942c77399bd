/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_malloc.c - a program with a malloc() and free() of its own
 *
 * case what_it_asks_for: ok 1
 * case copies_of_strings: ok 1
 * case copies_of_wide_strings: ok 1
 * case texts: ok 1
 * case in_a_thread: ok 1
 *
 * What libc makes for the program to free() comes from there as well.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cases.h"

enum {
	POOL = 1 << 20,
	HEAD = 16
};

static _Alignas(HEAD) char pool[POOL];
static atomic_size_t used;

static int is_mine(const void *p)
{
	return (const char *)p >= pool && (const char *)p < pool + POOL;
}

void *malloc(size_t n)
{
	size_t at = atomic_fetch_add_explicit(&used, (n + 2 * HEAD - 1) / HEAD * HEAD,
					      memory_order_relaxed);

	memcpy(pool + at, &n, sizeof(n));
	return pool + at + HEAD;
}

void free(void *p)
{
	if (p && !is_mine(p))
		abort();
}

void *calloc(size_t n, size_t size)
{
	return memset(malloc(n * size), 0, n * size);
}

void *realloc(void *p, size_t n)
{
	void *other = malloc(n);
	size_t had = 0;

	if (p)
		memcpy(&had, (char *)p - HEAD, sizeof(had));
	if (p)
		memcpy(other, p, had < n ? had : n);
	return other;
}

static void what_it_asks_for(void)
{
	char *p = malloc(3);

	assert(is_mine(p));
	p = realloc(p, 100);
	assert(is_mine(p));
	free(p);
}

static void copies_of_strings(void)
{
	char *p = strdup("some");

	assert(is_mine(p) && !strcmp(p, "some"));
	free(p);
	p = strndup("some", 2);
	assert(is_mine(p) && !strcmp(p, "so"));
	free(p);
}

static void copies_of_wide_strings(void)
{
	wchar_t *p = wcsdup(L"some");

	assert(is_mine(p) && !wcscmp(p, L"some"));
	free(p);
}

static void texts(void)
{
	char *p;

	assert(asprintf(&p, "%d", 12) == 2 && is_mine(p) && !strcmp(p, "12"));
	free(p);
}

static void *all(void *arg)
{
	what_it_asks_for();
	copies_of_strings();
	copies_of_wide_strings();
	texts();
	return arg;
}

static void in_a_thread(void)
{
	RUN(all);
}

CASES(CASE(what_it_asks_for), CASE(copies_of_strings), CASE(copies_of_wide_strings), CASE(texts),
      CASE(in_a_thread))
