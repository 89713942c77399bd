/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_print.c - what is printed to streams, as plain reads
 *
 * As in hook_string.c: only calls from instrumented code count, and what is read is announced before it is.
 * Streams themselves are libc's; of their locks stream.h knows. Printing to descriptors:
 * hook_dprintf.c.
 */
/*
 * intercepts: Memory
 *
 * checked printf _IO_printf vprintf fprintf _IO_fprintf vfprintf __printf_chk __vprintf_chk __fprintf_chk
 *	__vfprintf_chk - plain reads of the format and of strings among the arguments, plain
 *	writes of what %n says, when instrumented code calls them
 * checked puts _IO_puts fputs _IO_fputs fputs_unlocked fwrite _IO_fwrite fwrite_unlocked - plain reads of what is written,
 *	when instrumented code calls them
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/hooks/announce.h"

#include <stdarg.h>
#include <stdio.h>

#include "preload/access/heap_free.h"
#include "preload/code/modules.h"
#include "preload/hooks/libc/format.h"
#include "preload/hooks/libc/stream.h"

#undef fwrite_unlocked /* which the headers put other code in the place of */

/* As -D_FORTIFY_SOURCE calls them. */
int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list ap);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);

/* ---- Streams -------------------------------------------------------------------------------------- */

static inline void announce(const char *format, va_list ap, uint64_t pc)
{
	if (seen(pc))
		format_announce(format, ap, pc);
}

/* How far a stream has come is state, but for what is discarded. */
static inline void moves(FILE *f)
{
	if (f != stdout && f != stderr)
		note_hidden_state();
}

#define PRINTS(f, call) IN_STREAM_(f, STREAM_LOCKS | stream_prints_format(f, format), call)

/* A hook with a list of arguments: announces, and calls what follows. */
#define WITH_LIST(f, call)                      \
	do {                                    \
		va_list ap;                     \
		int result;                     \
                                                \
		va_start(ap, format);           \
		announce(format, ap, CALLER()); \
		result = PRINTS(f, call);       \
		va_end(ap);                     \
		return result;                  \
	} while (0)

HEDDLE_HOOK int vprintf(const char *restrict format, va_list ap)
{
	announce(format, ap, CALLER());
	return PRINTS(stdout, REAL(vprintf)(format, ap));
}

HEDDLE_HOOK int printf(const char *restrict format, ...)
{
	WITH_LIST(stdout, REAL(vprintf)(format, ap));
}

HEDDLE_HOOK int vfprintf(FILE *restrict f, const char *restrict format, va_list ap)
{
	moves(f);
	announce(format, ap, CALLER());
	return PRINTS(f, REAL(vfprintf)(f, format, ap));
}

HEDDLE_HOOK int fprintf(FILE *restrict f, const char *restrict format, ...)
{
	moves(f);
	WITH_LIST(f, REAL(vfprintf)(f, format, ap));
}

HEDDLE_HOOK int __vprintf_chk(int flag, const char *format, va_list ap)
{
	announce(format, ap, CALLER());
	return PRINTS(stdout, REAL(__vprintf_chk)(flag, format, ap));
}

HEDDLE_HOOK int __printf_chk(int flag, const char *format, ...)
{
	WITH_LIST(stdout, REAL(__vprintf_chk)(flag, format, ap));
}

HEDDLE_HOOK int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap)
{
	moves(f);
	announce(format, ap, CALLER());
	return PRINTS(f, REAL(__vfprintf_chk)(f, flag, format, ap));
}

HEDDLE_HOOK int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
	moves(f);
	WITH_LIST(f, REAL(__vfprintf_chk)(f, flag, format, ap));
}

#define PUT_STRING(name, params, args, f, how)              \
	HEDDLE_HOOK int name params                         \
	{                                                   \
		uint64_t pc = CALLER();                     \
                                                            \
		moves(f);                                   \
		if (seen(pc))                               \
			reads_text(s, SIZE_MAX, pc);        \
		return IN_STREAM_(f, how, REAL(name) args); \
	}
PUT_STRING(puts, (const char *s), (s), stdout, STREAM_LOCKS | stream_prints_line(stdout))
PUT_STRING(fputs, (const char *restrict s, FILE *restrict f), (s, f), f,
	   STREAM_LOCKS | stream_prints_text(f, s))
PUT_STRING(fputs_unlocked, (const char *restrict s, FILE *restrict f), (s, f), f,
	   stream_prints_text(f, s))

#define PUT_BYTES(name, how)                                                                     \
	HEDDLE_HOOK size_t name(const void *restrict p, size_t size, size_t n, FILE *restrict f) \
	{                                                                                        \
		uint64_t pc = CALLER();                                                          \
		size_t all;                                                                      \
                                                                                                 \
		moves(f);                                                                        \
		if (seen(pc) && !__builtin_mul_overflow(size, n, &all) &&                        \
		    !module_constant((uintptr_t)p))                                              \
			reads(p, all, pc);                                                       \
		return IN_STREAM_(f, how | stream_prints_bytes(f, p, size, n),                   \
				  REAL(name)(p, size, n, f));                                    \
	}
PUT_BYTES(fwrite, STREAM_LOCKS)
PUT_BYTES(fwrite_unlocked, 0)

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(_IO_fprintf, fprintf);
ALSO_CALLED(_IO_fputs, fputs);
ALSO_CALLED(_IO_fwrite, fwrite);
ALSO_CALLED(_IO_printf, printf);
ALSO_CALLED(_IO_puts, puts);
