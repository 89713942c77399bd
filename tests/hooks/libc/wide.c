/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide.c - the functions for wide strings: what they return, and what they access
 *
 * In X_reads one thread calls X with a string that another writes the last character of; in
 * X_writes the other one reads the last one that X writes.
 *
 * case what_each_returns: ok 1
 * case strings_end_where_they_end: ok 1
 * case in_order: ok 2
 * case in_a_loop_that_waits: ok 2
 * case unterminated: bug out-of-bounds at IN_THREAD(unterminated,
 * case copy_behind_the_end: bug out-of-bounds at IN_THREAD(copy_behind_the_end,
 * case copy_from_a_freed_block: bug use-after-free at IN_THREAD(copy_from_a_freed_block,
 * case wcslen_reads: bug data-race at READS(wcslen,
 * case wcsnlen_reads: bug data-race at READS(wcsnlen,
 * case wcscmp_reads: bug data-race at READS(wcscmp,
 * case wcsncmp_reads: bug data-race at READS(wcsncmp,
 * case wcscasecmp_reads: bug data-race at READS(wcscasecmp,
 * case wcsncasecmp_reads: bug data-race at READS(wcsncasecmp,
 * case wcschr_reads: bug data-race at READS(wcschr,
 * case wcsrchr_reads: bug data-race at READS(wcsrchr,
 * case wcsstr_reads: bug data-race at READS(wcsstr,
 * case wcspbrk_reads: bug data-race at READS(wcspbrk,
 * case wcsspn_reads: bug data-race at READS(wcsspn,
 * case wcscspn_reads: bug data-race at READS(wcscspn,
 * case wmemcmp_reads: bug data-race at READS(wmemcmp,
 * case wmemchr_reads: bug data-race at READS(wmemchr,
 * case wcscpy_reads: bug data-race at READS(wcscpy,
 * case wcpcpy_reads: bug data-race at READS(wcpcpy,
 * case wcsncpy_reads: bug data-race at READS(wcsncpy,
 * case wcpncpy_reads: bug data-race at READS(wcpncpy,
 * case wcscat_reads: bug data-race at READS(wcscat,
 * case wcsncat_reads: bug data-race at READS(wcsncat,
 * case wcsdup_reads: bug data-race at READS(wcsdup,
 * case wmemcpy_reads: bug data-race at READS(wmemcpy,
 * case wmempcpy_reads: bug data-race at READS(wmempcpy,
 * case wmemmove_reads: bug data-race at READS(wmemmove,
 * case wcscpy_writes: bug data-race at WRITES(wcscpy,
 * case wcpcpy_writes: bug data-race at WRITES(wcpcpy,
 * case wcsncpy_writes: bug data-race at WRITES(wcsncpy,
 * case wcpncpy_writes: bug data-race at WRITES(wcpncpy,
 * case wcscat_writes: bug data-race at WRITES(wcscat,
 * case wcsncat_writes: bug data-race at WRITES(wcsncat,
 * case wmemcpy_writes: bug data-race at WRITES(wmemcpy,
 * case wmempcpy_writes: bug data-race at WRITES(wmempcpy,
 * case wmemmove_writes: bug data-race at WRITES(wmemmove,
 * case wmemset_writes: bug data-race at WRITES(wmemset,
 *
 * ways wcsdup: ; not ENOMEM (a string that long takes more memory than there is)
 * never fails: wcscasecmp wcscat wcschr wcscmp wcscpy wcscspn wcslen wcsncasecmp wcsncat wcsncmp wcsncpy wcsnlen
 *	wcspbrk wcsrchr wcsspn wcsstr wcpcpy wcpncpy wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset
 *
 * case of_none: ok 1
 * case of_empty_strings: ok 1
 * case at_the_end_of_a_block: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

static wchar_t text[100] = L"abcdefg";
static _Thread_local volatile int sink;

static void check_searches(void)
{
	assert(wcslen(text) == 7 && wcsnlen(text, 3) == 3 && wcsnlen(text, 30) == 7);
	assert(!wcscmp(text, L"abcdefg") && wcscmp(text, L"abd") < 0 && wcscmp(text, L"abc") > 0);
	assert(!wcsncmp(text, L"abd", 2) && wcsncmp(text, L"abd", 3) < 0);
	assert(!wcscasecmp(text, L"ABCDEFG") && !wcsncasecmp(text, L"ABx", 2));
	assert(wcschr(text, L'c') == text + 2 && wcschr(text, 0) == text + 7);
	assert(!wcschr(text, L'z') && wcsrchr(text, L'g') == text + 6);
	assert(wcsstr(text, L"cd") == text + 2 && wcsstr(text, L"") == text && !wcsstr(text, L"x"));
	assert(wcspbrk(text, L"dc") == text + 2 && !wcspbrk(text, L"xyz"));
	assert(wcsspn(text, L"cba") == 3 && wcscspn(text, L"dc") == 2);
	assert(!wmemcmp(text, L"abx", 2) && wmemcmp(text, L"abx", 3) < 0);
	assert(wmemchr(text, L'c', 8) == text + 2 && !wmemchr(text, L'c', 2));
}

static void check_copies(wchar_t *b)
{
	wchar_t *p;

	assert(wcscpy(b, text) == b && !wcscmp(b, text));
	assert(wcpcpy(b, L"ab") == b + 2 && !wcscmp(b, L"ab") && b[3] == L'd');
	assert(wmemset(b, L'z', 10) == b && wcsncpy(b, L"ab", 4) == b);
	assert(!wmemcmp(b, L"ab\0\0z", 5));
	assert(wcpncpy(b, L"x", 3) == b + 1 && wcpncpy(b, L"xyz", 2) == b + 2);
	wcscpy(b, L"ab");
	assert(wcscat(b, L"cd") == b && wcsncat(b, L"efgh", 2) == b && !wcscmp(b, L"abcdef"));
	p = hide(wcsdup(b));
	assert(p != b && !wcscmp(p, b));
	free(p);
	assert(wmemcpy(b, text, 8) == b && wmempcpy(b, L"xy", 2) == b + 2 && b[1] == L'y');
	assert(wmemmove(b + 1, b, 3) == b + 1 && !wmemcmp(b, L"xxyc", 4));
}

static void *check(void *arg)
{
	wchar_t b[40];

	check_searches();
	check_copies(hide(b));
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

/* One thread writes characters 3 to 6 of the text, the other does what needs only those before. */
static void *write_or_stay_within(void *arg)
{
	wchar_t own[10] = L"abx";

	if (arg) {
		text[3] = text[4] = text[5] = text[6] = L'x';
		return NULL;
	}
	sink = wcscmp(text, own) + wcsncmp(text, own, 8) + wcscasecmp(text, own) +
	       wcsncasecmp(text, own, 3) + wmemcmp(text, own, 3);
	assert(wcschr(text, L'c') && wmemchr(text, L'c', 8) && wcsstr(text, L"bc"));
	assert(wcspbrk(text, L"xc") && wcscspn(text, L"c") == 2 && wcsspn(text, L"ab") == 2);
	assert(wcsnlen(text, 3) == 3 && wcsncpy(own, text, 3) == own && wcsncat(own, text, 3));
	assert(wmemset(text, L'x', 3) == text && wcscpy(text, L"ab") == text);
	assert(wcscpy(text, L"a") && wcscat(text, L"b") == text);
	return NULL;
}

static void strings_end_where_they_end(void)
{
	THREADS(2, write_or_stay_within);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *copy_or_read(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		wcscpy(text, L"xy");
	else
		assert(!wcscmp(text, L"xy") || wcslen(text) == 7);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, copy_or_read);
}

static atomic_int flag;

static void *copy_until(void *arg)
{
	int n = 7;

	while (!atomic_load(&flag)) {
		assert(wcslen(text) == (size_t)n);
		wcscpy(text, L"xy");
		n = 2;
	}
	assert(wcslen(text) == (size_t)n);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(copy_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = call)

static wchar_t *filled(void)
{
	wchar_t *p = hide(malloc(4 * sizeof(wchar_t)));

	return wmemset(p, L'x', 4);
}

IN_THREAD(unterminated, (int)wcslen(filled()))
IN_THREAD(copy_behind_the_end, wcscpy(hide(malloc(4 * sizeof(wchar_t))), L"abcd") != NULL)
IN_THREAD(copy_from_a_freed_block, wmemcpy(text, freed(8), 2) != NULL)

/* ---- Races ---------------------------------------------------------------------------------------- */

static volatile wchar_t *last = &text[7];

#define RACE(name, call, access)                                \
	static void *do_##name(void *arg)                       \
	{                                                       \
		wchar_t *own = hide(calloc(100, sizeof(*own))); \
                                                                \
		wcscpy(own, L"abcdefg");                        \
		if (arg)                                        \
			access;                                 \
		else                                            \
			sink = call;                            \
		free(own);                                      \
		return NULL;                                    \
	}                                                       \
	static void name(void)                                  \
	{                                                       \
		THREADS(2, do_##name);                          \
	}
#define READS(name, call)  RACE(name##_reads, call, *last = 0)
#define WRITES(name, call) RACE(name##_writes, call, sink = (int)*last)

READS(wcslen, (int)wcslen(text))
READS(wcsnlen, (int)wcsnlen(text, 9))
READS(wcscmp, wcscmp(text, own))
READS(wcsncmp, wcsncmp(own, text, 8))
READS(wcscasecmp, wcscasecmp(text, own))
READS(wcsncasecmp, wcsncasecmp(text, own, 100))
READS(wcschr, wcschr(text, L'z') != NULL)
READS(wcsrchr, wcsrchr(text, L'a') != NULL)
READS(wcsstr, wcsstr(text, L"xyz") != NULL)
READS(wcspbrk, wcspbrk(text, L"xyz") != NULL)
READS(wcsspn, (int)wcsspn(text, L"abcdefg"))
READS(wcscspn, (int)wcscspn(text, L"xyz"))
READS(wmemcmp, wmemcmp(own, text, 8))
READS(wmemchr, wmemchr(text, 0, 8) != NULL)
READS(wcscpy, wcscpy(own, text) != NULL)
READS(wcpcpy, wcpcpy(own, text) != NULL)
READS(wcsncpy, wcsncpy(own, text, 8) != NULL)
READS(wcpncpy, wcpncpy(own, text, 20) != NULL)
READS(wcscat, wcscat(own, text) != NULL)
READS(wcsncat, wcsncat(own, text, 20) != NULL)
READS(wcsdup, (free(hide(wcsdup(text))), 1))
READS(wmemcpy, wmemcpy(own, text, 8) != NULL)
READS(wmempcpy, wmempcpy(own, text, 8) != NULL)
READS(wmemmove, wmemmove(own, text, 8) != NULL)
WRITES(wcscpy, wcscpy(text, own) != NULL)
WRITES(wcpcpy, wcpcpy(text, own) != NULL)
WRITES(wcsncpy, wcsncpy(text, L"a", 8) != NULL)
WRITES(wcpncpy, wcpncpy(text, L"a", 8) != NULL)
WRITES(wcscat, wcscat(text, L"x") != NULL)
WRITES(wcsncat, wcsncat(text, L"xy", 1) != NULL)
WRITES(wmemcpy, wmemcpy(text, own, 8) != NULL)
WRITES(wmempcpy, wmempcpy(text, own, 8) != NULL)
WRITES(wmemmove, wmemmove(text, own, 8) != NULL)
WRITES(wmemset, wmemset(text, 0, 8) != NULL)

/* --- how they fail ---------------------------------------------------------------------------- */

/* So that compilers know nothing. */
static volatile size_t none = 0;
static const wchar_t *volatile empty = L"", *volatile abc = L"abc";

/* Nothing is looked at: the pointers lead just behind a block. */
IN_EACH(of_none)
{
	wchar_t *block = malloc(16), *end = block + 4;

	assert(wmemcpy(end, abc, none) == end && wmemmove(end, abc, none) == end);
	assert(wmempcpy(end, abc, none) == end && wmemset(end, L'x', none) == end);
	assert(!wmemcmp(end, abc, none) && !wmemchr(end, 0, none) && !wcsncmp(end, abc, none));
	assert(!wcsncasecmp(end, abc, none) && wcsnlen(end, none) == 0);
	assert(wcsncpy(end, abc, none) == end && wcpncpy(end, abc, none) == end);
	free(block);
	return arg;
}

IN_EACH(of_empty_strings)
{
	wchar_t to[4] = L"x", *copy = wcsdup(empty);

	assert(copy && !copy[0] && wcslen(empty) == 0 && !wcscmp(empty, L""));
	free(copy);
	assert(!wcscasecmp(empty, L"") && wcschr(empty, 0) == empty && !wcsrchr(empty, L'a'));
	assert(wcsstr(abc, empty) == abc && !wcsstr(empty, abc) && !wcspbrk(abc, empty));
	assert(wcsspn(abc, empty) == 0 && wcscspn(abc, empty) == 3);
	assert(wcscat(to, empty) == to && wcsncat(to, abc, none) == to && !wcscmp(to, L"x"));
	assert(wcpcpy(to, empty) == to && wcscpy(to, empty) == to && !to[0]);
	return arg;
}

/* No character behind it is touched, where there is none to be. */
IN_EACH(at_the_end_of_a_block)
{
	wchar_t *p = malloc(4 * sizeof(*p)), *q = malloc(3 * sizeof(*q));

	assert(wcscpy(p, abc) == p && wcslen(p) == 3 && wcsnlen(p, 4) == 3 && wcsnlen(p, 2) == 2);
	wmemcpy(q, p, 3);
	assert(wcsnlen(q, 3) == 3 && !wcsncmp(q, p, 3) && !wmemcmp(q, p, 3));
	assert(wmemchr(q, L'c', 3) == q + 2 && !wmemchr(q, 0, 3));
	assert(wcsncpy(q, p, 3) == q && wmemset(q, 0, 3) == q);
	free(p);
	free(q);
	return arg;
}

CASES(CASE(what_each_returns), CASE(strings_end_where_they_end), CASE(in_order),
      CASE(in_a_loop_that_waits), CASE(unterminated), CASE(copy_behind_the_end),
      CASE(copy_from_a_freed_block), CASE(wcslen_reads), CASE(wcsnlen_reads), CASE(wcscmp_reads),
      CASE(wcsncmp_reads), CASE(wcscasecmp_reads), CASE(wcsncasecmp_reads), CASE(wcschr_reads),
      CASE(wcsrchr_reads), CASE(wcsstr_reads), CASE(wcspbrk_reads), CASE(wcsspn_reads),
      CASE(wcscspn_reads), CASE(wmemcmp_reads), CASE(wmemchr_reads), CASE(wcscpy_reads),
      CASE(wcpcpy_reads), CASE(wcsncpy_reads), CASE(wcpncpy_reads), CASE(wcscat_reads),
      CASE(wcsncat_reads), CASE(wcsdup_reads), CASE(wmemcpy_reads), CASE(wmempcpy_reads),
      CASE(wmemmove_reads), CASE(wcscpy_writes), CASE(wcpcpy_writes), CASE(wcsncpy_writes),
      CASE(wcpncpy_writes), CASE(wcscat_writes), CASE(wcsncat_writes), CASE(wmemcpy_writes),
      CASE(wmempcpy_writes), CASE(wmemmove_writes), CASE(wmemset_writes), CASE(of_none),
      CASE(of_empty_strings), CASE(at_the_end_of_a_block))
