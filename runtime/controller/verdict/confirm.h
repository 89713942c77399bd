/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confirm.h - a bug is reported only when a fresh process shows it again
 */
#ifndef HEDDLE_CONTROLLER_CONFIRM_H
#define HEDDLE_CONTROLLER_CONFIRM_H

#include "controller/report/outcome.h"
#include "controller/trace/trace.h"

enum confirmation {
	CONFIRM_SAME,      /* *out holds it, with call stacks; the trace is written */
	CONFIRM_DIFFERENT, /* s->why says what differed; out->trace is kept for a look at it */
	CONFIRM_DAMAGED,   /* heddle's memory was written over, and what is left does not replay */
	CONFIRM_FAILED,    /* heddle could not try: a message was printed, s->status set */
};

/*
 * Writes the trace of a finding, replays that in a fresh process and compares. number names
 * the trace file. *out is to be released with reported_release() in any case.
 */
enum confirmation confirm(struct session *s, struct finding *f, size_t number,
			  struct reported *out);

/*
 * Replays a confirmed race, and goes on behind it in one of many ways (from 1), for so many seconds at most: *out has each race of the
 * execution, and perhaps what it came to. To be released in any case. False when it could not be tried.
 */
bool confirm_all_races(struct session *s, const struct finding *f, uint32_t way, double seconds,
		       struct result *out);

/* The trace of a finding as its replay gets it. False when it cannot be had; else it is to be released. */
bool confirm_trace(struct session *s, const struct finding *f, struct trace *t);

/*
 * The same for a smaller execution with a confirmed bug: its trace is written beside that bug's, of explore in place of
 * it, if a replay shows the bug again. *out is to be released in any case.
 */
bool confirm_smaller(struct session *s, struct finding *f, size_t number, struct reported *out);

void reported_release(struct reported *r);

/* Fills site and summary of a reported bug, and where its sides are in own code. */
void reported_name(struct reported *r);
/* ", t.c:31 worker and t.c:40 main": where the sides of a bug were that no replay has shown. Empty if that is not known. */
void finding_sites(const struct finding *f, const struct loaded_list *modules, char *out,
		   size_t size);

#endif
