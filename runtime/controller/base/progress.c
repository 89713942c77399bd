/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.c - the line that counts while heddle searches
 *
 * Reads the counters in the shared mapping; the program is not disturbed. The rate is that of
 * the last second or so, since searches get faster and slower.
 */
#include "config.h"

#include "controller/base/progress.h"

#include <stdio.h>

#include "controller/base/message.h"

static const double redraw_s = 0.1, rate_s = 1.0;

void time_text(double seconds, char *out, size_t size)
{
	if (seconds < 60)
		snprintf(out, size, "%.*f s", seconds < 10 ? 2 : 1, seconds);
	else if (seconds < 3600)
		snprintf(out, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
	else
		snprintf(out, size, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
}

void progress_show(uint64_t complete, uint64_t blocked, double elapsed_s, uint64_t of)
{
	static double shown_at = -1, rate_at;
	static uint64_t rate_base;
	static double rate;
	uint64_t all = complete + blocked;
	char line[160], limit[32] = "", time[32];

	if (elapsed_s >= shown_at && elapsed_s - shown_at < redraw_s)
		return;
	if (elapsed_s < rate_at || all < rate_base)
		rate_at = rate = 0, rate_base = 0; /* another search */
	shown_at = elapsed_s;
	if (elapsed_s - rate_at >= rate_s || rate_base == 0) {
		rate = elapsed_s > rate_at ? (double)(all - rate_base) / (elapsed_s - rate_at) : 0;
		if (elapsed_s - rate_at >= rate_s) {
			rate_at = elapsed_s;
			rate_base = all;
		}
	}
	if (of)
		snprintf(limit, sizeof(limit), " of %llu", (unsigned long long)of);
	time_text(elapsed_s, time, sizeof(time));
	snprintf(line, sizeof(line), "heddle: %llu%s executions, %llu blocked, %.0f/s, %s",
		 (unsigned long long)complete, limit, (unsigned long long)blocked, rate, time);
	message_progress(line);
}
