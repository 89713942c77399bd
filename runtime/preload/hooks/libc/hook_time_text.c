/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_time_text.c - dates: strftime(), localtime(), mktime() and their kin, as plain accesses
 *
 * As in hook_string.c: only calls from instrumented code count. Of a struct tm what is read is what C says that
 * the result depends on; strftime() looks at the members that its format names.
 *
 * localtime() and its like answer with memory that the next call overwrites, whichever thread makes
 * it. That memory is here, so that it is known before it is written.
 */
/*
 * intercepts: Memory
 *
 * checked strftime asctime_r ctime_r localtime_r gmtime_r __gmtime_r mktime timelocal timegm - plain reads of
 *	what the result depends on, plain writes of it, when instrumented code calls them
 * checked asctime ctime localtime gmtime - likewise; the result of one call is overwritten by the next
 */
#include "preload/hooks/announce.h"
#include "preload/hooks/world/environment.h"

#include <errno.h>
#include <time.h>

enum {
	CLOCK_BYTES = 26, /* of a text of asctime() */
	ROOM = 100
};

/* ---- struct tm ------------------------------------------------------------------------------------ */

/* Its members, in their order. */
enum {
	SECOND = 1 << 0,
	MINUTE = 1 << 1,
	HOUR = 1 << 2,
	DAY = 1 << 3,
	MONTH = 1 << 4,
	YEAR = 1 << 5,
	WEEKDAY = 1 << 6,
	YEARDAY = 1 << 7,
	SUMMER = 1 << 8,
	OFFSET = 1 << 9,
	ZONE = 1 << 10,
	NUMBERS = 9,
	DATE = DAY | MONTH | YEAR,
	TIME = SECOND | MINUTE | HOUR,
	TEXT = DATE | TIME | WEEKDAY, /* asctime() */
	ALL = (1 << 11) - 1
};

static void reads_members(const struct tm *tm, unsigned which, uint64_t pc)
{
	for (unsigned i = 0; i < NUMBERS; i++)
		if (which >> i & 1)
			reads(&tm->tm_sec + i, sizeof(int), pc);
	if (which & OFFSET)
		reads(&tm->tm_gmtoff, sizeof(tm->tm_gmtoff), pc);
	if (which & ZONE)
		reads(&tm->tm_zone, sizeof(tm->tm_zone), pc);
}

/* ISO C, 7.27.3.5, and what glibc has besides; of anything else all may be read. */
static unsigned members_of(char conversion)
{
	static const struct {
		const char *conversions;
		unsigned members;
	} known[] = {
		{ "aAuw", WEEKDAY },
		{ "bBhm", MONTH },
		{ "de", DAY },
		{ "HIklpP", HOUR },
		{ "M", MINUTE },
		{ "S", SECOND },
		{ "CyY", YEAR },
		{ "j", YEARDAY },
		{ "UW", YEARDAY | WEEKDAY },
		{ "gGV", YEAR | YEARDAY | WEEKDAY },
		{ "DFx", DATE },
		{ "R", HOUR | MINUTE },
		{ "rTX", TIME },
		{ "z", OFFSET | SUMMER },
		{ "Z", ZONE | SUMMER },
		{ "nt%", 0 },
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (conversion && strchr(known[i].conversions, conversion))
			return known[i].members;
	return ALL;
}

static bool is_number_or_flag(char c)
{
	return c && strchr("_-0^#123456789EO", c);
}

static unsigned members_in(const char *format)
{
	unsigned members = 0;

	for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
		p++;
		while (is_number_or_flag(*p))
			p++;
		members |= members_of(*p);
		p += *p != 0;
	}
	return members;
}

/* ---- From struct tm ------------------------------------------------------------------------------- */

HEDDLE_HOOK size_t strftime(char *restrict to, size_t n, const char *restrict format,
			    const struct tm *restrict tm)
{
	uint64_t pc = CALLER();
	size_t length;

	if (seen(pc)) {
		reads_text(format, SIZE_MAX, pc);
		reads_members(tm, members_in(format), pc);
		/* glibc counts where it has nowhere to write to. */
		length = REAL(strftime)(NULL, SIZE_MAX, format, tm);
		writes(to, length < n ? length + 1 : n, pc);
	}
	return REAL(strftime)(to, n, format, tm);
}

HEDDLE_HOOK char *asctime_r(const struct tm *restrict tm, char *restrict to)
{
	uint64_t pc = CALLER();
	char text[ROOM];

	if (!seen(pc) || !tm)
		return REAL(asctime_r)(tm, to);
	reads_members(tm, TEXT, pc);
	if (!REAL(asctime_r)(tm, text))
		return NULL;
	writes(to, strlen(text) + 1, pc);
	return strcpy(to, text);
}

/* fn may remember what it found, so it is asked once. */
static time_t normalise(time_t (*fn)(struct tm *), struct tm *tm, uint64_t pc)
{
	int error = errno;
	struct tm own;
	time_t result;

	reads_members(tm, TIME | DATE | SUMMER, pc);
	own = *tm;
	errno = 0;
	result = fn(&own);
	if (result == -1 && errno)
		return result;
	writes(tm, sizeof(*tm), pc);
	*tm = own;
	errno = error;
	return result;
}

#define NORMALISE(name)                                                           \
	HEDDLE_HOOK time_t name(struct tm *tm)                                    \
	{                                                                         \
		uint64_t pc = CALLER();                                           \
                                                                                  \
		environment_note("TZ");                                           \
		return seen(pc) ? normalise(REAL(name), tm, pc) : REAL(name)(tm); \
	}
NORMALISE(mktime)
NORMALISE(timelocal)
NORMALISE(timegm)

/* ---- From time_t ---------------------------------------------------------------------------------- */

/* What libc makes of *t, in *to. */
typedef struct tm *break_down(const time_t *t, struct tm *to);

static struct tm *broken_down(break_down *fn, const time_t *t, struct tm *to, uint64_t pc)
{
	struct tm own;

	reads(t, sizeof(*t), pc);
	if (!fn(t, &own))
		return NULL;
	writes(to, sizeof(*to), pc);
	*to = own;
	return to;
}

#define BREAK_DOWN(name)                                                                        \
	HEDDLE_HOOK struct tm *name(const time_t *restrict t, struct tm *restrict to)           \
	{                                                                                       \
		uint64_t pc = CALLER();                                                         \
                                                                                                \
		environment_note("TZ");                                                         \
		return to && seen(pc) ? broken_down(REAL(name), t, to, pc) : REAL(name)(t, to); \
	}
BREAK_DOWN(localtime_r)
BREAK_DOWN(gmtime_r)

HEDDLE_HOOK char *ctime_r(const time_t *restrict t, char *restrict to)
{
	uint64_t pc = CALLER();
	char text[ROOM];

	environment_note("TZ");
	if (!seen(pc))
		return REAL(ctime_r)(t, to);
	reads(t, sizeof(*t), pc);
	if (!REAL(ctime_r)(t, text))
		return NULL;
	writes(to, strlen(text) + 1, pc);
	return strcpy(to, text);
}

/* ---- Of all threads ------------------------------------------------------------------------------- */

HEDDLE_IMAGE_SELDOM static struct tm result_of_localtime;
HEDDLE_IMAGE_SELDOM static char result_of_asctime[CLOCK_BYTES];

/* Whoever calls: who has the result of an earlier call sees it overwritten. */
static struct tm *broken_down_for_all(break_down *fn, const time_t *t, uint64_t pc)
{
	if (seen(pc))
		return broken_down(fn, t, &result_of_localtime, pc);
	return fn(t, &result_of_localtime);
}

HEDDLE_HOOK struct tm *localtime(const time_t *t)
{
	environment_note("TZ");
	REAL(tzset)();
	return broken_down_for_all(REAL(localtime_r), t, CALLER());
}

HEDDLE_HOOK struct tm *gmtime(const time_t *t)
{
	return broken_down_for_all(REAL(gmtime_r), t, CALLER());
}

/* glibc's own has more room, for years of more than four digits. */
static char *text_for_all(const struct tm *tm, uint64_t pc)
{
	char text[ROOM];

	if (!tm || !REAL(asctime_r)(tm, text) || strlen(text) >= CLOCK_BYTES)
		return REAL(asctime)(tm);
	if (seen(pc))
		writes(result_of_asctime, strlen(text) + 1, pc);
	return strcpy(result_of_asctime, text);
}

HEDDLE_HOOK char *asctime(const struct tm *tm)
{
	uint64_t pc = CALLER();

	if (tm && seen(pc))
		reads_members(tm, TEXT, pc);
	return text_for_all(tm, pc);
}

HEDDLE_HOOK char *ctime(const time_t *t)
{
	uint64_t pc = CALLER();

	environment_note("TZ");
	REAL(tzset)();
	return text_for_all(broken_down_for_all(REAL(localtime_r), t, pc), pc);
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__gmtime_r, gmtime_r);
