/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_wide_print.c - what wprintf() and its family print, as plain accesses
 *
 * As in hook_print.c and hook_format.c, with wide characters in the place of bytes.
 *
 * How long a text is libc does not tell without a place to write it to. So it is made in memory of ours first; where
 * that is too small, or libc fails, it is announced behind the call, and no thread is run once more from before.
 */
/*
 * intercepts: Memory
 *
 * checked wprintf vwprintf fwprintf vfwprintf __wprintf_chk __vwprintf_chk __fwprintf_chk __vfwprintf_chk - plain
 *	reads of the format and of strings among the arguments, plain writes of what %n says, when
 *	instrumented code calls them
 * checked fputws fputws_unlocked - plain reads of what is written, when instrumented code calls them
 * checked swprintf vswprintf __swprintf_chk __vswprintf_chk - as of wprintf(), and plain writes of the text that comes out
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "preload/hooks/libc/format.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/libc/wide_format.h"
#include "preload/hooks/libc/with_list.h"

/* As -D_FORTIFY_SOURCE calls them. */
int __wprintf_chk(int flag, const wchar_t *format, ...);
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap);
int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...);
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list ap);
int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...);
int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
		    va_list ap);

/* ---- Streams -------------------------------------------------------------------------------------- */

static void announce(FILE *f, const wchar_t *format, va_list ap, uint64_t pc)
{
	if (f != stdout && f != stderr)
		note_hidden_state();
	if (seen(pc))
		format_announce_wide(format, ap, pc);
}

static unsigned how(const FILE *f, const wchar_t *format)
{
	return STREAM_LOCKS | (wcschr(format, L'\n') ? stream_prints_char(f, '\n') : 0);
}

#define PRINTS(f, call)                              \
	({                                           \
		announce(f, format, ap, CALLER());   \
		IN_STREAM_(f, how(f, format), call); \
	})

HEDDLE_HOOK int vwprintf(const wchar_t *restrict format, va_list ap)
{
	return PRINTS(stdout, REAL(vwprintf)(format, ap));
}

HEDDLE_HOOK int wprintf(const wchar_t *restrict format, ...)
{
	WITH_LIST(PRINTS(stdout, REAL(vwprintf)(format, ap)));
}

HEDDLE_HOOK int vfwprintf(FILE *restrict f, const wchar_t *restrict format, va_list ap)
{
	return PRINTS(f, REAL(vfwprintf)(f, format, ap));
}

HEDDLE_HOOK int fwprintf(FILE *restrict f, const wchar_t *restrict format, ...)
{
	WITH_LIST(PRINTS(f, REAL(vfwprintf)(f, format, ap)));
}

HEDDLE_HOOK int __vwprintf_chk(int flag, const wchar_t *format, va_list ap)
{
	return PRINTS(stdout, REAL(__vwprintf_chk)(flag, format, ap));
}

HEDDLE_HOOK int __wprintf_chk(int flag, const wchar_t *format, ...)
{
	WITH_LIST(PRINTS(stdout, REAL(__vwprintf_chk)(flag, format, ap)));
}

HEDDLE_HOOK int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list ap)
{
	return PRINTS(f, REAL(__vfwprintf_chk)(f, flag, format, ap));
}

HEDDLE_HOOK int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...)
{
	WITH_LIST(PRINTS(f, REAL(__vfwprintf_chk)(f, flag, format, ap)));
}

#define PUT_STRING(name, locks)                                                              \
	HEDDLE_HOOK int name(const wchar_t *restrict s, FILE *restrict f)                    \
	{                                                                                    \
		uint64_t pc = CALLER();                                                      \
                                                                                             \
		if (f != stdout && f != stderr)                                              \
			note_hidden_state();                                                 \
		if (seen(pc))                                                                \
			reads_wide_text(s, SIZE_MAX, pc);                                    \
		return IN_STREAM_(f, locks | (how(f, s) & STREAM_WRITES), REAL(name)(s, f)); \
	}
PUT_STRING(fputws, STREAM_LOCKS)
PUT_STRING(fputws_unlocked, 0)

/* ---- Memory --------------------------------------------------------------------------------------- */

enum {
	ROOM = 256
};

/* libc fails where n characters are too few, and has written what there is room for. */
static int into(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, va_list ap,
		uint64_t pc)
{
	wchar_t text[ROOM];
	int length = -1, error;
	va_list copy;

#define MAKE(where, size, list)                                                   \
	(flag >= 0 ? REAL(__vswprintf_chk)(where, size, flag, room, format, list) \
		   : REAL(vswprintf)(where, size, format, list))

	if (!seen(pc) || !n)
		return MAKE(to, n, ap);
	format_announce_wide(format, ap, pc);
	error = errno;
	if (n <= room) { /* else libc ends the program */
		va_copy(copy, ap);
		length = MAKE(text, n < ROOM ? n : ROOM, copy);
		va_end(copy);
	}
	errno = error;
	if (length < 0)
		note_hidden_state();
	else
		writes(to, ((size_t)length + 1) * sizeof(*to), pc);
	if (length >= 0)
		return MAKE(to, n, ap);
	length = MAKE(to, n, ap);
	error = errno;
	writes(to, (wcsnlen(to, n - 1) + 1) * sizeof(*to), pc);
	errno = error;
	return length;
}

HEDDLE_HOOK int vswprintf(wchar_t *restrict to, size_t n, const wchar_t *restrict format,
			  va_list ap)
{
	return into(to, n, -1, SIZE_MAX, format, ap, CALLER());
}

HEDDLE_HOOK int swprintf(wchar_t *restrict to, size_t n, const wchar_t *restrict format, ...)
{
	WITH_LIST(into(to, n, -1, SIZE_MAX, format, ap, CALLER()));
}

HEDDLE_HOOK int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
				va_list ap)
{
	return into(to, n, flag, room, format, ap, CALLER());
}

HEDDLE_HOOK int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
			       ...)
{
	WITH_LIST(into(to, n, flag, room, format, ap, CALLER()));
}
