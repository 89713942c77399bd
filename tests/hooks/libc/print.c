/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print.c - what printf(), puts() and their kin read, and dprintf() to pipes
 *
 * In X_reads one thread prints with X a text of which another one writes the last byte.
 *
 * case what_each_prints: ok 1
 * case strings_end_at_the_precision: ok 1
 * case in_order: ok 2
 * case literals: ok 1
 * case through_a_pipe: ok 2
 * case much_through_a_pipe: ok 1
 * case nobody_prints: bug deadlock
 * case into_a_closed_pipe: ok 1
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case of_an_unterminated_block: bug out-of-bounds at IN_THREAD(of_an_unterminated_block,
 * case more_than_a_block: bug out-of-bounds at IN_THREAD(more_than_a_block,
 * case printf_reads: bug data-race at READS(printf,
 * case vprintf_reads: bug data-race at READS(vprintf,
 * case fprintf_reads: bug data-race at READS(fprintf,
 * case vfprintf_reads: bug data-race at READS(vfprintf,
 * case dprintf_reads: bug data-race at READS(dprintf,
 * case vdprintf_reads: bug data-race at READS(vdprintf,
 * case printf_chk_reads: bug data-race at READS(printf_chk,
 * case vprintf_chk_reads: bug data-race at READS(vprintf_chk,
 * case fprintf_chk_reads: bug data-race at READS(fprintf_chk,
 * case vfprintf_chk_reads: bug data-race at READS(vfprintf_chk,
 * case dprintf_chk_reads: bug data-race at READS(dprintf_chk,
 * case vdprintf_chk_reads: bug data-race at READS(vdprintf_chk,
 * case puts_reads: bug data-race at READS(puts,
 * case fputs_reads: bug data-race at READS(fputs,
 * case fputs_unlocked_reads: bug data-race at READS(fputs_unlocked,
 * case fwrite_reads: bug data-race at READS(fwrite,
 * case fwrite_unlocked_reads: bug data-race at READS(fwrite_unlocked,
 * case n_writes: bug data-race at RACE(n_writes,
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
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list ap);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);

static char text[100] = "abcdefg";
static int number;
static _Thread_local volatile int sink;

static int list(int which, const char *format, ...)
{
	int result = -2;
	va_list ap;

	va_start(ap, format);
	switch (which) {
	case 0:
		result = vprintf(format, ap);
		break;
	case 1:
		result = vfprintf(stdout, format, ap);
		break;
	case 2:
		result = vdprintf(1, format, ap);
		break;
	case 3:
		result = __vprintf_chk(1, format, ap);
		break;
	case 4:
		result = __vfprintf_chk(stdout, 1, format, ap);
		break;
	case 5:
		result = __vdprintf_chk(1, 1, format, ap);
		break;
	}
	va_end(ap);
	return result;
}

static void *check(void *arg)
{
	int n = 0;

	assert(printf("%d %s%n\n", 12, "ab", &n) == 6 && n == 5);
	assert(printf("%2$s %1$.1f %%\n", 1.5, "x") == 8);
	assert(fprintf(stdout, "%s\n", text) == 8);
	assert(dprintf(1, "%c\n", 'x') == 2);
	assert(list(0, "%5d\n", 1) == 6 && list(1, "%5d\n", 1) == 6 && list(2, "%5d\n", 1) == 6);
	assert(list(3, "%s", "ab\n") == 3 && list(4, "%s", "a\n") == 2 && list(5, "%s", "\n") == 1);
	assert(__printf_chk(1, "%s\n", "ab") == 3 && __fprintf_chk(stdout, 1, "%d\n", 1) == 2);
	assert(__dprintf_chk(1, 1, "%d\n", 1) == 2);
	assert(puts(text) >= 0 && fputs(text, stdout) >= 0 && fputs_unlocked("\n", stdout) >= 0);
	assert(fwrite(text, 1, 7, stdout) == 7 && fwrite_unlocked(hide("\n"), 1, 1, stdout) == 1);
	assert(fwrite(text, 0, 7, stdout) == 0);
	return arg;
}

static void what_each_prints(void)
{
	check(NULL);
	THREADS(1, check);
}

/* One thread writes bytes 4 to 6 of the text, the other prints those before. */
static void *write_or_print(void *arg)
{
	if (arg) {
		memcpy(text + 4, "xyz", 3);
	} else {
		printf("%.3s|%.*s\n", text, 4, text);
		fprintf(stdout, "%.0s\n", text);
		fwrite(text, 1, 4, stdout);
		dprintf(1, "%2$.*1$s\n", 4, text);
	}
	return NULL;
}

static void strings_end_at_the_precision(void)
{
	THREADS(2, write_or_print);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *print_or_write(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		strcpy(text, "xyz");
	else
		assert(printf("%s%n\n", text, &number) == number + 1);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, print_or_write);
	assert(number == 7 || number == 3);
}

static void *print_literals(void *arg)
{
	static const char *const name[] = { "one", "two" };

	printf("%s %s\n", name[0], name[(long)arg]);
	puts(name[1]);
	fputs(name[1], stdout);
	return NULL;
}

static void literals(void)
{
	THREADS(2, print_literals);
}

/* ---- Pipes ---------------------------------------------------------------------------------------- */

static int ends[2];

static void *read_all(void *arg)
{
	char b[100] = "";
	size_t n = 0;
	ssize_t got;

	while (n < 9 && (got = read(ends[0], b + n, 9 - n)) > 0)
		n += (size_t)got;
	assert(n == 9 && !strcmp(b, "12 ab 34 "));
	return arg;
}

static void through_a_pipe(void)
{
	pthread_t t;

	assert(!pipe(ends));
	t = begin(read_all, NULL);
	assert(dprintf(ends[1], "%d %s ", 12, "ab") == 6);
	assert(dprintf(ends[1], "%d ", 34) == 3);
	end(t);
	close(ends[0]);
	close(ends[1]);
}

static void *read_much(void *arg)
{
	static char b[6000];
	size_t n = 0;
	ssize_t got;

	while (n < 6000 && (got = read(ends[0], b, sizeof(b))) > 0)
		n += (size_t)got;
	assert(n == 6000);
	return arg;
}

/* More than there is room for. */
static void much_through_a_pipe(void)
{
	pthread_t t;

	assert(!pipe(ends) && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
	t = begin(read_much, NULL);
	assert(dprintf(ends[1], "%*d", 6000, 7) == 6000);
	end(t);
	close(ends[0]);
	close(ends[1]);
}

static void nobody_prints(void)
{
	pthread_t t;

	assert(!pipe(ends));
	t = begin(read_all, NULL);
	assert(dprintf(ends[1], "%d", 12) == 2);
	end(t); /* bug: nobody_prints */
}

static void *print_in_vain(void *arg)
{
	errno = 0;
	assert(dprintf(ends[1], "%d", 12) == -1 && errno == EPIPE);
	return arg;
}

static void into_a_closed_pipe(void)
{
	signal(SIGPIPE, SIG_IGN);
	assert(!pipe(ends));
	close(ends[0]);
	THREADS(1, print_in_vain);
	close(ends[1]);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, call)

static char *filled(void)
{
	char *p = hide(malloc(4));

	memset(p, 'x', 4);
	return p;
}

IN_THREAD(of_a_freed_block, printf("%s\n", freed(8)))
IN_THREAD(of_an_unterminated_block, puts(filled()))
IN_THREAD(more_than_a_block, fwrite(filled(), 1, 5, stdout))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		if (arg)                         \
			access;                  \
		else                             \
			call;                    \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}
#define READS(name, call) RACE(name##_reads, call, text[7] = 0)

READS(printf, printf("%s:\n", text))
READS(vprintf, list(0, "%s:\n", text))
READS(fprintf, fprintf(stdout, "%d%s\n", 1, text))
READS(vfprintf, list(1, "%s:\n", text))
READS(dprintf, dprintf(1, "%s:\n", text))
READS(vdprintf, list(2, "%s:\n", text))
READS(printf_chk, __printf_chk(1, "%s:\n", text))
READS(vprintf_chk, list(3, "%s:\n", text))
READS(fprintf_chk, __fprintf_chk(stdout, 1, "%s:\n", text))
READS(vfprintf_chk, list(4, "%s:\n", text))
READS(dprintf_chk, __dprintf_chk(1, 1, "%s:\n", text))
READS(vdprintf_chk, list(5, "%s:\n", text))
READS(puts, puts(text))
READS(fputs, sink = fputs(text, stdout))
READS(fputs_unlocked, sink = fputs_unlocked(text, stdout))
READS(fwrite, sink = (int)fwrite(text, 2, 4, stdout))
READS(fwrite_unlocked, sink = (int)fwrite_unlocked(text, 8, 1, stdout))
RACE(n_writes, printf("abc%n\n", &number), sink = number)

/* --- how they fail ---------------------------------------------------------------------------- */

/* No character of any encoding; a width over INT_MAX. By variables, so that compilers do not see it. */
static const wchar_t none[] = { 'a', 0x7ffffff0, 0 };
static const char *volatile too_wide = "%2147483648d", *volatile wide = "%ls";

enum which {
	VPRINTF,
	VFPRINTF,
	VDPRINTF
};

static int list_of(enum which which, void *to, const char *format, ...)
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
STREAM_FAILS(vprintf_EBADF, EBADF, no_output(), list_of(VPRINTF, NULL, "%d", 1))
STREAM_FAILS(vprintf_EILSEQ, EILSEQ, stdout, list_of(VPRINTF, NULL, wide, none))
STREAM_FAILS(vprintf_EOVERFLOW, EOVERFLOW, stdout, list_of(VPRINTF, NULL, too_wide, 1))
STREAM_FAILS(fprintf_EBADF, EBADF, read_only(), fprintf(f, "%d", 1))
STREAM_FAILS(fprintf_EILSEQ, EILSEQ, stdout, fprintf(f, wide, none))
STREAM_FAILS(fprintf_EOVERFLOW, EOVERFLOW, stdout, fprintf(f, too_wide, 1))
STREAM_FAILS(fprintf_ENOSPC, ENOSPC, full(), fprintf(f, "%d", 1))
STREAM_FAILS(vfprintf_EBADF, EBADF, read_only(), list_of(VFPRINTF, f, "%d", 1))
STREAM_FAILS(vfprintf_EILSEQ, EILSEQ, stdout, list_of(VFPRINTF, f, wide, none))
STREAM_FAILS(vfprintf_EOVERFLOW, EOVERFLOW, stdout, list_of(VFPRINTF, f, too_wide, 1))
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
EACH_FAILS(vdprintf_EBADF, EBADF, list_of(VDPRINTF, &closed, "%d", 1))

IN_EACH(vdprintf_EILSEQ)
{
	int out = 1;

	FAILS(EILSEQ, list_of(VDPRINTF, &out, wide, none));
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
PIPE_CASE(vdprintf_EPIPE, close(end[0]); FAILS(EPIPE, list_of(VDPRINTF, &end[1], "%d", 1));
	  dup2(1, end[0]))
PIPE_CASE(dprintf_EAGAIN, fill(end[1]); FAILS(EAGAIN, dprintf(end[1], "%d", 1)))
PIPE_CASE(dprintf_EBADF_for_reading, FAILS(EBADF, dprintf(end[0], "%d", 1)))
PIPE_CASE(dprintf_EILSEQ_of_a_pipe, FAILS(EILSEQ, dprintf(end[1], wide, none)))

CASES(CASE(what_each_prints), CASE(strings_end_at_the_precision), CASE(in_order), CASE(literals),
      CASE(through_a_pipe), CASE(much_through_a_pipe), CASE(nobody_prints),
      CASE(into_a_closed_pipe), CASE(of_a_freed_block), CASE(of_an_unterminated_block),
      CASE(more_than_a_block), CASE(printf_reads), CASE(vprintf_reads), CASE(fprintf_reads),
      CASE(vfprintf_reads), CASE(dprintf_reads), CASE(vdprintf_reads), CASE(printf_chk_reads),
      CASE(vprintf_chk_reads), CASE(fprintf_chk_reads), CASE(vfprintf_chk_reads),
      CASE(dprintf_chk_reads), CASE(vdprintf_chk_reads), CASE(puts_reads), CASE(fputs_reads),
      CASE(fputs_unlocked_reads), CASE(fwrite_reads), CASE(fwrite_unlocked_reads), CASE(n_writes),
      CASE(printf_EBADF), CASE(printf_EILSEQ), CASE(printf_EOVERFLOW), CASE(vprintf_EBADF),
      CASE(vprintf_EILSEQ), CASE(vprintf_EOVERFLOW), CASE(fprintf_EBADF), CASE(fprintf_EILSEQ),
      CASE(fprintf_EOVERFLOW), CASE(fprintf_ENOSPC), CASE(vfprintf_EBADF), CASE(vfprintf_EILSEQ),
      CASE(vfprintf_EOVERFLOW), CASE(puts_EBADF), CASE(fputs_EBADF), CASE(fputs_ENOSPC),
      CASE(fputs_unlocked_EBADF), CASE(fwrite_EBADF), CASE(fwrite_ENOSPC),
      CASE(fwrite_unlocked_EBADF), CASE(dprintf_EAGAIN), CASE(dprintf_EBADF),
      CASE(dprintf_EBADF_for_reading), CASE(dprintf_EILSEQ), CASE(dprintf_EILSEQ_of_a_pipe),
      CASE(dprintf_ENOSPC), CASE(dprintf_EOVERFLOW), CASE(dprintf_EPIPE), CASE(vdprintf_EBADF),
      CASE(vdprintf_EILSEQ), CASE(vdprintf_EPIPE))
