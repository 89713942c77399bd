/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_string.c - the string functions of libc as plain accesses of what they touch
 *
 * As in hook_memory.c: only calls from instrumented code count, and what libc does with the
 * bytes is announced before it does it. A string ends at its 0, so its length is found out
 * first; what is read is what ISO C lets the function look at, which for comparisons is the
 * bytes up to the first difference, and for searches those up to what is found.
 *
 * heddle-cc keeps compilers from replacing most of these calls by code of their own.
 */
/*
 * intercepts: Memory
 *
 * checked strlen strnlen strcmp strncmp strcasecmp __strcasecmp strncasecmp memcmp bcmp memchr memrchr
 *	rawmemchr __rawmemchr memmem strchr strchrnul strrchr strstr strpbrk strspn strcspn - plain
 *	reads of the bytes that the result depends on, when instrumented code calls them
 * checked strcpy stpcpy __stpcpy strncpy stpncpy __stpncpy strcat strncat memccpy strdup __strdup strndup __strndup - likewise,
 *	and plain writes
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "preload/core/active.h"
#include "preload/core/lifecycle.h"
#include "preload/memory/heap.h"

/* What libc itself has; looked up at the root point at the latest, when nothing waits. */
#define FUNCTIONS(X)   \
	X(bcmp)        \
	X(memccpy)     \
	X(memchr)      \
	X(memcmp)      \
	X(memmem)      \
	X(memrchr)     \
	X(rawmemchr)   \
	X(stpcpy)      \
	X(stpncpy)     \
	X(strcasecmp)  \
	X(strcat)      \
	X(strchr)      \
	X(strchrnul)   \
	X(strcmp)      \
	X(strcpy)      \
	X(strcspn)     \
	X(strdup)      \
	X(strlen)      \
	X(strncasecmp) \
	X(strncat)     \
	X(strncmp)     \
	X(strncpy)     \
	X(strndup)     \
	X(strnlen)     \
	X(strpbrk)     \
	X(strrchr)     \
	X(strspn)      \
	X(strstr)

#define MEMBER(name)  __typeof__(&name) name;
#define LOOK_UP(name) libc.name = (__typeof__(&name))real_lookup(#name, NULL);

static struct {
	FUNCTIONS(MEMBER)
} libc;

static void string_root(void){ FUNCTIONS(LOOK_UP) }

AT_ROOT(string_root);

/* Libraries call these from their constructors, long before. */
#define LIBC(name)                        \
	({                                \
		if (unlikely(!libc.name)) \
			LOOK_UP(name)     \
		libc.name;                \
	})

/* As seen(); then libc's functions are known, before the root point as well. */
static bool is_seen(uint64_t pc)
{
	if (!seen(pc))
		return false;
	if (unlikely(!libc.strstr)) /* the last one */
		string_root();
	return true;
}

/* ---- Announcing ------------------------------------------------------------------------- */

/* A whole string, with its 0. */
static void reads_string(const char *s, uint64_t pc)
{
	reads(s, libc.strlen(s) + 1, pc);
}

/* A string of which at most n bytes count; returns how many are not 0. */
static size_t reads_at_most(const char *s, size_t n, uint64_t pc)
{
	size_t length = libc.strnlen(s, n);

	reads(s, length < n ? length + 1 : n, pc);
	return length;
}

static unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Two strings up to where they differ, at most n bytes. */
static void reads_both(const char *a, const char *b, size_t n, bool fold, uint64_t pc)
{
	size_t i = 0;

	while (i < n && a[i] && (fold ? folded(a[i]) == folded(b[i]) : a[i] == b[i]))
		i++;
	reads(a, i < n ? i + 1 : n, pc);
	reads(b, i < n ? i + 1 : n, pc);
}

/* Of a search in a string: up to what was found, or all of it. */
static void reads_until(const char *s, const char *found, uint64_t pc)
{
	if (found)
		reads(s, (size_t)(found - s) + 1, pc);
	else
		reads_string(s, pc);
}

/* ---- Lengths and comparisons ------------------------------------------------------------ */

HEDDLE_HOOK size_t strlen(const char *s)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_string(s, pc);
	return LIBC(strlen)(s);
}

HEDDLE_HOOK size_t strnlen(const char *s, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_at_most(s, n, pc);
	return LIBC(strnlen)(s, n);
}

HEDDLE_HOOK int memcmp(const void *a, const void *b, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		reads(a, n, pc);
		reads(b, n, pc);
	}
	return LIBC(memcmp)(a, b, n);
}

HEDDLE_HOOK int bcmp(const void *a, const void *b, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		reads(a, n, pc);
		reads(b, n, pc);
	}
	return LIBC(bcmp)(a, b, n);
}

HEDDLE_HOOK int strcmp(const char *a, const char *b)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_both(a, b, SIZE_MAX, false, pc);
	return LIBC(strcmp)(a, b);
}

HEDDLE_HOOK int strncmp(const char *a, const char *b, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_both(a, b, n, false, pc);
	return LIBC(strncmp)(a, b, n);
}

HEDDLE_HOOK int strcasecmp(const char *a, const char *b)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_both(a, b, SIZE_MAX, true, pc);
	return LIBC(strcasecmp)(a, b);
}

HEDDLE_HOOK int strncasecmp(const char *a, const char *b, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_both(a, b, n, true, pc);
	return LIBC(strncasecmp)(a, b, n);
}

/* ---- Searches --------------------------------------------------------------------------- */

HEDDLE_HOOK void *memchr(const void *s, int c, size_t n)
{
	const char *found = LIBC(memchr)(s, c, n);
	uint64_t pc = CALLER();

	if (!is_seen(pc))
		return (void *)found;
	reads(s, found ? (size_t)(found - (const char *)s) + 1 : n, pc);
	return LIBC(memchr)(s, c, n);
}

HEDDLE_HOOK void *memrchr(const void *s, int c, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads(s, n, pc);
	return LIBC(memrchr)(s, c, n);
}

HEDDLE_HOOK void *rawmemchr(const void *s, int c)
{
	const char *found = LIBC(rawmemchr)(s, c);
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_until(s, found, pc);
	return (void *)found;
}

HEDDLE_HOOK void *memmem(const void *s, size_t n, const void *what, size_t length)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		reads(s, n, pc);
		reads(what, length, pc);
	}
	return LIBC(memmem)(s, n, what, length);
}

#define SEARCH_BYTE(name)                                    \
	HEDDLE_HOOK char *name(const char *s, int c)         \
	{                                                    \
		uint64_t pc = CALLER();                      \
                                                             \
		if (is_seen(pc))                             \
			reads_until(s, libc.name(s, c), pc); \
		return LIBC(name)(s, c);                     \
	}
SEARCH_BYTE(strchr)
SEARCH_BYTE(strchrnul)

HEDDLE_HOOK char *strrchr(const char *s, int c)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		reads_string(s, pc);
	return LIBC(strrchr)(s, c);
}

HEDDLE_HOOK char *strstr(const char *s, const char *what)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		const char *found = libc.strstr(s, what);

		reads_string(what, pc);
		if (found)
			reads(s, (size_t)(found - s) + libc.strlen(what), pc);
		else
			reads_string(s, pc);
	}
	return LIBC(strstr)(s, what);
}

HEDDLE_HOOK char *strpbrk(const char *s, const char *set)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		reads_string(set, pc);
		reads_until(s, libc.strpbrk(s, set), pc);
	}
	return LIBC(strpbrk)(s, set);
}

#define SPAN(name)                                              \
	HEDDLE_HOOK size_t name(const char *s, const char *set) \
	{                                                       \
		uint64_t pc = CALLER();                         \
                                                                \
		if (is_seen(pc)) {                              \
			reads_string(set, pc);                  \
			reads(s, libc.name(s, set) + 1, pc);    \
		}                                               \
		return LIBC(name)(s, set);                      \
	}
SPAN(strspn)
SPAN(strcspn)

/* ---- Copies ----------------------------------------------------------------------------- */

/* All of a string to another place. */
static void copies(char *to, const char *from, uint64_t pc)
{
	reads_string(from, pc);
	writes(to, libc.strlen(from) + 1, pc);
}

/* The same to the end of a string; of `from`, n bytes and a 0. */
static void appends(char *to, const char *from, size_t n, uint64_t pc)
{
	size_t length = libc.strlen(to);

	reads(to, length + 1, pc);
	n = reads_at_most(from, n, pc);
	writes(to + length, n + 1, pc);
}

/* n bytes, filled up with 0. */
static void fills(char *to, const char *from, size_t n, uint64_t pc)
{
	reads_at_most(from, n, pc);
	writes(to, n, pc);
}

HEDDLE_HOOK char *strcpy(char *restrict to, const char *restrict from)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		copies(to, from, pc);
	return LIBC(strcpy)(to, from);
}

HEDDLE_HOOK char *stpcpy(char *restrict to, const char *restrict from)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		copies(to, from, pc);
	return LIBC(stpcpy)(to, from);
}

HEDDLE_HOOK char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		fills(to, from, n, pc);
	return LIBC(strncpy)(to, from, n);
}

HEDDLE_HOOK char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		fills(to, from, n, pc);
	return LIBC(stpncpy)(to, from, n);
}

HEDDLE_HOOK char *strcat(char *restrict to, const char *restrict from)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		appends(to, from, SIZE_MAX, pc);
	return LIBC(strcat)(to, from);
}

HEDDLE_HOOK char *strncat(char *restrict to, const char *restrict from, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc))
		appends(to, from, n, pc);
	return LIBC(strncat)(to, from, n);
}

HEDDLE_HOOK void *memccpy(void *restrict to, const void *restrict from, int c, size_t n)
{
	uint64_t pc = CALLER();

	if (is_seen(pc)) {
		const char *found = libc.memchr(from, c, n);
		size_t length = found ? (size_t)(found - (const char *)from) + 1 : n;

		reads(from, length, pc);
		writes(to, length, pc);
	}
	return LIBC(memccpy)(to, from, c, n);
}

/* A string of its own; libc's strdup() would not tell who asked for the memory. */
static char *duplicate(const char *s, size_t length, uint64_t pc)
{
	char *copy = block_for_program(length + 1, pc);

	if (!copy)
		return NULL;
	writes(copy, length + 1, pc);
	memcpy(copy, s, length);
	copy[length] = 0;
	return copy;
}

HEDDLE_HOOK char *strdup(const char *s)
{
	uint64_t pc = CALLER();

	if (!is_seen(pc))
		return LIBC(strdup)(s);
	reads_string(s, pc);
	return duplicate(s, libc.strlen(s), pc);
}

HEDDLE_HOOK char *strndup(const char *s, size_t n)
{
	uint64_t pc = CALLER();

	if (!is_seen(pc))
		return LIBC(strndup)(s, n);
	return duplicate(s, reads_at_most(s, n, pc), pc);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__rawmemchr, rawmemchr);
ALSO_CALLED(__stpcpy, stpcpy);
ALSO_CALLED(__stpncpy, stpncpy);
ALSO_CALLED(__strcasecmp, strcasecmp);
ALSO_CALLED(__strdup, strdup);
ALSO_CALLED(__strndup, strndup);
