/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * string_fails.c - what functions of memory and strings give where there is next to nothing
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
#include <string.h>
#include <strings.h>

#include "hooks/fails.h"

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

CASES(CASE(of_no_bytes), CASE(of_empty_strings), CASE(at_the_end_of_a_block), CASE(overlapping),
      CASE(signs_of_comparisons), CASE(not_there), CASE(copies_that_are_cut))
