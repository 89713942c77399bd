/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide_fails.c - what functions of wide strings give where there is next to nothing
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
#include <wchar.h>

#include "hooks/fails.h"

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

CASES(CASE(of_none), CASE(of_empty_strings), CASE(at_the_end_of_a_block))
