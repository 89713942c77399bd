/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.h - runs a recorded execution again in a fresh process
 */
#ifndef HEDDLE_CONTROLLER_REPLAY_H
#define HEDDLE_CONTROLLER_REPLAY_H

#include "controller/options/options.h"
#include "controller/run/collect.h"
#include "controller/trace/trace.h"

struct replay_how {
	bool show_output;
	int output_fd; /* as in struct launch */
	bool gdb;
	char *const *gdb_args; /* as in struct launch */
	int *gdb_status;       /* NULL, or where the exit status of gdb is stored */
	double timeout_s, watchdog_s;
	uint32_t backend;
	uint32_t verbose;
	uint32_t
		way; /* not 0: notes each race, and goes on behind the end of the trace, in that way of many */
	pid_t *pid; /* NULL, or where the process's id is stored */
};

/*
 * Replays the trace's steps and collects what the process left. Returns 0 or an exit status
 * after a message. *out is to be released even then.
 */
int replay_run(const struct trace *t, const struct program *program, const struct replay_how *how,
	       struct result *out);

/* Gives a run that is about to start these steps, and what the trace knows of the program. */
void replay_give(struct shared *s, const struct trace *t, const struct step *steps, size_t n);

/*
 * Does the replay's result show the bug of the trace? If so *found is that finding; if not,
 * why says in one line what happened instead.
 */
bool replay_shows(const struct trace *t, struct result *res, struct finding **found, char *why,
		  size_t size);

#endif
