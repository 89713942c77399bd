/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_multibyte.c - from bytes to wide characters and back, as plain accesses
 *
 * As in hook_string.c. How much comes out libc is asked first, which is to store it nowhere. Of a text that is none in the
 * locale a part was converted, which is not announced, and no thread is run once more from before.
 */
/*
 * intercepts: Memory
 *
 * checked mbstowcs __mbstowcs_chk wcstombs __wcstombs_chk mbsrtowcs wcsrtombs - plain reads of the text, plain writes of what comes out
 *	and of the pointer, when instrumented code calls them
 * checked mbrtowc mbtowc mbrlen __mbrlen mblen wcrtomb wctomb - likewise of one character, and of the state
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/hooks/announce.h"

#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

#include "preload/hooks/libc/wide_format.h"

/* As -D_FORTIFY_SOURCE calls them. */
size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room);

/* ---- Texts ---------------------------------------------------------------------------------------- */

/* `from` becomes at most n wide characters at `to`, or is counted where that is NULL. */
static void widens(wchar_t *to, const char *from, size_t n, uint64_t pc)
{
	size_t length;

	reads_multibyte(from, to ? n : SIZE_MAX, pc);
	if (!to)
		return;
	length = REAL(mbstowcs)(NULL, from, 0);
	if (length == (size_t)-1)
		note_hidden_state();
	else
		writes(to, (length < n ? length + 1 : n) * sizeof(*to), pc);
}

static void narrows(char *to, const wchar_t *from, size_t n, uint64_t pc)
{
	size_t length, characters;

	reads_wide_bytes(from, to ? n : SIZE_MAX, pc);
	if (!to)
		return;
	length = wide_bytes(from, n, &characters);
	if (length < n && from[characters])
		note_hidden_state();
	writes(to, length + (length < n && !from[characters]), pc);
}

HEDDLE_HOOK size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		widens(to, from, n, pc);
	return REAL(mbstowcs)(to, from, n);
}

HEDDLE_HOOK size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		widens(to, from, n < room / sizeof(*to) ? n : room / sizeof(*to), pc);
	return REAL(__mbstowcs_chk)(to, from, n, room);
}

HEDDLE_HOOK size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		narrows(to, from, n, pc);
	return REAL(wcstombs)(to, from, n);
}

HEDDLE_HOOK size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		narrows(to, from, n < room ? n : room, pc);
	return REAL(__wcstombs_chk)(to, from, n, room);
}

/* Those with a state: of a text whose beginning was converted before only the pointer is announced. */
#define WITH_STATE(name, to_type, from_type, converts)                                     \
	HEDDLE_HOOK size_t name(to_type *restrict to, from_type **restrict from, size_t n, \
				mbstate_t *restrict state)                                 \
	{                                                                                  \
		uint64_t pc = CALLER();                                                    \
                                                                                           \
		if (seen(pc)) {                                                            \
			reads(from, sizeof(*from), pc);                                    \
			if (state)                                                         \
				reads(state, sizeof(*state), pc);                          \
			if (!state || mbsinit(state))                                      \
				converts(to, *from, n, pc);                                \
			if (to)                                                            \
				writes(from, sizeof(*from), pc);                           \
			if (to && state)                                                   \
				writes(state, sizeof(*state), pc);                         \
		}                                                                          \
		return REAL(name)(to, from, n, state);                                     \
	}
WITH_STATE(mbsrtowcs, wchar_t, const char, widens)
WITH_STATE(wcsrtombs, char, const wchar_t, narrows)

/* ---- Characters ----------------------------------------------------------------------------------- */

/* Of n bytes at s: those that make up the first character, or all. */
static void reads_character(const char *s, size_t n, const mbstate_t *state, uint64_t pc)
{
	mbstate_t own = { 0 };
	size_t length;

	if (!s || !n)
		return;
	if (state)
		own = *state;
	length = REAL(mbrlen)(s, n, &own);
	if (!length)
		length = 1;
	reads_text(s, length > n ? 1 : length, pc);
}

HEDDLE_HOOK size_t mbrtowc(wchar_t *restrict to, const char *restrict s, size_t n,
			   mbstate_t *restrict state)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		if (state)
			reads(state, sizeof(*state), pc);
		reads_character(s, n, state, pc);
		if (to && s && n)
			writes(to, sizeof(*to), pc);
		if (state)
			writes(state, sizeof(*state), pc);
	}
	return REAL(mbrtowc)(to, s, n, state);
}

HEDDLE_HOOK size_t mbrlen(const char *restrict s, size_t n, mbstate_t *restrict state)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		if (state)
			reads(state, sizeof(*state), pc);
		reads_character(s, n, state, pc);
		if (state)
			writes(state, sizeof(*state), pc);
	}
	return REAL(mbrlen)(s, n, state);
}

HEDDLE_HOOK int mbtowc(wchar_t *restrict to, const char *restrict s, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc)) {
		reads_character(s, n, NULL, pc);
		if (to && s && n)
			writes(to, sizeof(*to), pc);
	}
	return REAL(mbtowc)(to, s, n);
}

HEDDLE_HOOK int mblen(const char *s, size_t n)
{
	uint64_t pc = CALLER();

	if (seen(pc))
		reads_character(s, n, NULL, pc);
	return REAL(mblen)(s, n);
}

HEDDLE_HOOK size_t wcrtomb(char *restrict to, wchar_t c, mbstate_t *restrict state)
{
	uint64_t pc = CALLER();
	char bytes[MB_LEN_MAX];
	mbstate_t own = { 0 };
	size_t length;

	if (seen(pc)) {
		if (state) {
			reads(state, sizeof(*state), pc);
			own = *state;
		}
		length = REAL(wcrtomb)(bytes, c, &own);
		if (to && length <= sizeof(bytes))
			writes(to, length, pc);
		if (state)
			writes(state, sizeof(*state), pc);
	}
	return REAL(wcrtomb)(to, c, state);
}

HEDDLE_HOOK int wctomb(char *to, wchar_t c)
{
	uint64_t pc = CALLER();
	char bytes[MB_LEN_MAX];
	mbstate_t own = { 0 };
	size_t length;

	if (to && seen(pc)) {
		length = REAL(wcrtomb)(bytes, c, &own);
		if (length <= sizeof(bytes))
			writes(to, length, pc);
	}
	return REAL(wctomb)(to, c);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__mbrlen, mbrlen);
