/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.h - what is said while heddle searches
 */
#ifndef HEDDLE_CONTROLLER_PROGRESS_H
#define HEDDLE_CONTROLLER_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

enum progress_how {
	PROGRESS_NONE,
	PROGRESS_LINE, /* one line, in place */
	PROGRESS_PLAIN /* a line now and then, where there is no terminal */
};

struct progress {
	enum progress_how how;
	uint64_t complete, blocked;
	double elapsed_s;
	uint64_t of;         /* executions, in all; 0: nobody knows */
	double about, error; /* likewise as an estimate, with its standard error; 0: none */
	uint64_t memory_kib;
	unsigned workers;
};

/* Says it again, but not more than ten times a second, and plain lines at longer and longer intervals. */
void progress_show(const struct progress *p);

/* Any other line, without "heddle: ", as seldom; what there is no room for is left out. */
void progress_line(enum progress_how how, double elapsed_s, const char *text);

/* "12.3 s", "4 min 12 s". */
void time_text(double seconds, char *out, size_t size);

#endif
