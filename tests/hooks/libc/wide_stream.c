/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide_stream.c - streams of wide characters, calls without the lock, and positions: who locks, who reads what, and how they fail
 *
 * case each_moves_it: ok 1
 * case rounds_that_write: bug assertion at ROUNDS(rounds_that_write,
 * case rounds_without_the_lock: bug assertion at ROUNDS(rounds_without_the_lock,
 * case who_reads_first: bug assertion
 * case who_reads_what: ok 6
 * case one_after_the_other: ok 2
 * case no_more_than_was_read: ok 1
 * case fgetws_writes: bug data-race at RACE(fgetws_writes,
 * case fgetws_unlocked_writes: bug data-race at RACE(fgetws_unlocked_writes,
 * case fgetws_chk_writes: bug data-race at RACE(fgetws_chk_writes,
 * case fgetws_unlocked_chk_writes: bug data-race at RACE(fgetws_unlocked_chk_writes,
 * case fgetpos_writes: bug data-race at RACE(fgetpos_writes,
 * case fgetpos64_writes: bug data-race at RACE(fgetpos64_writes,
 * case fsetpos_reads: bug data-race at RACE(fsetpos_reads,
 * case fsetpos64_reads: bug data-race at RACE(fsetpos64_reads,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 *
 * In X_locks one thread has the stream and waits for another one, which calls X.
 *
 * case fputwc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case putwc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case putwchar_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fputws_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fwprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case wprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vfwprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case vwprintf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgetwc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getwc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getwchar_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case ungetwc_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgetws_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fwscanf_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fwide_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case getw_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case putw_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgetpos_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fgetpos64_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fsetpos_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fsetpos64_locks: bug deadlock at assert(pthread_join(t, NULL) == 0)
 * case fputwc_unlocked_goes_on: ok 1
 * case putwc_unlocked_goes_on: ok 1
 * case putwchar_unlocked_goes_on: ok 1
 * case fputws_unlocked_goes_on: ok 1
 * case fgetwc_unlocked_goes_on: ok 1
 * case getwc_unlocked_goes_on: ok 1
 * case getwchar_unlocked_goes_on: ok 1
 * case fgetws_unlocked_goes_on: ok 1
 * case fputc_unlocked_goes_on: ok 1
 * case putc_unlocked_goes_on: ok 1
 * case putchar_unlocked_goes_on: ok 1
 * case fgetc_unlocked_goes_on: ok 1
 * case getc_unlocked_goes_on: ok 1
 * case getchar_unlocked_goes_on: ok 1
 * case fflush_unlocked_goes_on: ok 1
 *
 * ways fputwc: EBADF; not EILSEQ (glibc writes another character) EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (those of write())
 * ways putwc: EBADF; not EILSEQ (glibc writes another character) EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fputwc_unlocked: EBADF; not EILSEQ (glibc writes another character) EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putwc_unlocked: EBADF; not EILSEQ (glibc writes another character) EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putwchar: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putwchar_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fgetwc: EBADF EILSEQ; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways getwc: EBADF EILSEQ; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgetwc_unlocked: EBADF EILSEQ; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getwc_unlocked: EBADF EILSEQ; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getwchar: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getwchar_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fputc_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putc_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways putchar_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fflush_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fgetc_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getc_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getchar_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways getw: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways putw: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fputws: EBADF; not EILSEQ (glibc writes another character) EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fputws_unlocked: EBADF; not EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fgetws: EBADF EILSEQ; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgetws_unlocked: EBADF; not EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways fgetpos: ESPIPE; not EAGAIN EBADF EFBIG EINTR EINVAL EIO ENOSPC ENXIO EOVERFLOW EPIPE (those of write(), lseek())
 * ways fgetpos64: ESPIPE; not EAGAIN EBADF EFBIG EINTR EINVAL EIO ENOSPC ENXIO EOVERFLOW EPIPE (likewise)
 * ways fsetpos: ESPIPE; not EAGAIN EBADF EFBIG EINTR EINVAL EIO ENOSPC ENXIO EOVERFLOW EPIPE (likewise)
 * ways fsetpos64: ESPIPE; not EAGAIN EBADF EFBIG EINTR EINVAL EIO ENOSPC ENXIO EOVERFLOW EPIPE (likewise)
 * never fails: ungetwc fwide
 *
 * case fputwc_EBADF: ok 1
 * case putwc_EBADF: ok 1
 * case fputwc_unlocked_EBADF: ok 1
 * case putwc_unlocked_EBADF: ok 1
 * case putwchar_EBADF: ok 1
 * case putwchar_unlocked_EBADF: ok 1
 * case fgetwc_EBADF: ok 1
 * case fgetwc_EILSEQ: ok 1
 * case getwc_EBADF: ok 1
 * case getwc_EILSEQ: ok 1
 * case fgetwc_unlocked_EBADF: ok 1
 * case fgetwc_unlocked_EILSEQ: ok 1
 * case getwc_unlocked_EBADF: ok 1
 * case getwc_unlocked_EILSEQ: ok 1
 * case getwchar_EBADF: ok 1
 * case getwchar_unlocked_EBADF: ok 1
 * case fputc_unlocked_EBADF: ok 1
 * case putc_unlocked_EBADF: ok 1
 * case putchar_unlocked_EBADF: ok 1
 * case fflush_unlocked_EBADF: ok 1
 * case fgetc_unlocked_EBADF: ok 1
 * case getc_unlocked_EBADF: ok 1
 * case getchar_unlocked_EBADF: ok 1
 * case getw_EBADF: ok 1
 * case putw_EBADF: ok 1
 * case fputws_EBADF: ok 1
 * case fputws_unlocked_EBADF: ok 1
 * case fgetws_EBADF: ok 1
 * case fgetws_EILSEQ: ok 1
 * case fgetws_unlocked_EBADF: ok 1
 * case fgetpos_ESPIPE: ok 1
 * case fgetpos64_ESPIPE: ok 1
 * case fsetpos_ESPIPE: ok 1
 * case fsetpos64_ESPIPE: ok 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *f);
wchar_t *__fgetws_unlocked_chk(wchar_t *to, size_t room, int n, FILE *f);

static const wchar_t *volatile wide = L"text";
static wchar_t text[100], line[10];
static volatile wchar_t *volatile last = &text[3];
static _Thread_local volatile int sink;
static fpos_t place;
static fpos64_t place64;
static FILE *f;
static atomic_int x;

/* ---- What they do --------------------------------------------------------------------------------- */

static void check_wide(void)
{
	f = tmpfile();
	assert(f && fwide(f, 1) > 0 && fputwc(L'a', f) == L'a' && putwc(L'b', f) == L'b');
	assert(fputwc_unlocked(L'c', f) == L'c' && putwc_unlocked(L'\n', f) == L'\n');
	assert(fputws(wide, f) >= 0 && fputws_unlocked(L"\n", f) >= 0 && fgetpos(f, &place) == 0);
	rewind(f);
	assert(fgetwc(f) == L'a' && getwc(f) == L'b' && fgetwc_unlocked(f) == L'c');
	assert(ungetwc(L'z', f) == L'z' && getwc_unlocked(f) == L'z' && getwc(f) == L'\n');
	assert(fgetws(text, 3, f) == text && !wcscmp(text, L"te"));
	assert(fgetws_unlocked(text, 2, f) == text && !wcscmp(text, L"x"));
	assert(__fgetws_chk(text, 100, 2, f) == text && !wcscmp(text, L"t"));
	assert(__fgetws_unlocked_chk(text, 100, 9, f) == text && !wcscmp(text, L"\n"));
	assert(!fgetws(text, 9, f) && getwc(f) == WEOF);
	rewind(f);
	assert(fgetpos64(f, &place64) == 0 && fsetpos(f, &place) == 0 && getwc(f) == WEOF);
	assert(fsetpos64(f, &place64) == 0 && getwc(f) == L'a');
	fclose(f);
}

static void *check(void *arg)
{
	check_wide();
	f = tmpfile();
	assert(f && fputc_unlocked('a', f) == 'a' && putc_unlocked('b', f) == 'b');
	assert(fflush_unlocked(f) == 0 && lseek(fileno(f), 0, SEEK_CUR) == 2);
	assert(fflush_unlocked(NULL) == 0 && putw(7, f) == 0);
	rewind(f);
	assert(fgetc_unlocked(f) == 'a' && getc_unlocked(f) == 'b' && getw(f) == 7);
	fclose(f);
	return arg;
}

static void each_moves_it(void)
{
	check(NULL);
	end(begin(check, NULL));
	assert(getwchar() == WEOF && getwchar_unlocked() == WEOF && putwchar(L'x') == L'x');
	assert(putwchar_unlocked(L'x') == L'x' && getchar_unlocked() == EOF);
}

static void *stores(void *arg)
{
	x = 1;
	return arg;
}

#define ROUNDS(name, call)               \
	static void name(void)           \
	{                                \
		pthread_t t;             \
                                         \
		f = tmpfile();           \
		assert(f);               \
		t = begin(stores, NULL); \
		while (!x)               \
			call;            \
		end(t);                  \
		assert(ftell(f) < 3);    \
	}
ROUNDS(rounds_that_write, fputwc(L'a', f))
ROUNDS(rounds_without_the_lock, putc_unlocked('a', f))

/* ---- Who reads ------------------------------------------------------------------------------------ */

static wint_t got[3];

static void *reads_a_letter(void *arg)
{
	got[(long)arg] = fgetwc(f);
	return NULL;
}

static void open_letters(void)
{
	f = tmpfile();
	assert(f && fputws(L"abc", f) >= 0);
	rewind(f);
}

static void who_reads_first(void)
{
	open_letters();
	THREADS(2, reads_a_letter);
	assert(got[0] == L'a'); /* bug: who_reads_first */
}

static void who_reads_what(void)
{
	open_letters();
	THREADS(3, reads_a_letter);
	assert(got[0] + got[1] + got[2] == L'a' + L'b' + L'c');
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *reads_a_line(void *arg)
{
	pthread_mutex_lock(&mutex);
	assert(fgetws(text, 10, f) == text && !wcscmp(text, L"abc"));
	rewind(f);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void one_after_the_other(void)
{
	open_letters();
	THREADS(2, reads_a_line);
}

/* One thread writes behind the line, the other reads it. */
static void *read_or_write(void *arg)
{
	if (arg)
		text[4] = L'x';
	else
		assert(fgetws(text, 10, f) == text);
	return NULL;
}

static void no_more_than_was_read(void)
{
	open_letters();
	THREADS(2, read_or_write);
}

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)          \
	static void *do_##name(void *arg) \
	{                                 \
		if (arg)                  \
			access;           \
		else                      \
			sink = call;      \
		return NULL;              \
	}                                 \
	static void name(void)            \
	{                                 \
		open_letters();           \
		at_its_start();           \
		THREADS(2, do_##name);    \
	}

static FILE *at_its_start(void)
{
	FILE *g = tmpfile();

	assert(g && fgetpos(g, &place) == 0 && fgetpos64(g, &place64) == 0);
	return g;
}

RACE(fgetws_writes, fgetws(text, 10, f) != NULL, sink = (int)*last)
RACE(fgetws_unlocked_writes, fgetws_unlocked(text, 10, f) != NULL, sink = (int)*last)
RACE(fgetws_chk_writes, __fgetws_chk(text, 100, 10, f) != NULL, sink = (int)*last)
RACE(fgetws_unlocked_chk_writes, __fgetws_unlocked_chk(text, 100, 10, f) != NULL, sink = (int)*last)
RACE(fgetpos_writes, fgetpos(f, &place), sink = *(volatile char *)hide(&place))
RACE(fgetpos64_writes, fgetpos64(f, &place64), sink = *(volatile char *)hide(&place64))
RACE(fsetpos_reads, fsetpos(f, &place), *(volatile char *)hide(&place) = 0)
RACE(fsetpos64_reads, fsetpos64(f, &place64), *(volatile char *)hide(&place64) = 0)

#define IN_THREAD(name, call) DO_IN_THREAD(name, open_letters(), sink = call)
IN_THREAD(into_a_freed_block, fgetws(freed(40), 9, f) != NULL)

/* ---- Who locks ------------------------------------------------------------------------------------ */

static sem_t seen;
static void (*call)(void);

static void *calls(void *arg)
{
	sem_wait(&seen);
	call();
	return arg;
}

static void has_it_and_waits(FILE *stream, void (*fn)(void))
{
	pthread_t t;

	f = stream;
	assert(f);
	call = fn;
	t = begin(calls, NULL);
	flockfile(f);
	sem_post(&seen);
	assert(pthread_join(t, NULL) == 0);
	funlockfile(f);
}

#define LOCKS_(name, stream, ...)                      \
	static void call_##name(void)                  \
	{                                              \
		(void)!(__VA_ARGS__);                  \
	}                                              \
	static void name(void)                         \
	{                                              \
		has_it_and_waits(stream, call_##name); \
	}
#define LOCKS(name, ...)   LOCKS_(name##_locks, __VA_ARGS__)
#define GOES_ON(name, ...) LOCKS_(name##_goes_on, __VA_ARGS__)

static int print_list(int to_stdout, const wchar_t *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	result = to_stdout ? vwprintf(format, ap) : vfwprintf(f, format, ap);
	va_end(ap);
	return result;
}

LOCKS(fputwc, tmpfile(), fputwc(L'x', f))
LOCKS(putwc, tmpfile(), putwc(L'x', f))
LOCKS(putwchar, stdout, putwchar(L'x'))
LOCKS(fputws, tmpfile(), fputws(wide, f))
LOCKS(fwprintf, tmpfile(), fwprintf(f, L"%d", 1))
LOCKS(wprintf, stdout, wprintf(L"%d", 1))
LOCKS(vfwprintf, tmpfile(), print_list(0, L"%d", 1))
LOCKS(vwprintf, stdout, print_list(1, L"%d", 1))
LOCKS(fgetwc, tmpfile(), fgetwc(f))
LOCKS(getwc, tmpfile(), getwc(f))
LOCKS(getwchar, stdin, getwchar())
LOCKS(ungetwc, tmpfile(), ungetwc(L'x', f))
LOCKS(fgetws, tmpfile(), !fgetws(line, 10, f))
LOCKS(fwscanf, tmpfile(), fwscanf(f, L"%9ls", line))
LOCKS(fwide, tmpfile(), fwide(f, 0))
LOCKS(getw, tmpfile(), getw(f))
LOCKS(putw, tmpfile(), putw(1, f))
LOCKS(fgetpos, tmpfile(), fgetpos(f, &place))
LOCKS(fgetpos64, tmpfile(), fgetpos64(f, &place64))
LOCKS(fsetpos, at_its_start(), fsetpos(f, &place))
LOCKS(fsetpos64, at_its_start(), fsetpos64(f, &place64))
GOES_ON(fputwc_unlocked, tmpfile(), fputwc_unlocked(L'x', f))
GOES_ON(putwc_unlocked, tmpfile(), putwc_unlocked(L'x', f))
GOES_ON(putwchar_unlocked, stdout, putwchar_unlocked(L'x'))
GOES_ON(fputws_unlocked, tmpfile(), fputws_unlocked(wide, f))
GOES_ON(fgetwc_unlocked, tmpfile(), fgetwc_unlocked(f))
GOES_ON(getwc_unlocked, tmpfile(), getwc_unlocked(f))
GOES_ON(getwchar_unlocked, stdin, getwchar_unlocked())
GOES_ON(fgetws_unlocked, tmpfile(), !fgetws_unlocked(line, 10, f))
GOES_ON(fputc_unlocked, tmpfile(), fputc_unlocked('x', f))
GOES_ON(putc_unlocked, tmpfile(), putc_unlocked('x', f))
GOES_ON(putchar_unlocked, stdout, putchar_unlocked('x'))
GOES_ON(fgetc_unlocked, tmpfile(), fgetc_unlocked(f))
GOES_ON(getc_unlocked, tmpfile(), getc_unlocked(f))
GOES_ON(getchar_unlocked, stdin, getchar_unlocked())
GOES_ON(fflush_unlocked, tmpfile(), fflush_unlocked(f))

/* ---- How they fail -------------------------------------------------------------------------------- */

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

/* In the C locale. */
static FILE *of_no_character(void)
{
	FILE *g = tmpfile();

	assert(g && write(fileno(g), "\xe9", 1) == 1 && lseek(fileno(g), 0, SEEK_SET) == 0);
	return g;
}

static int flushes(void)
{
	FILE *g = closed("w");

	assert(fputc_unlocked('x', g) == 'x');
	return fflush_unlocked(g);
}

static void prints(void)
{
	setbuf(stdout, NULL);
	close(1);
}

static int line_of(const wchar_t *s)
{
	return s ? 0 : -1;
}

EACH_FAILS(fputwc_EBADF, EBADF, (int)fputwc(L'x', written_at_once()))
EACH_FAILS(putwc_EBADF, EBADF, (int)putwc(L'x', written_at_once()))
EACH_FAILS(fputwc_unlocked_EBADF, EBADF, (int)fputwc_unlocked(L'x', written_at_once()))
EACH_FAILS(putwc_unlocked_EBADF, EBADF, (int)putwc_unlocked(L'x', written_at_once()))
EACH_FAILS(putwchar_EBADF, EBADF, (int)(prints(), putwchar(L'x')))
EACH_FAILS(putwchar_unlocked_EBADF, EBADF, (int)(prints(), putwchar_unlocked(L'x')))
EACH_FAILS(fgetwc_EBADF, EBADF, (int)fgetwc(closed("r")))
EACH_FAILS(fgetwc_EILSEQ, EILSEQ, (int)fgetwc(of_no_character()))
EACH_FAILS(getwc_EBADF, EBADF, (int)getwc(closed("r")))
EACH_FAILS(getwc_EILSEQ, EILSEQ, (int)getwc(of_no_character()))
EACH_FAILS(fgetwc_unlocked_EBADF, EBADF, (int)fgetwc_unlocked(closed("r")))
EACH_FAILS(fgetwc_unlocked_EILSEQ, EILSEQ, (int)fgetwc_unlocked(of_no_character()))
EACH_FAILS(getwc_unlocked_EBADF, EBADF, (int)getwc_unlocked(closed("r")))
EACH_FAILS(getwc_unlocked_EILSEQ, EILSEQ, (int)getwc_unlocked(of_no_character()))
EACH_FAILS(getwchar_EBADF, EBADF, (int)(close(0), getwchar()))
EACH_FAILS(getwchar_unlocked_EBADF, EBADF, (int)(close(0), getwchar_unlocked()))
EACH_FAILS(fputc_unlocked_EBADF, EBADF, fputc_unlocked('x', written_at_once()))
EACH_FAILS(putc_unlocked_EBADF, EBADF, putc_unlocked('x', written_at_once()))
EACH_FAILS(putchar_unlocked_EBADF, EBADF, (prints(), putchar_unlocked('x')))
EACH_FAILS(fflush_unlocked_EBADF, EBADF, flushes())
EACH_FAILS(fgetc_unlocked_EBADF, EBADF, fgetc_unlocked(closed("r")))
EACH_FAILS(getc_unlocked_EBADF, EBADF, getc_unlocked(closed("r")))
EACH_FAILS(getchar_unlocked_EBADF, EBADF, (close(0), getchar_unlocked()))
EACH_FAILS(getw_EBADF, EBADF, getw(closed("r")))
EACH_FAILS(putw_EBADF, EBADF, putw(1, written_at_once()))
EACH_FAILS(fputws_EBADF, EBADF, fputws(wide, written_at_once()))
EACH_FAILS(fputws_unlocked_EBADF, EBADF, fputws_unlocked(wide, written_at_once()))
EACH_FAILS(fgetws_EBADF, EBADF, line_of(fgetws(line, 10, closed("r"))))
EACH_FAILS(fgetws_EILSEQ, EILSEQ, line_of(fgetws(line, 10, of_no_character())))
EACH_FAILS(fgetws_unlocked_EBADF, EBADF, line_of(fgetws_unlocked(line, 10, closed("r"))))
EACH_FAILS(fgetpos_ESPIPE, ESPIPE, fgetpos(of_a_pipe(), &place))
EACH_FAILS(fgetpos64_ESPIPE, ESPIPE, fgetpos64(of_a_pipe(), &place64))
EACH_FAILS(fsetpos_ESPIPE, ESPIPE, (at_its_start(), fsetpos(of_a_pipe(), &place)))
EACH_FAILS(fsetpos64_ESPIPE, ESPIPE, (at_its_start(), fsetpos64(of_a_pipe(), &place64)))

CASES(CASE(each_moves_it), CASE(rounds_that_write), CASE(rounds_without_the_lock),
      CASE(who_reads_first), CASE(who_reads_what), CASE(one_after_the_other),
      CASE(no_more_than_was_read), CASE(fgetws_writes), CASE(fgetws_unlocked_writes),
      CASE(fgetws_chk_writes), CASE(fgetws_unlocked_chk_writes), CASE(fgetpos_writes),
      CASE(fgetpos64_writes), CASE(fsetpos_reads), CASE(fsetpos64_reads), CASE(into_a_freed_block),
      CASE(fputwc_locks), CASE(putwc_locks), CASE(putwchar_locks), CASE(fputws_locks),
      CASE(fwprintf_locks), CASE(wprintf_locks), CASE(vfwprintf_locks), CASE(vwprintf_locks),
      CASE(fgetwc_locks), CASE(getwc_locks), CASE(getwchar_locks), CASE(ungetwc_locks),
      CASE(fgetws_locks), CASE(fwscanf_locks), CASE(fwide_locks), CASE(getw_locks),
      CASE(putw_locks), CASE(fgetpos_locks), CASE(fgetpos64_locks), CASE(fsetpos_locks),
      CASE(fsetpos64_locks), CASE(fputwc_unlocked_goes_on), CASE(putwc_unlocked_goes_on),
      CASE(putwchar_unlocked_goes_on), CASE(fputws_unlocked_goes_on), CASE(fgetwc_unlocked_goes_on),
      CASE(getwc_unlocked_goes_on), CASE(getwchar_unlocked_goes_on), CASE(fgetws_unlocked_goes_on),
      CASE(fputc_unlocked_goes_on), CASE(putc_unlocked_goes_on), CASE(putchar_unlocked_goes_on),
      CASE(fgetc_unlocked_goes_on), CASE(getc_unlocked_goes_on), CASE(getchar_unlocked_goes_on),
      CASE(fflush_unlocked_goes_on), CASE(fputwc_EBADF), CASE(putwc_EBADF),
      CASE(fputwc_unlocked_EBADF), CASE(putwc_unlocked_EBADF), CASE(putwchar_EBADF),
      CASE(putwchar_unlocked_EBADF), CASE(fgetwc_EBADF), CASE(fgetwc_EILSEQ), CASE(getwc_EBADF),
      CASE(getwc_EILSEQ), CASE(fgetwc_unlocked_EBADF), CASE(fgetwc_unlocked_EILSEQ),
      CASE(getwc_unlocked_EBADF), CASE(getwc_unlocked_EILSEQ), CASE(getwchar_EBADF),
      CASE(getwchar_unlocked_EBADF), CASE(fputc_unlocked_EBADF), CASE(putc_unlocked_EBADF),
      CASE(putchar_unlocked_EBADF), CASE(fflush_unlocked_EBADF), CASE(fgetc_unlocked_EBADF),
      CASE(getc_unlocked_EBADF), CASE(getchar_unlocked_EBADF), CASE(getw_EBADF), CASE(putw_EBADF),
      CASE(fputws_EBADF), CASE(fputws_unlocked_EBADF), CASE(fgetws_EBADF), CASE(fgetws_EILSEQ),
      CASE(fgetws_unlocked_EBADF), CASE(fgetpos_ESPIPE), CASE(fgetpos64_ESPIPE),
      CASE(fsetpos_ESPIPE), CASE(fsetpos64_ESPIPE))
