/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wide_text.c - numbers and tokens of wide text, and conversions of it: what they return, and what they access
 *
 * case what_each_returns: ok 1
 * case in_another_locale: ok 1
 * case they_end_where_they_end: ok 1
 * case in_order: ok 2
 * case behind_a_block: bug out-of-bounds at IN_THREAD(behind_a_block,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case wcstol_reads: bug data-race at RACE(wcstol_reads,
 * case wcstoul_reads: bug data-race at RACE(wcstoul_reads,
 * case wcstoll_reads: bug data-race at RACE(wcstoll_reads,
 * case wcstoull_reads: bug data-race at RACE(wcstoull_reads,
 * case wcstoq_reads: bug data-race at RACE(wcstoq_reads,
 * case wcstouq_reads: bug data-race at RACE(wcstouq_reads,
 * case wcstoimax_reads: bug data-race at RACE(wcstoimax_reads,
 * case wcstoumax_reads: bug data-race at RACE(wcstoumax_reads,
 * case wcstod_reads: bug data-race at RACE(wcstod_reads,
 * case wcstof_reads: bug data-race at RACE(wcstof_reads,
 * case wcstold_reads: bug data-race at RACE(wcstold_reads,
 * case wcstok_reads: bug data-race at RACE(wcstok_reads,
 * case wcstok_ends_reads: bug data-race at RACE(wcstok_ends_reads,
 * case wcscoll_reads: bug data-race at RACE(wcscoll_reads,
 * case wcscoll_other_reads: bug data-race at RACE(wcscoll_other_reads,
 * case wcstombs_reads: bug data-race at RACE(wcstombs_reads,
 * case wcsrtombs_reads: bug data-race at RACE(wcsrtombs_reads,
 * case wcstombs_chk_reads: bug data-race at RACE(wcstombs_chk_reads,
 * case mbstowcs_reads: bug data-race at RACE(mbstowcs_reads,
 * case mbstowcs_chk_reads: bug data-race at RACE(mbstowcs_chk_reads,
 * case mbstowcs_counts_reads: bug data-race at RACE(mbstowcs_counts_reads,
 * case mbsrtowcs_reads: bug data-race at RACE(mbsrtowcs_reads,
 * case mbrtowc_reads: bug data-race at RACE(mbrtowc_reads,
 * case mbrlen_reads: bug data-race at RACE(mbrlen_reads,
 * case mbtowc_reads: bug data-race at RACE(mbtowc_reads,
 * case mblen_reads: bug data-race at RACE(mblen_reads,
 * case mbsrtowcs_pointer_reads: bug data-race at RACE(mbsrtowcs_pointer_reads,
 * case mbrtowc_state_reads: bug data-race at RACE(mbrtowc_state_reads,
 * case wcrtomb_state_reads: bug data-race at RACE(wcrtomb_state_reads,
 * case wcstol_writes: bug data-race at RACE(wcstol_writes,
 * case wcstoul_writes: bug data-race at RACE(wcstoul_writes,
 * case wcstoll_writes: bug data-race at RACE(wcstoll_writes,
 * case wcstoull_writes: bug data-race at RACE(wcstoull_writes,
 * case wcstoq_writes: bug data-race at RACE(wcstoq_writes,
 * case wcstouq_writes: bug data-race at RACE(wcstouq_writes,
 * case wcstoimax_writes: bug data-race at RACE(wcstoimax_writes,
 * case wcstoumax_writes: bug data-race at RACE(wcstoumax_writes,
 * case wcstod_writes: bug data-race at RACE(wcstod_writes,
 * case wcstof_writes: bug data-race at RACE(wcstof_writes,
 * case wcstold_writes: bug data-race at RACE(wcstold_writes,
 * case wcstok_next_writes: bug data-race at RACE(wcstok_next_writes,
 * case wcstok_cuts_writes: bug data-race at RACE(wcstok_cuts_writes,
 * case mbstowcs_writes: bug data-race at RACE(mbstowcs_writes,
 * case mbstowcs_fills_writes: bug data-race at RACE(mbstowcs_fills_writes,
 * case mbstowcs_chk_writes: bug data-race at RACE(mbstowcs_chk_writes,
 * case mbsrtowcs_writes: bug data-race at RACE(mbsrtowcs_writes,
 * case mbsrtowcs_pointer_writes: bug data-race at RACE(mbsrtowcs_pointer_writes,
 * case wcstombs_writes: bug data-race at RACE(wcstombs_writes,
 * case wcstombs_fills_writes: bug data-race at RACE(wcstombs_fills_writes,
 * case wcstombs_chk_writes: bug data-race at RACE(wcstombs_chk_writes,
 * case wcsrtombs_writes: bug data-race at RACE(wcsrtombs_writes,
 * case mbrtowc_writes: bug data-race at RACE(mbrtowc_writes,
 * case mbtowc_writes: bug data-race at RACE(mbtowc_writes,
 * case wcrtomb_writes: bug data-race at RACE(wcrtomb_writes,
 * case wctomb_writes: bug data-race at RACE(wctomb_writes,
 *
 * ways wcstol: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoul: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoll: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoull: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoq: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstouq: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoimax: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstoumax: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstod: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstof: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways wcstold: ERANGE; not EINVAL (of a base that is none, as of strtol())
 * ways mbstowcs: EILSEQ
 * ways mbsrtowcs: EILSEQ; not EINVAL (a state that is none)
 * ways mbrtowc: EILSEQ; not EINVAL (likewise)
 * ways mbrlen: EILSEQ; not EINVAL (likewise)
 * ways mbtowc: EILSEQ
 * ways mblen: EILSEQ
 * ways wcstombs: EILSEQ
 * ways wcsrtombs: EILSEQ; not EINVAL (likewise)
 * ways wcrtomb: EILSEQ; not EINVAL (likewise)
 * ways wctomb: EILSEQ
 * never fails: wcstok wcscoll
 *
 * case wcstol_ERANGE: ok 1
 * case wcstoul_ERANGE: ok 1
 * case wcstoll_ERANGE: ok 1
 * case wcstoull_ERANGE: ok 1
 * case wcstoq_ERANGE: ok 1
 * case wcstouq_ERANGE: ok 1
 * case wcstoimax_ERANGE: ok 1
 * case wcstoumax_ERANGE: ok 1
 * case wcstod_ERANGE: ok 1
 * case wcstof_ERANGE: ok 1
 * case wcstold_ERANGE: ok 1
 * case mbstowcs_EILSEQ: ok 1
 * case mbsrtowcs_EILSEQ: ok 1
 * case mbrtowc_EILSEQ: ok 1
 * case mbrlen_EILSEQ: ok 1
 * case mbtowc_EILSEQ: ok 1
 * case mblen_EILSEQ: ok 1
 * case wcstombs_EILSEQ: ok 1
 * case wcsrtombs_EILSEQ: ok 1
 * case wcrtomb_EILSEQ: ok 1
 * case wctomb_EILSEQ: ok 1
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <wchar.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room);
size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room);
long long wcstoq(const wchar_t *s, wchar_t **end, int base);
unsigned long long wcstouq(const wchar_t *s, wchar_t **end, int base);

static wchar_t digits[100] = L"12345678", *stop, *next = digits;
static char text[100] = "12345678";
static const char *from = text;
static const wchar_t *from_wide = digits;
static mbstate_t state;
static _Thread_local volatile int sink;

/* ---- What they do --------------------------------------------------------------------------------- */

static void check_numbers(void)
{
	wchar_t *end = NULL, s[] = L"  one, two", *at = NULL;

	assert(wcstol(L" -12x", &end, 10) == -12 && *end == L'x');
	assert(wcstoul(L"ff", &end, 16) == 255 && !*end && wcstoll(L"7", NULL, 10) == 7);
	assert(wcstoull(L"7", NULL, 0) == 7 && wcstoq(L"7", NULL, 0) == 7 &&
	       wcstouq(L"7", NULL, 0) == 7);
	assert(wcstoimax(L"7", NULL, 0) == 7 && wcstoumax(L"7", NULL, 0) == 7);
	assert(wcstod(L"1.5z", &end) == 1.5 && *end == L'z' && wcstof(L"2", NULL) == 2);
	assert(wcstold(L"0.25", NULL) == 0.25L);
	assert(wcstok(s, L" ,", &at) == s + 2 && !wcscmp(s + 2, L"one"));
	assert(wcstok(NULL, L",", &at) == s + 6 && !wcstok(NULL, L",", &at));
	assert(!wcscoll(digits, hide(L"12345678")) && wcscoll(L"a", hide(L"b")) < 0);
}

static void check_conversions(void)
{
	const wchar_t *wide = L"abc";
	const char *bytes = "abc";
	wchar_t to[10];
	char out[10];
	mbstate_t s = { 0 };

	assert(mbstowcs(to, hide("abc"), 10) == 3 && !wcscmp(to, L"abc"));
	assert(mbstowcs(to, hide("xyz"), 2) == 2 && !wcscmp(to, L"xyc"));
	assert(mbstowcs(NULL, hide("abc"), 0) == 3 && __mbstowcs_chk(to, "ab", 9, 40) == 2);
	assert(wcstombs(out, hide(L"abc"), 10) == 3 && !strcmp(out, "abc"));
	assert(wcstombs(out, hide(L"xyz"), 2) == 2 && !strcmp(out, "xyc"));
	assert(wcstombs(NULL, hide(L"abc"), 0) == 3 && __wcstombs_chk(out, L"ab", 9, 10) == 2);
	assert(mbsrtowcs(to, &bytes, 10, &s) == 3 && !bytes && !wcscmp(to, L"abc"));
	assert(wcsrtombs(out, &wide, 10, NULL) == 3 && !wide && !strcmp(out, "abc"));
	assert(mbrtowc(to, "q", 1, &s) == 1 && *to == L'q' && mbrlen("q", 1, &s) == 1);
	assert(mbtowc(to, "r", 1) == 1 && *to == L'r' && mblen("q", 1) == 1 &&
	       !mbtowc(NULL, NULL, 0));
	assert(wcrtomb(out, L'z', &s) == 1 && *out == 'z' && wctomb(out, L'y') == 1 && *out == 'y');
}

static void *check(void *arg)
{
	check_numbers();
	check_conversions();
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *check_utf8(void *arg)
{
	const char *bytes = "\xc3\xa9z";
	wchar_t to[10], c;
	mbstate_t s = { 0 };
	char out[10] = "....";

	assert(mbstowcs(to, bytes, 10) == 2 && to[0] == 0xe9 && to[1] == L'z');
	assert(wcstombs(out, to, 2) == 2 && out[2] == '.' && wcstombs(out, to, 1) == 0);
	assert(mbrtowc(&c, bytes, 1, &s) == (size_t)-2 && mbrtowc(&c, bytes + 1, 1, &s) == 1 &&
	       c == 0xe9);
	assert(mbrtowc(&c, bytes, 1, &s) == (size_t)-2 && ++bytes &&
	       mbsrtowcs(to, &bytes, 10, &s) == 2);
	assert(swprintf(to, 10, L"%.1s|", "\xc3\xa9z") == 2 && to[0] == 0xe9 && to[1] == L'|');
	return arg;
}

static void in_another_locale(void)
{
	assert(setlocale(LC_ALL, "C.UTF-8"));
	THREADS(1, check_utf8);
}

/* One thread writes from the fifth on, the other looks at those before, and stores no more. */
static void *write_or_stay_within(void *arg)
{
	wchar_t to[10];
	char out[10];

	if (arg) {
		digits[5] = digits[6] = digits[7] = L'9';
		text[5] = text[6] = text[7] = '9';
		return NULL;
	}
	digits[4] = L'x';
	text[4] = 'x';
	assert(wcstol(digits, NULL, 10) == 1234 && mbstowcs(to, text, 4) == 4);
	assert(wcstombs(out, digits, 4) == 4 && mbrlen(text, 1, NULL) == 1);
	assert(mbstowcs(digits, "abc", 10) == 3 && wcstombs(text, L"abc", 10) == 3);
	assert(mbstowcs(digits, "abcdefgh", 4) == 4 && wcstombs(text, L"abcdefgh", 4) == 4);
	return NULL;
}

static void they_end_where_they_end(void)
{
	THREADS(2, write_or_stay_within);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *convert_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		assert(mbstowcs(digits, "99", 10) == 2);
	else
		assert(wcstol(digits, NULL, 10) == 99 || wcstol(digits, NULL, 10) == 12345678);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, convert_or_look);
}

/* ---- Errors with memory, and races ---------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = call)

IN_THREAD(behind_a_block, (int)mbstowcs(hide(malloc(8)), "abc", 10))
IN_THREAD(of_a_freed_block, (int)wcstol(freed(16), NULL, 10))

#define RACE(name, call, access)                                                 \
	static void *do_##name(void *arg)                                        \
	{                                                                        \
		wchar_t own[100] = L"12345678", *own_next = NULL;                \
		char bytes_of_own[100];                                          \
                                                                                 \
		if (arg)                                                         \
			access;                                                  \
		else                                                             \
			sink = call;                                             \
		return own_next || own[0] || bytes_of_own[0] ? NULL : hide(own); \
	}                                                                        \
	static void name(void)                                                   \
	{                                                                        \
		THREADS(2, do_##name);                                           \
	}
RACE(wcstol_reads, wcstol(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoul_reads, wcstoul(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoll_reads, wcstoll(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoull_reads, wcstoull(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoq_reads, wcstoq(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstouq_reads, wcstouq(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoimax_reads, wcstoimax(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstoumax_reads, wcstoumax(digits, NULL, 10) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstod_reads, wcstod(digits, NULL) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstof_reads, wcstof(digits, NULL) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstold_reads, wcstold(digits, NULL) > 0, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstok_reads, wcstok(digits, L"x", &next) != NULL, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstok_ends_reads, wcstok(own, digits, &next) != NULL, *(volatile wchar_t *)&digits[7] = 0)
RACE(wcscoll_reads, wcscoll(digits, own), *(volatile wchar_t *)&digits[7] = 0)
RACE(wcscoll_other_reads, wcscoll(own, digits), *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstombs_reads, (int)wcstombs(bytes_of_own, digits, 50), *(volatile wchar_t *)&digits[7] = 0)
RACE(wcsrtombs_reads, (from_wide = digits, (int)wcsrtombs(bytes_of_own, &from_wide, 50, NULL)),
     *(volatile wchar_t *)&digits[7] = 0)
RACE(wcstombs_chk_reads, (int)__wcstombs_chk(bytes_of_own, digits, 50, 100),
     *(volatile wchar_t *)&digits[7] = 0)
RACE(mbstowcs_reads, (int)mbstowcs(own, text, 50), *(volatile char *)&text[7] = 0)
RACE(mbstowcs_chk_reads, (int)__mbstowcs_chk(own, text, 50, 400), *(volatile char *)&text[7] = 0)
RACE(mbstowcs_counts_reads, (int)mbstowcs(NULL, text, 0), *(volatile char *)&text[7] = 0)
RACE(mbsrtowcs_reads, (from = text, (int)mbsrtowcs(own, &from, 50, NULL)),
     *(volatile char *)&text[7] = 0)
RACE(mbrtowc_reads, (int)mbrtowc(own, text + 7, 1, NULL), *(volatile char *)&text[7] = 0)
RACE(mbrlen_reads, (int)mbrlen(text + 7, 1, NULL), *(volatile char *)&text[7] = 0)
RACE(mbtowc_reads, mbtowc(own, text + 7, 1), *(volatile char *)&text[7] = 0)
RACE(mblen_reads, mblen(text + 7, 1), *(volatile char *)&text[7] = 0)
RACE(mbsrtowcs_pointer_reads, (int)mbsrtowcs(own, &from, 50, NULL),
     *(const char *volatile *)&from = text)
RACE(mbrtowc_state_reads, (int)mbrtowc(own, "x", 1, &state), *(volatile char *)hide(&state) = 0)
RACE(wcrtomb_state_reads, (int)wcrtomb(bytes_of_own, L'x', &state),
     *(volatile char *)hide(&state) = 0)
RACE(wcstol_writes, wcstol(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoul_writes, wcstoul(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoll_writes, wcstoll(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoull_writes, wcstoull(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoq_writes, wcstoq(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstouq_writes, wcstouq(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoimax_writes, wcstoimax(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstoumax_writes, wcstoumax(L"1", &stop, 10) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstod_writes, wcstod(L"1", &stop) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstof_writes, wcstof(L"1", &stop) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstold_writes, wcstold(L"1", &stop) > 0, sink = *(wchar_t *volatile *)&stop != NULL)
RACE(wcstok_next_writes, wcstok(own, L"x", &next) != NULL,
     sink = *(wchar_t *volatile *)&next != NULL)
RACE(wcstok_cuts_writes, wcstok(digits, L"8", &own_next) != NULL,
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbstowcs_writes, (int)mbstowcs(digits, "1234567", 50),
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbstowcs_fills_writes, (int)mbstowcs(digits, "12345678", 8),
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbstowcs_chk_writes, (int)__mbstowcs_chk(digits, "1234567", 50, 400),
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbsrtowcs_writes, (from = "1234567", (int)mbsrtowcs(digits, &from, 50, NULL)),
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbsrtowcs_pointer_writes, (int)mbsrtowcs(own, &from, 50, NULL),
     sink = *(const char *volatile *)&from != NULL)
RACE(wcstombs_writes, (int)wcstombs(text, L"1234567", 50), sink = *(volatile char *)&text[7])
RACE(wcstombs_fills_writes, (int)wcstombs(text, L"12345678", 8), sink = *(volatile char *)&text[7])
RACE(wcstombs_chk_writes, (int)__wcstombs_chk(text, L"1234567", 50, 100),
     sink = *(volatile char *)&text[7])
RACE(wcsrtombs_writes, (from_wide = L"1234567", (int)wcsrtombs(text, &from_wide, 50, NULL)),
     sink = *(volatile char *)&text[7])
RACE(mbrtowc_writes, (int)mbrtowc(&digits[7], "x", 1, NULL),
     sink = (int)*(volatile wchar_t *)&digits[7])
RACE(mbtowc_writes, mbtowc(&digits[7], "x", 1), sink = (int)*(volatile wchar_t *)&digits[7])
RACE(wcrtomb_writes, (int)wcrtomb(&text[7], L'x', NULL), sink = *(volatile char *)&text[7])
RACE(wctomb_writes, wctomb(&text[7], L'x'), sink = *(volatile char *)&text[7])

/* ---- How they fail -------------------------------------------------------------------------------- */

static int range_of(long double value)
{
	return value != 0 ? -1 : 0;
}

EACH_FAILS(wcstol_ERANGE, ERANGE, range_of(wcstol(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoul_ERANGE, ERANGE, range_of(wcstoul(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoll_ERANGE, ERANGE, range_of(wcstoll(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoull_ERANGE, ERANGE, range_of(wcstoull(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoq_ERANGE, ERANGE, range_of(wcstoq(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstouq_ERANGE, ERANGE, range_of(wcstouq(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoimax_ERANGE, ERANGE,
	   range_of(wcstoimax(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstoumax_ERANGE, ERANGE,
	   range_of(wcstoumax(hide(L"99999999999999999999999"), NULL, 10)))
EACH_FAILS(wcstod_ERANGE, ERANGE, range_of(wcstod(hide(L"1e99999"), NULL)))
EACH_FAILS(wcstof_ERANGE, ERANGE, range_of(wcstof(hide(L"1e99999"), NULL)))
EACH_FAILS(wcstold_ERANGE, ERANGE, range_of(wcstold(hide(L"1e99999"), NULL)))
EACH_FAILS(mbstowcs_EILSEQ, EILSEQ, (int)mbstowcs(digits, hide("a\xe9"), 9))
EACH_FAILS(mbsrtowcs_EILSEQ, EILSEQ, (from = hide("a\xe9"), (int)mbsrtowcs(digits, &from, 9, NULL)))
EACH_FAILS(mbrtowc_EILSEQ, EILSEQ, (int)mbrtowc(digits, hide("\xe9"), 1, NULL))
EACH_FAILS(mbrlen_EILSEQ, EILSEQ, (int)mbrlen(hide("\xe9"), 1, NULL))
EACH_FAILS(mbtowc_EILSEQ, EILSEQ, mbtowc(digits, hide("\xe9"), 1))
EACH_FAILS(mblen_EILSEQ, EILSEQ, mblen(hide("\xe9"), 1))
EACH_FAILS(wcstombs_EILSEQ, EILSEQ, (int)wcstombs(text, hide(L"a\x7fffffff"), 9))
EACH_FAILS(wcsrtombs_EILSEQ, EILSEQ,
	   (from_wide = hide(L"a\x7fffffff"), (int)wcsrtombs(text, &from_wide, 9, NULL)))
EACH_FAILS(wcrtomb_EILSEQ, EILSEQ, (int)wcrtomb(text, 0x7fffffff, NULL))
EACH_FAILS(wctomb_EILSEQ, EILSEQ, wctomb(text, 0x7fffffff))

CASES(CASE(what_each_returns), CASE(in_another_locale), CASE(they_end_where_they_end),
      CASE(in_order), CASE(behind_a_block), CASE(of_a_freed_block), CASE(wcstol_reads),
      CASE(wcstoul_reads), CASE(wcstoll_reads), CASE(wcstoull_reads), CASE(wcstoq_reads),
      CASE(wcstouq_reads), CASE(wcstoimax_reads), CASE(wcstoumax_reads), CASE(wcstod_reads),
      CASE(wcstof_reads), CASE(wcstold_reads), CASE(wcstok_reads), CASE(wcstok_ends_reads),
      CASE(wcscoll_reads), CASE(wcscoll_other_reads), CASE(wcstombs_reads), CASE(wcsrtombs_reads),
      CASE(wcstombs_chk_reads), CASE(mbstowcs_reads), CASE(mbstowcs_chk_reads),
      CASE(mbstowcs_counts_reads), CASE(mbsrtowcs_reads), CASE(mbrtowc_reads), CASE(mbrlen_reads),
      CASE(mbtowc_reads), CASE(mblen_reads), CASE(mbsrtowcs_pointer_reads),
      CASE(mbrtowc_state_reads), CASE(wcrtomb_state_reads), CASE(wcstol_writes),
      CASE(wcstoul_writes), CASE(wcstoll_writes), CASE(wcstoull_writes), CASE(wcstoq_writes),
      CASE(wcstouq_writes), CASE(wcstoimax_writes), CASE(wcstoumax_writes), CASE(wcstod_writes),
      CASE(wcstof_writes), CASE(wcstold_writes), CASE(wcstok_next_writes), CASE(wcstok_cuts_writes),
      CASE(mbstowcs_writes), CASE(mbstowcs_fills_writes), CASE(mbstowcs_chk_writes),
      CASE(mbsrtowcs_writes), CASE(mbsrtowcs_pointer_writes), CASE(wcstombs_writes),
      CASE(wcstombs_fills_writes), CASE(wcstombs_chk_writes), CASE(wcsrtombs_writes),
      CASE(mbrtowc_writes), CASE(mbtowc_writes), CASE(wcrtomb_writes), CASE(wctomb_writes),
      CASE(wcstol_ERANGE), CASE(wcstoul_ERANGE), CASE(wcstoll_ERANGE), CASE(wcstoull_ERANGE),
      CASE(wcstoq_ERANGE), CASE(wcstouq_ERANGE), CASE(wcstoimax_ERANGE), CASE(wcstoumax_ERANGE),
      CASE(wcstod_ERANGE), CASE(wcstof_ERANGE), CASE(wcstold_ERANGE), CASE(mbstowcs_EILSEQ),
      CASE(mbsrtowcs_EILSEQ), CASE(mbrtowc_EILSEQ), CASE(mbrlen_EILSEQ), CASE(mbtowc_EILSEQ),
      CASE(mblen_EILSEQ), CASE(wcstombs_EILSEQ), CASE(wcsrtombs_EILSEQ), CASE(wcrtomb_EILSEQ),
      CASE(wctomb_EILSEQ))
