/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * string.c - memcpy(), strcpy() and their family: what they do, and what they access
 *
 * In X_reads one thread calls X with a string that another writes the last byte of; in
 * X_writes the other one reads the last byte that X writes. A comparison or a search must not
 * look behind what it needs.
 *
 * also -O2: optimised code jumps where it could call
 *
 * case what_each_returns: ok 1
 * case comparisons_end_at_the_difference: ok 1
 * case searches_end_where_they_find: ok 1
 * case lengths_have_a_limit: ok 1
 * case copies_end_with_the_string: ok 1
 * case unterminated: bug out-of-bounds at sink = (int)strlen(p)
 * case copy_behind_the_end: bug out-of-bounds at strcpy(hide(malloc(4)), "abcd")
 * case copy_from_a_freed_block: bug use-after-free at memcpy(hide(own), q, 8)
 * case assignment_of_a_structure: bug data-race at to = from
 * case a_copy_of_an_atomic: ok 1
 * case memcpy_reads: bug data-race at READS(memcpy,
 * case memmove_reads: bug data-race at READS(memmove,
 * case mempcpy_reads: bug data-race at READS(mempcpy,
 * case bcopy_reads: bug data-race at READS(bcopy,
 * case memccpy_reads: bug data-race at READS(memccpy,
 * case memcmp_reads: bug data-race at READS(memcmp,
 * case bcmp_reads: bug data-race at READS(bcmp,
 * case memchr_reads: bug data-race at READS(memchr,
 * case memrchr_reads: bug data-race at READS(memrchr,
 * case rawmemchr_reads: bug data-race at READS(rawmemchr,
 * case memmem_reads: bug data-race at READS(memmem,
 * case strlen_reads: bug data-race at READS(strlen,
 * case strnlen_reads: bug data-race at READS(strnlen,
 * case strcmp_reads: bug data-race at READS(strcmp,
 * case strncmp_reads: bug data-race at READS(strncmp,
 * case strcasecmp_reads: bug data-race at READS(strcasecmp,
 * case strncasecmp_reads: bug data-race at READS(strncasecmp,
 * case strchr_reads: bug data-race at READS(strchr,
 * case strchrnul_reads: bug data-race at READS(strchrnul,
 * case strrchr_reads: bug data-race at READS(strrchr,
 * case strstr_reads: bug data-race at READS(strstr,
 * case strpbrk_reads: bug data-race at READS(strpbrk,
 * case strspn_reads: bug data-race at READS(strspn,
 * case strcspn_reads: bug data-race at READS(strcspn,
 * case strcpy_reads: bug data-race at READS(strcpy,
 * case stpcpy_reads: bug data-race at READS(stpcpy,
 * case strncpy_reads: bug data-race at READS(strncpy,
 * case stpncpy_reads: bug data-race at READS(stpncpy,
 * case strcat_reads: bug data-race at READS(strcat,
 * case strncat_reads: bug data-race at READS(strncat,
 * case strdup_reads: bug data-race at READS(strdup,
 * case strndup_reads: bug data-race at READS(strndup,
 * case memcpy_writes: bug data-race at WRITES(memcpy,
 * case memmove_writes: bug data-race at WRITES(memmove,
 * case memset_writes: bug data-race at WRITES(memset,
 * case mempcpy_writes: bug data-race at WRITES(mempcpy,
 * case bcopy_writes: bug data-race at WRITES(bcopy,
 * case bzero_writes: bug data-race at WRITES(bzero,
 * case explicit_bzero_writes: bug data-race at WRITES(explicit_bzero,
 * case memccpy_writes: bug data-race at WRITES(memccpy,
 * case strcpy_writes: bug data-race at WRITES(strcpy,
 * case stpcpy_writes: bug data-race at WRITES(stpcpy,
 * case strncpy_writes: bug data-race at WRITES(strncpy,
 * case stpncpy_writes: bug data-race at WRITES(stpncpy,
 * case strcat_writes: bug data-race at WRITES(strcat,
 * case strncat_writes: bug data-race at WRITES(strncat,
 *
 * They do not fail, but for want of memory.
 *
 * ways strdup: ; not ENOMEM (a string that long takes more memory than there is)
 * ways strndup: ; not ENOMEM (likewise)
 * never fails: bcmp bcopy bzero explicit_bzero memccpy memchr memcmp memcpy memmem memmove mempcpy
 *	memrchr memset rawmemchr stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul
 *	strcmp strcoll strcpy strcspn strlen strncasecmp strncat strncmp strncpy strnlen strpbrk strrchr
 *	strsep strspn strstr strtok strtok_r
 *
 * case of_no_bytes: ok 1
 * case of_empty_strings: ok 1
 * case at_the_end_of_a_block: ok 1
 * case overlapping: ok 1
 * case signs_of_comparisons: ok 1
 * case not_there: ok 1
 * case copies_that_are_cut: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hooks/fails.h"

static char text[100] = "abcdefg";
static _Thread_local volatile int sink;

static void *hide(void *p)
{
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void check_memory(char *b)
{
	assert(memcpy(b, text, 8) == b && !memcmp(b, text, 8));
	assert(memcmp("a", "b", 1) < 0 && memcmp("b", "a", 1) > 0 && !bcmp("a", "a", 1));
	assert(memmove(b + 1, b, 3) == b + 1 && !memcmp(b, "aabc", 4));
	assert(memmove(b, b + 1, 3) == b && !memcmp(b, "abcc", 4));
	assert(mempcpy(b, "xy", 3) == b + 3 && !strcmp(b, "xy"));
	bcopy("pq", b, 3);
	assert(!strcmp(b, "pq"));
	assert(memset(b, 'z', 3) == b && !memcmp(b, "zzz", 3));
	bzero(b, 2);
	assert(b[0] == 0 && b[1] == 0 && b[2] == 'z');
	explicit_bzero(b, 3);
	assert(b[2] == 0);
	assert(memccpy(b, "a:b", ':', 4) == b + 2 && b[2] == 0 && !memccpy(b, "abcd", ':', 4));
	assert(memchr(text, 'c', 8) == text + 2 && !memchr(text, 'c', 2));
	assert(memrchr(text, 'a', 8) == text && rawmemchr(text, 'e') == text + 4);
	assert(memmem(text, 8, "de", 2) == text + 3 && !memmem(text, 4, "de", 2));
}

static void check_searches(void)
{
	assert(strlen(text) == 7 && strnlen(text, 3) == 3 && strnlen(text, 30) == 7);
	assert(!strcmp(text, "abcdefg") && strcmp(text, "abd") < 0 && strcmp(text, "abc") > 0);
	assert(!strncmp(text, "abd", 2) && strncmp(text, "abd", 3) < 0);
	assert(!strcasecmp(text, "ABCDEFG") && !strncasecmp(text, "ABx", 2));
	assert(strcasecmp("a", "B") < 0 && strncasecmp("b", "A", 1) > 0);
	assert(strchr(text, 'c') == text + 2 && strchr(text, 0) == text + 7 && !strchr(text, 'z'));
	assert(strchrnul(text, 'z') == text + 7 && strrchr(text, 'g') == text + 6);
	assert(strstr(text, "cd") == text + 2 && strstr(text, "") == text && !strstr(text, "x"));
	assert(strpbrk(text, "dc") == text + 2 && !strpbrk(text, "xyz"));
	assert(strspn(text, "cba") == 3 && strcspn(text, "dc") == 2);
}

static void check_copies(char *b)
{
	char *p;

	assert(strcpy(b, text) == b && !strcmp(b, text));
	assert(stpcpy(b, "ab") == b + 2 && !strcmp(b, "ab") && b[3] == 'd');
	memset(b, 'z', 10);
	assert(strncpy(b, "ab", 4) == b && !memcmp(b, "ab\0\0z", 5));
	assert(strncpy(b, "abcdef", 3) == b && !memcmp(b, "abc\0z", 5));
	assert(stpncpy(b, "x", 3) == b + 1 && stpncpy(b, "xyz", 2) == b + 2);
	strcpy(b, "ab");
	assert(strcat(b, "cd") == b && !strcmp(b, "abcd"));
	assert(strncat(b, "efgh", 2) == b && !strcmp(b, "abcdef"));
	p = hide(strdup(b));
	assert(p != b && !strcmp(p, b));
	free(p);
	p = hide(strndup(b, 3));
	assert(!strcmp(p, "abc"));
	free(p);
}

static void *check(void *arg)
{
	char b[40];

	check_memory(hide(b));
	check_searches();
	check_copies(hide(b));
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

/* One thread writes bytes 3 to 6 of the text, the other does what needs only those before. */
static void (*within)(void);

static void *write_or_stay_within(void *arg)
{
	if (arg)
		memcpy(text + 3, "xyz", 3);
	else
		within();
	return NULL;
}

static void compare(void)
{
	char own[] = "abx";

	sink = strcmp(text, own) + strncmp(text, own, 8) + strcasecmp(text, own) +
	       strncasecmp(text, own, 8) + strncmp(text, "abc", 3) + memcmp(text, own, 3);
}

static void comparisons_end_at_the_difference(void)
{
	within = compare;
	THREADS(2, write_or_stay_within);
}

static void search(void)
{
	assert(strchr(text, 'c') && strchrnul(text, 'c') && memchr(text, 'c', 8));
	assert(rawmemchr(text, 'c') && strstr(text, "bc") && strpbrk(text, "xc"));
	assert(strcspn(text, "c") == 2 && strspn(text, "ab") == 2);
}

static void searches_end_where_they_find(void)
{
	within = search;
	THREADS(2, write_or_stay_within);
}

static void limit(void)
{
	char own[10] = "x";

	assert(strnlen(text, 3) == 3);
	strncpy(own, text, 3);
	stpncpy(own, text, 3);
	own[3] = 0;
	strncat(own, text, 3);
	assert(!strcmp(own, "abcabc"));
	free(hide(strndup(text, 3)));
}

static void lengths_have_a_limit(void)
{
	within = limit;
	THREADS(2, write_or_stay_within);
}

static void copy(void)
{
	strcpy(text, "ab");
	stpcpy(text, "xy");
	strcpy(text, "");
	strcat(text, "a");
	strncat(text, "bcd", 1);
}

static void copies_end_with_the_string(void)
{
	within = copy;
	THREADS(2, write_or_stay_within);
}

static void *run_unterminated(void *arg)
{
	char *p = hide(malloc(4));

	memcpy(p, "abcd", 4);
	sink = (int)strlen(p);
	return arg;
}

static void unterminated(void)
{
	THREADS(1, run_unterminated);
}

static void *run_copy_behind(void *arg)
{
	strcpy(hide(malloc(4)), "abcd");
	return arg;
}

static void copy_behind_the_end(void)
{
	THREADS(1, run_copy_behind);
}

static void *run_copy_from_freed(void *arg)
{
	char *p = hide(calloc(1, 8)), *q = hide(p), own[8];

	free(p);
	memcpy(hide(own), q, 8);
	return arg;
}

static void copy_from_a_freed_block(void)
{
	THREADS(1, run_copy_from_freed);
}

struct big {
	int a[12];
};

static struct big from, to;

static void *assign_or_write(void *arg)
{
	if (arg)
		to = from;
	else
		to.a[11] = 1;
	return NULL;
}

static void assignment_of_a_structure(void)
{
	THREADS(2, assign_or_write);
}

static atomic_int atomics[2];

static void *store(void *arg)
{
	atomic_store(&atomics[1], 7);
	return arg;
}

static void a_copy_of_an_atomic(void)
{
	int own[2];

	THREADS(1, store);
	memcpy(hide(own), (void *)atomics, sizeof(own));
	assert(own[0] == 0 && own[1] == 7);
}

static volatile char *last = &text[7];

/* clang makes a load and a store of this one, whatever it is told. */
static void (*volatile call_bcopy)(const void *, void *, size_t) = bcopy;

#define RACE(name, call, access)               \
	static void *do_##name(void *arg)      \
	{                                      \
		char *own = hide(malloc(100)); \
                                               \
		memset(own, 0, 100);           \
		memcpy(own, "abcdefg", 8);     \
		if (arg)                       \
			access;                \
		else                           \
			call;                  \
		free(own);                     \
		return NULL;                   \
	}                                      \
	static void name(void)                 \
	{                                      \
		THREADS(2, do_##name);         \
	}
#define READS(name, call)  RACE(name##_reads, call, *last = 0)
#define WRITES(name, call) RACE(name##_writes, call, sink = *last)

READS(memcpy, memcpy(own, text, 8))
READS(memmove, memmove(own, text, 8))
READS(mempcpy, mempcpy(own, text, 8))
READS(bcopy, call_bcopy(text, own, 8))
READS(memccpy, memccpy(own, text, 0, 8))
READS(memcmp, sink = memcmp(own, text, 8))
READS(bcmp, sink = bcmp(text, own, 8))
READS(memchr, sink = memchr(text, 0, 8) != NULL)
READS(memrchr, sink = memrchr(text, 'z', 8) != NULL)
READS(rawmemchr, sink = rawmemchr(text, 0) != NULL)
READS(memmem, sink = memmem(text, 8, own, 3) != NULL)
READS(strlen, sink = (int)strlen(text))
READS(strnlen, sink = (int)strnlen(text, 8))
READS(strcmp, sink = strcmp(text, own))
READS(strncmp, sink = strncmp(own, text, 8))
READS(strcasecmp, sink = strcasecmp(text, own))
READS(strncasecmp, sink = strncasecmp(text, own, 100))
READS(strchr, sink = strchr(text, 'z') != NULL)
READS(strchrnul, sink = strchrnul(text, 'z') != NULL)
READS(strrchr, sink = strrchr(text, 'a') != NULL)
READS(strstr, sink = strstr(text, "xyz") != NULL)
READS(strpbrk, sink = strpbrk(text, "xyz") != NULL)
READS(strspn, sink = (int)strspn(text, "abcdefg"))
READS(strcspn, sink = (int)strcspn(text, "xyz"))
READS(strcpy, strcpy(own, text))
READS(stpcpy, stpcpy(own, text))
READS(strncpy, strncpy(own, text, 8))
READS(stpncpy, stpncpy(own, text, 20))
READS(strcat, strcat(own, text))
READS(strncat, strncat(own, text, 20))
READS(strdup, free(hide(strdup(text))))
READS(strndup, free(hide(strndup(text, 8))))
WRITES(memcpy, memcpy(text, own, 8))
WRITES(memmove, memmove(text, own, 8))
WRITES(memset, memset(text, 0, 8))
WRITES(mempcpy, mempcpy(text, own, 8))
WRITES(bcopy, call_bcopy(own, text, 8))
WRITES(bzero, bzero(text, 8))
WRITES(explicit_bzero, explicit_bzero(text, 8))
WRITES(memccpy, memccpy(text, own, 0, 8))
WRITES(strcpy, strcpy(text, own))
WRITES(stpcpy, stpcpy(text, own))
WRITES(strncpy, strncpy(text, "a", 8))
WRITES(stpncpy, stpncpy(text, "a", 8))
WRITES(strcat, strcat(text, "x"))
WRITES(strncat, strncat(text, "xy", 1))

/* --- how they fail ---------------------------------------------------------------------------- */

#define IN_BOTH(name)                             \
	static void *name##_in_thread(void *arg); \
	static void name(void)                    \
	{                                         \
		BOTH(name##_in_thread);           \
	}                                         \
	static void *name##_in_thread(void *arg)

/* So that compilers know nothing. */
static volatile size_t none = 0;
static const char *volatile empty = "", *volatile abc = "abc";

/* Nothing is looked at: the pointers lead just behind a block. */
IN_BOTH(of_no_bytes)
{
	char *block = malloc(16), *end = block + 16;

	assert(memcpy(end, abc, none) == end && memmove(end, abc, none) == end);
	assert(mempcpy(end, abc, none) == end && memset(end, 1, none) == end);
	bcopy(abc, end, none);
	bzero(end, none);
	explicit_bzero(end, none);
	assert(!memcmp(end, abc, none) && !bcmp(end, abc, none));
	assert(!memchr(end, 0, none) && !memrchr(end, 0, none) && !memccpy(end, abc, 'a', none));
	assert(memmem(end, none, abc, none) == end && !memmem(end, none, abc, 1));
	assert(strnlen(end, none) == 0 && !strncmp(end, abc, none) && !strncasecmp(end, abc, none));
	assert(strncpy(end, abc, none) == end && stpncpy(end, abc, none) == end);
	free(block);
	return arg;
}

IN_BOTH(of_empty_strings)
{
	char to[4] = "x";

	assert(strlen(empty) == 0 && !strcmp(empty, "") && !strcasecmp(empty, ""));
	assert(strchr(empty, 0) == empty && strrchr(empty, 0) == empty && !strchr(empty, 'a'));
	assert(strchrnul(empty, 'a') == empty && rawmemchr(empty, 0) == empty);
	assert(strstr(abc, empty) == abc && strstr(empty, empty) == empty && !strstr(empty, abc));
	assert(!strpbrk(abc, empty) && strspn(abc, empty) == 0 && strcspn(abc, empty) == 3);
	assert(strcat(to, empty) == to && !strcmp(to, "x") && strncat(to, abc, none) == to);
	assert(stpcpy(to, empty) == to && strcpy(to, empty) == to && !to[0]);
	assert(!strcmp(to, empty));
	return arg;
}

/* No byte behind it is touched, where there is none to be. */
IN_BOTH(at_the_end_of_a_block)
{
	char *p = malloc(4), *q = malloc(3);

	assert(strcpy(p, abc) == p && strlen(p) == 3 && strnlen(p, 4) == 3 && strnlen(p, 2) == 2);
	memcpy(q, p, 3);
	assert(strnlen(q, 3) == 3 && memchr(q, 'c', 3) == q + 2 && memrchr(q, 'c', 3) == q + 2);
	assert(strncmp(q, abc, 3) == 0 && strncasecmp(q, "ABC", 3) == 0);
	assert(memmem(q, 3, "bc", 2) == q + 1 && memccpy(q, p, 'c', 9) == q + 3);
	assert(stpncpy(q, p, 3) == q + 3 && strncpy(q, p, 2) == q && q[2] == 'c');
	free(p);
	free(q);
	return arg;
}

IN_BOTH(overlapping)
{
	char s[] = "abcdef";

	assert(memmove(s + 1, s, 4) == s + 1 && !strcmp(s, "aabcdf"));
	assert(memmove(s, s + 1, 4) == s && !strcmp(s, "abcddf"));
	bcopy(s, s + 2, 3);
	assert(!strcmp(s, "ababcf"));
	assert(memmove(s, s, 6) == s && !strcmp(s, "ababcf"));
	return arg;
}

/* Bytes are compared as unsigned ones. */
IN_BOTH(signs_of_comparisons)
{
	assert(memcmp("\x80", "\x7f", 1) > 0 && strcmp("\x80", "\x7f") > 0);
	assert(strncmp("a\x80", "a\x7f", 2) > 0 && strcmp(abc, "abcd") < 0);
	assert(strncmp(abc, "abd", 2) == 0 && strncmp("ab", abc, 9) < 0);
	assert(strcasecmp("ABD", abc) > 0 && strncasecmp("ABD", abc, 3) > 0);
	assert(bcmp("a", "b", 1) != 0 && memcmp("a\0b", "a\0c", 3) < 0);
	return arg;
}

IN_BOTH(not_there)
{
	assert(!memchr(abc, 'x', 4) && !memrchr(abc, 'x', 4) && !memmem(abc, 3, "cb", 2));
	assert(!strchr(abc, 'x') && !strrchr(abc, 'x') && strchrnul(abc, 'x') == abc + 3);
	assert(!strstr(abc, "cb") && !strpbrk(abc, "xy"));
	assert(strspn(abc, "ba") == 2 && strcspn(abc, "xc") == 2);
	assert(strchr(abc, 'b' + 256) == abc + 1 && memchr(abc, 'c' - 256, 3) == abc + 2);
	return arg;
}

IN_BOTH(copies_that_are_cut)
{
	char to[8] = "xxxxxxx", *copy = strndup(abc, 2), *whole = strndup(abc, 9),
	     *same = strdup(abc), *nothing = strndup(abc, none);

	assert(copy && !strcmp(copy, "ab") && whole && !strcmp(whole, abc));
	assert(same && !strcmp(same, abc) && nothing && !*nothing);
	assert(strncpy(to, abc, 5) == to && !memcmp(to, "abc\0\0xx", 8));
	assert(stpncpy(to, abc, 2) == to + 2 && stpncpy(to, abc, 5) == to + 3);
	assert(strncat(to, abc, 2) == to && !strcmp(to, "abcab"));
	assert(!memccpy(to, "wxyz", 'q', 2) && !memcmp(to, "wxcab", 5));
	assert(mempcpy(to, abc, 2) == to + 2);
	free(copy);
	free(whole);
	free(same);
	free(nothing);
	return arg;
}

CASES(CASE(what_each_returns), CASE(comparisons_end_at_the_difference),
      CASE(searches_end_where_they_find), CASE(lengths_have_a_limit),
      CASE(copies_end_with_the_string), CASE(unterminated), CASE(copy_behind_the_end),
      CASE(copy_from_a_freed_block), CASE(assignment_of_a_structure), CASE(a_copy_of_an_atomic),
      CASE(memcpy_reads), CASE(memmove_reads), CASE(mempcpy_reads), CASE(bcopy_reads),
      CASE(memccpy_reads), CASE(memcmp_reads), CASE(bcmp_reads), CASE(memchr_reads),
      CASE(memrchr_reads), CASE(rawmemchr_reads), CASE(memmem_reads), CASE(strlen_reads),
      CASE(strnlen_reads), CASE(strcmp_reads), CASE(strncmp_reads), CASE(strcasecmp_reads),
      CASE(strncasecmp_reads), CASE(strchr_reads), CASE(strchrnul_reads), CASE(strrchr_reads),
      CASE(strstr_reads), CASE(strpbrk_reads), CASE(strspn_reads), CASE(strcspn_reads),
      CASE(strcpy_reads), CASE(stpcpy_reads), CASE(strncpy_reads), CASE(stpncpy_reads),
      CASE(strcat_reads), CASE(strncat_reads), CASE(strdup_reads), CASE(strndup_reads),
      CASE(memcpy_writes), CASE(memmove_writes), CASE(memset_writes), CASE(mempcpy_writes),
      CASE(bcopy_writes), CASE(bzero_writes), CASE(explicit_bzero_writes), CASE(memccpy_writes),
      CASE(strcpy_writes), CASE(stpcpy_writes), CASE(strncpy_writes), CASE(stpncpy_writes),
      CASE(strcat_writes), CASE(strncat_writes), CASE(of_no_bytes), CASE(of_empty_strings),
      CASE(at_the_end_of_a_block), CASE(overlapping), CASE(signs_of_comparisons), CASE(not_there),
      CASE(copies_that_are_cut))
