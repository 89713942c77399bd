/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print_fails.c - when printf(), puts() and their kin fail
 *
 * What POSIX says of streams is mostly what write() says of their descriptors (descriptor.c, channel.c).
 *
 * ways printf: EBADF EILSEQ EOVERFLOW; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (those of write())
 * ways vprintf: EBADF EILSEQ EOVERFLOW; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fprintf: EBADF EILSEQ EOVERFLOW ENOSPC; not EAGAIN EFBIG EINTR EIO ENOMEM ENXIO EPIPE (likewise)
 * ways vfprintf: EBADF EILSEQ EOVERFLOW; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways puts: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fputs: EBADF ENOSPC; not EAGAIN EFBIG EINTR EIO ENOMEM ENXIO EPIPE (likewise)
 * ways fputs_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fwrite: EBADF ENOSPC; not EAGAIN EFBIG EINTR EIO ENOMEM ENXIO EPIPE (likewise)
 * ways fwrite_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways dprintf: EAGAIN EBADF EILSEQ ENOSPC EOVERFLOW EPIPE; not EFBIG EINTR EIO ENOMEM ENXIO (likewise)
 * ways vdprintf: EBADF EILSEQ EPIPE; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EOVERFLOW (likewise)
 *
 * case printf_EBADF: ok 1
 * case printf_EILSEQ: ok 1
 * case printf_EOVERFLOW: ok 1
 * case vprintf_EBADF: ok 1
 * case vprintf_EILSEQ: ok 1
 * case vprintf_EOVERFLOW: ok 1
 * case fprintf_EBADF: ok 1
 * case fprintf_EILSEQ: ok 1
 * case fprintf_EOVERFLOW: ok 1
 * case fprintf_ENOSPC: ok 1
 * case vfprintf_EBADF: ok 1
 * case vfprintf_EILSEQ: ok 1
 * case vfprintf_EOVERFLOW: ok 1
 * case puts_EBADF: ok 1
 * case fputs_EBADF: ok 1
 * case fputs_ENOSPC: ok 1
 * case fputs_unlocked_EBADF: ok 1
 * case fwrite_EBADF: ok 1
 * case fwrite_ENOSPC: ok 1
 * case fwrite_unlocked_EBADF: ok 1
 * case dprintf_EAGAIN: ok 1
 * case dprintf_EBADF: ok 1
 * case dprintf_EBADF_for_reading: ok 1
 * case dprintf_EILSEQ: ok 1
 * case dprintf_EILSEQ_of_a_pipe: ok 1
 * case dprintf_ENOSPC: ok 1
 * case dprintf_EOVERFLOW: ok 1
 * case dprintf_EPIPE: ok 1
 * case vdprintf_EBADF: ok 1
 * case vdprintf_EILSEQ: ok 1
 * case vdprintf_EPIPE: ok 1
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>
#include <wchar.h>

#include "hooks/fails.h"

/* No character of any encoding; a width over INT_MAX. By variables, so that compilers do not see it. */
static const wchar_t none[] = { 'a', 0x7ffffff0, 0 };
static const char *volatile too_wide = "%2147483648d", *volatile wide = "%ls";

enum which {
	VPRINTF,
	VFPRINTF,
	VDPRINTF
};

static int list(enum which which, void *to, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	if (which == VPRINTF)
		result = vprintf(format, ap);
	else if (which == VFPRINTF)
		result = vfprintf(to, format, ap);
	else
		result = vdprintf(*(int *)to, format, ap);
	va_end(ap);
	return result;
}

static FILE *read_only(void)
{
	return fopen("/dev/null", "r");
}

/* Unbuffered, so that a call fails at once. */
static FILE *full(void)
{
	FILE *f = fopen("/dev/full", "w");

	assert(f);
	setvbuf(f, NULL, _IONBF, 0);
	return f;
}

static FILE *no_output(void)
{
	return freopen("/dev/null", "r", stdout);
}

/* A call that fails on a stream f. */
#define STREAM_FAILS(name, error, stream, call) \
	IN_EACH(name)                           \
	{                                       \
		FILE *f = stream;               \
                                                \
		FAILS(error, call);             \
		if (f != stdout)                \
			fclose(f);              \
		return arg;                     \
	}

STREAM_FAILS(printf_EBADF, EBADF, no_output(), printf("%d", 1))
STREAM_FAILS(printf_EILSEQ, EILSEQ, stdout, printf(wide, none))
STREAM_FAILS(printf_EOVERFLOW, EOVERFLOW, stdout, printf(too_wide, 1))
STREAM_FAILS(vprintf_EBADF, EBADF, no_output(), list(VPRINTF, NULL, "%d", 1))
STREAM_FAILS(vprintf_EILSEQ, EILSEQ, stdout, list(VPRINTF, NULL, wide, none))
STREAM_FAILS(vprintf_EOVERFLOW, EOVERFLOW, stdout, list(VPRINTF, NULL, too_wide, 1))
STREAM_FAILS(fprintf_EBADF, EBADF, read_only(), fprintf(f, "%d", 1))
STREAM_FAILS(fprintf_EILSEQ, EILSEQ, stdout, fprintf(f, wide, none))
STREAM_FAILS(fprintf_EOVERFLOW, EOVERFLOW, stdout, fprintf(f, too_wide, 1))
STREAM_FAILS(fprintf_ENOSPC, ENOSPC, full(), fprintf(f, "%d", 1))
STREAM_FAILS(vfprintf_EBADF, EBADF, read_only(), list(VFPRINTF, f, "%d", 1))
STREAM_FAILS(vfprintf_EILSEQ, EILSEQ, stdout, list(VFPRINTF, f, wide, none))
STREAM_FAILS(vfprintf_EOVERFLOW, EOVERFLOW, stdout, list(VFPRINTF, f, too_wide, 1))
STREAM_FAILS(puts_EBADF, EBADF, no_output(), puts("abc"))
STREAM_FAILS(fputs_EBADF, EBADF, read_only(), fputs("abc", f))
STREAM_FAILS(fputs_ENOSPC, ENOSPC, full(), fputs("abc", f))
STREAM_FAILS(fputs_unlocked_EBADF, EBADF, read_only(), fputs_unlocked("abc", f))

/* These answer with how much was written. */
#define NONE_WRITTEN(call) ((call) == 0 ? -1 : 0)
STREAM_FAILS(fwrite_EBADF, EBADF, read_only(), NONE_WRITTEN(fwrite("abc", 1, 3, f)))
STREAM_FAILS(fwrite_ENOSPC, ENOSPC, full(), NONE_WRITTEN(fwrite("abc", 3, 1, f)))
STREAM_FAILS(fwrite_unlocked_EBADF, EBADF, read_only(),
	     NONE_WRITTEN(fwrite_unlocked(keep_("abc"), 1, 3, f)))

/* ---- Descriptors ---------------------------------------------------------------------------------- */

static int closed = -1;

EACH_FAILS(dprintf_EBADF, EBADF, dprintf(closed, "%d", 1))
EACH_FAILS(dprintf_EILSEQ, EILSEQ, dprintf(1, wide, none))
EACH_FAILS(dprintf_EOVERFLOW, EOVERFLOW, dprintf(1, too_wide, 1))
EACH_FAILS(vdprintf_EBADF, EBADF, list(VDPRINTF, &closed, "%d", 1))

IN_EACH(vdprintf_EILSEQ)
{
	int out = 1;

	FAILS(EILSEQ, list(VDPRINTF, &out, wide, none));
	return arg;
}

IN_EACH(dprintf_ENOSPC)
{
	int fd = open("/dev/full", O_WRONLY);

	FAILS(ENOSPC, dprintf(fd, "%d", 1));
	close(fd);
	return arg;
}

static void with_pipe(void (*fn)(int *end))
{
	int end[2];

	signal(SIGPIPE, SIG_IGN);
	assert(!pipe(end));
	fn(end);
	close(end[0]);
	close(end[1]);
}

#define PIPE_CASE(name, ...)              \
	static void name##_pipe(int *end) \
	{                                 \
		__VA_ARGS__;              \
	}                                 \
	IN_EACH(name)                     \
	{                                 \
		with_pipe(name##_pipe);   \
		return arg;               \
	}

static void fill(int fd)
{
	static char page[4096];

	assert(!fcntl(fd, F_SETFL, O_NONBLOCK));
	while (write(fd, page, sizeof(page)) > 0)
		;
}

PIPE_CASE(dprintf_EPIPE, close(end[0]); FAILS(EPIPE, dprintf(end[1], "%d", 1)); dup2(1, end[0]))
PIPE_CASE(vdprintf_EPIPE, close(end[0]); FAILS(EPIPE, list(VDPRINTF, &end[1], "%d", 1));
	  dup2(1, end[0]))
PIPE_CASE(dprintf_EAGAIN, fill(end[1]); FAILS(EAGAIN, dprintf(end[1], "%d", 1)))
PIPE_CASE(dprintf_EBADF_for_reading, FAILS(EBADF, dprintf(end[0], "%d", 1)))
PIPE_CASE(dprintf_EILSEQ_of_a_pipe, FAILS(EILSEQ, dprintf(end[1], wide, none)))

CASES(CASE(printf_EBADF), CASE(printf_EILSEQ), CASE(printf_EOVERFLOW), CASE(vprintf_EBADF),
      CASE(vprintf_EILSEQ), CASE(vprintf_EOVERFLOW), CASE(fprintf_EBADF), CASE(fprintf_EILSEQ),
      CASE(fprintf_EOVERFLOW), CASE(fprintf_ENOSPC), CASE(vfprintf_EBADF), CASE(vfprintf_EILSEQ),
      CASE(vfprintf_EOVERFLOW), CASE(puts_EBADF), CASE(fputs_EBADF), CASE(fputs_ENOSPC),
      CASE(fputs_unlocked_EBADF), CASE(fwrite_EBADF), CASE(fwrite_ENOSPC),
      CASE(fwrite_unlocked_EBADF), CASE(dprintf_EAGAIN), CASE(dprintf_EBADF),
      CASE(dprintf_EBADF_for_reading), CASE(dprintf_EILSEQ), CASE(dprintf_EILSEQ_of_a_pipe),
      CASE(dprintf_ENOSPC), CASE(dprintf_EOVERFLOW), CASE(dprintf_EPIPE), CASE(vdprintf_EBADF),
      CASE(vdprintf_EILSEQ), CASE(vdprintf_EPIPE))
