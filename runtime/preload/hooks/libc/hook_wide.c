/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_wide.c - the functions for wide strings, as plain accesses of what they touch
 *
 * As in hook_string.c, with wide characters in the place of bytes.
 */
/*
 * intercepts: Memory
 *
 * checked wcslen wcsnlen wcscmp wcsncmp wcscasecmp wcsncasecmp wcschr wcsrchr wcsstr wcspbrk wcsspn
 *	wcscspn wmemcmp wmemchr - plain reads of the wide characters that the result depends
 *	on, when instrumented code calls them
 * checked wcscpy wcpcpy wcsncpy wcpncpy wcscat wcsncat wcsdup wmemcpy wmempcpy wmemmove wmemset -
 *	likewise, and plain writes
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <wchar.h>
#include <wctype.h>

#include "preload/code/modules.h"
#include "preload/memory/heap.h"

/* ---- Announcing ----------------------------------------------------------------------------------- */

static void reads_some(const wchar_t *s, size_t n, uint64_t pc)
{
	if (!module_constant((uintptr_t)s))
		reads(s, n * sizeof(*s), pc);
}

static void writes_some(const wchar_t *s, size_t n, uint64_t pc)
{
	writes(s, n * sizeof(*s), pc);
}

/* How many there are before the 0, at most n. */
static size_t length_of(const wchar_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i])
		i++;
	return i;
}

/* A string of which at most n count; returns its length. */
static size_t reads_string(const wchar_t *s, size_t n, uint64_t pc)
{
	size_t length = length_of(s, n);

	reads_some(s, length < n ? length + 1 : n, pc);
	return length;
}

/* Two strings up to where they differ, at most n. */
static void reads_both(const wchar_t *a, const wchar_t *b, size_t n, bool fold, uint64_t pc)
{
	size_t i = 0;

	while (i < n && a[i] &&
	       (a[i] == b[i] || (fold && towlower((wint_t)a[i]) == towlower((wint_t)b[i]))))
		i++;
	reads_some(a, i < n ? i + 1 : n, pc);
	reads_some(b, i < n ? i + 1 : n, pc);
}

/* Of a search: up to what was found, or all. */
static void reads_until(const wchar_t *s, const wchar_t *found, uint64_t pc)
{
	if (found)
		reads_some(s, (size_t)(found - s) + 1, pc);
	else
		reads_string(s, SIZE_MAX, pc);
}

/* ---- Lengths and comparisons ---------------------------------------------------------------------- */

HEDDLE_HOOK size_t wcslen(const wchar_t *s)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_string(s, SIZE_MAX, pc);
	return REAL(wcslen)(s);
}

HEDDLE_HOOK size_t wcsnlen(const wchar_t *s, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_string(s, n, pc);
	return REAL(wcsnlen)(s, n);
}

#define COMPARE(name, fold)                                      \
	HEDDLE_HOOK int name(const wchar_t *a, const wchar_t *b) \
	{                                                        \
		uint64_t pc = CALLER();                          \
                                                                 \
		if (seen(pc))                                    \
			reads_both(a, b, SIZE_MAX, fold, pc);    \
		return REAL(name)(a, b);                         \
	}
#define COMPARE_SOME(name, fold)                                           \
	HEDDLE_HOOK int name(const wchar_t *a, const wchar_t *b, size_t n) \
	{                                                                  \
		uint64_t pc = CALLER();                                    \
                                                                           \
		if (seen(pc))                                              \
			reads_both(a, b, n, fold, pc);                     \
		return REAL(name)(a, b, n);                                \
	}
COMPARE(wcscmp, false)
COMPARE(wcscasecmp, true)
COMPARE_SOME(wcsncmp, false)
COMPARE_SOME(wcsncasecmp, true)

HEDDLE_HOOK int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads_some(a, n, pc);
		reads_some(b, n, pc);
	}
	return REAL(wmemcmp)(a, b, n);
}

/* ---- Searches ------------------------------------------------------------------------------------- */

HEDDLE_HOOK wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
	uint64_t pc = CALLER();
	const wchar_t *found;

	if (seen(pc)) {
		found = REAL(wmemchr)(s, c, n);
		reads_some(s, found ? (size_t)(found - s) + 1 : n, pc);
	}
	return REAL(wmemchr)(s, c, n);
}

HEDDLE_HOOK wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_until(s, REAL(wcschr)(s, c), pc);
	return REAL(wcschr)(s, c);
}

HEDDLE_HOOK wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_string(s, SIZE_MAX, pc);
	return REAL(wcsrchr)(s, c);
}

HEDDLE_HOOK wchar_t *wcsstr(const wchar_t *s, const wchar_t *what)
{
	uint64_t pc = CALLER();
	const wchar_t *found;
	size_t n;

	if (seen(pc)) {
		found = REAL(wcsstr)(s, what);
		n = reads_string(what, SIZE_MAX, pc);
		if (found)
			reads_some(s, (size_t)(found - s) + n, pc);
		else
			reads_string(s, SIZE_MAX, pc);
	}
	return REAL(wcsstr)(s, what);
}

HEDDLE_HOOK wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads_string(set, SIZE_MAX, pc);
		reads_until(s, REAL(wcspbrk)(s, set), pc);
	}
	return REAL(wcspbrk)(s, set);
}

#define SPAN(name)                                                    \
	HEDDLE_HOOK size_t name(const wchar_t *s, const wchar_t *set) \
	{                                                             \
		uint64_t pc = CALLER();                               \
                                                                      \
		if (seen(pc)) {                                       \
			reads_string(set, SIZE_MAX, pc);              \
			reads_some(s, REAL(name)(s, set) + 1, pc);    \
		}                                                     \
		return REAL(name)(s, set);                            \
	}
SPAN(wcsspn)
SPAN(wcscspn)

/* ---- Copies --------------------------------------------------------------------------------------- */

#define WCHARS wchar_t *restrict to, const wchar_t *restrict from

#define COPY(name)                                                                 \
	HEDDLE_HOOK wchar_t *name(WCHARS)                                          \
	{                                                                          \
		uint64_t pc = CALLER();                                            \
                                                                                   \
		if (seen(pc))                                                      \
			writes_some(to, reads_string(from, SIZE_MAX, pc) + 1, pc); \
		return REAL(name)(to, from);                                       \
	}
COPY(wcscpy)
COPY(wcpcpy)

/* What is left of the n is filled with 0. */
#define FILL_UP(name)                               \
	HEDDLE_HOOK wchar_t *name(WCHARS, size_t n) \
	{                                           \
		uint64_t pc = CALLER();             \
                                                    \
		if (seen(pc)) {                     \
			reads_string(from, n, pc);  \
			writes_some(to, n, pc);     \
		}                                   \
		return REAL(name)(to, from, n);     \
	}
FILL_UP(wcsncpy)
FILL_UP(wcpncpy)

static void appends(const wchar_t *to, const wchar_t *from, size_t n, uint64_t pc)
{
	size_t length = reads_string(to, SIZE_MAX, pc);

	writes_some(to + length, reads_string(from, n, pc) + 1, pc);
}

HEDDLE_HOOK wchar_t *wcscat(WCHARS)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		appends(to, from, SIZE_MAX, pc);
	return REAL(wcscat)(to, from);
}

HEDDLE_HOOK wchar_t *wcsncat(WCHARS, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		appends(to, from, n, pc);
	return REAL(wcsncat)(to, from, n);
}

/* A string of its own, as in hook_string.c. */
HEDDLE_HOOK wchar_t *wcsdup(const wchar_t *s)
{
	uint64_t pc = CALLER();
	wchar_t *copy;
	size_t n;

	if (!seen(pc))
		return REAL(wcsdup)(s);
	n = reads_string(s, SIZE_MAX, pc) + 1;
	copy = block_for_program(n * sizeof(*s), pc);
	if (!copy)
		return NULL;
	writes_some(copy, n, pc);
	memcpy(copy, s, n * sizeof(*s));
	return copy;
}

#define COPY_SOME(name, ...)                             \
	HEDDLE_HOOK wchar_t *name(__VA_ARGS__, size_t n) \
	{                                                \
		uint64_t pc = CALLER();                  \
                                                         \
		if (seen(pc)) {                          \
			reads_some(from, n, pc);         \
			writes_some(to, n, pc);          \
		}                                        \
		return REAL(name)(to, from, n);          \
	}
COPY_SOME(wmemcpy, WCHARS)
COPY_SOME(wmempcpy, WCHARS)
COPY_SOME(wmemmove, wchar_t *to, const wchar_t *from)

HEDDLE_HOOK wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		writes_some(to, n, pc);
	return REAL(wmemset)(to, c, n);
}
