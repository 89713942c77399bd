/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_dprintf.c - what is printed to descriptors
 *
 * The reads are those of printf() (hook_print.c). Then it is a write() of the text, to pipes and sockets of the
 * program's as to any other.
 */
/*
 * intercepts: Memory
 *
 * explored dprintf vdprintf __dprintf_chk __vdprintf_chk - as printf(); on pipes, eventfds and
 *	socket pairs like write()
 */
#define __NO_INLINE__ 1 /* or headers define some of these */
#include "preload/hooks/announce.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/uio.h>

#include "preload/access/heap_free.h"
#include "preload/facts/needs.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/libc/format.h"
#include "preload/memory/heap.h"

/* As -D_FORTIFY_SOURCE calls them. */
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);

/* All of it, in as many writes as it takes; false with errno. */
static bool write_all(int fd, char *text, size_t n, uint64_t pc)
{
	while (n) {
		struct iovec v = { text, n };
		ssize_t written = channel_write(fd, &v, 1, false, false, pc);

		if (written < 0)
			return false;
		text += written;
		n -= (size_t)written;
	}
	return true;
}

/* To what the engine knows as a channel: the text is made in a block, and written from there. */
static int print_to_channel(int fd, int flag, const char *format, va_list ap, uint64_t pc)
{
	int length = format_length(flag, format, ap), error;
	char *text;
	bool all;

	if (length < 0)
		return REAL(vsnprintf)(NULL, 0, format, ap); /* for errno */
	text = heap_alloc((size_t)length + 1, 16, HEAP_C, pc);
	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	REAL(vsnprintf)(text, (size_t)length + 1, format, ap);
	all = write_all(fd, text, (size_t)length, pc);
	error = errno;
	heap_free(text, HEAP_C, pc);
	errno = error;
	return all ? length : -1;
}

static int print(int fd, int flag, const char *format, va_list ap, uint64_t pc)
{
	if (seen(pc))
		format_announce(format, ap, pc);
	if (under_engine() && channel_has(fd))
		return print_to_channel(fd, flag, format, ap, pc);
	if (under_engine() && fd != 1 && fd != 2) {
		needs_fork("writes to a descriptor");
		must_not_wait(fd, POLLOUT, "dprintf()");
	}
	return flag ? REAL(__vdprintf_chk)(fd, flag, format, ap) : REAL(vdprintf)(fd, format, ap);
}

HEDDLE_HOOK int vdprintf(int fd, const char *restrict format, va_list ap)
{
	return print(fd, 0, format, ap, CALLER());
}

HEDDLE_HOOK int __vdprintf_chk(int fd, int flag, const char *format, va_list ap)
{
	return print(fd, flag, format, ap, CALLER());
}

#define PRINT(flag)                                             \
	do {                                                    \
		va_list ap;                                     \
		int result;                                     \
                                                                \
		va_start(ap, format);                           \
		result = print(fd, flag, format, ap, CALLER()); \
		va_end(ap);                                     \
		return result;                                  \
	} while (0)

HEDDLE_HOOK int dprintf(int fd, const char *restrict format, ...)
{
	PRINT(0);
}

HEDDLE_HOOK int __dprintf_chk(int fd, int flag, const char *format, ...)
{
	PRINT(flag);
}
