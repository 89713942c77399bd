/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number.c - strtol(), atoi() and their family: what they return, and what they access
 *
 * In X_reads one thread reads the seven letters of a number with X where another one writes the byte
 * that ends it, in X_end it stores where the number ends, and the other looks there.
 *
 * case what_each_returns: ok 1
 * case errors: ok 1
 * case numbers_end_where_they_end: ok 1
 * case in_order: ok 2
 * case literals: ok 1
 * case in_a_loop_that_waits: ok 2
 * case unterminated: bug out-of-bounds at IN_THREAD(unterminated,
 * case of_a_freed_block: bug use-after-free at IN_THREAD(of_a_freed_block,
 * case end_into_a_freed_block: bug use-after-free at IN_THREAD(end_into_a_freed_block,
 * case strtol_reads: bug data-race at READS(strtol,
 * case strtoul_reads: bug data-race at READS(strtoul,
 * case strtoll_reads: bug data-race at READS(strtoll,
 * case strtoull_reads: bug data-race at READS(strtoull,
 * case strtoq_reads: bug data-race at READS(strtoq,
 * case strtouq_reads: bug data-race at READS(strtouq,
 * case strtoimax_reads: bug data-race at READS(strtoimax,
 * case strtoumax_reads: bug data-race at READS(strtoumax,
 * case strtod_reads: bug data-race at READS(strtod,
 * case strtof_reads: bug data-race at READS(strtof,
 * case strtold_reads: bug data-race at READS(strtold,
 * case atoi_reads: bug data-race at READS(atoi,
 * case atol_reads: bug data-race at READS(atol,
 * case atoll_reads: bug data-race at READS(atoll,
 * case atof_reads: bug data-race at READS(atof,
 * case internal_reads: bug data-race at READS(internal,
 * case internal_double_reads: bug data-race at READS(internal_double,
 * case c23_reads: bug data-race at READS(c23,
 * case none_reads: bug data-race at RACE(none_reads,
 * case none_reads -e value: bug data-race at RACE(none_reads,
 * case strtol_end: bug data-race at END(strtol,
 * case strtoull_end: bug data-race at END(strtoull,
 * case strtod_end: bug data-race at END(strtod,
 * case strtof_end: bug data-race at END(strtof,
 * case none_end: bug data-race at END(none,
 *
 * ways strtol: EINVAL ERANGE
 * ways strtoul: EINVAL ERANGE
 * ways strtoll: EINVAL ERANGE
 * ways strtoull: EINVAL ERANGE
 * ways strtoq: EINVAL ERANGE
 * ways strtouq: EINVAL ERANGE
 * ways strtoimax: EINVAL ERANGE
 * ways strtoumax: EINVAL ERANGE
 * ways strtod: ERANGE
 * ways strtof: ERANGE
 * ways strtold: ERANGE
 * never fails: atof atoi atol atoll
 *
 * case strtol_EINVAL: ok 1
 * case strtol_ERANGE: ok 1
 * case strtol_ERANGE_below: ok 1
 * case strtoul_EINVAL: ok 1
 * case strtoul_ERANGE: ok 1
 * case strtoll_EINVAL: ok 1
 * case strtoll_ERANGE: ok 1
 * case strtoull_EINVAL: ok 1
 * case strtoull_ERANGE: ok 1
 * case strtoq_EINVAL: ok 1
 * case strtoq_ERANGE: ok 1
 * case strtouq_EINVAL: ok 1
 * case strtouq_ERANGE: ok 1
 * case strtoimax_EINVAL: ok 1
 * case strtoimax_ERANGE: ok 1
 * case strtoumax_EINVAL: ok 1
 * case strtoumax_ERANGE: ok 1
 * case strtod_ERANGE: ok 1
 * case strtod_ERANGE_below: ok 1
 * case strtof_ERANGE: ok 1
 * case strtold_ERANGE: ok 1
 * case no_number_is_no_error: ok 1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

long __strtol_internal(const char *s, char **end, int base, int group);
double __strtod_internal(const char *s, char **end, int group);
/* glibc has it from 2.38 on. */
long __isoc23_strtol(const char *s, char **end, int base) __attribute__((weak));

static char text[100] = "1234567";
static char *stop;
static volatile double sink;

/* So that compilers make no other calls, nor constants, of them. */
static int (*volatile call_atoi)(const char *) = atoi;
static long (*volatile call_atol)(const char *) = atol;
static long long (*volatile call_atoll)(const char *) = atoll;
static double (*volatile call_atof)(const char *) = atof;

static void *check(void *arg)
{
	const char *s = hide(" -12x"), *hex = hide("0x1fz"), *real = hide("2.5e1,"), *e;
	char *end;

	assert(strtol(s, &end, 10) == -12 && end == s + 4 && strtol(s, NULL, 0) == -12);
	assert(strtoul(hex, &end, 16) == 31 && end == hex + 4 && strtoul(hex, &end, 10) == 0);
	assert(end == hex + 1 && strtoll(hex, &end, 0) == 31 && strtoull(hex, &end, 36) > 31);
	assert(strtoq(s, &end, 10) == -12 && strtouq(s, NULL, 10) == -12ull);
	assert(strtoimax(s, &end, 10) == -12 && strtoumax(s, NULL, 10) == -12ull);
	assert(strtod(real, &end) == 25 && end == real + 5 && strtof(real, &end) == 25);
	assert(strtold(real, NULL) == 25 && strtod(hide("inf"), NULL) == (double)INFINITY);
	assert(call_atoi(s) == -12 && call_atol(s) == -12 && call_atoll(s) == -12);
	assert(call_atof(real) == 25 && call_atoi(hide("x")) == 0);
	assert(__strtol_internal(s, &end, 10, 0) == -12 && __strtod_internal(real, &end, 0) == 25);
	if (__isoc23_strtol)
		assert(__isoc23_strtol(s, &end, 10) == -12 && end == s + 4);
	e = hide(" +");
	assert(strtol(e, &end, 10) == 0 && end == e && strtod(e, &end) == 0 && end == e);
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *check_errors(void *arg)
{
	char *end = text;

	errno = 0;
	assert(strtol(hide("99999999999999999999"), NULL, 10) == LONG_MAX && errno == ERANGE);
	errno = 0;
	assert(strtol(hide("-99999999999999999999"), NULL, 10) == LONG_MIN && errno == ERANGE);
	errno = 0;
	assert(strtod(hide("1e999"), NULL) == HUGE_VAL && errno == ERANGE);
	errno = 0;
	assert(strtol(hide("1"), &end, 37) == 0 && errno == EINVAL && end == text);
	errno = ENOENT;
	assert(strtol(hide("1"), &end, 10) == 1 && call_atoi(hide("1")) == 1 && errno == ENOENT);
	return arg;
}

static void errors(void)
{
	check_errors(NULL);
	THREADS(1, check_errors);
}

/* One thread writes bytes 4 to 6 of the text, the other reads a number before those. */
static void *write_or_parse(void *arg)
{
	char *end;

	if (arg) {
		memcpy(text + 4, "987", 3);
		return NULL;
	}
	assert(strtol(text, &end, 10) == 12 && end == text + 2);
	assert(call_atoi(text) == 12 && strtod(text, NULL) == 12);
	assert(strtol(text + 2, &end, 10) == 0 && end == text + 2);
	assert(strtol(text, NULL, 99) == 0);
	return NULL;
}

static void numbers_end_where_they_end(void)
{
	strcpy(text, "12:45678");
	THREADS(2, write_or_parse);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *parse_or_change(void *arg)
{
	long n;

	pthread_mutex_lock(&mutex);
	if (arg) {
		strcpy(text, "42");
	} else {
		n = strtol(text, &stop, 10);
		assert(n == 42 ? stop == text + 2 : n == 1234567 && stop == text + 7);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, parse_or_change);
}

static void *parse_literals(void *arg)
{
	const char *s = hide("12");

	assert(strtol(s, NULL, 10) == 12 && call_atoi(s) == 12);
	return arg;
}

static void literals(void)
{
	THREADS(2, parse_literals);
}

static atomic_int flag;

static void *parse_until(void *arg)
{
	long n = 0;

	while (!atomic_load(&flag)) {
		n = strtol(text, &stop, 10);
		assert(stop == text + 7);
	}
	assert(stop == (n ? text + 7 : NULL));
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(parse_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, call)

static char *digits(void)
{
	char *p = hide(malloc(4));

	memset(p, '1', 4);
	return p;
}

IN_THREAD(unterminated, sink = (double)strtol(digits(), NULL, 10))
IN_THREAD(of_a_freed_block, sink = call_atoi(freed(8)))
IN_THREAD(end_into_a_freed_block, sink = strtod(text, freed(8)))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		if (arg)                         \
			access;                  \
		else                             \
			sink = (double)(call);   \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}
#define READS(name, call) RACE(name##_reads, call, text[7] = 0)
#define END(name, call)   RACE(name##_end, call, sink = stop != NULL)

READS(strtol, strtol(text, NULL, 10))
READS(strtoul, strtoul(text, NULL, 10))
READS(strtoll, strtoll(text, NULL, 10))
READS(strtoull, strtoull(text, NULL, 10))
READS(strtoq, strtoq(text, NULL, 10))
READS(strtouq, strtouq(text, NULL, 10))
READS(strtoimax, strtoimax(text, NULL, 10))
READS(strtoumax, strtoumax(text, NULL, 10))
READS(strtod, strtod(text, NULL))
READS(strtof, strtof(text, NULL))
READS(strtold, strtold(text, NULL))
READS(atoi, call_atoi(text))
READS(atol, call_atol(text))
READS(atoll, call_atoll(text))
READS(atof, call_atof(text))
READS(internal, __strtol_internal(text, NULL, 10, 0))
READS(internal_double, __strtod_internal(text, NULL, 0))
READS(c23, __isoc23_strtol ? __isoc23_strtol(text, NULL, 10) : strtol(text, NULL, 10))
RACE(none_reads, strtol(hide(strcpy(text + 50, "  -x")), NULL, 10), text[53] = 'y')
END(strtol, strtol(text, &stop, 10))
END(strtoull, strtoull(text, &stop, 10))
END(strtod, strtod(text, &stop))
END(strtof, strtof(text, &stop))
END(none, strtol(hide("x"), &stop, 10))

/* --- how they fail ---------------------------------------------------------------------------- */

static const char *volatile large = "99999999999999999999999", *volatile one = "1",
			    *volatile none = "x", *volatile huge = "1e99999",
			    *volatile tiny = "1e-99999";
static volatile int wrong = 37;

/* These answer with a number. */
#define IS(wanted, call) ((call) == (wanted) ? -1 : 0)

EACH_FAILS(strtol_EINVAL, EINVAL, IS(0, strtol(one, NULL, wrong)))
EACH_FAILS(strtol_ERANGE, ERANGE, IS(LONG_MAX, strtol(large, NULL, 10)))
EACH_FAILS(strtol_ERANGE_below, ERANGE, IS(LONG_MIN, strtol("-9999999999999999999999", NULL, 10)))
EACH_FAILS(strtoul_EINVAL, EINVAL, IS(0, strtoul(one, NULL, wrong)))
EACH_FAILS(strtoul_ERANGE, ERANGE, IS(ULONG_MAX, strtoul(large, NULL, 10)))
EACH_FAILS(strtoll_EINVAL, EINVAL, IS(0, strtoll(one, NULL, wrong)))
EACH_FAILS(strtoll_ERANGE, ERANGE, IS(LLONG_MAX, strtoll(large, NULL, 10)))
EACH_FAILS(strtoull_EINVAL, EINVAL, IS(0, strtoull(one, NULL, wrong)))
EACH_FAILS(strtoull_ERANGE, ERANGE, IS(ULLONG_MAX, strtoull(large, NULL, 10)))
EACH_FAILS(strtoq_EINVAL, EINVAL, IS(0, strtoq(one, NULL, wrong)))
EACH_FAILS(strtoq_ERANGE, ERANGE, IS(LLONG_MAX, strtoq(large, NULL, 10)))
EACH_FAILS(strtouq_EINVAL, EINVAL, IS(0, strtouq(one, NULL, wrong)))
EACH_FAILS(strtouq_ERANGE, ERANGE, IS(ULLONG_MAX, strtouq(large, NULL, 10)))
EACH_FAILS(strtoimax_EINVAL, EINVAL, IS(0, strtoimax(one, NULL, wrong)))
EACH_FAILS(strtoimax_ERANGE, ERANGE, IS(INTMAX_MAX, strtoimax(large, NULL, 10)))
EACH_FAILS(strtoumax_EINVAL, EINVAL, IS(0, strtoumax(one, NULL, wrong)))
EACH_FAILS(strtoumax_ERANGE, ERANGE, IS(UINTMAX_MAX, strtoumax(large, NULL, 10)))
EACH_FAILS(strtod_ERANGE, ERANGE, IS(HUGE_VAL, strtod(huge, NULL)))
EACH_FAILS(strtod_ERANGE_below, ERANGE, IS(0, strtod(tiny, NULL)))
EACH_FAILS(strtof_ERANGE, ERANGE, IS(HUGE_VALF, strtof(huge, NULL)))
EACH_FAILS(strtold_ERANGE, ERANGE, IS(HUGE_VALL, strtold(huge, NULL)))

IN_EACH(no_number_is_no_error)
{
	char *end;

	errno = 0;
	assert(strtol(none, &end, 10) == 0 && end == none && strtod(none, &end) == 0);
	assert(atoi(none) == 0 && atol(none) == 0 && atoll(none) == 0 && atof(none) == 0 && !errno);
	return arg;
}

CASES(CASE(what_each_returns), CASE(errors), CASE(numbers_end_where_they_end), CASE(in_order),
      CASE(literals), CASE(in_a_loop_that_waits), CASE(unterminated), CASE(of_a_freed_block),
      CASE(end_into_a_freed_block), CASE(strtol_reads), CASE(strtoul_reads), CASE(strtoll_reads),
      CASE(strtoull_reads), CASE(strtoq_reads), CASE(strtouq_reads), CASE(strtoimax_reads),
      CASE(strtoumax_reads), CASE(strtod_reads), CASE(strtof_reads), CASE(strtold_reads),
      CASE(atoi_reads), CASE(atol_reads), CASE(atoll_reads), CASE(atof_reads), CASE(internal_reads),
      CASE(internal_double_reads), CASE(c23_reads), CASE(none_reads), CASE(strtol_end),
      CASE(strtoull_end), CASE(strtod_end), CASE(strtof_end), CASE(none_end), CASE(strtol_EINVAL),
      CASE(strtol_ERANGE), CASE(strtol_ERANGE_below), CASE(strtoul_EINVAL), CASE(strtoul_ERANGE),
      CASE(strtoll_EINVAL), CASE(strtoll_ERANGE), CASE(strtoull_EINVAL), CASE(strtoull_ERANGE),
      CASE(strtoq_EINVAL), CASE(strtoq_ERANGE), CASE(strtouq_EINVAL), CASE(strtouq_ERANGE),
      CASE(strtoimax_EINVAL), CASE(strtoimax_ERANGE), CASE(strtoumax_EINVAL),
      CASE(strtoumax_ERANGE), CASE(strtod_ERANGE), CASE(strtod_ERANGE_below), CASE(strtof_ERANGE),
      CASE(strtold_ERANGE), CASE(no_number_is_no_error))
