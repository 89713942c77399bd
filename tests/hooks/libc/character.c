/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * character.c - calls of streams that move them (hook_character.c), and how they fail
 *
 * case each_moves_it: ok 1
 * case how_far_it_has_come_is_state: ok 5
 * case rounds_that_write: bug assertion
 * case fflush_of_all: ok 1
 *
 * ways fputc: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (those of write())
 * ways putc: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putchar: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fflush: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fgetc: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways getc: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getchar: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fseek: EINVAL ESPIPE; not EAGAIN EBADF EFBIG EINTR EIO ENOSPC ENXIO EOVERFLOW EPIPE (those of write(), lseek())
 * ways fseeko: EINVAL ESPIPE; not EAGAIN EBADF EFBIG EINTR EIO ENOSPC ENXIO EOVERFLOW EPIPE (likewise)
 * ways fseeko64: EINVAL ESPIPE; not EAGAIN EBADF EFBIG EINTR EIO ENOSPC ENXIO EOVERFLOW EPIPE (likewise)
 * ways ftell: ESPIPE; not EBADF EOVERFLOW (likewise)
 * ways ftello: ESPIPE; not EBADF EOVERFLOW (likewise)
 * ways ftello64: ESPIPE; not EBADF EOVERFLOW (likewise)
 * never fails: ungetc rewind setvbuf setbuf setbuffer setlinebuf feof ferror clearerr perror
 *
 * case fputc_EBADF: ok 1
 * case putc_EBADF: ok 1
 * case putchar_EBADF: ok 1
 * case fflush_EBADF: ok 1
 * case fgetc_EBADF: ok 1
 * case getc_EBADF: ok 1
 * case getchar_EBADF: ok 1
 * case fseek_EINVAL: ok 1
 * case fseek_ESPIPE: ok 1
 * case fseeko_EINVAL: ok 1
 * case fseeko_ESPIPE: ok 1
 * case fseeko64_EINVAL: ok 1
 * case fseeko64_ESPIPE: ok 1
 * case ftell_ESPIPE: ok 1
 * case ftello_ESPIPE: ok 1
 * case ftello64_ESPIPE: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "hooks/fails.h"
#include "hooks/threads.h"

static FILE *f;
static atomic_int x;

static void *moves(void *arg)
{
	assert(fputc('a', f) == 'a' && putc('b', f) == 'b' && ftell(f) == 2 && ftello(f) == 2);
	assert(fseek(f, 0, SEEK_SET) == 0 && fgetc(f) == 'a' && getc(f) == 'b' && getc(f) == EOF);
	assert(ungetc('c', f) == 'c' && getc(f) == 'c' && fflush(f) == 0);
	rewind(f);
	assert(fseeko(f, 1, SEEK_SET) == 0 && fseeko64(f, 0, SEEK_CUR) == 0 && ftello64(f) == 1);
	assert(setvbuf(f, NULL, _IONBF, 0) == 0 && getc(f) == 'b');
	assert(!feof(f) && getc(f) == EOF && feof(f) && !ferror(f));
	clearerr(f);
	assert(!feof(f));
	setbuf(f, NULL);
	setbuffer(f, NULL, 0);
	setlinebuf(f);
	perror("nothing is wrong");
	return arg;
}

static void each_moves_it(void)
{
	f = tmpfile();
	assert(f);
	end(begin(moves, NULL));
	assert(putchar('x') == 'x' && getchar() == EOF);
}

static void *stores(void *arg)
{
	x = 1;
	return arg;
}

/* Rounds that differ in nothing else, so each is followed. */
static void how_far_it_has_come_is_state(void)
{
	pthread_t t;

	f = tmpfile();
	assert(f);
	t = begin(stores, NULL);
	while (!x && ftell(f) < 3)
		fputc('a', f);
	end(t);
}

static void rounds_that_write(void)
{
	pthread_t t;

	f = tmpfile();
	assert(f);
	t = begin(stores, NULL);
	while (!x)
		fputc('a', f);
	end(t);
	assert(ftell(f) < 3); /* bug: rounds_that_write */
}

static void fflush_of_all(void)
{
	FILE *g = tmpfile();

	f = tmpfile();
	assert(f && g && fputc('a', f) == 'a' && fputc('b', g) == 'b');
	end(begin(stores, NULL));
	assert(fflush(NULL) == 0);
	assert(lseek(fileno(f), 0, SEEK_CUR) == 1 && lseek(fileno(g), 0, SEEK_CUR) == 1);
}

/* One whose descriptor is closed. */
static FILE *closed(const char *mode)
{
	int ends[2];
	FILE *g;

	assert(pipe(ends) == 0);
	g = fdopen(ends[*mode == 'w'], mode);
	assert(g && close(ends[0]) == 0 && close(ends[1]) == 0);
	return g;
}

/* Without a buffer. */
static FILE *written_at_once(void)
{
	FILE *g = closed("w");

	setbuf(g, NULL);
	return g;
}

static FILE *of_a_pipe(void)
{
	int ends[2];

	assert(pipe(ends) == 0);
	return fdopen(ends[0], "r");
}

static int flushes(void)
{
	FILE *g = closed("w");

	assert(fputc('x', g) == 'x');
	return fflush(g);
}

static int prints(void)
{
	setbuf(stdout, NULL);
	close(1);
	return putchar('x');
}

static int reads(void)
{
	close(0);
	return getchar();
}

EACH_FAILS(fputc_EBADF, EBADF, fputc('x', written_at_once()))
EACH_FAILS(putc_EBADF, EBADF, putc('x', written_at_once()))
EACH_FAILS(putchar_EBADF, EBADF, prints())
EACH_FAILS(fflush_EBADF, EBADF, flushes())
EACH_FAILS(fgetc_EBADF, EBADF, fgetc(closed("r")))
EACH_FAILS(getc_EBADF, EBADF, getc(closed("r")))
EACH_FAILS(getchar_EBADF, EBADF, reads())
EACH_FAILS(fseek_EINVAL, EINVAL, fseek(tmpfile(), 0, 99))
EACH_FAILS(fseek_ESPIPE, ESPIPE, fseek(of_a_pipe(), 0, SEEK_SET))
EACH_FAILS(fseeko_EINVAL, EINVAL, fseeko(tmpfile(), 0, 99))
EACH_FAILS(fseeko_ESPIPE, ESPIPE, fseeko(of_a_pipe(), 0, SEEK_SET))
EACH_FAILS(fseeko64_EINVAL, EINVAL, fseeko64(tmpfile(), 0, 99))
EACH_FAILS(fseeko64_ESPIPE, ESPIPE, fseeko64(of_a_pipe(), 0, SEEK_SET))
EACH_FAILS(ftell_ESPIPE, ESPIPE, ftell(of_a_pipe()))
EACH_FAILS(ftello_ESPIPE, ESPIPE, ftello(of_a_pipe()))
EACH_FAILS(ftello64_ESPIPE, ESPIPE, ftello64(of_a_pipe()))

CASES(CASE(each_moves_it), CASE(how_far_it_has_come_is_state), CASE(rounds_that_write),
      CASE(fflush_of_all), CASE(fputc_EBADF), CASE(putc_EBADF), CASE(putchar_EBADF),
      CASE(fflush_EBADF), CASE(fgetc_EBADF), CASE(getc_EBADF), CASE(getchar_EBADF),
      CASE(fseek_EINVAL), CASE(fseek_ESPIPE), CASE(fseeko_EINVAL), CASE(fseeko_ESPIPE),
      CASE(fseeko64_EINVAL), CASE(fseeko64_ESPIPE), CASE(ftell_ESPIPE), CASE(ftello_ESPIPE),
      CASE(ftello64_ESPIPE))
