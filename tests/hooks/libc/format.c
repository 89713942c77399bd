/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format.c - text made in memory by snprintf() and its family: what comes out, and what is accessed
 *
 * In X_writes one thread makes a text of seven letters with X where another reads the last one, in
 * X_ends its final 0, in X_reads it prints a string that the other changes. A text must not be seen
 * behind its end, nor behind its room, nor more of a string than the precision allows.
 *
 * case what_each_returns: ok 1
 * case what_they_tell_by_n: ok 1
 * case texts_end_where_they_end: ok 1
 * case strings_end_at_the_precision: ok 1
 * case in_order: ok 2
 * case literals: ok 1
 * case read_in_a_loop_that_waits: ok 1
 * case written_in_a_loop_that_waits: ok 2
 * case into_an_atomic: ok 1
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case behind_the_end_of_the_room: bug out-of-bounds at IN_THREAD(behind_the_end_of_the_room,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case of_an_unterminated_block: bug out-of-bounds at IN_THREAD(of_an_unterminated_block,
 * case beyond_the_checked_room: bug crash at IN_THREAD(beyond_the_checked_room,
 * case beyond_the_checked_size: bug crash at IN_THREAD(beyond_the_checked_size,
 * case checked_n: bug crash at IN_THREAD(checked_n,
 * case snprintf_writes: bug data-race at WRITES(snprintf,
 * case snprintf_ends: bug data-race at ENDS(snprintf,
 * case snprintf_cut_ends: bug data-race at ENDS(snprintf_cut,
 * case vsnprintf_writes: bug data-race at WRITES(vsnprintf,
 * case vsnprintf_ends: bug data-race at ENDS(vsnprintf,
 * case sprintf_writes: bug data-race at WRITES(sprintf,
 * case sprintf_ends: bug data-race at ENDS(sprintf,
 * case sprintf_of_a_literal: bug data-race at RACE(sprintf_of_a_literal,
 * case snprintf_of_a_literal: bug data-race at RACE(snprintf_of_a_literal,
 * case sprintf_of_a_string: bug data-race at RACE(sprintf_of_a_string,
 * case vsprintf_writes: bug data-race at WRITES(vsprintf,
 * case snprintf_chk_writes: bug data-race at WRITES(snprintf_chk,
 * case vsnprintf_chk_writes: bug data-race at WRITES(vsnprintf_chk,
 * case sprintf_chk_writes: bug data-race at WRITES(sprintf_chk,
 * case vsprintf_chk_writes: bug data-race at WRITES(vsprintf_chk,
 * case error_writes: bug data-race at WRITES(error,
 * case n_writes: bug data-race at RACE(n_writes,
 * case hhn_writes: bug data-race at RACE(hhn_writes,
 * case asprintf_writes: bug data-race at RACE(asprintf_writes,
 * case snprintf_reads: bug data-race at READS(snprintf,
 * case vsnprintf_reads: bug data-race at READS(vsnprintf,
 * case sprintf_reads: bug data-race at READS(sprintf,
 * case vsprintf_reads: bug data-race at READS(vsprintf,
 * case asprintf_reads: bug data-race at READS(asprintf,
 * case vasprintf_reads: bug data-race at READS(vasprintf,
 * case snprintf_chk_reads: bug data-race at READS(snprintf_chk,
 * case asprintf_chk_reads: bug data-race at READS(asprintf_chk,
 * case nowhere_reads: bug data-race at READS(nowhere,
 * case format_reads: bug data-race at RACE(format_reads,
 * case positional_reads: bug data-race at READS(positional,
 * case precision_reads: bug data-race at READS(precision,
 * case after_others_reads: bug data-race at READS(after_others,
 * case on_the_stack_reads: bug data-race at READS(on_the_stack,
 * case wide_reads: bug data-race at RACE(wide_reads,
 *
 * ways snprintf: EILSEQ EOVERFLOW; not ENOMEM (only libc knows when it takes memory)
 * ways vsnprintf: EILSEQ EOVERFLOW; not ENOMEM (likewise)
 * ways sprintf: EILSEQ EOVERFLOW; not ENOMEM (likewise)
 * ways vsprintf: EILSEQ EOVERFLOW; not ENOMEM (likewise)
 * ways asprintf: EILSEQ EOVERFLOW; not ENOMEM (a text that long takes more memory than there is)
 * ways vasprintf: EILSEQ EOVERFLOW; not ENOMEM (likewise)
 *
 * case snprintf_EILSEQ: ok 1
 * case snprintf_EOVERFLOW: ok 1
 * case vsnprintf_EILSEQ: ok 1
 * case vsnprintf_EOVERFLOW: ok 1
 * case sprintf_EILSEQ: ok 1
 * case sprintf_EOVERFLOW: ok 1
 * case vsprintf_EILSEQ: ok 1
 * case vsprintf_EOVERFLOW: ok 1
 * case asprintf_EILSEQ: ok 1
 * case asprintf_EOVERFLOW: ok 1
 * case vasprintf_EILSEQ: ok 1
 * case vasprintf_EOVERFLOW: ok 1
 * case no_room_is_no_error: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list ap);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list ap);
int __asprintf_chk(char **to, int flag, const char *format, ...);
int __vasprintf_chk(char **to, int flag, const char *format, va_list ap);

static char text[100] = "abcdefg";
static wchar_t wide[] = L"abcdefg";
static int number;
static signed char small_number;
static char *made;
static _Thread_local volatile int sink;

/* ---- What comes out ------------------------------------------------------------------------------ */

static int list(int which, char **to, size_t n, const char *format, ...)
{
	int result = -2;
	va_list ap;

	va_start(ap, format);
	switch (which) {
	case 0:
		result = vsnprintf(*to, n, format, ap);
		break;
	case 1:
		result = vsprintf(*to, format, ap);
		break;
	case 2:
		result = vasprintf(to, format, ap);
		break;
	case 3:
		result = __vsnprintf_chk(*to, n, 1, n, format, ap);
		break;
	case 4:
		result = __vsprintf_chk(*to, 1, n, format, ap);
		break;
	case 5:
		result = __vasprintf_chk(to, 1, format, ap);
		break;
	}
	va_end(ap);
	return result;
}

static void check_blocks(void)
{
	char *p = NULL;

	assert(asprintf(&p, "%d and %s", 12, "more") == 11 && !strcmp(p, "12 and more"));
	free(hide(p));
	assert(list(2, &p, 0, "%c%c", 'x', 'y') == 2 && !strcmp(p, "xy"));
	free(hide(p));
	assert(__asprintf_chk(&p, 1, "%5.1f", 2.25) == 5 && !strcmp(p, "  2.2"));
	free(hide(p));
	assert(list(5, &p, 0, "%%") == 1 && !strcmp(p, "%"));
	free(hide(p));
}

static void *check(void *arg)
{
	char b[300], *p = hide(b);

	assert(snprintf(p, 10, "%d", 42) == 2 && !strcmp(p, "42"));
	assert(snprintf(p, 3, "%s", "abcdef") == 6 && !strcmp(p, "ab"));
	assert(snprintf(NULL, 0, "%s%s", "abc", "def") == 6);
	assert(snprintf(p, 0, "x") == 1 && !strcmp(p, "ab"));
	assert(sprintf(p, "%.1f %Lf %g %c", 1.5, 2.5L, 0.1, 'x') == 18);
	assert(!strcmp(p, "1.5 2.500000 0.1 x"));
	assert(sprintf(p, "%2$s %1$s %2$.2s", "a", "bcd") == 8 && !strcmp(p, "bcd a bc"));
	assert(sprintf(p, "%1$*2$d|%3$.*4$s", 7, 3, "xyz", 1) == 5 && !strcmp(p, "  7|x"));
	assert(sprintf(p, "%*d|%-*d|%.*s", 3, 1, 3, 2, -1, "abc") == 11);
	assert(!strcmp(p, "  1|2  |abc"));
	assert(sprintf(p, "%ls %lc %.2ls", L"ab", L'c', L"xyz") == 7 && !strcmp(p, "ab c xy"));
	assert(sprintf(p, "%s", (char *)NULL) == 6 && !strcmp(p, "(null)"));
	errno = ENOENT;
	assert(sprintf(p, "%m") > 0 && !strcmp(p, strerror(ENOENT)) && errno == ENOENT);
	assert(sprintf(p, "%d%d%d%d%d%d%d%s%f%f%f%f%f%f%f%f%s%f", 1, 2, 3, 4, 5, 6, 7, "a", 1., 2.,
		       3., 4., 5., 6., 7., 8., "b", 9.) == 7 + 2 + 9 * 8);
	strcpy(p, "ab");
	assert(sprintf(p, "%sc", p) == 3 && !strcmp(p, "abc"));
	assert(list(0, &p, 3, "%d", 1234) == 4 && !strcmp(p, "12"));
	assert(list(1, &p, 0, "%d", 1234) == 4 && !strcmp(p, "1234"));
	assert(list(3, &p, 3, "%d", 1234) == 4 && !strcmp(p, "12"));
	assert(list(4, &p, 5, "%d", 1234) == 4 && !strcmp(p, "1234"));
	assert(__snprintf_chk(p, 4, 1, 9, "%s", "abcd") == 4 && !strcmp(p, "abc"));
	assert(__sprintf_chk(p, 1, 5, "%s", "abcd") == 4 && !strcmp(p, "abcd"));
	check_blocks();
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *check_n(void *arg)
{
	char b[100];
	signed char hh = 0;
	short h = 0;
	int n = 0, last = 0;
	long l = 0;
	long long ll = 0;
	size_t z = 0;

	assert(sprintf(hide(b), "a%hhnb%hnc%nd%lne%llnf%zn", &hh, &h, &n, &l, &ll, &z) == 6);
	assert(hh == 1 && h == 2 && n == 3 && l == 4 && ll == 5 && z == 6 && !strcmp(b, "abcdef"));
	assert(snprintf(hide(b), 3, "%2$s%1$n%3$n", &n, "abcdef", &last) == 6);
	assert(n == 6 && last == 6 && !strcmp(b, "ab"));
	return arg;
}

static void what_they_tell_by_n(void)
{
	check_n(NULL);
	THREADS(1, check_n);
}

/* ---- What is not accessed ------------------------------------------------------------------------- */

/* One thread writes bytes 4 to 6 of the text, the other does what needs only those before. */
static void (*within)(void);

static void *write_or_stay_within(void *arg)
{
	if (arg)
		memcpy(text + 4, "xyz", 3);
	else
		within();
	return NULL;
}

static void make(void)
{
	assert(snprintf(text, 100, "%d", 123) == 3);
	assert(snprintf(text, 4, "%s", "abcdefg") == 7);
	assert(sprintf(text, "%c%s", 'a', "bc") == 3);
	assert(snprintf(text, 0, "abcdefg") == 7);
}

static void texts_end_where_they_end(void)
{
	within = make;
	THREADS(2, write_or_stay_within);
}

static void print_a_part(void)
{
	char own[100];

	assert(sprintf(hide(own), "%.3s|%.*s|", text, 4, text) == 9);
	assert(sprintf(hide(own), "%1$.*2$s", text, 3) == 3);
	assert(sprintf(hide(own), "%.0s", text) == 0);
}

static void strings_end_at_the_precision(void)
{
	within = print_a_part;
	THREADS(2, write_or_stay_within);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *print_or_read(void *arg)
{
	char own[100];

	pthread_mutex_lock(&mutex);
	if (arg) {
		snprintf(text, 100, "%d%n", 42, &number);
	} else {
		sprintf(hide(own), "%s", text);
		assert(!strcmp(own, number ? "42" : "abcdefg"));
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, print_or_read);
}

static const char *const names[] = { "one", "two" };

static void *print_literals(void *arg)
{
	char own[100];

	sprintf(hide(own), "%s %s", names[0], names[(long)arg]);
	assert(!strcmp(own, arg ? "one two" : "one one"));
	return NULL;
}

static void literals(void)
{
	THREADS(2, print_literals);
}

/* ---- Threads that are run again ------------------------------------------------------------------- */

static atomic_int flag;

static void *wait_and_look(void *arg)
{
	char own[100];

	while (!atomic_load(&flag))
		sprintf(hide(own), "%s %d", text, 7);
	assert(!strcmp(text, "12"));
	return arg;
}

static void read_in_a_loop_that_waits(void)
{
	pthread_t t;

	strcpy(text, "12");
	t = begin(wait_and_look, NULL);
	atomic_store(&flag, 1);
	end(t);
}

/* What a round writes that is only tried must not stay. */
static char rounds[8] = "0";

static void *wait_and_write(void *arg)
{
	bool any = false;

	while (!atomic_load(&flag)) {
		assert(!strcmp(rounds, any ? "x1" : "0"));
		any = true;
		snprintf(rounds, sizeof(rounds), "x%d", 1);
	}
	assert(!strcmp(rounds, any ? "x1" : "0"));
	return arg;
}

static void *store_flag(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

static void written_in_a_loop_that_waits(void)
{
	pthread_t w = begin(wait_and_write, NULL), s = begin(store_flag, NULL);

	end(w);
	end(s);
}

static _Atomic char letter;

static void *store_letter(void *arg)
{
	atomic_store(&letter, 'a');
	return arg;
}

static void into_an_atomic(void)
{
	int n = -1;

	THREADS(1, store_letter);
	snprintf((char *)&letter, 1, "%s%n", "abc", &n);
	assert(atomic_load(&letter) == 0 && n == 3);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, call)

static char *filled(void)
{
	char *p = hide(malloc(4));

	memset(p, 'x', 4);
	return p;
}

static char own_text[100];
static char writable_format[] = "abcd%n";

IN_THREAD(behind_the_end, sprintf(hide(malloc(4)), "%d", 1234))
IN_THREAD(behind_the_end_of_the_room, snprintf(hide(malloc(4)), 5, "%d", 12345))
IN_THREAD(into_a_freed_block, snprintf(freed(8), 8, "%d", 1))
IN_THREAD(of_a_freed_block, snprintf(own_text, 8, "%s", freed(8)))
IN_THREAD(of_an_unterminated_block, snprintf(own_text, 8, "%s", filled()))
IN_THREAD(beyond_the_checked_room, __sprintf_chk(own_text, 1, 4, "%d", 1234))
IN_THREAD(beyond_the_checked_size, __snprintf_chk(own_text, 5, 1, 4, "%d", 1))
IN_THREAD(checked_n, __snprintf_chk(own_text, 9, 1, 9, writable_format, &number))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		char own[100];                   \
		char *to = hide(own);            \
                                                 \
		(void)to;                        \
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
#define WRITES(name, call) RACE(name##_writes, call, sink = text[6])
#define ENDS(name, call)   RACE(name##_ends, call, sink = text[7])
#define READS(name, call)  RACE(name##_reads, call, text[7] = 0)

static char *at_text = text;
static const wchar_t bad[] = { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 0x7ffffff0, 0 };

static char own_format[] = "%d %d";

WRITES(snprintf, snprintf(text, 100, "%d", 1234567))
ENDS(snprintf, snprintf(text, 100, "%d", 1234567))
ENDS(snprintf_cut, snprintf(text, 8, "%d", 12345678))
WRITES(vsnprintf, list(0, &at_text, 100, "%d", 1234567))
ENDS(vsnprintf, list(0, &at_text, 100, "%d", 1234567))
WRITES(sprintf, sprintf(text, "%d", 1234567))
ENDS(sprintf, sprintf(text, "%d", 1234567))
RACE(sprintf_of_a_literal, sprintf(text, "1234567"), sink = text[6])
RACE(snprintf_of_a_literal, snprintf(text, 100, "1234567"), sink = text[6])
RACE(sprintf_of_a_string, sprintf(text, "%s", "1234567"), sink = text[6])
WRITES(vsprintf, list(1, &at_text, 0, "%d", 1234567))
WRITES(snprintf_chk, __snprintf_chk(text, 100, 1, 100, "%d", 1234567))
WRITES(vsnprintf_chk, list(3, &at_text, 100, "%d", 1234567))
WRITES(sprintf_chk, __sprintf_chk(text, 1, 100, "%d", 1234567))
WRITES(vsprintf_chk, list(4, &at_text, 100, "%d", 1234567))
WRITES(error, snprintf(text, 100, "%s%ls", "1234567", bad + 7))
RACE(n_writes, sprintf(to, "abc%n", &number), sink = number)
RACE(hhn_writes, sprintf(to, "abc%hhn", &small_number), sink = small_number)
RACE(asprintf_writes, sink = asprintf(&made, "%d", 1), sink = made != NULL)
READS(snprintf, snprintf(to, 100, "%s", text))
READS(vsnprintf, list(0, &to, 100, "%s", text))
READS(sprintf, sprintf(to, "%s:", text))
READS(vsprintf, list(1, &to, 0, "%s", text))
READS(asprintf, sink = asprintf(&made, "%s", text))
READS(vasprintf, list(2, &made, 0, "%s", text))
READS(snprintf_chk, __snprintf_chk(to, 100, 1, 100, "%s", text))
READS(asprintf_chk, __asprintf_chk(&made, 1, "%s", text))
READS(nowhere, sink = snprintf(NULL, 0, "%s", text))
RACE(format_reads, sprintf(to, hide(own_format), 1, 2), own_format[4] = 'x')
READS(positional, sprintf(to, "%2$.3s %3$s %1$s", "a", "bcd", text))
READS(precision, sprintf(to, "%.*s", 8, text))
READS(after_others, sprintf(to, "%5.2f %Lf %c %-08lx %*d %s", 1., 1.L, 'c', 7l, 4, 5, text))
READS(on_the_stack, sprintf(to, "%d%d%d%d%d%d%Lg%s", 1, 2, 3, 4, 5, 6, 1.L, text))
RACE(wide_reads, sprintf(to, "%ls", wide), wide[7] = 0)

/* --- how they fail ---------------------------------------------------------------------------- */

/* No character of any encoding. A width over INT_MAX, and by variables so that compilers do not see it. */
static const wchar_t none[] = { 'a', 0x7ffffff0, 0 };
static const char *volatile too_wide = "%2147483648d", *volatile star = "%*d",
			    *volatile wide_format = "%ls";
static char room[100];
static char *block;

enum which {
	VSNPRINTF,
	VSPRINTF,
	VASPRINTF
};

static int list_of(enum which which, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	if (which == VSNPRINTF)
		result = vsnprintf(room, sizeof(room), format, ap);
	else if (which == VSPRINTF)
		result = vsprintf(room, format, ap);
	else
		result = vasprintf(&block, format, ap);
	va_end(ap);
	return result;
}

EACH_FAILS(snprintf_EILSEQ, EILSEQ, snprintf(room, sizeof(room), wide_format, none))
EACH_FAILS(snprintf_EOVERFLOW, EOVERFLOW, snprintf(room, sizeof(room), too_wide, 1))
EACH_FAILS(vsnprintf_EILSEQ, EILSEQ, list_of(VSNPRINTF, wide_format, none))
EACH_FAILS(vsnprintf_EOVERFLOW, EOVERFLOW, list_of(VSNPRINTF, too_wide, 1))
EACH_FAILS(sprintf_EILSEQ, EILSEQ, sprintf(room, wide_format, none))
EACH_FAILS(sprintf_EOVERFLOW, EOVERFLOW, sprintf(room, too_wide, 1))
EACH_FAILS(vsprintf_EILSEQ, EILSEQ, list_of(VSPRINTF, wide_format, none))
EACH_FAILS(vsprintf_EOVERFLOW, EOVERFLOW, list_of(VSPRINTF, too_wide, 1))
EACH_FAILS(asprintf_EILSEQ, EILSEQ, asprintf(&block, wide_format, none))
EACH_FAILS(asprintf_EOVERFLOW, EOVERFLOW, asprintf(&block, too_wide, 1))
EACH_FAILS(vasprintf_EILSEQ, EILSEQ, list_of(VASPRINTF, wide_format, none))
EACH_FAILS(vasprintf_EOVERFLOW, EOVERFLOW, list_of(VASPRINTF, too_wide, 1))

IN_EACH(no_room_is_no_error)
{
	char small[3] = "xy";

	assert(snprintf(NULL, 0, star, 1000, 1) == 1000);
	assert(snprintf(keep_(small), 0, star, 5, 1) == 5 && !strcmp(small, "xy"));
	assert(snprintf(keep_(small), 1, star, 5, 1) == 5 && !small[0]);
	assert(snprintf(keep_(small), 3, star, 2, 1) == 2 && !strcmp(small, " 1"));
	return arg;
}

CASES(CASE(what_each_returns), CASE(what_they_tell_by_n), CASE(texts_end_where_they_end),
      CASE(strings_end_at_the_precision), CASE(in_order), CASE(literals),
      CASE(read_in_a_loop_that_waits), CASE(written_in_a_loop_that_waits), CASE(into_an_atomic),
      CASE(behind_the_end), CASE(behind_the_end_of_the_room), CASE(into_a_freed_block),
      CASE(of_a_freed_block), CASE(of_an_unterminated_block), CASE(beyond_the_checked_room),
      CASE(beyond_the_checked_size), CASE(checked_n), CASE(snprintf_writes), CASE(snprintf_ends),
      CASE(snprintf_cut_ends), CASE(vsnprintf_writes), CASE(vsnprintf_ends), CASE(sprintf_writes),
      CASE(sprintf_ends), CASE(sprintf_of_a_literal), CASE(snprintf_of_a_literal),
      CASE(sprintf_of_a_string), CASE(vsprintf_writes), CASE(snprintf_chk_writes),
      CASE(vsnprintf_chk_writes), CASE(sprintf_chk_writes), CASE(vsprintf_chk_writes),
      CASE(error_writes), CASE(n_writes), CASE(hhn_writes), CASE(asprintf_writes),
      CASE(snprintf_reads), CASE(vsnprintf_reads), CASE(sprintf_reads), CASE(vsprintf_reads),
      CASE(asprintf_reads), CASE(vasprintf_reads), CASE(snprintf_chk_reads),
      CASE(asprintf_chk_reads), CASE(nowhere_reads), CASE(format_reads), CASE(positional_reads),
      CASE(precision_reads), CASE(after_others_reads), CASE(on_the_stack_reads), CASE(wide_reads),
      CASE(snprintf_EILSEQ), CASE(snprintf_EOVERFLOW), CASE(vsnprintf_EILSEQ),
      CASE(vsnprintf_EOVERFLOW), CASE(sprintf_EILSEQ), CASE(sprintf_EOVERFLOW),
      CASE(vsprintf_EILSEQ), CASE(vsprintf_EOVERFLOW), CASE(asprintf_EILSEQ),
      CASE(asprintf_EOVERFLOW), CASE(vasprintf_EILSEQ), CASE(vasprintf_EOVERFLOW),
      CASE(no_room_is_no_error))
