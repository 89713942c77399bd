/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide_print.c - what wprintf(), swprintf() and wscanf() read and write
 *
 * In X_reads one thread prints with X a text of which another one writes the last character; in X_writes the other
 * one reads the last that X stores.
 *
 * case what_each_prints: ok 1
 * case what_each_takes: ok 1
 * case text_that_is_long: ok 1
 * case text_that_does_not_fit: ok 1
 * case strings_end_at_the_precision: ok 1
 * case no_more_than_is_stored: ok 1
 * case in_order: ok 2
 * case in_a_loop_that_waits: ok 1
 * case literals: ok 1
 * case behind_a_block: bug out-of-bounds at IN_THREAD(behind_a_block,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case wprintf_reads: bug data-race at READS(wprintf,
 * case vwprintf_reads: bug data-race at READS(vwprintf,
 * case fwprintf_reads: bug data-race at READS(fwprintf,
 * case vfwprintf_reads: bug data-race at READS(vfwprintf,
 * case wprintf_chk_reads: bug data-race at READS(wprintf_chk,
 * case vwprintf_chk_reads: bug data-race at READS(vwprintf_chk,
 * case fwprintf_chk_reads: bug data-race at READS(fwprintf_chk,
 * case vfwprintf_chk_reads: bug data-race at READS(vfwprintf_chk,
 * case fputws_reads: bug data-race at READS(fputws,
 * case fputws_unlocked_reads: bug data-race at READS(fputws_unlocked,
 * case format_reads: bug data-race at READS(format,
 * case swprintf_reads: bug data-race at READS(swprintf,
 * case bytes_reads: bug data-race at RACE(bytes_reads,
 * case multibyte_reads: bug data-race at *(volatile char *)&bytes[7]
 * case precision_reads: bug data-race at READS(precision,
 * case swscanf_reads: bug data-race at READS(swscanf,
 * case swprintf_writes: bug data-race at WRITES(swprintf,
 * case vswprintf_writes: bug data-race at WRITES(vswprintf,
 * case swprintf_chk_writes: bug data-race at WRITES(swprintf_chk,
 * case vswprintf_chk_writes: bug data-race at WRITES(vswprintf_chk,
 * case too_long_writes: bug data-race at WRITES(too_long,
 * case swscanf_writes: bug data-race at WRITES(swscanf,
 * case vswscanf_writes: bug data-race at WRITES(vswscanf,
 * case fwscanf_writes: bug data-race at WRITES(fwscanf,
 * case vfwscanf_writes: bug data-race at WRITES(vfwscanf,
 * case wscanf_writes: bug data-race at WRITES(wscanf,
 * case vwscanf_writes: bug data-race at WRITES(vwscanf,
 *
 * ways fwprintf: EBADF; not EILSEQ EOVERFLOW EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (those of write(); too much to print)
 * ways vfwprintf: EBADF; not EILSEQ EOVERFLOW EAGAIN EFBIG EINTR EIO ENOMEM ENOSPC ENXIO EPIPE (likewise)
 * ways fwscanf: EBADF; not EILSEQ EINVAL EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (those of read())
 * ways vfwscanf: EBADF; not EILSEQ EINVAL EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways wscanf: EBADF; not EILSEQ EINVAL EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * ways vwscanf: EBADF; not EILSEQ EINVAL EAGAIN EINTR EIO ENOMEM ENXIO EOVERFLOW (likewise)
 * never fails: wprintf vwprintf swprintf vswprintf swscanf vswscanf
 *
 * case fwprintf_EBADF: ok 1
 * case vfwprintf_EBADF: ok 1
 * case fwscanf_EBADF: ok 1
 * case vfwscanf_EBADF: ok 1
 * case wscanf_EBADF: ok 1
 * case vwscanf_EBADF: ok 1
 */
#define _GNU_SOURCE
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

int __wprintf_chk(int flag, const wchar_t *format, ...);
int __vwprintf_chk(int flag, const wchar_t *format, va_list ap);
int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...);
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list ap);
int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...);
int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
		    va_list ap);

static wchar_t text[1000] = L"abcdefg", to[1000];
static char bytes[100] = "abcdefg";
static int number;
static FILE *f;
static volatile wchar_t *volatile last = &text[7];
static _Thread_local volatile int sink;

enum kind {
	PRINT,
	PRINT_TO,
	PRINT_CHECKED,
	PRINT_TO_CHECKED,
	MAKE,
	MAKE_CHECKED,
	SCAN,
	SCAN_STREAM,
	SCAN_INPUT
};

static int list(enum kind kind, const wchar_t *format, ...)
{
	int result = -2;
	va_list ap;

	va_start(ap, format);
	switch (kind) {
	case PRINT:
		result = vwprintf(format, ap);
		break;
	case PRINT_TO:
		result = vfwprintf(f, format, ap);
		break;
	case PRINT_CHECKED:
		result = __vwprintf_chk(1, format, ap);
		break;
	case PRINT_TO_CHECKED:
		result = __vfwprintf_chk(f, 1, format, ap);
		break;
	case MAKE:
		result = vswprintf(text, 100, format, ap);
		break;
	case MAKE_CHECKED:
		result = __vswprintf_chk(text, 100, 1, 100, format, ap);
		break;
	case SCAN:
		result = vswscanf(L"xyzuvwx", format, ap);
		break;
	case SCAN_STREAM:
		result = vfwscanf(f, format, ap);
		break;
	case SCAN_INPUT:
		result = vwscanf(format, ap);
		break;
	}
	va_end(ap);
	return result;
}

static FILE *letters(void)
{
	FILE *g = tmpfile();

	assert(g && fputws(L"xyzuvwx 12", g) >= 0);
	rewind(g);
	return g;
}

/* ---- What they do --------------------------------------------------------------------------------- */

static void *check_prints(void *arg)
{
	int n = 0;

	f = tmpfile();
	assert(f && wprintf(L"%d %ls%n\n", 12, L"ab", &n) == 6 && n == 5);
	assert(fwprintf(f, L"%s\n", "ab") == 3 && list(PRINT, L"%5d\n", 1) == 6);
	assert(list(PRINT_TO, L"%5d\n", 1) == 6 && list(PRINT_CHECKED, L"%ls", L"\n") == 1);
	assert(list(PRINT_TO_CHECKED, L"%c", 'x') == 1 && __wprintf_chk(1, L"%d", 12) == 2);
	assert(__fwprintf_chk(f, 1, L"%d", 12) == 2 && fputws(L"ab", f) >= 0);
	assert(fputws_unlocked(L"ab\n", stdout) >= 0);
	fclose(f);
	assert(swprintf(to, 10, L"%ls-%s", L"ab", "cd") == 5 && !wcscmp(to, L"ab-cd"));
	assert(__swprintf_chk(to, 10, 1, 10, L"%d", 12) == 2 && !wcscmp(to, L"12"));
	assert(list(MAKE, L"%d", 34) == 2 && !wcscmp(text, L"34"));
	assert(list(MAKE_CHECKED, L"%2$d%1$d", 1, 2) == 2 && !wcscmp(text, L"21"));
	return arg;
}

static void what_each_prints(void)
{
	check_prints(NULL);
	THREADS(1, check_prints);
}

static void *check_scans(void *arg)
{
	int n = 0;

	f = letters();
	assert(swscanf(L"ab 12 \xe9", L"%ls %d \xe9", to, &n) == 2 && !wcscmp(to, L"ab") &&
	       n == 12);
	assert(swscanf(L"12 cd", L"%*d %9s", bytes) == 1 && !strcmp(bytes, "cd"));
	assert(swscanf(L"x", L"%d", &n) == 0 && n == 12);
	assert(list(SCAN, L"%3ls", to) == 1 && !wcscmp(to, L"xyz"));
	assert(fwscanf(f, L"%2lc", to) == 1 && to[1] == L'y' && to[2] == L'z');
	assert(list(SCAN_STREAM, L"%l[^ ] %d", to, &n) == 2 && !wcscmp(to, L"zuvwx") && n == 12);
	fclose(f);
	assert(wscanf(L"%d", &n) == EOF && list(SCAN_INPUT, L"%d", &n) == EOF);
	return arg;
}

static void what_each_takes(void)
{
	check_scans(NULL);
	THREADS(1, check_scans);
}

static void *make_much(void *arg)
{
	assert(swprintf(to, 1000, L"%900d|", 1) == 901 && to[899] == L'1' && to[900] == L'|');
	return arg;
}

static void text_that_is_long(void)
{
	THREADS(1, make_much);
	assert(!to[901]);
}

static void *make_too_much(void *arg)
{
	assert(wcslen(wcscpy(to, L"uvwxyz")) == 6 && swprintf(to, 3, L"%d", 1234) == -1);
	assert(!wcsncmp(to + 3, L"xyz", 4) && swprintf(to, 0, L"x") == -1);
	return arg;
}

static void text_that_does_not_fit(void)
{
	THREADS(1, make_too_much);
}

/* One thread writes characters 4 to 6 of the text, the other prints those before. */
static void *write_or_print(void *arg)
{
	if (arg) {
		wmemcpy(text + 4, L"xyz", 3);
		memcpy(bytes + 4, "xyz", 3);
	} else {
		wprintf(L"%.3ls|%.*ls\n", text, 4, text);
		wprintf(L"%.3s|%.*s|%.0s\n", bytes, 4, bytes, bytes);
	}
	return NULL;
}

static void strings_end_at_the_precision(void)
{
	THREADS(2, write_or_print);
}

/* One thread writes behind the first four characters, the other stores so many. */
static void *write_or_store(void *arg)
{
	if (arg) {
		text[4] = L'x';
	} else {
		assert(swprintf(text, 100, L"%d", 123) == 3 && swscanf(L"xyz", L"%ls", text) == 1);
		assert(swprintf(text, 4, L"%d", 12345) == -1);
	}
	return NULL;
}

static void no_more_than_is_stored(void)
{
	THREADS(2, write_or_store);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *print_or_write(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		swprintf(text, 100, L"%s", "xyz");
	else
		assert(wprintf(L"%ls%n\n", text, &number) == number + 1);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, print_or_write);
	assert(number == 7 || number == 3);
}

static atomic_int flag;

static void *make_until(void *arg)
{
	wchar_t own[10];

	while (!atomic_load(&flag))
		swprintf(own, 10, L"%d", 7);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(make_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

static void *prints_literals(void *arg)
{
	fputws(L"literal\n", stdout);
	wprintf(L"%ls and %s\n", L"one", "another");
	return arg;
}

static void literals(void)
{
	THREADS(2, prints_literals);
}

/* ---- Errors with memory, and races ---------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = call)

IN_THREAD(behind_a_block, swprintf(hide(malloc(16)), 10, L"%d", 12345))
IN_THREAD(of_a_freed_block, wprintf(L"%ls", (wchar_t *)freed(16)))
IN_THREAD(into_a_freed_block, swscanf(L"12", L"%d", (int *)freed(16)))

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
		f = letters();            \
		THREADS(2, do_##name);    \
	}
#define READS(name, call)  RACE(name##_reads, call, *last = 0)
#define WRITES(name, call) RACE(name##_writes, call, sink = (int)*last)

READS(wprintf, wprintf(L"%ls", text))
READS(vwprintf, list(PRINT, L"%ls", text))
READS(fwprintf, fwprintf(stderr, L"%ls", text))
READS(vfwprintf, list(PRINT_TO, L"%ls", text))
READS(wprintf_chk, __wprintf_chk(1, L"%ls", text))
READS(vwprintf_chk, list(PRINT_CHECKED, L"%ls", text))
READS(fwprintf_chk, __fwprintf_chk(stderr, 1, L"%ls", text))
READS(vfwprintf_chk, list(PRINT_TO_CHECKED, L"%ls", text))
READS(fputws, fputws(text, stdout))
READS(fputws_unlocked, fputws_unlocked(text, stdout))
READS(format, wprintf(text))
READS(swprintf, swprintf(to, 100, L"%ls", text))
READS(precision, swprintf(to, 100, L"%.8ls", text))
READS(swscanf, swscanf(text, L"%ls", to))
RACE(bytes_reads, wprintf(L"%.8s", bytes), *(volatile char *)hide(bytes + 7) = 0)
/* A precision counts the wide characters that come out, here of two bytes each. */
static void *prints_four(void *arg)
{
	if (arg)
		*(volatile char *)&bytes[7] = 0;
	else
		wprintf(L"%.4s", bytes);
	return NULL;
}

static void multibyte_reads(void)
{
	assert(setlocale(LC_ALL, "C.UTF-8"));
	strcpy(bytes, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	THREADS(2, prints_four);
}

WRITES(swprintf, swprintf(text, 100, L"%d", 1234567))
WRITES(vswprintf, list(MAKE, L"%d", 1234567))
WRITES(swprintf_chk, __swprintf_chk(text, 100, 1, 100, L"%d", 1234567))
WRITES(vswprintf_chk, list(MAKE_CHECKED, L"%d", 1234567))
WRITES(too_long, swprintf(text, 8, L"%d", 123456789))
WRITES(swscanf, swscanf(L"xyzuvwx", L"%ls", text))
WRITES(vswscanf, list(SCAN, L"%ls", text))
WRITES(fwscanf, fwscanf(f, L"%ls", text))
WRITES(vfwscanf, list(SCAN_STREAM, L"%ls", text))
WRITES(wscanf, (dup2(fileno(f), 0), wscanf(L"%ls", text)))
WRITES(vwscanf, (dup2(fileno(f), 0), list(SCAN_INPUT, L"%ls", text)))

/* ---- How they fail -------------------------------------------------------------------------------- */

static FILE *closed(const char *mode)
{
	FILE *g = tmpfile();

	assert(g && freopen("/dev/null", mode, g) && close(fileno(g)) == 0);
	setbuf(g, NULL);
	return g;
}

static int scan_nothing(int in_list)
{
	close(0);
	return in_list ? list(SCAN_INPUT, L"%d", &number) : wscanf(L"%d", &number);
}

EACH_FAILS(fwprintf_EBADF, EBADF, fwprintf(closed("w"), L"%d", 1))
EACH_FAILS(vfwprintf_EBADF, EBADF, (f = closed("w"), list(PRINT_TO, L"%d", 1)))
EACH_FAILS(fwscanf_EBADF, EBADF, fwscanf(closed("r"), L"%d", &number))
EACH_FAILS(vfwscanf_EBADF, EBADF, (f = closed("r"), list(SCAN_STREAM, L"%d", &number)))
EACH_FAILS(wscanf_EBADF, EBADF, scan_nothing(0))
EACH_FAILS(vwscanf_EBADF, EBADF, scan_nothing(1))

CASES(CASE(what_each_prints), CASE(what_each_takes), CASE(text_that_is_long),
      CASE(text_that_does_not_fit), CASE(strings_end_at_the_precision),
      CASE(no_more_than_is_stored), CASE(in_order), CASE(in_a_loop_that_waits), CASE(literals),
      CASE(behind_a_block), CASE(of_a_freed_block), CASE(into_a_freed_block), CASE(wprintf_reads),
      CASE(vwprintf_reads), CASE(fwprintf_reads), CASE(vfwprintf_reads), CASE(wprintf_chk_reads),
      CASE(vwprintf_chk_reads), CASE(fwprintf_chk_reads), CASE(vfwprintf_chk_reads),
      CASE(fputws_reads), CASE(fputws_unlocked_reads), CASE(format_reads), CASE(swprintf_reads),
      CASE(bytes_reads), CASE(multibyte_reads), CASE(precision_reads), CASE(swscanf_reads),
      CASE(swprintf_writes), CASE(vswprintf_writes), CASE(swprintf_chk_writes),
      CASE(vswprintf_chk_writes), CASE(too_long_writes), CASE(swscanf_writes),
      CASE(vswscanf_writes), CASE(fwscanf_writes), CASE(vfwscanf_writes), CASE(wscanf_writes),
      CASE(vwscanf_writes), CASE(fwprintf_EBADF), CASE(vfwprintf_EBADF), CASE(fwscanf_EBADF),
      CASE(vfwscanf_EBADF), CASE(wscanf_EBADF), CASE(vwscanf_EBADF))
