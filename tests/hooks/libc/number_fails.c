/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * number_fails.c - when strtol() and its family fail
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
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>

#include "hooks/fails.h"

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

CASES(CASE(strtol_EINVAL), CASE(strtol_ERANGE), CASE(strtol_ERANGE_below), CASE(strtoul_EINVAL),
      CASE(strtoul_ERANGE), CASE(strtoll_EINVAL), CASE(strtoll_ERANGE), CASE(strtoull_EINVAL),
      CASE(strtoull_ERANGE), CASE(strtoq_EINVAL), CASE(strtoq_ERANGE), CASE(strtouq_EINVAL),
      CASE(strtouq_ERANGE), CASE(strtoimax_EINVAL), CASE(strtoimax_ERANGE), CASE(strtoumax_EINVAL),
      CASE(strtoumax_ERANGE), CASE(strtod_ERANGE), CASE(strtod_ERANGE_below), CASE(strtof_ERANGE),
      CASE(strtold_ERANGE), CASE(no_number_is_no_error))
