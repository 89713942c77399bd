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

#include "cases.h"
#include "hooks/blocks.h"
#include "hooks/threads.h"

int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list ap);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list ap);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);

static char text[100] = "abcdefg";
static int number;
static volatile int sink;

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

CASES(CASE(what_each_prints), CASE(strings_end_at_the_precision), CASE(in_order), CASE(literals),
      CASE(through_a_pipe), CASE(much_through_a_pipe), CASE(nobody_prints),
      CASE(into_a_closed_pipe), CASE(of_a_freed_block), CASE(of_an_unterminated_block),
      CASE(more_than_a_block), CASE(printf_reads), CASE(vprintf_reads), CASE(fprintf_reads),
      CASE(vfprintf_reads), CASE(dprintf_reads), CASE(vdprintf_reads), CASE(printf_chk_reads),
      CASE(vprintf_chk_reads), CASE(fprintf_chk_reads), CASE(vfprintf_chk_reads),
      CASE(dprintf_chk_reads), CASE(vdprintf_chk_reads), CASE(puts_reads), CASE(fputs_reads),
      CASE(fputs_unlocked_reads), CASE(fwrite_reads), CASE(fwrite_unlocked_reads), CASE(n_writes))
