/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_token.c - strtok(), strsep() and their kin, as plain accesses of what they touch
 *
 * As in hook_string.c. A token is read up to the byte that ends it, which becomes a 0; the pointer that
 * leads on is the program's, but for strtok(). That one's is here, in the place of libc's own: who calls it in
 * two threads at once races for it.
 */
/*
 * intercepts: Memory
 *
 * checked strtok_r __strtok_r strsep - plain reads of the token, plain writes of its end and of the
 *	pointer, when instrumented code calls them
 * checked strtok - likewise; the pointer is the same for all threads
 * checked strcasestr __strcasestr strcoll - plain reads of the bytes that the result depends on, when
 *	instrumented code calls them
 */
#include "preload/hooks/announce.h"

char *__strtok_r(char *s, const char *ends, char **next);

/* The token at s, which begins behind `skip` bytes, is about to be cut off. */
static void cuts(const char *s, size_t skip, const char *ends, uint64_t pc)
{
	size_t n = skip + strcspn(s + skip, ends);

	reads(s, n + 1, pc);
	if (s[n])
		writes(s + n, 1, pc);
}

/* *next is read once, and written when the token is: others may run at each of these. */
static char *next_token(char *s, const char *ends, char **next, uint64_t pc)
{
	char *token;

	if (!seen(pc))
		return REAL(strtok_r)(s, ends, next);
	reads_text(ends, SIZE_MAX, pc);
	if (!s) {
		reads(next, sizeof(*next), pc);
		s = *next;
	}
	if (s)
		cuts(s, strspn(s, ends), ends, pc);
	token = REAL(strtok_r)(s, ends, &s);
	writes(next, sizeof(*next), pc);
	*next = s;
	return token;
}

HEDDLE_HOOK char *strtok_r(char *restrict s, const char *restrict ends, char **restrict next)
{
	return next_token(s, ends, next, CALLER());
}

/* As the headers of some libc call it. */
HEDDLE_HOOK char *__strtok_r(char *s, const char *ends, char **next)
{
	return next_token(s, ends, next, CALLER());
}

HEDDLE_IMAGE static char *next_of_strtok;

HEDDLE_HOOK char *strtok(char *restrict s, const char *restrict ends)
{
	return next_token(s, ends, &next_of_strtok, CALLER());
}

HEDDLE_HOOK char *strsep(char **restrict next, const char *restrict ends)
{
	uint64_t pc = CALLER();
	char *s, *token;

	if (!seen(pc))
		return REAL(strsep)(next, ends);
	reads(next, sizeof(*next), pc);
	s = *next;
	if (!s)
		return NULL;
	reads_text(ends, SIZE_MAX, pc);
	cuts(s, 0, ends, pc);
	token = REAL(strsep)(&s, ends);
	writes(next, sizeof(*next), pc);
	*next = s;
	return token;
}

HEDDLE_HOOK char *strcasestr(const char *s, const char *what)
{
	uint64_t pc = CALLER();
	const char *found;

	if (seen(pc)) {
		found = REAL(strcasestr)(s, what);
		reads_text(what, SIZE_MAX, pc);
		reads_text(s, found ? (size_t)(found - s) + strlen(what) : SIZE_MAX, pc);
	}
	return REAL(strcasestr)(s, what);
}

HEDDLE_HOOK int strcoll(const char *a, const char *b)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads_text(a, SIZE_MAX, pc);
		reads_text(b, SIZE_MAX, pc);
	}
	return REAL(strcoll)(a, b);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__strcasestr, strcasestr);
