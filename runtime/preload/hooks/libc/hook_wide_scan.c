/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_wide_scan.c - wscanf() and its family, as plain accesses
 *
 * As hook_scan.c of streams: what was stored is announced behind the call, also where it comes from a text, and no thread is run
 * once more from before.
 */
/*
 * intercepts: Memory
 *
 * checked swscanf vswscanf __isoc99_swscanf __isoc99_vswscanf __isoc23_swscanf __isoc23_vswscanf - plain reads of the text
 *	and the format, plain writes of what is stored, when instrumented code calls them
 * checked wscanf vwscanf fwscanf vfwscanf __isoc99_wscanf __isoc99_vwscanf __isoc99_fwscanf __isoc99_vfwscanf
 *	__isoc23_wscanf __isoc23_vwscanf __isoc23_fwscanf __isoc23_vfwscanf - likewise, but of the text
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "preload/facts/values.h"
#include "preload/hooks/libc/scan.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/libc/wide_format.h"
#include "preload/hooks/libc/with_list.h"

/* Of C89 with GNU's additions, C99 and C23. */
enum standard {
	C89,
	C99,
	C23,
	NSTANDARDS
};

typedef int (*scan_text)(const wchar_t *text, const wchar_t *format, va_list ap);
typedef int (*scan_stream)(FILE *f, const wchar_t *format, va_list ap);

/* libc's, or where it does not have the latest, the one before. */
static scan_text of_text(enum standard s)
{
	static const char *const name[] = { "vswscanf", "__isoc99_vswscanf", "__isoc23_vswscanf" };
	static void *found[NSTANDARDS];
	KEPT(found);

	return (scan_text)real_or(&found[s], name[s], name[C99]);
}

static scan_stream of_stream(enum standard s)
{
	static const char *const name[] = { "vfwscanf", "__isoc99_vfwscanf", "__isoc23_vfwscanf" };
	static void *found[NSTANDARDS];
	KEPT(found);

	return (scan_stream)real_or(&found[s], name[s], name[C99]);
}

/* What is about to be taken comes from elsewhere than the program's memory, or is not announced before. */
static void begins(const wchar_t *format, char bytes[WIDE_FORMAT], uint64_t pc)
{
	wide_format(bytes, format, pc);
	values_give_up("streams are used");
	note_hidden_state();
}

static int stored(int result, enum standard s, const char *bytes, va_list arguments, uint64_t pc)
{
	int error = errno;
	struct scan_targets t;

	scan_found(&t, result, s == C89, bytes, arguments);
	for (unsigned i = 0; i < t.n; i++)
		writes(t.target[i].p, t.target[i].size, pc);
	errno = error;
	return result;
}

static int from_text(enum standard s, const wchar_t *text, const wchar_t *format, va_list arguments,
		     uint64_t pc)
{
	char bytes[WIDE_FORMAT];
	int result;
	va_list ap;

	if (!seen(pc))
		return of_text(s)(text, format, arguments);
	reads_wide_text(text, SIZE_MAX, pc);
	begins(format, bytes, pc);
	va_copy(ap, arguments);
	result = of_text(s)(text, format, ap);
	va_end(ap);
	return stored(result, s, bytes, arguments, pc);
}

static int from_stream(enum standard s, FILE *f, const wchar_t *format, va_list arguments,
		       uint64_t pc)
{
	const bool told = seen(pc);
	char bytes[WIDE_FORMAT];
	struct stream_call call;
	int result;
	va_list ap;

	stream_reads(f);
	if (told)
		begins(format, bytes, pc);
	va_copy(ap, arguments);
	stream_enter(&call, f, STREAM_LOCKS, "fwscanf", pc);
	result = of_stream(s)(f, format, ap);
	stream_leave(&call);
	va_end(ap);
	return told ? stored(result, s, bytes, arguments, pc) : result;
}

/* The six functions of one standard, with these names in the linker. */
#define FAMILY(s, prefix)                                                                        \
	int s##_swscanf(const wchar_t *text, const wchar_t *format,                              \
			...) __asm__(prefix "swscanf");                                          \
	int s##_vswscanf(const wchar_t *text, const wchar_t *format,                             \
			 va_list ap) __asm__(prefix "vswscanf");                                 \
	int s##_fwscanf(FILE *f, const wchar_t *format, ...) __asm__(prefix "fwscanf");          \
	int s##_vfwscanf(FILE *f, const wchar_t *format, va_list ap) __asm__(prefix "vfwscanf"); \
	int s##_wscanf(const wchar_t *format, ...) __asm__(prefix "wscanf");                     \
	int s##_vwscanf(const wchar_t *format, va_list ap) __asm__(prefix "vwscanf");            \
                                                                                                 \
	HEDDLE_HOOK int s##_swscanf(const wchar_t *text, const wchar_t *format, ...)             \
	{                                                                                        \
		WITH_LIST(from_text(s, text, format, ap, CALLER()));                             \
	}                                                                                        \
	HEDDLE_HOOK int s##_vswscanf(const wchar_t *text, const wchar_t *format, va_list ap)     \
	{                                                                                        \
		return from_text(s, text, format, ap, CALLER());                                 \
	}                                                                                        \
	HEDDLE_HOOK int s##_fwscanf(FILE *f, const wchar_t *format, ...)                         \
	{                                                                                        \
		WITH_LIST(from_stream(s, f, format, ap, CALLER()));                              \
	}                                                                                        \
	HEDDLE_HOOK int s##_vfwscanf(FILE *f, const wchar_t *format, va_list ap)                 \
	{                                                                                        \
		return from_stream(s, f, format, ap, CALLER());                                  \
	}                                                                                        \
	HEDDLE_HOOK int s##_wscanf(const wchar_t *format, ...)                                   \
	{                                                                                        \
		WITH_LIST(from_stream(s, stdin, format, ap, CALLER()));                          \
	}                                                                                        \
	HEDDLE_HOOK int s##_vwscanf(const wchar_t *format, va_list ap)                           \
	{                                                                                        \
		return from_stream(s, stdin, format, ap, CALLER());                              \
	}
FAMILY(C89, "")
FAMILY(C99, "__isoc99_")
FAMILY(C23, "__isoc23_")
