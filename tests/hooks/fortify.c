/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fortify.c - the functions that -D_FORTIFY_SOURCE makes of others (calls made by hand here)
 *
 * case what_they_return: ok 1
 * case memcpy_chk_reads: bug data-race
 * case memcpy_chk_writes: bug data-race
 * case memmove_chk_reads: bug data-race
 * case memmove_chk_writes: bug data-race
 * case memset_chk_writes: bug data-race
 * case memcpy_chk_beyond: bug crash
 * case memmove_chk_beyond: bug crash
 * case memset_chk_beyond: bug crash
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "cases.h"
#include "threads.h"

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);

/* By pointers, or compilers would make other calls of them. */
static void *(*volatile copy)(void *, const void *, size_t, size_t) = __memcpy_chk;
static void *(*volatile move)(void *, const void *, size_t, size_t) = __memmove_chk;
static void *(*volatile set)(void *, int, size_t, size_t) = __memset_chk;

static char shared[8], own[8];
static volatile char sink;
static volatile size_t more = 9;

static void *call_each(void *arg)
{
	char a[8] = "abcdefg", b[8];

	assert(copy(b, a, 8, 8) == b && !memcmp(a, b, 8));
	assert(move(b + 1, b, 7, 7) == b + 1 && !memcmp(b, "aabcdefg", 8));
	assert(set(b, 'x', 3, 8) == b && !memcmp(b, "xxxcdefg", 8));
	assert(copy(b, a, 0, 0) == b);
	return arg;
}

static void what_they_return(void)
{
	end(begin(call_each, NULL));
}

/* The last of the bytes that the call is to touch, in another thread. */
#define RACE(name, call, other)                              \
	static void *name##_in_thread(void *arg)             \
	{                                                    \
		call;                                        \
		return arg;                                  \
	}                                                    \
	static void name(void)                               \
	{                                                    \
		pthread_t t = begin(name##_in_thread, NULL); \
                                                             \
		other;                                       \
		end(t);                                      \
	}

RACE(memcpy_chk_reads, copy(own, shared, 8, 8), shared[7] = 1)
RACE(memcpy_chk_writes, copy(shared, own, 8, 8), sink = shared[7])
RACE(memmove_chk_reads, move(own, shared, 8, 8), shared[7] = 1)
RACE(memmove_chk_writes, move(shared, own, 8, 8), sink = shared[7])
RACE(memset_chk_writes, set(shared, 1, 8, 8), sink = shared[7])
RACE(memcpy_chk_beyond, copy(own, shared, more, 8), sink = own[0])
RACE(memmove_chk_beyond, move(own, shared, more, 8), sink = own[0])
RACE(memset_chk_beyond, set(own, 1, more, 8), sink = own[0])

CASES(CASE(what_they_return), CASE(memcpy_chk_reads), CASE(memcpy_chk_writes),
      CASE(memmove_chk_reads), CASE(memmove_chk_writes), CASE(memset_chk_writes),
      CASE(memcpy_chk_beyond), CASE(memmove_chk_beyond), CASE(memset_chk_beyond))
