/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format_fails.c - when snprintf() and its family fail
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
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include "hooks/fails.h"

/* No character of any encoding. A width over INT_MAX, and by variables so that compilers do not see it. */
static const wchar_t none[] = { 'a', 0x7ffffff0, 0 };
static const char *volatile too_wide = "%2147483648d", *volatile star = "%*d",
			    *volatile wide = "%ls";
static char text[100];
static char *block;

enum which {
	VSNPRINTF,
	VSPRINTF,
	VASPRINTF
};

static int list(enum which which, const char *format, ...)
{
	va_list ap;
	int result;

	va_start(ap, format);
	if (which == VSNPRINTF)
		result = vsnprintf(text, sizeof(text), format, ap);
	else if (which == VSPRINTF)
		result = vsprintf(text, format, ap);
	else
		result = vasprintf(&block, format, ap);
	va_end(ap);
	return result;
}

EACH_FAILS(snprintf_EILSEQ, EILSEQ, snprintf(text, sizeof(text), wide, none))
EACH_FAILS(snprintf_EOVERFLOW, EOVERFLOW, snprintf(text, sizeof(text), too_wide, 1))
EACH_FAILS(vsnprintf_EILSEQ, EILSEQ, list(VSNPRINTF, wide, none))
EACH_FAILS(vsnprintf_EOVERFLOW, EOVERFLOW, list(VSNPRINTF, too_wide, 1))
EACH_FAILS(sprintf_EILSEQ, EILSEQ, sprintf(text, wide, none))
EACH_FAILS(sprintf_EOVERFLOW, EOVERFLOW, sprintf(text, too_wide, 1))
EACH_FAILS(vsprintf_EILSEQ, EILSEQ, list(VSPRINTF, wide, none))
EACH_FAILS(vsprintf_EOVERFLOW, EOVERFLOW, list(VSPRINTF, too_wide, 1))
EACH_FAILS(asprintf_EILSEQ, EILSEQ, asprintf(&block, wide, none))
EACH_FAILS(asprintf_EOVERFLOW, EOVERFLOW, asprintf(&block, too_wide, 1))
EACH_FAILS(vasprintf_EILSEQ, EILSEQ, list(VASPRINTF, wide, none))
EACH_FAILS(vasprintf_EOVERFLOW, EOVERFLOW, list(VASPRINTF, too_wide, 1))

IN_EACH(no_room_is_no_error)
{
	char small[3] = "xy";

	assert(snprintf(NULL, 0, star, 1000, 1) == 1000);
	assert(snprintf(keep_(small), 0, star, 5, 1) == 5 && !strcmp(small, "xy"));
	assert(snprintf(keep_(small), 1, star, 5, 1) == 5 && !small[0]);
	assert(snprintf(keep_(small), 3, star, 2, 1) == 2 && !strcmp(small, " 1"));
	return arg;
}

CASES(CASE(snprintf_EILSEQ), CASE(snprintf_EOVERFLOW), CASE(vsnprintf_EILSEQ),
      CASE(vsnprintf_EOVERFLOW), CASE(sprintf_EILSEQ), CASE(sprintf_EOVERFLOW),
      CASE(vsprintf_EILSEQ), CASE(vsprintf_EOVERFLOW), CASE(asprintf_EILSEQ),
      CASE(asprintf_EOVERFLOW), CASE(vasprintf_EILSEQ), CASE(vasprintf_EOVERFLOW),
      CASE(no_room_is_no_error))
