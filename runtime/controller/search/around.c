/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * around.c - exploring what begins like another execution, which was recorded or is drawn
 *
 * The exploration is given the first operations of that execution, and visits what has them (engine/explore/around.c). What is
 * reported says so: nothing is known of executions that begin in another way.
 *
 * A random execution is had again for this, by its seed and number, since no other run keeps one that has no bug.
 * The facts that were in force go with it, as with a trace: they say which operations the program has.
 */
#include "config.h"

#include "controller/search/around.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/describe/recorded.h"
#include "controller/run/replay.h"
#include "controller/run/supervise.h"
#include "controller/search/follow.h"
#include "controller/search/search.h"
#include "controller/trace/trace.h"

/* Half of them, if nobody says: what comes first is seldom what decides. */
static void set_length(const struct options *o, struct around *a)
{
	a->of = a->trace->bug.nsteps;
	a->from = o->from_given ? o->from : (a->of + 1) / 2;
	if (a->from > a->of)
		a->from = a->of;
}

void around_tell(const struct session *s, struct shared *shared)
{
	const struct around *a = &s->around;

	if (a->trace && shared->config.mode == ENGINE_EXPLORE)
		replay_give(shared, a->trace, a->trace->bug.steps, a->from);
}

/* ---- A trace -------------------------------------------------------------------------------- */

int around_open(struct session *s, struct options *o, struct trace_reader *r, struct trace *t)
{
	memset(s, 0, sizeof(*s));
	s->stdin_fd = -1; /* nothing else is there to be released */
	for (int i = 0; i < RESULT_FORMS; i++)
		s->result_fd[i] = -1;
	if (!trace_open(r, o->around, t))
		return fail(STATUS_USAGE, "%s", r->error);
	if (o->jobs > 1)
		return fail(STATUS_USAGE, "--around: one worker explores around a trace: drop -j");
	if (o->equivalence == EQUIV_VALUE)
		return fail(
			STATUS_USAGE,
			"--around: an exploration by values begins with no trace: drop -e value");
	if (t->setting[SETTING_CHILD])
		return fail(
			STATUS_USAGE,
			"--around: '%s' is of a child of the program, around which heddle cannot "
			"explore",
			o->around);
	if (!o->model_given)
		o->model = t->model;
	for (unsigned i = 0; i < SETTING_CHILD; i++)
		o->setting[i] = t->setting[i];
	return 0;
}

int around_read(struct session *s, struct trace_reader *r, struct trace *t)
{
	const struct options *o = s->options;

	if (strcmp(s->program.build_id, t->build_id) != 0)
		return fail(
			STATUS_CANNOT_RUN,
			"'%s' was recorded with another build of '%s': its build-id is %s, that of "
			"the program now is %s",
			o->around, t->program, t->build_id, s->program.build_id);
	if (!recorded_steps(r, t))
		return fail(STATUS_USAGE, "%s", r->error[0] ? r->error : "out of memory");
	s->around = (struct around){ .trace = t, .name = o->around };
	set_length(o, &s->around);
	return recorded_libraries(t, o->around);
}

/* ---- A random execution --------------------------------------------------------------------- */

/* The execution that was run, into t, which owns its steps. False: it cannot be had. */
static bool take_steps(const struct shared *s, const struct result *r, struct trace *t)
{
	/* acquire: partner is the runtime's release after each execution */
	uint64_t put = atomic_load_explicit(&s->dumps_put, memory_order_acquire);
	struct dump d;

	if (!put || r->damaged)
		return false;
	d = s->dumps[(put - 1) % SHARED_DUMPS];
	if (d.ending == (uint32_t)DUMP_FORGET || d.too_long || d.at > SHARED_DUMP_STEPS ||
	    d.steps > SHARED_DUMP_STEPS - d.at)
		return false;
	t->bug.nsteps = collect_records(&s->dump_steps[d.at], &s->dump_places[d.at], d.steps,
					&r->modules, &t->bug.steps);
	return t->bug.nsteps == d.steps;
}

/* What is known of the program comes along, by name: addresses may be others. */
static void take_facts(struct result *r, struct trace *t)
{
	for (uint32_t i = 0; i < r->nfacts; i++)
		if (r->facts[i].place.kind != PLACE_UNKNOWN)
			r->facts[i].addr = 0;
	t->facts = r->facts;
	t->bug.nfacts = r->nfacts;
	t->modules = r->modules;
	r->facts = NULL;
	r->nfacts = 0;
	memset(&r->modules, 0, sizeof(r->modules));
}

/* The first of the random executions once more, into t. Returns 0 or an exit status after a message. */
static int draw(struct session *s, struct trace *t)
{
	struct shared_config config = { 0 };
	struct result r = { .phase = PHASE_START };
	bool taken = false;
	struct run run;
	int status = run_open(&run);

	if (status)
		return status;
	search_config(&config, s, ENGINE_ONLINE);
	config.max_executions = 1;
	config.dump = 1;
	run.shared->config = config;
	status = search_run(s, &run);
	if (!status && !collect(&run, &config, &r))
		status = fail(STATUS_INTERNAL, "out of memory");
	if (!status)
		taken = take_steps(run.shared, &r, t);
	if (taken)
		take_facts(&r, t);
	run_release(&run);
	result_release(&r);
	if (!status && !taken)
		status = fail(
			STATUS_CANNOT_RUN,
			"--explore-around: a random execution of '%s' cannot be had again, or has "
			"too many operations",
			s->argv[0]);
	return status;
}

/* How long the exploration may take. --time is about the random executions alone. */
static double time_left(const struct session *s)
{
	double left = s->options->timeout_s - s->search.seconds;

	if (s->options->time_s > 0 || s->options->timeout_s <= 0)
		return 0;
	return left > 0.001 ? left : 0.001;
}

/* The result is of both searches. */
static void add_up(struct session *s, struct result *random)
{
	struct result *r = &s->search;

	s->around.executions = r->executions;
	s->around.blocked = r->blocked;
	r->executions += random->executions;
	r->blocked += random->blocked;
	r->events += random->events;
	r->wasted += random->wasted;
	r->cut += random->cut;
	r->restarts += random->restarts;
	r->not_followed |= random->not_followed;
	r->seconds += random->seconds;
	if (r->peak_rss_kib < random->peak_rss_kib)
		r->peak_rss_kib = random->peak_rss_kib;
	ledger_add(&r->ledger, &random->ledger);
	memcpy(r->drawn, random->drawn, sizeof(r->drawn));
	r->coverage = random->coverage;
	random->coverage = NULL;
	result_release(random);
}

static void explore(struct session *s)
{
	const struct options *asked = s->options;
	struct options o = *asked;
	struct result random = s->search;

	o.command = COMMAND_EXPLORE;
	o.executions = 0;
	o.jobs = 1;
	s->timeout_s = time_left(s);
	memset(&s->search, 0, sizeof(s->search));
	s->options = &o;
	search_process(s, ENGINE_EXPLORE);
	s->options = asked;
	add_up(s, &random);
}

void around_drawn(struct session *s)
{
	struct trace *t = &s->around_own;

	if (s->harness || s->nchildren || s->nfollowed)
		s->status = fail(STATUS_CANNOT_RUN,
				 "--explore-around: the program makes other processes that have "
				 "executions of their own, around which heddle cannot explore");
	else
		s->status = draw(s, t);
	if (s->status) {
		s->verdict = VERDICT_INCONCLUSIVE;
		snprintf(s->why, sizeof(s->why),
			 "what begins like a random execution was not explored");
		return;
	}
	s->around.trace = t;
	set_length(s->options, &s->around);
	if (s->follow)
		s->follow->over = true;
	explore(s);
}
