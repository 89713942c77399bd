/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream_fails.c - when fread(), fgets() and getline() fail
 *
 * ways fread: EBADF EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways fread_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgets: EBADF EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgets_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getline: EBADF EINVAL EISDIR; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getdelim: EBADF EINVAL; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 *
 * case fread_EBADF: ok 1
 * case fread_EISDIR: ok 1
 * case fread_unlocked_EBADF: ok 1
 * case fgets_EBADF: ok 1
 * case fgets_EISDIR: ok 1
 * case fgets_unlocked_EBADF: ok 1
 * case getline_EBADF: ok 1
 * case getline_EINVAL: ok 1
 * case getline_EINVAL_of_the_size: ok 1
 * case getline_EISDIR: ok 1
 * case getdelim_EBADF: ok 1
 * case getdelim_EINVAL: ok 1
 * case the_end_is_no_error: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "hooks/fails.h"

static char text[100], *line;
static size_t size;

#define STREAM_FAILS(name, error, path, mode, call) \
	IN_EACH(name)                               \
	{                                           \
		FILE *f = fopen(path, mode);        \
                                                    \
		assert(f);                          \
		FAILS(error, call);                 \
		fclose(f);                          \
		return arg;                         \
	}
#define OF_OUTPUT(name, error, call) STREAM_FAILS(name, error, "/dev/null", "w", call)
#define OF_FOLDER(name, call)        STREAM_FAILS(name, EISDIR, "/", "r", call)
#define NOTHING(call)                ((call) ? 0 : -1)

OF_OUTPUT(fread_EBADF, EBADF, NOTHING(fread(text, 1, 9, f)))
OF_FOLDER(fread_EISDIR, NOTHING(fread(text, 1, 9, f)))
OF_OUTPUT(fread_unlocked_EBADF, EBADF, NOTHING(fread_unlocked(text, 50, 2, f)))
OF_OUTPUT(fgets_EBADF, EBADF, NOTHING(fgets(text, 9, f)))
OF_FOLDER(fgets_EISDIR, NOTHING(fgets(text, 9, f)))
OF_OUTPUT(fgets_unlocked_EBADF, EBADF, NOTHING(fgets_unlocked(text, 9, f)))
OF_OUTPUT(getline_EBADF, EBADF, getline(&line, &size, f))
OF_OUTPUT(getline_EINVAL, EINVAL, getline(keep_(NULL), &size, f))
OF_OUTPUT(getline_EINVAL_of_the_size, EINVAL, getline(&line, keep_(NULL), f))
OF_FOLDER(getline_EISDIR, getline(&line, &size, f))
OF_OUTPUT(getdelim_EBADF, EBADF, getdelim(&line, &size, ':', f))
OF_OUTPUT(getdelim_EINVAL, EINVAL, getdelim(keep_(NULL), &size, ':', f))

IN_EACH(the_end_is_no_error)
{
	FILE *f = fopen("/dev/null", "r");

	errno = 0;
	assert(!fread(text, 1, 9, f) && feof(f) && !ferror(f) && !errno);
	assert(!fgets(text, 9, f) && getline(&line, &size, f) == -1 && !errno);
	fclose(f);
	return arg;
}

CASES(CASE(fread_EBADF), CASE(fread_EISDIR), CASE(fread_unlocked_EBADF), CASE(fgets_EBADF),
      CASE(fgets_EISDIR), CASE(fgets_unlocked_EBADF), CASE(getline_EBADF), CASE(getline_EINVAL),
      CASE(getline_EINVAL_of_the_size), CASE(getline_EISDIR), CASE(getdelim_EBADF),
      CASE(getdelim_EINVAL), CASE(the_end_is_no_error))
