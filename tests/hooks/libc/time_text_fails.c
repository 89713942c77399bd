/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_text_fails.c - when localtime(), mktime() and their kin fail, and inet_pton() and its
 *
 * ways asctime: EINVAL EOVERFLOW
 * ways asctime_r: EINVAL EOVERFLOW
 * ways ctime: EINVAL
 * ways ctime_r: EINVAL EOVERFLOW
 * ways gmtime: EOVERFLOW
 * ways gmtime_r: EOVERFLOW
 * ways localtime: EOVERFLOW
 * ways localtime_r: EOVERFLOW
 * ways mktime: EOVERFLOW
 * ways timegm: EOVERFLOW
 * ways timelocal: EOVERFLOW
 * ways inet_ntop: EAFNOSUPPORT ENOSPC
 * ways inet_pton: EAFNOSUPPORT
 * never fails: inet_addr inet_aton strftime
 *
 * case asctime_EINVAL: ok 1
 * case asctime_r_EINVAL: ok 1
 * case asctime_EOVERFLOW: ok 1
 * case asctime_r_EOVERFLOW: ok 1
 * case ctime_EINVAL: ok 1
 * case ctime_r_EINVAL: ok 1
 * case ctime_r_EOVERFLOW: ok 1
 * case gmtime_EOVERFLOW: ok 1
 * case gmtime_r_EOVERFLOW: ok 1
 * case localtime_EOVERFLOW: ok 1
 * case localtime_r_EOVERFLOW: ok 1
 * case mktime_EOVERFLOW: ok 1
 * case timegm_EOVERFLOW: ok 1
 * case timelocal_EOVERFLOW: ok 1
 * case inet_ntop_EAFNOSUPPORT: ok 1
 * case inet_ntop_ENOSPC: ok 1
 * case inet_ntop_ENOSPC_of_6: ok 1
 * case inet_pton_EAFNOSUPPORT: ok 1
 * case a_second_before_the_epoch: ok 1
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "hooks/fails.h"

static const time_t last = LONG_MAX, far_second = 3000000000000; /* in the year 97035 */
static const struct tm far = { .tm_mday = 1, .tm_year = INT_MAX };
static const unsigned char address[16] = { 100, 100, 100, 100 };
static struct tm date;
static char text[100];

/* mktime() changes what it is given. */
static struct tm *far_again(void)
{
	date = (struct tm){ .tm_mon = INT_MAX, .tm_mday = 1, .tm_year = INT_MAX };
	return &date;
}

EACH_NONE(asctime_EINVAL, EINVAL, asctime(keep_(NULL)))
EACH_NONE(asctime_r_EINVAL, EINVAL, asctime_r(keep_(NULL), text))
EACH_NONE(asctime_EOVERFLOW, EOVERFLOW, asctime(&far))
EACH_NONE(asctime_r_EOVERFLOW, EOVERFLOW, asctime_r(&far, text))
/* glibc's own answer; POSIX has EOVERFLOW. */
EACH_NONE(ctime_EINVAL, EINVAL, ctime(&last))
EACH_NONE(ctime_r_EINVAL, EINVAL, ctime_r(&last, text))
EACH_NONE(ctime_r_EOVERFLOW, EOVERFLOW, ctime_r(&far_second, text))
EACH_NONE(gmtime_EOVERFLOW, EOVERFLOW, gmtime(&last))
EACH_NONE(gmtime_r_EOVERFLOW, EOVERFLOW, gmtime_r(&last, &date))
EACH_NONE(localtime_EOVERFLOW, EOVERFLOW, localtime(&last))
EACH_NONE(localtime_r_EOVERFLOW, EOVERFLOW, localtime_r(&last, &date))
EACH_FAILS(mktime_EOVERFLOW, EOVERFLOW, mktime(far_again()))
EACH_FAILS(timegm_EOVERFLOW, EOVERFLOW, timegm(far_again()))
EACH_FAILS(timelocal_EOVERFLOW, EOVERFLOW, timelocal(far_again()))
EACH_NONE(inet_ntop_EAFNOSUPPORT, EAFNOSUPPORT, inet_ntop(AF_UNIX, address, text, 100))
EACH_NONE(inet_ntop_ENOSPC, ENOSPC, inet_ntop(AF_INET, address, text, 15))
EACH_NONE(inet_ntop_ENOSPC_of_6, ENOSPC, inet_ntop(AF_INET6, address, text, 5))
EACH_FAILS(inet_pton_EAFNOSUPPORT, EAFNOSUPPORT, inet_pton(AF_UNIX, text, &date))

/* -1 is no error then. */
IN_EACH(a_second_before_the_epoch)
{
	struct tm tm = { .tm_year = 70, .tm_mday = 1, .tm_sec = -1 };

	errno = ENOENT;
	assert(timegm(&tm) == -1 && errno == ENOENT && tm.tm_year == 69 && tm.tm_sec == 59);
	return arg;
}

CASES(CASE(asctime_EINVAL), CASE(asctime_r_EINVAL), CASE(asctime_EOVERFLOW),
      CASE(asctime_r_EOVERFLOW), CASE(ctime_EINVAL), CASE(ctime_r_EINVAL), CASE(ctime_r_EOVERFLOW),
      CASE(gmtime_EOVERFLOW), CASE(gmtime_r_EOVERFLOW), CASE(localtime_EOVERFLOW),
      CASE(localtime_r_EOVERFLOW), CASE(mktime_EOVERFLOW), CASE(timegm_EOVERFLOW),
      CASE(timelocal_EOVERFLOW), CASE(inet_ntop_EAFNOSUPPORT), CASE(inet_ntop_ENOSPC),
      CASE(inet_ntop_ENOSPC_of_6), CASE(inet_pton_EAFNOSUPPORT), CASE(a_second_before_the_epoch))
