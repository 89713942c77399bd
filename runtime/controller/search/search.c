/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.c - explore and test: run the search, and have what it found judged (verdict/)
 *
 * Both commands start a process (or several, workers.c) that runs all executions, and differ only in what they ask
 * of the engine and in what a limit means: `explore` is inconclusive unless the whole space
 * was visited, `test` has done what was asked after its -n executions.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/describe/describe_text.h"
#include "controller/report/dump.h"
#include "controller/report/report.h"
#include "controller/run/salvage.h"
#include "controller/run/supervise.h"
#include "controller/search/around.h"
#include "controller/search/children.h"
#include "controller/search/corpus.h"
#include "controller/search/follow.h"
#include "controller/search/harness.h"
#include "controller/search/search.h"
#include "controller/search/session.h"
#include "controller/search/skip.h"
#include "controller/search/workers.h"
#include "controller/verdict/verdict.h"

/* Is it to be found out how many executions there are? Not beside what has to tell each of them. */
static enum search_estimate estimates(const struct session *s, uint32_t mode)
{
	const struct options *o = s->options;

	if (mode != ENGINE_EXPLORE || s->around.trace || s->equivalence == EQUIV_VALUE)
		return ESTIMATE_NONE;
	if (o->estimate)
		return ESTIMATE_ONLY;
	return s->dumper || o->keep_going ? ESTIMATE_NONE : ESTIMATE_BESIDE;
}

void search_config(struct shared_config *c, const struct session *s, uint32_t mode)
{
	const struct options *o = s->options;

	c->mode = mode;
	c->model = s->model;
	c->equivalence = s->equivalence;
	c->backend = (uint32_t)o->backend;
	c->seed = s->seed;
	c->strategy = (uint32_t)o->strategy;
	c->depth = (uint32_t)o->depth;
	c->estimate = estimates(s, mode);
	c->max_executions = o->executions;
	c->max_events = o->max_events;
	c->timeouts = (uint32_t)o->timeouts;
	c->unroll = (uint32_t)o->unroll;
	c->window = (uint32_t)o->window;
	c->memo_mib = (uint32_t)o->memo_memory;
	c->spurious_wakeups = (uint32_t)o->spurious_wakeups;
	c->keep_going = (uint32_t)o->keep_going;
	c->verbose = (uint32_t)o->verbose;
	c->dump = s->dumper != NULL;
	memcpy(c->setting, o->setting, sizeof(c->setting));
	c->setting[SETTING_CHILD] = s->child;
	c->setting[SETTING_EXPECTED] = s->expected;
}

static enum watch_look take_dumps(void *ctx, struct run *run)
{
	if (!dump_take(ctx, run->shared))
		return LOOK_STOP;
	return dump_waiting(run->shared) ? LOOK_MORE : LOOK_DONE;
}

/* Runs the search in one process and collects what it left. */
static int search_alone(struct session *s, const struct shared_config *config,
			const struct launch *launch, const struct watch *watch)
{
	struct shared_config given;
	struct run run;
	int status = run_open(&run);

	if (status)
		return status;
	run.shared->config = *config;
	around_tell(s, run.shared);
	given = run.shared->config;
	corpus_tell(s, &run.shared->corpus);
	follow_tell(s, &run, true);
	status = run_start(&run, launch);
	if (!status)
		status = supervise(&run, watch);
	if (!status && s->dumper)
		dump_left(s->dumper, run.shared);
	if (!status && (!collect(&run, &given, &s->search) || !salvage(&run, &s->search)))
		status = fail(STATUS_INTERNAL, "out of memory");
	run_release(&run);
	return status;
}

static struct launch how_to_launch(const struct session *s)
{
	return (struct launch){
		.program = &s->program,
		.argv = s->argv,
		.stdin_file = s->stdin_file[0] ? s->stdin_file : NULL,
	};
}

int search_run(struct session *s, struct run *run)
{
	struct launch launch = how_to_launch(s);
	struct watch watch = {
		.timeout_s = s->timeout_s,
		.watchdog_s = s->options->watchdog_s,
	};
	int status = run_start(run, &launch);

	return status ? status : supervise(run, &watch);
}

/* Of the time, if a bug was found: what is left is for making it smaller (minimise.h). */
static double part_of_search(const struct session *s)
{
	return s->until > 0 && s->options->command == COMMAND_TEST && s->options->minimise ? 0.9
											   : 1;
}

int search_unjudged(struct session *s, uint32_t mode)
{
	const struct options *o = s->options;
	struct launch launch = how_to_launch(s);
	struct watch watch = {
		.timeout_s = s->timeout_s,
		.part_with_bug = part_of_search(s),
		.watchdog_s = o->watchdog_s,
		.progress = session_progress(o),
		.of = o->executions,
		.look = s->dumper ? take_dumps : NULL,
		.ctx = s->dumper,
		.answer = follow_answer,
		.busy = follow_busy,
		.patient = true,
		.busy_ctx = s,
	};
	struct shared_config config = { 0 };
	int status;

	search_config(&config, s, mode);
	if (!corpus_load(s))
		return fail(STATUS_INTERNAL, "out of memory");
	status = o->jobs > 1 ? workers_search(s, &config, &launch, &watch)
			     : search_alone(s, &config, &launch, &watch);
	if (!status)
		status = corpus_store(s);
	if (!status && s->dumper && (status = dump_status(s->dumper)))
		snprintf(s->why, sizeof(s->why), "an execution could not be written to '%s'",
			 o->dump_dir);
	return status;
}

/* ---- What the search ended in ----------------------------------------------------------------- */

/* The process could not do its work at all; 0 or an exit status after a message. */
static int refused(struct session *s)
{
	const struct result *r = &s->search;
	int w = r->wait_status;
	char child[CHILD_NAME + 16] = "";

	if (s->child_name[0])
		snprintf(child, sizeof(child), "child %s of ", s->child_name);
	switch (r->phase) {
	case PHASE_REFUSED:
		describe_text(&r->modules, r->text, s->why, sizeof(s->why));
		return fail(STATUS_CANNOT_RUN, "cannot run %s'%s': %s", child, s->argv[0], s->why);
	case PHASE_NONDET:
		describe_text(&r->modules, r->text, s->why, sizeof(s->why));
		return fail(STATUS_CANNOT_RUN, "%sthe program %s: %s", child,
			    s->around.trace ? "does not begin as recorded, or behaves "
					      "non-deterministically"
					    : "behaves non-deterministically",
			    s->why);
	case PHASE_INTERNAL:
		snprintf(s->why, sizeof(s->why), "%s", r->text);
		return fail(
			STATUS_INTERNAL,
			"the runtime failed: %s; thread T%u ran last, and no trace could be saved. "
			"Either heddle is wrong, or the program wrote over its memory: build it with "
			"-fsanitize=address and run it alone to see",
			r->text, r->current_thread);
	case PHASE_START:
		if (r->end != RUN_OVER)
			return 0;
		if (WIFEXITED(w))
			return fail(
				STATUS_CANNOT_RUN,
				"cannot run '%s': it ended with status %d before heddle's runtime was "
				"loaded (run it alone to see why)",
				s->argv[0], WEXITSTATUS(w));
		return fail(
			STATUS_CANNOT_RUN,
			"cannot run '%s': it died of signal %d (%s) before heddle's runtime was loaded",
			s->argv[0], WTERMSIG(w), strsignal(WTERMSIG(w)));
	default:
		return 0;
	}
}

bool search_has_children(const struct result *r)
{
	if (r->phase == PHASE_REFUSED)
		return false;
	for (size_t i = 0; i < r->noffspring; i++)
		if (r->offspring[i].threads)
			return true;
	return false;
}

/* The program's own status, which may be what its children, or programs that it started, made of it. */
bool search_left_alone(const struct session *s)
{
	const struct result *r = &s->search;

	return r->nfindings == 1 && r->findings[0].kind == BUG_EXIT_CODE &&
	       (search_has_children(r) || follow_explains(s));
}

void search_process(struct session *s, uint32_t mode)
{
	int status;

	s->why[0] = 0;
	if (s->dumper)
		dump_process(s->dumper);
	status = search_unjudged(s, mode);
	if (!status && s->search.leaves)
		return;
	if (skip_applies(s))
		status = skip_search(s, mode, status);
	if (!status)
		status = refused(s);
	if (status && !s->search.nfindings) {
		s->status = status;
		s->verdict = VERDICT_INCONCLUSIVE;
	} else if (search_left_alone(s)) {
		s->status = STATUS_OK;
		s->verdict = VERDICT_OK;
	} else {
		verdict_decide(s, status);
	}
	skip_settle(s);
}

void search_again(struct session *s)
{
	if (search_left_alone(s) && !follow_explains(s))
		verdict_decide(s, 0);
}

/*
 * A tool has no executions of its own that anybody wants to know of. But one with threads may be what is to be
 * explored, if nothing that it started is.
 */
static void search_harness(struct session *s, uint32_t mode)
{
	s->status = harness_run(s);
	if (s->status || s->program.script || !follow_top_alone(s))
		return;
	s->harness = false;
	s->follow->over = true;
	search_process(s, mode);
}

int session_search(struct session *s, uint32_t mode)
{
	int status = follow_begin(s);

	if (status)
		return status;
	s->timeout_s = s->options->timeout_s;
	if (s->timeout_s > 0 && s->timeout_s != s->options->time_s)
		s->until = now_s() + s->timeout_s;
	if (s->around.trace && s->follow)
		s->follow->over = true; /* what it starts has other executions */
	if (!s->program.script)
		search_process(s, mode);
	if (s->program.script || s->search.leaves)
		search_harness(s, mode);
	if (search_has_children(&s->search))
		children_search(s, mode);
	follow_settle(s);
	if (s->options->explore_around && s->verdict == VERDICT_OK && !s->status)
		around_drawn(s);
	return session_end(s);
}
