/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_scan.c - scanf() and its family, as plain accesses
 *
 * As in hook_string.c: only calls from instrumented code count. Of sscanf() all of the text is read, up to
 * its 0, as libc does. What it will write is found out before (scan.h), what comes from a stream behind
 * the call (hook_stream.c).
 */
/*
 * intercepts: Memory
 *
 * checked sscanf _IO_sscanf vsscanf __vsscanf __isoc99_sscanf __isoc99_vsscanf __isoc23_sscanf __isoc23_vsscanf -
 *	plain reads of the text and the format, plain writes of what is stored, when
 *	instrumented code calls them
 * checked scanf vscanf fscanf vfscanf __vfscanf __isoc99_scanf __isoc99_vscanf __isoc99_fscanf
 *	__isoc99_vfscanf __isoc23_scanf __isoc23_vscanf __isoc23_fscanf __isoc23_vfscanf -
 *	likewise, but of the text
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <stdio.h>

#include "preload/facts/values.h"
#include "preload/hooks/libc/scan.h"
#include "preload/hooks/libc/stream.h"
#include "preload/hooks/libc/with_list.h"

/* Of C89 with GNU's additions, C99 and C23. */
enum standard {
	C89,
	C99,
	C23,
	NSTANDARDS
};

typedef int (*scan_stream)(FILE *f, const char *format, va_list ap);

/* libc's, or where it does not have the latest, the one before. */
static scan_function of_text(enum standard s)
{
	static const char *const name[] = { "vsscanf", "__isoc99_vsscanf", "__isoc23_vsscanf" };
	static void *found[NSTANDARDS];
	KEPT(found);

	return (scan_function)real_or(&found[s], name[s], name[C99]);
}

static scan_stream of_stream(enum standard s)
{
	static const char *const name[] = { "vfscanf", "__isoc99_vfscanf", "__isoc23_vfscanf" };
	static void *found[NSTANDARDS];
	KEPT(found);

	return (scan_stream)real_or(&found[s], name[s], name[C99]);
}

static int from_text(enum standard s, const char *text, const char *format, va_list ap, uint64_t pc)
{
	scan_function scan = of_text(s);
	struct scan_targets t;
	int result, error;

	if (!seen(pc))
		return scan(text, format, ap);
	reads_text(text, SIZE_MAX, pc);
	reads_text(format, SIZE_MAX, pc);
	scan_find(&t, scan, s == C89, text, format, ap);
	for (unsigned i = 0; i < t.n; i++)
		writes(t.target[i].p, t.target[i].size, pc);
	result = scan(text, format, ap);
	error = errno;
	/* Of an atomic object the engine has been told what stood there, unless it is the last one. */
	for (unsigned i = 0; i + 1 < t.n; i++)
		if (under_engine() && shadow_location_of((uintptr_t)t.target[i].p).size)
			writes(t.target[i].p, t.target[i].size, pc);
	errno = error;
	return result;
}

static int from_stream(enum standard s, FILE *f, const char *format, va_list arguments, uint64_t pc)
{
	struct stream_call call;
	struct scan_targets t;
	int result, error;
	va_list ap;

	stream_reads(f);
	if (!seen(pc)) {
		stream_enter(&call, f, STREAM_LOCKS, "fscanf", pc);
		result = of_stream(s)(f, format, arguments);
		stream_leave(&call);
		return result;
	}
	reads_text(format, SIZE_MAX, pc);
	values_give_up("streams are used");
	note_hidden_state();
	va_copy(ap, arguments);
	stream_enter(&call, f, STREAM_LOCKS, "fscanf", pc);
	result = of_stream(s)(f, format, ap);
	stream_leave(&call);
	va_end(ap);
	error = errno;
	scan_found(&t, result, s == C89, format, arguments);
	for (unsigned i = 0; i < t.n; i++)
		writes(t.target[i].p, t.target[i].size, pc);
	errno = error;
	return result;
}

/* The six functions of one standard, with these names in the linker. */
#define FAMILY(s, prefix)                                                                   \
	int s##_sscanf(const char *text, const char *format, ...) __asm__(prefix "sscanf"); \
	int s##_vsscanf(const char *text, const char *format,                               \
			va_list ap) __asm__(prefix "vsscanf");                              \
	int s##_fscanf(FILE *f, const char *format, ...) __asm__(prefix "fscanf");          \
	int s##_vfscanf(FILE *f, const char *format, va_list ap) __asm__(prefix "vfscanf"); \
	int s##_scanf(const char *format, ...) __asm__(prefix "scanf");                     \
	int s##_vscanf(const char *format, va_list ap) __asm__(prefix "vscanf");            \
                                                                                            \
	HEDDLE_HOOK int s##_sscanf(const char *text, const char *format, ...)               \
	{                                                                                   \
		WITH_LIST(from_text(s, text, format, ap, CALLER()));                        \
	}                                                                                   \
	HEDDLE_HOOK int s##_vsscanf(const char *text, const char *format, va_list ap)       \
	{                                                                                   \
		return from_text(s, text, format, ap, CALLER());                            \
	}                                                                                   \
	HEDDLE_HOOK int s##_fscanf(FILE *f, const char *format, ...)                        \
	{                                                                                   \
		WITH_LIST(from_stream(s, f, format, ap, CALLER()));                         \
	}                                                                                   \
	HEDDLE_HOOK int s##_vfscanf(FILE *f, const char *format, va_list ap)                \
	{                                                                                   \
		return from_stream(s, f, format, ap, CALLER());                             \
	}                                                                                   \
	HEDDLE_HOOK int s##_scanf(const char *format, ...)                                  \
	{                                                                                   \
		WITH_LIST(from_stream(s, stdin, format, ap, CALLER()));                     \
	}                                                                                   \
	HEDDLE_HOOK int s##_vscanf(const char *format, va_list ap)                          \
	{                                                                                   \
		return from_stream(s, stdin, format, ap, CALLER());                         \
	}
FAMILY(C89, "")
FAMILY(C99, "__isoc99_")
FAMILY(C23, "__isoc23_")

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__vfscanf, vfscanf);
ALSO_CALLED(__vsscanf, vsscanf);
ALSO_CALLED(_IO_sscanf, sscanf);
