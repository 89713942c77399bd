/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * search.c - explore and test: run the search, confirm what it found, judge
 *
 * Both commands start a process (or several, workers.c) that runs all executions, and differ only in what they ask
 * of the engine and in what a limit means: `explore` is inconclusive unless the whole space
 * was visited, `test` has done what was asked after its -n executions.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/describe/describe_text.h"
#include "controller/elf/locked.h"
#include "controller/report/dump.h"
#include "controller/report/report.h"
#include "controller/run/salvage.h"
#include "controller/run/supervise.h"
#include "controller/search/around.h"
#include "controller/search/behind.h"
#include "controller/search/children.h"
#include "controller/search/confirm.h"
#include "controller/search/corpus.h"
#include "controller/search/follow.h"
#include "controller/search/harness.h"
#include "controller/search/minimise.h"
#include "controller/search/search.h"
#include "controller/search/session.h"
#include "controller/search/skip.h"
#include "controller/search/suppress.h"
#include "controller/search/workers.h"

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

static bool died(const struct result *r)
{
	return r->end == RUN_OVER && r->phase < PHASE_DONE;
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

/* Why it may have done something all the same. */
static const char *why_unseen(const struct session *s)
{
	uint64_t offset;

	if (s->search.uninstrumented)
		return "; it may wait for memory that is not seen, since the program is not instrumented "
		       "(build it with heddle-cc)";
	if (locked_find(s->program.path, &offset, 1))
		return "; its atomic instructions in inline assembly are not seen (let it use the atomics "
		       "of the compiler, see heddle-programs(7), LIMITS)";
	return "";
}

/* Threads of a program that is not instrumented, and nothing of how they synchronise. */
static bool saw_nothing(const struct session *s)
{
	const struct result *r = &s->search;

	return s->options->command == COMMAND_EXPLORE && r->uninstrumented && r->rooted &&
	       !r->synchronised;
}

static void say_death(struct session *s)
{
	const struct result *r = &s->search;
	size_t size = sizeof(s->why);

	if (s->nbugs)
		snprintf(s->why, size, "the process died before the whole space was visited");
	else if (WIFEXITED(r->wait_status))
		snprintf(
			s->why, size,
			"the process left with status %d in thread T%u, past the functions that end a "
			"program",
			WEXITSTATUS(r->wait_status), r->current_thread);
	else
		snprintf(
			s->why, size,
			"the process was killed by SIG%s, not by a bug of its own (out of memory?)",
			sigabbrev_np(WTERMSIG(r->wait_status)));
}

/* Code of an instrumented program that is not. */
static void say_bare(struct session *s)
{
	char where[2 * SHARED_TEXT];

	describe_text(&s->search.modules, s->search.bare, where, sizeof(where));
	snprintf(
		s->why, sizeof(s->why),
		"%.600s, in code that is not instrumented, so what threads do there is not explored (build it "
		"with heddle-cc; let inline assembly be atomics of the compiler)",
		where);
}

/* What was left out of a search that came to its end; false when nothing was. */
static bool say_left_out(struct session *s)
{
	const struct result *r = &s->search;
	const struct options *o = s->options;
	char *why = s->why;
	size_t size = sizeof(s->why);

	if (r->strayed)
		snprintf(
			why, size,
			"%llu orders of calls could not be had, since threads act on memory that is "
			"not seen in a program that is not instrumented (build it with heddle-cc)",
			(unsigned long long)r->strayed);
	else if (r->not_followed & CUT_PARTS)
		snprintf(
			why, size,
			"where atomic accesses of several sizes meet, executions were left out of which "
			"it could not be said whether accesses are torn there: access each object in one "
			"size (heddle-models(7), ACCESSES OF SEVERAL SIZES)");
	else if (r->not_followed & CUT_UNROLLED)
		snprintf(why, size, "loops were cut after %llu round%s (--unroll)",
			 (unsigned long long)o->unroll, o->unroll == 1 ? "" : "s");
	else if (r->not_followed & CUT_ROUNDS)
		snprintf(
			why, size,
			"a loop was followed for 256 rounds only, since a call in it, or code in it "
			"that is not instrumented, may change what heddle does not see");
	else if (r->not_followed & CUT_CANCELS)
		snprintf(
			why, size,
			"threads were stopped in loops whose atomic operations cancel out, and it is not "
			"known whether they can end each other's");
	else if (r->doubtful)
		snprintf(why, size,
			 "a thread waits in a loop that may look at memory, which is not seen in a "
			 "program that is not instrumented (build it with heddle-cc)");
	else if (r->met_in[0])
		snprintf(
			why, size,
			"threads were in %.64s at once, which is not instrumented and has locks or data "
			"of its own: in which orders is not seen (build it with heddle-cc)",
			r->met_in);
	else if (r->bare[0])
		say_bare(s);
	else if (saw_nothing(s))
		snprintf(why, size,
			 "there are threads, and nothing was seen by which they synchronise, in a "
			 "program that is not instrumented (build it with heddle-cc)");
	else if (r->left[0])
		snprintf(why, size, "%s", r->left);
	else
		return false;
	return true;
}

/*
 * Is it for the bound on time-outs that no execution has come to its end? Then nothing was seen of what the program does
 * behind its first waits, and that is no "no bug".
 */
static bool never_ended(struct session *s)
{
	const struct result *r = &s->search;

	if (r->executions || !r->blocked || !(r->not_followed & (CUT_TIMEOUTS | CUT_TRIES)))
		return false;
	snprintf(
		s->why, sizeof(s->why),
		"no execution comes to its end within %llu time-outs of a call, or rounds that change "
		"nothing (--timeouts)",
		(unsigned long long)s->options->timeouts);
	return true;
}

/* Why the search is not complete; false when it is. */
static bool incomplete(struct session *s)
{
	const struct result *r = &s->search;
	const struct options *o = s->options;
	bool test = o->command == COMMAND_TEST;
	char *why = s->why;
	size_t size = sizeof(s->why);

	if (r->phase == PHASE_DONE && r->exhausted && !r->cut && !r->strayed && !r->doubtful &&
	    !(r->not_followed & (CUT_ROUNDS | CUT_UNROLLED | CUT_CANCELS | CUT_PARTS)) &&
	    !saw_nothing(s) && !r->met_in[0] && !r->bare[0] && !r->left[0])
		return never_ended(s);
	if (r->left[0] && r->phase == PHASE_DONE && r->exhausted && say_left_out(s))
		return true;
	if (r->end == RUN_HUNG)
		snprintf(
			why, size,
			"the program hangs in a loop without operations: thread T%u did nothing %s for "
			"%g s (%s--watchdog)%s",
			r->current_thread,
			r->accesses_only ? "but plain accesses" : "that heddle can see",
			(r->accesses_only ? SUPERVISE_PATIENCE : 1) * o->watchdog_s,
			r->accesses_only ? "ten times " : "",
			r->accesses_only ? "" : why_unseen(s));
	else if (r->end == RUN_INTERRUPTED)
		snprintf(why, size, "interrupted");
	else if (o->estimate && r->estimate.descents >= 1 &&
		 (r->end == RUN_TIMEOUT || (r->phase == PHASE_DONE && r->end == RUN_OVER)))
		snprintf(why, size, "only an estimate was asked for (--estimate)");
	else if (r->end == RUN_TIMEOUT && test && (!o->executions || o->time_s > 0) &&
		 r->executions + r->blocked)
		return never_ended(s); /* else what was asked for: as many as there is time for */
	else if (r->end == RUN_TIMEOUT)
		snprintf(why, size, "the time limit of %g s was reached (--timeout)", o->timeout_s);
	else if (died(r))
		say_death(s);
	else if (r->cut && (!test || r->cut >= r->executions + r->blocked))
		snprintf(why, size, "executions were cut at %llu events (--max-events)",
			 (unsigned long long)o->max_events);
	else if (r->exhausted && say_left_out(s))
		return true;
	else if (!test)
		snprintf(why, size, "the limit of %llu executions was reached (-n)",
			 (unsigned long long)o->executions);
	else
		return never_ended(s);
	return true;
}

/* ---- Bugs --------------------------------------------------------------------------------------- */

/* Signals that somebody else may have sent. */
static bool from_outside(const struct finding *f)
{
	return f->signal == SIGKILL || f->signal == SIGTERM || f->signal == SIGINT ||
	       f->signal == SIGHUP || f->signal == SIGQUIT;
}

/* Nothing that is left of the execution replays. */
static void say_damaged(struct session *s, const struct finding *f)
{
	const char *damaged = s->search.damaged ? s->search.damaged : "the recorded execution";
	struct reported r = { .bug = *f, .modules = s->search.modules };

	if (from_outside(f))
		return;
	reported_name(&r); /* f owns what it names */
	snprintf(
		s->why, sizeof(s->why),
		"the program wrote over heddle's own memory (a wild write, into %s), so no trace could "
		"be saved; thread T%u ran last%s%s",
		damaged, f->nsides ? f->sides[0].thread : s->search.current_thread,
		r.site[0] ? ", behind " : "", r.site);
	s->status = fail(STATUS_CANNOT_RUN, "%s", s->why);
}

/*
 * Was it reported already? A replay tells races apart, and together, better than the search did,
 * since it knows where the earlier access was made.
 */
static bool is_reported(struct session *s, const struct reported *r)
{
	for (size_t i = 0; i < s->nbugs; i++) {
		if (s->bugs[i].bug.kind != BUG_DATA_RACE ||
		    strcmp(s->bugs[i].child, r->child) != 0 ||
		    !finding_repeats(&s->bugs[i].bug, &r->bug))
			continue;
		s->bugs[i].bug.times += r->bug.times;
		return true;
	}
	return false;
}

/* Where the next bug goes; NULL when memory is short. */
static struct reported *next_bug(struct session *s)
{
	struct reported *grown = realloc(s->bugs, (s->nbugs + 1) * sizeof(*grown));

	if (!grown) {
		s->status = fail(STATUS_INTERNAL, "out of memory");
		return NULL;
	}
	s->bugs = grown;
	return &grown[s->nbugs];
}

/* One that came back; f: as the search found it, or NULL: behind another one. False if it was reported before. */
static bool take(struct session *s, const struct finding *f, struct reported *r)
{
	if (is_reported(s, r)) {
		unlink(r->trace);
		reported_release(r);
		return false;
	}
	if (suppress(s, r))
		return true;
	if (f && s->options->minimise)
		minimise(s, f, s->nbugs, r);
	s->nbugs++;
	report_text(s, r);
	return true;
}

/* A race behind another one. If it does not come back, the other one may be to blame. */
static void confirm_behind(struct session *s, struct finding *f)
{
	struct reported *r = next_bug(s);
	char why[sizeof(s->why)];
	int status = s->status;

	if (!r)
		return;
	memcpy(why, s->why, sizeof(why));
	if (confirm(s, f, s->nbugs, r) == CONFIRM_SAME) {
		take(s, NULL, r);
		return;
	}
	unlink(r->trace);
	reported_release(r);
	memcpy(s->why, why, sizeof(why));
	s->status = status;
}

/* The other races of the execution that the last bug is of, a race. */
static void look_behind(struct session *s, const struct finding *f, double took)
{
	struct races_met met = { .n = 0 };
	struct result behind;
	bool more = true;

	for (size_t i = 0; i < s->nbugs; i++)
		if (s->bugs[i].bug.kind == BUG_DATA_RACE)
			races_meet(&met, &s->bugs[i].bug, &s->bugs[i].modules);
	for (uint32_t way = 1; more && way <= BEHIND_WAYS; way++) {
		more = behind_race(s, f, way, took, &behind) && behind.end == RUN_OVER;
		for (size_t i = 0; i < behind.nfindings; i++)
			if (behind.findings[i].kind == BUG_DATA_RACE &&
			    !races_meet(&met, &behind.findings[i], &behind.modules))
				confirm_behind(s, &behind.findings[i]);
		result_release(&behind);
	}
	races_release(&met);
}

/* Only its words, and where it was, are left of it. */
static void say_too_long(struct session *s, const struct finding *f)
{
	char sites[256];

	finding_sites(f, &s->search.modules, sites, sizeof(sites));
	snprintf(s->why, sizeof(s->why),
		 "a bug was found in an execution that is too long for a trace: %s: %s%s "
		 "(--max-events=1000000 looks for it in shorter ones)",
		 bug_title(f->kind), f->message, sites);
	s->status = STATUS_INCONCLUSIVE;
}

static void confirm_one(struct session *s, struct finding *f)
{
	struct reported *r = next_bug(s);
	char why[sizeof(s->why)];
	double began = now_s();

	if (!r)
		return;
	if (f->lacks_steps) {
		memset(r, 0, sizeof(*r));
		say_too_long(s, f);
		return;
	}
	switch (confirm(s, f, s->nbugs, r)) {
	case CONFIRM_SAME:
		if (take(s, f, r) && s->options->keep_going && f->kind == BUG_DATA_RACE)
			look_behind(s, f, now_s() - began);
		return;
	case CONFIRM_DIFFERENT:
		snprintf(why, sizeof(why), "%s", s->why);
		reported_release(r);
		if (from_outside(f)) {
			unlink(r->trace);
			return;
		}
		s->status = fail(
			STATUS_CANNOT_RUN,
			"the program behaves non-deterministically: a bug did not come back when "
			"its execution was repeated; %s",
			why);
		return;
	case CONFIRM_DAMAGED:
		reported_release(r);
		say_damaged(s, f);
		return;
	case CONFIRM_FAILED:
		reported_release(r);
	}
}

/* Is the finding one of these n, of which there is an execution? (Places do not tell threads apart.) */
static bool is_among(const struct finding *f, size_t n, const struct finding *finding)
{
	for (size_t k = 0; k < n; k++)
		if (!f[k].counted_only && finding_repeats(&f[k], finding))
			return true;
	return false;
}

/* In how many executions it showed, by all that have found it. */
static uint64_t times_of(const struct finding *f, size_t n, const struct finding *finding)
{
	uint64_t times = 0;

	for (size_t k = 0; k < n; k++)
		if (finding_repeats(&f[k], finding))
			times += f[k].times;
	return times ? times : 1; /* in one that led nowhere, and not again so far */
}

static void confirm_all(struct session *s)
{
	struct result *r = &s->search;

	findings_sort(r->findings, r->nfindings, s->options->command == COMMAND_TEST);
	for (size_t i = 0; i < r->nfindings; i++) {
		struct finding *f = &r->findings[i];

		if (f->counted_only) {
			r->bugs_more += !is_among(r->findings, r->nfindings, f);
		} else if (!is_among(r->findings, i, f)) {
			f->times = times_of(r->findings, r->nfindings, f);
			confirm_one(s, f);
		}
	}
}

/* A bug decides verdict and status, whatever ended the search. But --keep-going asks for all. */
static void note_limit(struct session *s)
{
	if (!s->options->keep_going || s->why[0] || !incomplete(s) || s->options->quiet)
		return;
	say("note: there may be further bugs: %s", s->why);
}

/* Confirms the bugs of the search and decides. status: that of the search itself. */
static void judge(struct session *s, int status)
{
	size_t before = s->nbugs, hidden = s->nsuppressed;

	s->status = status;
	s->verdict = VERDICT_OK;
	confirm_all(s);
	if (s->nbugs > before) {
		s->verdict = VERDICT_BUG;
		if (s->status < STATUS_INTERNAL)
			s->status = STATUS_BUG;
		note_limit(s);
	} else if (s->status) {
		s->verdict = VERDICT_INCONCLUSIVE;
	} else if (s->nsuppressed > hidden) {
		s->verdict = VERDICT_INCONCLUSIVE;
		s->status = STATUS_INCONCLUSIVE;
		suppressed_say(s, s->nsuppressed - hidden);
	} else if (incomplete(s)) {
		s->verdict = VERDICT_INCONCLUSIVE;
		s->status = STATUS_INCONCLUSIVE;
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

/* Of a search that says that it is complete: what does not add up, or NULL. */
static const char *unaccounted(const struct session *s)
{
	const struct result *r = &s->search;
	const struct ledger *l = &r->ledger;
	const char *why = NULL;

	if (s->options->command != COMMAND_TEST)
		why = ledger_incomplete(l);
	else if (r->phase == PHASE_DONE && r->end == RUN_OVER && r->rooted &&
		 s->options->executions)
		why = ledger_short_of(l, s->options->executions);
	if (!why && r->phase == PHASE_DONE &&
	    (l->ended[ENDED_COMPLETE] != r->executions || l->ended[ENDED_BLOCKED] != r->blocked))
		why = "the counts of executions differ";
	if (!why && l->ended[ENDED_BUG])
		why = "an execution ended with a bug that is not reported";
	return why;
}

/* No bug may be reported as long as something is missing. */
static void audit(struct session *s)
{
	const char *why = s->verdict == VERDICT_OK && !s->status ? unaccounted(s) : NULL;

	if (!why)
		return;
	snprintf(s->why, sizeof(s->why), "the executions do not add up: %s", why);
	s->verdict = VERDICT_INCONCLUSIVE;
	s->status =
		fail(STATUS_INTERNAL,
		     "%s. Either heddle is wrong, or the program wrote over its memory", s->why);
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
		judge(s, status);
		audit(s);
	}
	skip_settle(s);
}

void search_again(struct session *s)
{
	if (search_left_alone(s) && !follow_explains(s))
		judge(s, 0);
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
