/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.c - sscanf() and its family: what they store, and what they access
 *
 * In X_reads one thread scans with X a text whose last byte another one writes; in X_stores it stores
 * what the other looks at.
 *
 * case what_each_stores: ok 1
 * case what_each_returns: ok 1
 * case from_streams: ok 1
 * case no_more_than_is_stored: ok 1
 * case in_order: ok 2
 * case into_atomics: ok 1
 * case in_a_loop_that_waits: ok 2
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case behind_the_end_from_a_stream: bug out-of-bounds at IN_THREAD(behind_the_end_from_a_stream,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case of_an_unterminated_block: bug out-of-bounds at IN_THREAD(of_an_unterminated_block,
 * case sscanf_reads: bug data-race at READS(sscanf,
 * case vsscanf_reads: bug data-race at READS(vsscanf,
 * case c89_reads: bug data-race at READS(c89,
 * case c23_reads: bug data-race at READS(c23,
 * case format_reads: bug data-race at RACE(format_reads,
 * case sscanf_stores: bug data-race at STORES(sscanf,
 * case vsscanf_stores: bug data-race at STORES(vsscanf,
 * case c89_stores: bug data-race at STORES(c89,
 * case fscanf_stores: bug data-race at STORES(fscanf,
 * case vfscanf_stores: bug data-race at STORES(vfscanf,
 * case second_stores: bug data-race at STORES(second,
 * case positional_stores: bug data-race at STORES(positional,
 * case long_stores: bug data-race at STORES(long,
 * case string_stores: bug data-race at STORES(string,
 * case string_end_stores: bug data-race at STORES(string_end,
 * case set_stores: bug data-race at STORES(set,
 * case characters_stores: bug data-race at STORES(characters,
 * case wide_stores: bug data-race at STORES(wide,
 * case pointer_stores: bug data-race at STORES(pointer,
 * case n_stores: bug data-race at STORES(n,
 * case stream_string_stores: bug data-race at STORES(stream_string,
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
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

int c89_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
/* glibc has it from 2.38 on. */
int __isoc23_sscanf(const char *text, const char *format, ...) __attribute__((weak));

static char text[100] = "12 ab 7";
static char string[100];
static wchar_t wide[10];
static int a, b;
static long longs[2];
static char *pointer;
static _Thread_local volatile int sink;

static int list(FILE *f, const char *s, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	result = f ? vfscanf(f, format, ap) : vsscanf(s, format, ap);
	va_end(ap);
	return result;
}

/* ---- What they do --------------------------------------------------------------------------------- */

static void check_numbers(void)
{
	signed char hh = 0;
	short h = 0;
	int i = 0, n = 0;
	long l = 0;
	long long ll = 0;
	float f = 0;
	double d = 0;
	long double ld = 0;
	void *p = NULL;

	assert(sscanf(hide("1 2 3 4 5"), "%hhd %hd %d %ld %lld", &hh, &h, &i, &l, &ll) == 5);
	assert(hh == 1 && h == 2 && i == 3 && l == 4 && ll == 5);
	assert(sscanf(hide("0x1f 017 42"), "%x %o %u%n", &i, (unsigned *)&n, (unsigned *)&a, &b) ==
	       3);
	assert(i == 31 && n == 15 && a == 42 && b == 11);
	assert(sscanf(hide("1.5 2.5e1 inf"), "%f %lf %Lf", &f, &d, &ld) == 3);
	assert(f == 1.5f && d == 25 && ld > 1e300L);
	assert(sscanf(hide("0x10"), "%p", &p) == 1 && p == (void *)16);
	assert(sscanf(hide("7,8"), "%2$d,%1$d", &i, &n) == 2 && i == 8 && n == 7);
	assert(list(NULL, hide("12:34"), "%d:%d", &i, &n) == 2 && i == 12 && n == 34);
	assert(c89_sscanf(hide("5"), "%d", &i) == 1 && i == 5);
	if (__isoc23_sscanf)
		assert(__isoc23_sscanf(hide("6"), "%d", &i) == 1 && i == 6);
}

static void check_strings(void)
{
	char s[20], t[20], *m = NULL;
	wchar_t w[5];
	int n = -1;

	assert(sscanf(hide("  ab cd"), "%s %3s%n", s, t, &n) == 2 && n == 7);
	assert(!strcmp(s, "ab") && !strcmp(t, "cd"));
	assert(sscanf(hide("key = value;"), "%[a-z] = %[^;];%n", s, t, &n) == 2 && n == 12);
	assert(!strcmp(s, "key") && !strcmp(t, "value"));
	memset(s, 'x', sizeof(s));
	assert(sscanf(hide("abcd"), "%2c%c", s, t) == 2 && !memcmp(s, "abx", 3) && t[0] == 'c');
	assert(sscanf(hide("ab"), "%5c", s) == 1 && !memcmp(s, "abx", 3));
	assert(sscanf(hide("ab 100% x"), "%*s %d%% %s", &n, s) == 2 && n == 100 && s[0] == 'x');
	assert(sscanf(hide("ab c"), "%4ls %lc", w, w + 4) == 2 && !wcscmp(w, L"ab") && w[4] == 'c');
	assert(sscanf(hide("word m0m]"), "%ms %m[]0m]", &m, &pointer) == 2 && !strcmp(m, "word"));
	assert(!strcmp(pointer, "m0m]"));
	free(m);
	free(pointer);
	assert(c89_sscanf(hide("abc"), "%as", &m) == 1 && !strcmp(m, "abc"));
	free(m);
}

static void *check(void *arg)
{
	check_numbers();
	check_strings();
	return arg;
}

static void what_each_stores(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *check_results(void *arg)
{
	int i = 1, n = -1;
	char s[10] = "x";

	assert(sscanf(hide(""), "%d", &i) == EOF && sscanf(hide("x"), "%d", &i) == 0 && i == 1);
	assert(sscanf(hide("5 x 6"), "%d %d%n", &i, &n, &n) == 1 && i == 5 && n == -1);
	assert(sscanf(hide("5;"), "%d,%d", &i, &n) == 1 && n == -1);
	assert(sscanf(hide("abc"), "%[0-9]", s) == 0 && s[0] == 'x');
	assert(sscanf(hide("abc"), "abd%n", &n) == 0 && n == -1);
	assert(sscanf(hide("abc"), "abc%n", &n) == 0 && n == 3);
	return arg;
}

static void what_each_returns(void)
{
	check_results(NULL);
	THREADS(1, check_results);
}

static FILE *file(const char *s)
{
	FILE *f = fmemopen(hide(s), strlen(s), "r");

	assert(f);
	return f;
}

static void *check_streams(void *arg)
{
	FILE *f = file("12 ab 3.5 cde x");
	char s[10], t[10];
	double d;
	int i, n;

	assert(fscanf(f, "%d %s%n", &i, s, &n) == 2 && i == 12 && !strcmp(s, "ab") && n == 5);
	assert(list(f, NULL, "%lf %3c %*s", &d, t) == 2 && d == 3.5 && !memcmp(t, "cde", 3));
	assert(fscanf(f, "%d", &i) == EOF && i == 12);
	fclose(f);
	return arg;
}

static void from_streams(void)
{
	check_streams(NULL);
	THREADS(1, check_streams);
}

/* ---- What is not accessed ------------------------------------------------------------------------- */

static void *write_or_scan(void *arg)
{
	FILE *f;
	int n;

	if (arg) {
		memcpy(string + 4, "xyz", 3);
		longs[1] = b = 5;
		wide[3] = 'x';
		return NULL;
	}
	assert(sscanf(hide("abc"), "%s", string) == 1 &&
	       sscanf(hide("abcdef"), "%3s", string) == 1);
	assert(sscanf(hide("abcdef"), "%4c", string) == 1 &&
	       sscanf(hide("ab"), "%8c", string) == 1);
	assert(sscanf(hide("abc1"), "%[a-z]", string) == 1);
	assert(sscanf(hide("1 x"), "%ld %ld", &longs[0], &longs[1]) == 1);
	assert(sscanf(hide("1 2"), "%d %*d %n", &a, &n) == 1 && sscanf(hide("x"), "%d", &b) == 0);
	assert(sscanf(hide("  ab"), "%ls", wide) == 1);
	f = file("abc 1 x");
	assert(fscanf(f, "%s %d %d", string, &a, &b) == 2);
	fclose(f);
	return NULL;
}

static void no_more_than_is_stored(void)
{
	THREADS(2, write_or_scan);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *scan_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		assert(sscanf(text, "%d %s %d", &a, string, &b) == 3);
	else
		assert((a == 12 && b == 7 && !strcmp(string, "ab")) || (!a && !b && !string[0]));
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, scan_or_look);
}

static atomic_int atomics[3];

static void *store(void *arg)
{
	for (int i = 0; i < 3; i++)
		atomic_store(&atomics[i], 5);
	return arg;
}

static void into_atomics(void)
{
	THREADS(1, store);
	assert(sscanf(hide("1 2 3"), "%d %d %d", (int *)&atomics[0], (int *)&atomics[1],
		      (int *)&atomics[2]) == 3);
	for (int i = 0; i < 3; i++)
		assert(atomic_load(&atomics[i]) == i + 1);
}

static atomic_int flag;

static void *scan_until(void *arg)
{
	int rounds = 0;

	while (!atomic_load(&flag)) {
		assert(a == (rounds ? 12 : 0) && string[0] == (rounds ? 'a' : 0));
		rounds = 1;
		assert(sscanf(text, "%d %s", &a, string) == 2);
	}
	assert(a == (rounds ? 12 : 0) && string[0] == (rounds ? 'a' : 0));
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(scan_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = call)

static char *digits(void)
{
	char *p = hide(malloc(4));

	memset(p, '1', 4);
	return p;
}

IN_THREAD(behind_the_end, sscanf(hide("abcd"), "%s", (char *)hide(malloc(4))))
IN_THREAD(behind_the_end_from_a_stream, fscanf(file("abcd"), "%s", (char *)hide(malloc(4))))
IN_THREAD(of_a_freed_block, sscanf(freed(8), "%d", &a))
IN_THREAD(into_a_freed_block, sscanf(text, "%d", (int *)freed(8)))
IN_THREAD(of_an_unterminated_block, sscanf(digits(), "%d", &a))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		int own, other;                  \
                                                 \
		own = other = 0;                 \
		if (arg)                         \
			access;                  \
		else                             \
			sink = call;             \
		sink = own + other;              \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}
#define READS(name, call)        RACE(name##_reads, call, text[7] = 0)
#define STORES(name, call, look) RACE(name##_stores, call, sink = look)

static char own_format[] = "%d %d";

READS(sscanf, sscanf(text, "%d", &own))
READS(vsscanf, list(NULL, text, "%d", &own))
READS(c89, c89_sscanf(text, "%d", &own))
READS(c23, (__isoc23_sscanf ? __isoc23_sscanf : sscanf)(text, "%d", &own))
RACE(format_reads, sscanf(text, hide(own_format), &own, &other), own_format[4] = 'x')
STORES(sscanf, sscanf(text, "%d", &a), a)
STORES(vsscanf, list(NULL, text, "%d", &a), a)
STORES(c89, c89_sscanf(text, "%d", &a), a)
STORES(fscanf, fscanf(file("12 ab"), "%d", &a), a)
STORES(vfscanf, list(file("12 ab"), NULL, "%d", &a), a)
STORES(second, sscanf(text, "%d %*s%d", &own, &b), b)
STORES(positional, sscanf(text, "%2$d %*s%1$d", &b, &own), b)
STORES(long, sscanf(text, "%ld", &longs[0]), ((volatile int *)longs)[1])
STORES(string, sscanf(text, "%*d %s", string), string[1])
STORES(string_end, sscanf(text, "%*d %s", string), string[2])
STORES(set, sscanf(text, "%[0-9]", string), string[1])
STORES(characters, sscanf(text, "%3c", string), string[2])
STORES(wide, sscanf(text, "%*d %ls", wide), (int)wide[2])
STORES(pointer, sscanf(text, "%ms", &pointer), pointer != NULL)
STORES(n, sscanf(text, "%d%n", &own, &a), a)
STORES(stream_string, fscanf(file("12 ab"), "%*d %s", string), string[2])

/* --- how they fail ---------------------------------------------------------------------------- */

static int number;

enum which {
	VSSCANF,
	VFSCANF,
	VSCANF
};

static int list_of(enum which which, void *from, const char *format, ...)
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
EACH_FAILS(vsscanf_EILSEQ, EILSEQ, NOTHING(list_of(VSSCANF, NO_CHARACTER, "%ls", wide)))

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
STREAM_FAILS(vfscanf_EBADF, EBADF, OUTPUT, list_of(VFSCANF, f, "%d", &number))
STREAM_FAILS(scanf_EBADF, EBADF, NO_STDIN, scanf("%d", &number))
STREAM_FAILS(vscanf_EBADF, EBADF, NO_STDIN, list_of(VSCANF, NULL, "%d", &number))

IN_EACH(the_end_is_no_error)
{
	errno = 0;
	assert(sscanf(keep_(""), "%d", &number) == EOF && sscanf(keep_("x"), "%d", &number) == 0);
	assert(!errno);
	return arg;
}

CASES(CASE(what_each_stores), CASE(what_each_returns), CASE(from_streams),
      CASE(no_more_than_is_stored), CASE(in_order), CASE(into_atomics), CASE(in_a_loop_that_waits),
      CASE(behind_the_end), CASE(behind_the_end_from_a_stream), CASE(of_a_freed_block),
      CASE(into_a_freed_block), CASE(of_an_unterminated_block), CASE(sscanf_reads),
      CASE(vsscanf_reads), CASE(c89_reads), CASE(c23_reads), CASE(format_reads),
      CASE(sscanf_stores), CASE(vsscanf_stores), CASE(c89_stores), CASE(fscanf_stores),
      CASE(vfscanf_stores), CASE(second_stores), CASE(positional_stores), CASE(long_stores),
      CASE(string_stores), CASE(string_end_stores), CASE(set_stores), CASE(characters_stores),
      CASE(wide_stores), CASE(pointer_stores), CASE(n_stores), CASE(stream_string_stores),
      CASE(sscanf_EILSEQ), CASE(sscanf_ERANGE), CASE(vsscanf_EILSEQ), CASE(fscanf_EBADF),
      CASE(fscanf_EILSEQ), CASE(fscanf_EISDIR), CASE(vfscanf_EBADF), CASE(scanf_EBADF),
      CASE(vscanf_EBADF), CASE(the_end_is_no_error))
