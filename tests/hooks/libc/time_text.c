/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_text.c - dates: strftime(), localtime(), mktime() and their kin: what they return, and what they access
 *
 * case what_each_returns: ok 1
 * case what_strftime_makes: ok 1
 * case only_what_is_asked_for: ok 1
 * case no_more_than_the_text: ok 1
 * case in_order: ok 2
 * case in_a_loop_that_waits: ok 2
 * case results_begin_again: ok 2
 * case behind_the_end: bug out-of-bounds at IN_THREAD(behind_the_end,
 * case a_date_in_a_freed_block: bug use-after-free at IN_THREAD(a_date_in_a_freed_block,
 * case into_a_freed_block: bug use-after-free at IN_THREAD(into_a_freed_block,
 * case a_text_in_a_small_block: bug out-of-bounds at IN_THREAD(a_text_in_a_small_block,
 * case gmtime_in_two_threads: bug data-race at TWO(gmtime_in_two_threads,
 * case localtime_in_two_threads: bug data-race at TWO(localtime_in_two_threads,
 * case asctime_in_two_threads: bug data-race at TWO(asctime_in_two_threads,
 * case ctime_in_two_threads: bug data-race at TWO(ctime_in_two_threads,
 * case strftime_writes: bug data-race at RACE(strftime_writes,
 * case strftime_ends: bug data-race at RACE(strftime_ends,
 * case strftime_reads: bug data-race at RACE(strftime_reads,
 * case strftime_reads_the_format: bug data-race at RACE(strftime_reads_the_format,
 * case strftime_reads_the_zone: bug data-race at RACE(strftime_reads_the_zone,
 * case asctime_r_reads: bug data-race at RACE(asctime_r_reads,
 * case asctime_r_writes: bug data-race at RACE(asctime_r_writes,
 * case asctime_reads: bug data-race at RACE(asctime_reads,
 * case ctime_r_reads: bug data-race at RACE(ctime_r_reads,
 * case ctime_r_writes: bug data-race at RACE(ctime_r_writes,
 * case ctime_reads: bug data-race at RACE(ctime_reads,
 * case localtime_r_reads: bug data-race at RACE(localtime_r_reads,
 * case localtime_r_writes: bug data-race at RACE(localtime_r_writes,
 * case localtime_reads: bug data-race at RACE(localtime_reads,
 * case gmtime_r_reads: bug data-race at RACE(gmtime_r_reads,
 * case gmtime_r_writes: bug data-race at RACE(gmtime_r_writes,
 * case gmtime_reads: bug data-race at RACE(gmtime_reads,
 * case mktime_reads: bug data-race at RACE(mktime_reads,
 * case mktime_writes: bug data-race at RACE(mktime_writes,
 * case timelocal_writes: bug data-race at RACE(timelocal_writes,
 * case timegm_reads: bug data-race at RACE(timegm_reads,
 * case timegm_writes: bug data-race at RACE(timegm_writes,
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
 * never fails: strftime
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
 * case a_second_before_the_epoch: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "hooks/blocks.h"
#include "hooks/fails.h"
#include "hooks/threads.h"

/* 2009-02-13, a Friday, 23:31:30. */
static time_t second = 1234567890;
static struct tm date = { .tm_sec = 30,
			  .tm_min = 31,
			  .tm_hour = 23,
			  .tm_mday = 13,
			  .tm_mon = 1,
			  .tm_year = 109,
			  .tm_wday = 5,
			  .tm_yday = 43 };
static char text[100];
static _Thread_local volatile int sink;

static void *check(void *arg)
{
	static const char written[] = "Fri Feb 13 23:31:30 2009\n";
	char own[100];
	struct tm tm;
	time_t t;

	assert(gmtime_r(&second, &tm) == &tm && tm.tm_year == 109 && tm.tm_yday == 43);
	assert(asctime_r(&tm, own) == own && !strcmp(own, written) && timegm(&tm) == second);
	assert(!strcmp(asctime(&tm), written) && gmtime(&second)->tm_sec == 30);
	assert(localtime_r(&second, &tm) == &tm && mktime(&tm) == second);
	tm.tm_sec += 3600;
	assert(timelocal(&tm) == second + 3600 && tm.tm_sec == 30);
	assert(localtime(&second)->tm_min % 15 == 1 && ctime_r(&second, own) == own);
	assert(!strcmp(ctime(&second), own) && strlen(own) == 25);
	tm = (struct tm){ .tm_year = 69, .tm_mon = 11, .tm_mday = 31, .tm_hour = 23 };
	tm.tm_min = tm.tm_sec = 59;
	t = timegm(&tm);
	assert(t == -1 && tm.tm_wday == 3);
	return arg;
}

static void what_each_returns(void)
{
	check(NULL);
	THREADS(1, check);
}

static void *check_strftime(void *arg)
{
	struct tm tm;
	char own[40];

	gmtime_r(&second, &tm);
	assert(strftime(own, sizeof(own), "%Y-%m-%d %H:%M:%S %Z", &tm) == 23);
	assert(!strcmp(own, "2009-02-13 23:31:30 GMT"));
	assert(strftime(own, sizeof(own), "%a %b %e %j %U %y %p %%", &tm) == 25);
	assert(!strcmp(own, "Fri Feb 13 044 06 09 PM %"));
	assert(strftime(own, 5, "%Y", &tm) == 4 && strftime(own, 4, "%Y", &tm) == 0);
	assert(strftime(own, sizeof(own), "%T %D %F %R", &tm) == 34);
	assert(strftime(own, sizeof(own), "%_3d|%-m|%^a|%Ey", &tm) == 12);
	assert(!strcmp(own, " 13|2|FRI|09") && strftime(own, 1, "", &tm) == 0 && !own[0]);
	return arg;
}

static void what_strftime_makes(void)
{
	check_strftime(NULL);
	THREADS(1, check_strftime);
}

/* ---- What is not accessed ------------------------------------------------------------------------- */

static void *write_or_format(void *arg)
{
	char own[100];

	if (arg) {
		date.tm_sec = date.tm_yday = date.tm_isdst = 0;
		date.tm_zone = "X";
	} else {
		assert(strftime(hide(own), 100, "%Y-%m-%d %H:%M %a", &date) == 20);
	}
	return NULL;
}

static void only_what_is_asked_for(void)
{
	THREADS(2, write_or_format);
}

static void *write_or_make(void *arg)
{
	if (arg) {
		text[26] = 'x';
	} else {
		assert(asctime_r(&date, text) == text && ctime_r(&second, text) == text);
		assert(strftime(text, 26, "%Y", &date) == 4 && strftime(text, 3, "%F", &date) == 0);
	}
	return NULL;
}

static void no_more_than_the_text(void)
{
	THREADS(2, write_or_make);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *make_or_look(void *arg)
{
	pthread_mutex_lock(&mutex);
	if (arg)
		assert(gmtime(&second)->tm_year == 109 && asctime_r(gmtime(&second), text));
	else
		assert(!text[0] || !strcmp(text + 20, "2009\n"));
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void in_order(void)
{
	THREADS(2, make_or_look);
}

static atomic_int flag;

static void *format_until(void *arg)
{
	int rounds = 0;

	while (!atomic_load(&flag)) {
		assert(!text[0] == !rounds);
		rounds = 1;
		assert(strftime(text, 100, "%Y", &date) == 4);
	}
	assert(!text[0] == !rounds);
	return arg;
}

static void in_a_loop_that_waits(void)
{
	pthread_t t = begin(format_until, NULL);

	atomic_store(&flag, 1);
	end(t);
}

/* What the last call has left must be what it was, before each execution. */
static struct tm *last;

static void *overwrite(void *arg)
{
	time_t zero = 0;

	pthread_mutex_lock(&mutex);
	assert(last->tm_year == 109 || last->tm_year == 70);
	if (arg)
		assert(last->tm_year == 109 || text[0]);
	else
		strcpy(text, "x");
	gmtime(&zero);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void results_begin_again(void)
{
	last = gmtime(&second);
	THREADS(2, overwrite);
	assert(last->tm_year == 70);
}

/* ---- Errors with memory --------------------------------------------------------------------------- */

#define IN_THREAD(name, call) DO_IN_THREAD(name, sink = (call) != 0)

IN_THREAD(behind_the_end, strftime(hide(malloc(4)), 5, "%Y", &date))
IN_THREAD(a_date_in_a_freed_block, strftime(text, 5, "%Y", freed(sizeof(struct tm))))
IN_THREAD(into_a_freed_block, gmtime_r(&second, freed(sizeof(struct tm))))
IN_THREAD(a_text_in_a_small_block, asctime_r(&date, hide(malloc(25))))

/* ---- Races ---------------------------------------------------------------------------------------- */

#define TWO(name, call)                                   \
	static void *name##_in_thread(void *arg)          \
	{                                                 \
		time_t own = 1234567890;                  \
		struct tm tm = { .tm_mday = 1 };          \
                                                          \
		sink = call != NULL && tm.tm_mday && own; \
		return arg;                               \
	}                                                 \
	static void name(void)                            \
	{                                                 \
		THREADS(2, name##_in_thread);             \
	}
TWO(gmtime_in_two_threads, gmtime(&own))
TWO(localtime_in_two_threads, localtime(&own))
TWO(asctime_in_two_threads, asctime(&tm))
TWO(ctime_in_two_threads, ctime(&own))

#define RACE(name, call, access)                 \
	static void *name##_in_thread(void *arg) \
	{                                        \
		char to[100];                    \
		struct tm tm;                    \
                                                 \
		(void)to;                        \
		(void)tm;                        \
		if (arg)                         \
			access;                  \
		else                             \
			sink = (call) != 0;      \
		return NULL;                     \
	}                                        \
	static void name(void)                   \
	{                                        \
		THREADS(2, name##_in_thread);    \
	}

static char own_format[] = "%H:%M";
static const struct tm first = { .tm_mday = 1 };

RACE(strftime_writes, strftime(text, 100, "%F", &date), sink = text[9])
RACE(strftime_ends, strftime(text, 100, "%F", &date), sink = text[10])
RACE(strftime_reads, strftime(to, 100, "%F %S", &date), date.tm_sec = 1)
RACE(strftime_reads_the_format, strftime(to, 9, hide(own_format), &first), own_format[4] = 'S')
RACE(strftime_reads_the_zone, strftime(to, 100, "%Z", &date), date.tm_zone = "X")
RACE(asctime_r_reads, asctime_r(&date, to), date.tm_wday = 1)
RACE(asctime_r_writes, asctime_r(&first, text), sink = text[25])
RACE(asctime_reads, asctime(&date), date.tm_sec = 1)
RACE(ctime_r_reads, ctime_r(&second, to), second = 1)
RACE(ctime_r_writes, ctime_r(&second, text), sink = text[25])
RACE(ctime_reads, ctime(&second), second = 1)
RACE(localtime_r_reads, localtime_r(&second, &tm), second = 1)
RACE(localtime_r_writes, localtime_r(&second, &date), sink = date.tm_isdst)
RACE(localtime_reads, localtime(&second), second = 1)
RACE(gmtime_r_reads, gmtime_r(&second, &tm), second = 1)
RACE(gmtime_r_writes, gmtime_r(&second, &date), sink = date.tm_sec)
RACE(gmtime_reads, gmtime(&second), second = 1)
RACE(mktime_reads, mktime(&date) + 2, date.tm_sec = 1)
RACE(mktime_writes, mktime(&date) + 2, sink = date.tm_yday)
RACE(timelocal_writes, timelocal(&date) + 2, sink = date.tm_yday)
RACE(timegm_reads, timegm(&date) + 2, date.tm_mday = 1)
RACE(timegm_writes, timegm(&date) + 2, sink = date.tm_wday)

/* --- how they fail ---------------------------------------------------------------------------- */

static const time_t last_second = LONG_MAX, far_second = 3000000000000; /* in the year 97035 */
static const struct tm far = { .tm_mday = 1, .tm_year = INT_MAX };
static struct tm made;
static char written[100];

/* mktime() changes what it is given. */
static struct tm *far_again(void)
{
	made = (struct tm){ .tm_mon = INT_MAX, .tm_mday = 1, .tm_year = INT_MAX };
	return &made;
}

EACH_NONE(asctime_EINVAL, EINVAL, asctime(keep_(NULL)))
EACH_NONE(asctime_r_EINVAL, EINVAL, asctime_r(keep_(NULL), written))
EACH_NONE(asctime_EOVERFLOW, EOVERFLOW, asctime(&far))
EACH_NONE(asctime_r_EOVERFLOW, EOVERFLOW, asctime_r(&far, written))
/* glibc's own answer; POSIX has EOVERFLOW. */
EACH_NONE(ctime_EINVAL, EINVAL, ctime(&last_second))
EACH_NONE(ctime_r_EINVAL, EINVAL, ctime_r(&last_second, written))
EACH_NONE(ctime_r_EOVERFLOW, EOVERFLOW, ctime_r(&far_second, written))
EACH_NONE(gmtime_EOVERFLOW, EOVERFLOW, gmtime(&last_second))
EACH_NONE(gmtime_r_EOVERFLOW, EOVERFLOW, gmtime_r(&last_second, &made))
EACH_NONE(localtime_EOVERFLOW, EOVERFLOW, localtime(&last_second))
EACH_NONE(localtime_r_EOVERFLOW, EOVERFLOW, localtime_r(&last_second, &made))
EACH_FAILS(mktime_EOVERFLOW, EOVERFLOW, mktime(far_again()))
EACH_FAILS(timegm_EOVERFLOW, EOVERFLOW, timegm(far_again()))
EACH_FAILS(timelocal_EOVERFLOW, EOVERFLOW, timelocal(far_again()))

/* -1 is no error then. */
IN_EACH(a_second_before_the_epoch)
{
	struct tm tm = { .tm_year = 70, .tm_mday = 1, .tm_sec = -1 };

	errno = ENOENT;
	assert(timegm(&tm) == -1 && errno == ENOENT && tm.tm_year == 69 && tm.tm_sec == 59);
	return arg;
}

CASES(CASE(what_each_returns), CASE(what_strftime_makes), CASE(only_what_is_asked_for),
      CASE(no_more_than_the_text), CASE(in_order), CASE(in_a_loop_that_waits),
      CASE(results_begin_again), CASE(behind_the_end), CASE(a_date_in_a_freed_block),
      CASE(into_a_freed_block), CASE(a_text_in_a_small_block), CASE(gmtime_in_two_threads),
      CASE(localtime_in_two_threads), CASE(asctime_in_two_threads), CASE(ctime_in_two_threads),
      CASE(strftime_writes), CASE(strftime_ends), CASE(strftime_reads),
      CASE(strftime_reads_the_format), CASE(strftime_reads_the_zone), CASE(asctime_r_reads),
      CASE(asctime_r_writes), CASE(asctime_reads), CASE(ctime_r_reads), CASE(ctime_r_writes),
      CASE(ctime_reads), CASE(localtime_r_reads), CASE(localtime_r_writes), CASE(localtime_reads),
      CASE(gmtime_r_reads), CASE(gmtime_r_writes), CASE(gmtime_reads), CASE(mktime_reads),
      CASE(mktime_writes), CASE(timelocal_writes), CASE(timegm_reads), CASE(timegm_writes),
      CASE(asctime_EINVAL), CASE(asctime_r_EINVAL), CASE(asctime_EOVERFLOW),
      CASE(asctime_r_EOVERFLOW), CASE(ctime_EINVAL), CASE(ctime_r_EINVAL), CASE(ctime_r_EOVERFLOW),
      CASE(gmtime_EOVERFLOW), CASE(gmtime_r_EOVERFLOW), CASE(localtime_EOVERFLOW),
      CASE(localtime_r_EOVERFLOW), CASE(mktime_EOVERFLOW), CASE(timegm_EOVERFLOW),
      CASE(timelocal_EOVERFLOW), CASE(a_second_before_the_epoch))
