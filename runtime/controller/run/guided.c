/* SPDX-License-Identifier: BSD-2-Clause */
/* guided.c - see guided.h */
#include "config.h"

#include "controller/run/guided.h"

#include <string.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/run/replay.h"
#include "controller/run/salvage.h"
#include "controller/run/supervise.h"

enum {
	FURTHER = 20000 /* events, behind those of the guide */
};

static void fill(struct shared *s, const struct trace *t, const struct step *steps, size_t n,
		 const struct guided_how *how)
{
	struct shared_config *c = &s->config;

	c->mode = ENGINE_ONLINE;
	c->model = t->model;
	c->equivalence = EQUIV_RF; /* random executions know no other */
	c->backend = how->backend;
	c->seed = how->seed;
	c->max_executions = how->executions;
	c->max_events = 2 * n + FURTHER;
	c->keep_going = how->all;
	c->timeouts = (uint32_t)how->options->timeouts;
	c->spurious_wakeups = (uint32_t)how->options->spurious_wakeups;
	memcpy(c->setting, t->setting, sizeof(c->setting));
	c->setting[SETTING_BEHIND] = 0;
	replay_give(s, t, steps, n);
}

int guided_run(const struct trace *t, const struct program *program, const struct step *steps,
	       size_t n, const struct guided_how *how, struct result *out)
{
	struct launch launch = {
		.program = program,
		.argv = t->arguments,
		.folder = t->folder,
		.stdin_file = t->stdin_file,
		.environment = &t->environment,
	};
	struct watch watch = {
		.timeout_s = how->timeout_s,
		.watchdog_s = how->options->watchdog_s,
	};
	struct shared_config config;
	struct run run;
	int status;

	memset(out, 0, sizeof(*out));
	status = run_open(&run);
	if (status)
		return status;
	fill(run.shared, t, steps, n, how);
	config = run.shared->config;
	status = run_start(&run, &launch);
	if (!status)
		status = supervise(&run, &watch);
	if (!status && (!collect(&run, &config, out) || (!out->nfindings && !salvage(&run, out))))
		status = fail(STATUS_INTERNAL, "out of memory");
	run_release(&run);
	return status;
}
