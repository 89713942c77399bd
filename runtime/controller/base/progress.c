/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.c - what is said while heddle searches
 *
 * Who calls reads the counters in the shared mapping; the program is not disturbed. The rate is that of
 * the last second or so, since searches get faster and slower. A line in place has what there is room for, the most
 * important first.
 */
#include "config.h"

#include "controller/base/progress.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/terminal.h"

static const double redraw_s = 0.1, rate_s = 1.0, first_plain_s = 10;

enum {
	PLAIN_COLUMNS = 160
};

void time_text(double seconds, char *out, size_t size)
{
	if (seconds < 60)
		snprintf(out, size, "%.*f s", seconds < 10 ? 2 : 1, seconds);
	else if (seconds < 3600)
		snprintf(out, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
	else
		snprintf(out, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
}

/* Executions a second, of late. */
static double rate_of(uint64_t all, double elapsed_s)
{
	static double at, rate;
	static uint64_t base;

	if (elapsed_s < at || all < base)
		at = rate = 0, base = 0; /* another search */
	if (elapsed_s - at >= rate_s || base == 0) {
		rate = elapsed_s > at ? (double)(all - base) / (elapsed_s - at) : 0;
		if (elapsed_s - at >= rate_s) {
			at = elapsed_s;
			base = all;
		}
	}
	return rate;
}

/* Is it time to say something? */
static bool is_due(enum progress_how how, double elapsed_s)
{
	static double shown_at = -1, next_plain = first_plain_s;

	if (elapsed_s < shown_at)
		next_plain = first_plain_s;
	else if (how == PROGRESS_PLAIN ? elapsed_s < next_plain : elapsed_s - shown_at < redraw_s)
		return false;
	shown_at = elapsed_s;
	if (how != PROGRESS_PLAIN)
		return true;
	if (elapsed_s < next_plain)
		return false;
	while (next_plain <= elapsed_s)
		next_plain *= 2;
	return true;
}

/* "1234", "1.23M": a number in little room. */
static void short_text(double n, char out[16])
{
	static const char units[] = " kMGTP";
	size_t i = 0;

	for (; n >= 99999.5 && i + 2 < sizeof(units); i++)
		n /= 1000;
	if (!i)
		snprintf(out, 16, "%.0f", n);
	else
		snprintf(out, 16, n < 1e9 ? "%.*f%c" : "%.*g%c",
			 n >= 1e9    ? 3
			 : n < 9.995 ? 2
			 : n < 99.95 ? 1
				     : 0,
			 n, units[i]);
}

struct line {
	char text[240];
	size_t n, room;
};

/* Puts it behind the others, if there is room for it; else that was the last. */
__attribute__((format(printf, 2, 3))) static void put(struct line *l, const char *format, ...)
{
	char part[120];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(part, sizeof(part), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(part) || l->n + (size_t)n > l->room) {
		l->room = l->n;
		return;
	}
	memcpy(l->text + l->n, part, (size_t)n + 1);
	l->n += (size_t)n;
}

/* How far it is, and how long it takes yet. */
static void put_whole(struct line *l, const struct progress *p, double rate)
{
	const double all = (double)(p->complete + p->blocked),
		     whole = p->of ? (double)p->of : p->about;
	double part = whole > 0 ? all / whole : 0;
	char text[16], time[32];

	if (whole <= 0)
		return;
	if (!p->of) {
		part = part < 0.99 ? part : 0.99; /* it is not over */
		short_text(whole, text);
		put(l, "; %.*f%% of about %s (+-%.0f%%)", part < 0.1 ? 1 : 0, 100 * part, text,
		    100 * p->error / whole);
	} else {
		put(l, "; %.0f%%", 100 * part);
	}
	if (rate > 0 && whole > all) {
		time_text((whole - all) / rate, time, sizeof(time));
		put(l, ", %s left", time);
	}
}

void progress_show(const struct progress *p)
{
	const double rate = rate_of(p->complete + p->blocked, p->elapsed_s);
	struct line l = { .room = PLAIN_COLUMNS };
	char complete[16], blocked[16], text[16], limit[32] = "", time[32];

	if (p->how == PROGRESS_NONE || !is_due(p->how, p->elapsed_s))
		return;
	if (p->how == PROGRESS_LINE)
		l.room = terminal_columns(2) - 1;
	if (l.room > PLAIN_COLUMNS)
		l.room = PLAIN_COLUMNS;
	short_text((double)p->complete, complete);
	short_text((double)p->blocked, blocked);
	short_text(rate, text);
	if (p->of)
		snprintf(limit, sizeof(limit), " of %llu", (unsigned long long)p->of);
	time_text(p->elapsed_s, time, sizeof(time));
	put(&l, "heddle: %s%s executions", complete, limit);
	put(&l, ", %s blocked", blocked);
	put(&l, ", %s/s", text);
	put(&l, ", %s", time);
	put_whole(&l, p, rate);
	if (p->memory_kib)
		put(&l, ", %llu MiB", (unsigned long long)(p->memory_kib + 1023) / 1024);
	if (p->workers > 1)
		put(&l, ", %u workers", p->workers);
	if (p->how == PROGRESS_LINE)
		message_progress(l.text);
	else
		say("%s", l.text + strlen("heddle: "));
}

void progress_line(enum progress_how how, double elapsed_s, const char *text)
{
	char line[PLAIN_COLUMNS + 1];
	size_t n = terminal_columns(2); /* the last one stays free */

	if (how == PROGRESS_NONE || !is_due(how, elapsed_s))
		return;
	if (how == PROGRESS_PLAIN) {
		say("%s", text);
		return;
	}
	snprintf(line, n < sizeof(line) ? n : sizeof(line), "heddle: %s", text);
	text_sanitize(line, sizeof(line)); /* also a character that was cut */
	message_progress(line);
}
