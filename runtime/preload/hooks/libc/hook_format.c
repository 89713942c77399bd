/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_format.c - text that printf() and its family make in memory, as plain accesses
 *
 * As in hook_string.c: only calls from instrumented code count. What the arguments lead to is
 * announced first (format.h), then the text with its final 0, as far as there is room for it; how
 * long it is libc says, which is asked to write it nowhere. So such a call takes twice the time that
 * libc takes for it.
 *
 * Where libc fails it has written some part of the text. That is announced behind the call, and no
 * thread is run once more from before.
 */
/*
 * intercepts: Memory
 *
 * checked snprintf __snprintf vsnprintf __vsnprintf sprintf _IO_sprintf vsprintf _IO_vsprintf __snprintf_chk __vsnprintf_chk __sprintf_chk
 *	__vsprintf_chk - plain writes of the text that comes out and of what %n says, plain
 *	reads of the format and of strings among the arguments, when instrumented code calls
 *	them
 * checked asprintf __asprintf vasprintf __asprintf_chk __vasprintf_chk - likewise, and a plain write of
 *	the pointer
 */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "preload/hooks/libc/format.h"
#include "preload/memory/heap.h"

/* As -D_FORTIFY_SOURCE calls them. */
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
int __asprintf_chk(char **to, int flag, const char *format, ...);
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap);

/* A call at pc is about to write the text to `to`, of which n bytes are for it. False if it will fail. */
static bool announce(char *to, size_t n, int flag, const char *format, va_list ap, uint64_t pc)
{
	int length;

	format_announce(format, ap, pc);
	length = format_length(flag, format, ap);
	if (length < 0) {
		note_hidden_state();
		return false;
	}
	writes(to, (size_t)length < n ? (size_t)length + 1 : n, pc);
	return true;
}

/* It has failed. */
static int failed(const char *to, size_t n, int result, uint64_t pc)
{
	int error = errno;

	if (n)
		writes(to, strnlen(to, n > PTRDIFF_MAX ? PTRDIFF_MAX : n - 1) + 1, pc);
	errno = error;
	return result;
}

static int into(char *to, size_t n, const char *format, va_list ap, uint64_t pc)
{
	if (!seen(pc) || announce(to, n, 0, format, ap, pc))
		return REAL(vsnprintf)(to, n, format, ap);
	return failed(to, n, REAL(vsnprintf)(to, n, format, ap), pc);
}

/* libc does not ask for the room, and so has no limit to the length either. */
static int into_any(char *to, const char *format, va_list ap, uint64_t pc)
{
	if (!seen(pc) || announce(to, SIZE_MAX, 0, format, ap, pc))
		return REAL(vsprintf)(to, format, ap);
	return failed(to, SIZE_MAX, REAL(vsprintf)(to, format, ap), pc);
}

/* A call with n over the room is ended by libc before it does anything. */
static int into_checked(char *to, size_t n, int flag, size_t room, const char *format, va_list ap,
			uint64_t pc)
{
	if (!seen(pc) || n > room || announce(to, n, flag, format, ap, pc))
		return REAL(__vsnprintf_chk)(to, n, flag, room, format, ap);
	return failed(to, n, REAL(__vsnprintf_chk)(to, n, flag, room, format, ap), pc);
}

/* One whose text gets longer than the room, where that ends. */
static int into_any_checked(char *to, int flag, size_t room, const char *format, va_list ap,
			    uint64_t pc)
{
	if (!seen(pc) || announce(to, room, flag, format, ap, pc))
		return REAL(__vsprintf_chk)(to, flag, room, format, ap);
	return failed(to, room, REAL(__vsprintf_chk)(to, flag, room, format, ap), pc);
}

/* A text in a block of its own; libc's function would not tell who asked for the memory. */
static int into_block(char **to, int flag, const char *format, va_list ap, uint64_t pc)
{
	char *block;
	int length;

	if (!seen(pc))
		return flag ? REAL(__vasprintf_chk)(to, flag, format, ap)
			    : REAL(vasprintf)(to, format, ap);
	format_announce(format, ap, pc);
	length = format_length(flag, format, ap);
	if (length < 0)
		return REAL(vasprintf)(to, format, ap);
	block = block_for_program((size_t)length + 1, pc);
	if (!block)
		return -1;
	writes(block, (size_t)length + 1, pc);
	REAL(vsnprintf)(block, (size_t)length + 1, format, ap);
	writes(to, sizeof(*to), pc);
	*to = block;
	return length;
}

/* ---- The hooks ------------------------------------------------------------------------------------ */

/* Those with arguments of their own, by means of those with a list. */
#define WITH_LIST(call)                \
	({                             \
		va_list ap_;           \
		int result_;           \
                                       \
		va_start(ap_, format); \
		result_ = call;        \
		va_end(ap_);           \
		result_;               \
	})

HEDDLE_HOOK int vsnprintf(char *restrict to, size_t n, const char *restrict format, va_list ap)
{
	return into(to, n, format, ap, CALLER());
}

HEDDLE_HOOK int snprintf(char *restrict to, size_t n, const char *restrict format, ...)
{
	return WITH_LIST(into(to, n, format, ap_, CALLER()));
}

HEDDLE_HOOK int vsprintf(char *restrict to, const char *restrict format, va_list ap)
{
	return into_any(to, format, ap, CALLER());
}

HEDDLE_HOOK int sprintf(char *restrict to, const char *restrict format, ...)
{
	return WITH_LIST(into_any(to, format, ap_, CALLER()));
}

HEDDLE_HOOK int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format,
				va_list ap)
{
	return into_checked(to, n, flag, room, format, ap, CALLER());
}

HEDDLE_HOOK int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...)
{
	return WITH_LIST(into_checked(to, n, flag, room, format, ap_, CALLER()));
}

HEDDLE_HOOK int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap)
{
	return into_any_checked(to, flag, room, format, ap, CALLER());
}

HEDDLE_HOOK int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
	return WITH_LIST(into_any_checked(to, flag, room, format, ap_, CALLER()));
}

HEDDLE_HOOK int vasprintf(char **restrict to, const char *restrict format, va_list ap)
{
	return into_block(to, 0, format, ap, CALLER());
}

HEDDLE_HOOK int asprintf(char **restrict to, const char *restrict format, ...)
{
	return WITH_LIST(into_block(to, 0, format, ap_, CALLER()));
}

HEDDLE_HOOK int __vasprintf_chk(char **to, int flag, const char *format, va_list ap)
{
	return into_block(to, flag, format, ap, CALLER());
}

HEDDLE_HOOK int __asprintf_chk(char **to, int flag, const char *format, ...)
{
	return WITH_LIST(into_block(to, flag, format, ap_, CALLER()));
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__asprintf, asprintf);
ALSO_CALLED(__snprintf, snprintf);
ALSO_CALLED(__vsnprintf, vsnprintf);
ALSO_CALLED(_IO_sprintf, sprintf);
ALSO_CALLED(_IO_vsprintf, vsprintf);
