/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay.c - runs a recorded execution again in a fresh process
 *
 * The steps go to the start of the shared step area; the engine then lets the threads do
 * exactly these, in this order, and says where the program does something else. Call stacks
 * are taken only here.
 */
#include "config.h"

#include "controller/run/replay.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/run/salvage.h"
#include "controller/run/supervise.h"

enum {
	FURTHER = 20000 /* events, behind the end of a trace */
};

/* Which race is to end it; of a trace without the sides of one any is that of the trace. */
static void fill_races(struct shared_config *c, const struct trace *t, const struct replay_how *how)
{
	const struct side *sides = t->bug.sides;

	if (how->way) {
		c->races = RACES_ALL;
		c->way = how->way;
		c->max_events = 2 * t->bug.nsteps + FURTHER;
	} else if (t->setting[SETTING_BEHIND] && t->bug.nsides >= 2) {
		c->races = RACES_ONE;
		c->race = (struct race_named){
			.thread = sides[0].thread,
			.earlier = sides[1].thread,
			.code = sides[0].code,
			.place = t->bug.place,
		};
	}
}

void replay_give(struct shared *s, const struct trace *t, const struct step *steps, size_t n)
{
	s->config.replay_steps = n;
	if (t->bug.nfacts)
		memcpy(s->facts.at, t->facts, t->bug.nfacts * sizeof(t->facts[0]));
	for (size_t i = 0; i < t->modules.n && i < LATE_MODULES; i++)
		late_put(&s->facts.late, (uint32_t)i, t->modules.at[i].path);
	s->facts.n = s->facts.used = t->bug.nfacts;
	for (size_t i = 0; i < n; i++) {
		s->steps[i] = steps[i].record;
		s->places[i] = steps[i].place;
	}
	s->nsteps = n;
}

static void fill(struct shared *s, const struct trace *t, const struct replay_how *how)
{
	struct shared_config *c = &s->config;

	c->mode = ENGINE_REPLAY;
	c->model = t->model;
	c->equivalence = t->equivalence;
	c->backend = how->backend;
	c->seed = t->bug.seed ? t->bug.seed : t->seed;
	c->max_executions = 1;
	memcpy(c->setting, t->setting, sizeof(c->setting));
	c->verbose = how->verbose;
	c->show_output = how->show_output;
	c->stop_at_bug = how->gdb;
	if (t->bug.kind == BUG_DATA_RACE)
		c->watch = t->bug.place;
	fill_races(c, t, how);
	if (t->bug.place.kind == PLACE_HEAP)
		c->block = t->bug.place;
	replay_give(s, t, t->bug.steps, t->bug.nsteps);
}

int replay_run(const struct trace *t, const struct program *program, const struct replay_how *how,
	       struct result *out)
{
	struct launch launch = {
		.program = program,
		.argv = t->arguments,
		.folder = t->folder,
		.stdin_file = t->stdin_file,
		.environment = &t->environment,
		.show_output = how->show_output,
		.output_fd = how->output_fd,
		.gdb = how->gdb,
		.gdb_args = how->gdb_args,
	};
	struct watch watch = {
		.timeout_s = how->timeout_s,
		.watchdog_s = how->gdb ? 0 : how->watchdog_s,
		.gdb = how->gdb,
	};
	struct shared_config config;
	struct run run;
	int status;

	memset(out, 0, sizeof(*out));
	status = run_open(&run);
	if (status)
		return status;
	fill(run.shared, t, how);
	config = run.shared->config;
	status = run_start(&run, &launch);
	if (!status && how->pid)
		*how->pid = run.pid;
	if (!status)
		status = supervise(&run, &watch);
	if (!status && how->gdb_status)
		*how->gdb_status = WIFEXITED(run.wait_status) ? WEXITSTATUS(run.wait_status)
							      : 128 + WTERMSIG(run.wait_status);
	if (!status && (!collect(&run, &config, out) || (!out->nfindings && !salvage(&run, out))))
		status = fail(STATUS_INTERNAL, "out of memory");
	run_release(&run);
	return status;
}

/* What a replay without any bug did. */
static void what_happened(const struct result *res, char *why, size_t size)
{
	if (res->phase == PHASE_REFUSED || res->phase == PHASE_NONDET ||
	    res->phase == PHASE_INTERNAL)
		snprintf(why, size, "%s", res->text);
	else if (res->end == RUN_HUNG)
		snprintf(why, size,
			 "thread T%u ran without any operation until the watchdog ended it",
			 res->current_thread);
	else if (res->end == RUN_TIMEOUT)
		snprintf(why, size, "it did not end within the time limit");
	else if (res->end == RUN_INTERRUPTED)
		snprintf(why, size, "it was interrupted");
	else if (res->phase != PHASE_DONE && WIFEXITED(res->wait_status))
		snprintf(why, size, "the process left with status %d",
			 WEXITSTATUS(res->wait_status));
	else
		snprintf(why, size, "the execution ended without a bug");
}

bool replay_shows(const struct trace *t, struct result *res, struct finding **found, char *why,
		  size_t size)
{
	if (!res->nfindings) {
		char what[SHARED_TEXT + 64];

		what_happened(res, what, sizeof(what));
		snprintf(why, size, "recorded: %s; now: %s", bug_title(t->bug.kind), what);
		return false;
	}
	*found = &res->findings[0];
	return finding_same(&t->bug, &res->findings[0], why, size);
}
