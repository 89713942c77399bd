/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fortify.c - the functions that -D_FORTIFY_SOURCE makes of others (calls made by hand here)
 *
 * case what_they_return: ok 1
 * case memcpy_chk_reads: bug data-race at RACE(memcpy_chk_reads,
 * case memcpy_chk_writes: bug data-race at RACE(memcpy_chk_writes,
 * case memmove_chk_reads: bug data-race at RACE(memmove_chk_reads,
 * case memmove_chk_writes: bug data-race at RACE(memmove_chk_writes,
 * case memset_chk_writes: bug data-race at RACE(memset_chk_writes,
 * case memcpy_chk_beyond: bug crash at RACE(memcpy_chk_beyond,
 * case memmove_chk_beyond: bug crash at RACE(memmove_chk_beyond,
 * case memset_chk_beyond: bug crash at RACE(memset_chk_beyond,
 * case strcpy_chk_reads: bug data-race at RACE(strcpy_chk_reads,
 * case strcpy_chk_writes: bug data-race at RACE(strcpy_chk_writes,
 * case strcpy_chk_beyond: bug crash at RACE(strcpy_chk_beyond,
 * case stpcpy_chk_reads: bug data-race at RACE(stpcpy_chk_reads,
 * case stpcpy_chk_writes: bug data-race at RACE(stpcpy_chk_writes,
 * case strncpy_chk_reads: bug data-race at RACE(strncpy_chk_reads,
 * case strncpy_chk_writes: bug data-race at RACE(strncpy_chk_writes,
 * case strncpy_chk_beyond: bug crash at RACE(strncpy_chk_beyond,
 * case stpncpy_chk_reads: bug data-race at RACE(stpncpy_chk_reads,
 * case stpncpy_chk_writes: bug data-race at RACE(stpncpy_chk_writes,
 * case strcat_chk_reads: bug data-race at RACE(strcat_chk_reads,
 * case strcat_chk_reads_the_first: bug data-race at RACE(strcat_chk_reads_the_first,
 * case strcat_chk_writes: bug data-race at RACE(strcat_chk_writes,
 * case strcat_chk_beyond: bug crash at RACE(strcat_chk_beyond,
 * case strncat_chk_reads: bug data-race at RACE(strncat_chk_reads,
 * case strncat_chk_writes: bug data-race at RACE(strncat_chk_writes,
 * case mempcpy_chk_reads: bug data-race at RACE(mempcpy_chk_reads,
 * case mempcpy_chk_writes: bug data-race at RACE(mempcpy_chk_writes,
 * case explicit_bzero_chk_writes: bug data-race at RACE(explicit_bzero_chk_writes,
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "cases.h"
#include "hooks/threads.h"

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int byte, size_t size, size_t room);

char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);

/* By pointers, or compilers would make other calls of them. */
static void *(*volatile copy)(void *, const void *, size_t, size_t) = __memcpy_chk;
static void *(*volatile move)(void *, const void *, size_t, size_t) = __memmove_chk;
static void *(*volatile set)(void *, int, size_t, size_t) = __memset_chk;

static char *(*volatile cpy)(char *, const char *, size_t) = __strcpy_chk;
static char *(*volatile pcpy)(char *, const char *, size_t) = __stpcpy_chk;
static char *(*volatile ncpy)(char *, const char *, size_t, size_t) = __strncpy_chk;
static char *(*volatile pncpy)(char *, const char *, size_t, size_t) = __stpncpy_chk;
static char *(*volatile cat)(char *, const char *, size_t) = __strcat_chk;
static char *(*volatile ncat)(char *, const char *, size_t, size_t) = __strncat_chk;
static void *(*volatile mempcopy)(void *, const void *, size_t, size_t) = __mempcpy_chk;
static void (*volatile zero)(void *, size_t, size_t) = __explicit_bzero_chk;

static char shared[8], own[8], seven[8] = "abcdefg";
static volatile char sink;
static volatile size_t more = 9;

static void *call_each(void *arg)
{
	char a[8] = "abcdefg", b[8];

	assert(copy(b, a, 8, 8) == b && !memcmp(a, b, 8));
	assert(move(b + 1, b, 7, 7) == b + 1 && !memcmp(b, "aabcdefg", 8));
	assert(set(b, 'x', 3, 8) == b && !memcmp(b, "xxxcdefg", 8));
	assert(copy(b, a, 0, 0) == b);
	assert(cpy(b, a, 8) == b && !strcmp(b, a) && pcpy(b, "ab", 3) == b + 2);
	assert(ncpy(b, a, 3, 8) == b && !memcmp(b, "abc", 3) && pncpy(b, "x", 3, 3) == b + 1);
	assert(cat(b, "yz", 8) == b && !strcmp(b, "xyz") && ncat(b, a, 2, 8) == b);
	assert(!strcmp(b, "xyzab") && mempcopy(b, a, 3, 8) == b + 3 && !strcmp(b, "abcab"));
	zero(b, 2, 8);
	assert(!b[0] && !b[1] && b[2] == 'c');
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

RACE(strcpy_chk_reads, cpy(own, shared, 8), shared[0] = 1)
RACE(strcpy_chk_writes, cpy(shared, seven, 8), sink = shared[7])
RACE(strcpy_chk_beyond, cpy(own, seven, 7), sink = own[0])
RACE(stpcpy_chk_reads, pcpy(own, shared, 8), shared[0] = 1)
RACE(stpcpy_chk_writes, pcpy(shared, seven, 8), sink = shared[7])
RACE(strncpy_chk_reads, ncpy(own, shared, 8, 8), shared[0] = 1)
RACE(strncpy_chk_writes, ncpy(shared, "a", 8, 8), sink = shared[7])
RACE(strncpy_chk_beyond, ncpy(own, "a", more, 8), sink = own[0])
RACE(stpncpy_chk_reads, pncpy(own, shared, 8, 8), shared[0] = 1)
RACE(stpncpy_chk_writes, pncpy(shared, "a", 8, 8), sink = shared[7])
RACE(strcat_chk_reads, cat(own, shared, 8), shared[0] = 1)
RACE(strcat_chk_reads_the_first, cat(shared, "", 8), shared[0] = 1)
RACE(strcat_chk_writes, cat(shared, seven, 8), sink = shared[7])
RACE(strcat_chk_beyond, cat(own, "abcdefgh", 8), sink = own[0])
RACE(strncat_chk_reads, ncat(own, shared, 3, 8), shared[0] = 1)
RACE(strncat_chk_writes, ncat(shared, seven, 3, 8), sink = shared[3])
RACE(mempcpy_chk_reads, mempcopy(own, shared, 8, 8), shared[7] = 1)
RACE(mempcpy_chk_writes, mempcopy(shared, own, 8, 8), sink = shared[7])
RACE(explicit_bzero_chk_writes, zero(shared, 8, 8), sink = shared[7])

CASES(CASE(what_they_return), CASE(memcpy_chk_reads), CASE(memcpy_chk_writes),
      CASE(memmove_chk_reads), CASE(memmove_chk_writes), CASE(memset_chk_writes),
      CASE(memcpy_chk_beyond), CASE(memmove_chk_beyond), CASE(memset_chk_beyond),
      CASE(strcpy_chk_reads), CASE(strcpy_chk_writes), CASE(strcpy_chk_beyond),
      CASE(stpcpy_chk_reads), CASE(stpcpy_chk_writes), CASE(strncpy_chk_reads),
      CASE(strncpy_chk_writes), CASE(strncpy_chk_beyond), CASE(stpncpy_chk_reads),
      CASE(stpncpy_chk_writes), CASE(strcat_chk_reads), CASE(strcat_chk_reads_the_first),
      CASE(strcat_chk_writes), CASE(strcat_chk_beyond), CASE(strncat_chk_reads),
      CASE(strncat_chk_writes), CASE(mempcpy_chk_reads), CASE(mempcpy_chk_writes),
      CASE(explicit_bzero_chk_writes))
