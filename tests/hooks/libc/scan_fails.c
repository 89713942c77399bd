/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan_fails.c - when scanf() and its family fail
 *
 * ways sscanf: EILSEQ ERANGE; not ENOMEM (of %ms: libc's own)
 * ways vsscanf: EILSEQ; not ENOMEM (likewise)
 * ways fscanf: EBADF EILSEQ EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways vfscanf: EBADF; not EAGAIN EILSEQ EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways scanf: EBADF; not EAGAIN EILSEQ EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways vscanf: EBADF; not EAGAIN EILSEQ EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 *
 * case sscanf_EILSEQ: ok 1
 * case sscanf_ERANGE: ok 1
 * case vsscanf_EILSEQ: ok 1
 * case fscanf_EBADF: ok 1
 * case fscanf_EILSEQ: ok 1
 * case fscanf_EISDIR: ok 1
 * case vfscanf_EBADF: ok 1
 * case scanf_EBADF: ok 1
 * case vscanf_EBADF: ok 1
 * case the_end_is_no_error: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include "hooks/fails.h"

static wchar_t wide[10];
static int number;

enum which {
	VSSCANF,
	VFSCANF,
	VSCANF
};

static int list(enum which which, void *from, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	if (which == VSSCANF)
		result = vsscanf(from, format, ap);
	else if (which == VFSCANF)
		result = vfscanf(from, format, ap);
	else
		result = vscanf(format, ap);
	va_end(ap);
	return result;
}

/* A byte that the locale of C does not have. glibc does not answer with EOF, as POSIX has it. */
#define NOTHING(call) ((call) == 0 ? -1 : 0)
#define NO_CHARACTER  keep_("\xff")

EACH_FAILS(sscanf_EILSEQ, EILSEQ, NOTHING(sscanf(NO_CHARACTER, "%ls", wide)))
EACH_FAILS(vsscanf_EILSEQ, EILSEQ, NOTHING(list(VSSCANF, NO_CHARACTER, "%ls", wide)))

/* The number is stored all the same. */
IN_EACH(sscanf_ERANGE)
{
	long n = 0;

	errno = 0;
	assert(sscanf(keep_("99999999999999999999"), "%ld", &n) == 1 && n > 0 && errno == ERANGE);
	return arg;
}

#define STREAM_FAILS(name, error, stream, call) \
	IN_EACH(name)                           \
	{                                       \
		FILE *f = stream;               \
                                                \
		assert(f);                      \
		FAILS(error, call);             \
		if (f != stdin)                 \
			fclose(f);              \
		return arg;                     \
	}
#define OUTPUT    fopen("/dev/null", "w")
#define NO_STDIN  freopen("/dev/null", "w", stdin)
#define WRONG_ONE fmemopen(NO_CHARACTER, 1, "r")

STREAM_FAILS(fscanf_EBADF, EBADF, OUTPUT, fscanf(f, "%d", &number))
STREAM_FAILS(fscanf_EILSEQ, EILSEQ, WRONG_ONE, NOTHING(fscanf(f, "%ls", wide)))
STREAM_FAILS(fscanf_EISDIR, EISDIR, fopen("/", "r"), fscanf(f, "%d", &number))
STREAM_FAILS(vfscanf_EBADF, EBADF, OUTPUT, list(VFSCANF, f, "%d", &number))
STREAM_FAILS(scanf_EBADF, EBADF, NO_STDIN, scanf("%d", &number))
STREAM_FAILS(vscanf_EBADF, EBADF, NO_STDIN, list(VSCANF, NULL, "%d", &number))

IN_EACH(the_end_is_no_error)
{
	errno = 0;
	assert(sscanf(keep_(""), "%d", &number) == EOF && sscanf(keep_("x"), "%d", &number) == 0);
	assert(!errno);
	return arg;
}

CASES(CASE(sscanf_EILSEQ), CASE(sscanf_ERANGE), CASE(vsscanf_EILSEQ), CASE(fscanf_EBADF),
      CASE(fscanf_EILSEQ), CASE(fscanf_EISDIR), CASE(vfscanf_EBADF), CASE(scanf_EBADF),
      CASE(vscanf_EBADF), CASE(the_end_is_no_error))
