/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.c - what every command does first and last
 *
 * First: the output files are opened, the program is found and checked, the model is known.
 * Last: one line that sums up, the JSON file, the exit status.
 */
#include "config.h"

#include "controller/search/session.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/progress.h"
#include "controller/base/status.h"
#include "controller/options/strategies.h"
#include "controller/report/dump.h"
#include "controller/report/report.h"
#include "controller/report/report_coverage.h"
#include "controller/search/advice.h"
#include "controller/search/confirm.h"
#include "controller/search/follow.h"
#include "controller/search/input.h"
#include "controller/search/suppress.h"
#include "engine/engine.h"

static bool on_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(2) && term && strcmp(term, "dumb") != 0;
}

enum progress_how session_progress(const struct options *o)
{
	if (o->quiet || o->progress == WHEN_NEVER)
		return PROGRESS_NONE;
	if (o->progress == WHEN_ALWAYS || on_terminal())
		return PROGRESS_LINE;
	return PROGRESS_PLAIN;
}

static int open_results(struct session *s)
{
	for (int i = 0; i < RESULT_FORMS; i++) {
		const char *path = s->options->result[i];

		if (!path)
			continue;
		s->result_fd[i] = strcmp(path, "-")
					  ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
					  : fcntl(1, F_DUPFD_CLOEXEC, 3);
		if (s->result_fd[i] < 0)
			return fail(STATUS_INTERNAL, "cannot write '%s': %s", path,
				    strerror(errno));
	}
	return 0;
}

int session_init(struct session *s, const struct options *o)
{
	int status;

	memset(s, 0, sizeof(*s));
	s->options = o;
	s->stdin_fd = -1;
	for (int i = 0; i < RESULT_FORMS; i++)
		s->result_fd[i] = -1;
	s->model = (uint32_t)o->model;
	s->equivalence = (uint32_t)o->equivalence;
	s->seed = o->seed;
	message_color(o->color == WHEN_ALWAYS ||
		      (o->color == WHEN_AUTO && on_terminal() && !getenv("NO_COLOR")));
	status = input_init(s);
	return status ? status : open_results(s);
}

void session_release(struct session *s)
{
	for (size_t i = 0; i < s->nbugs; i++)
		reported_release(&s->bugs[i]);
	free(s->bugs);
	for (size_t i = 0; i < s->nsuppressed; i++) {
		finding_release(&s->suppressed[i].bug);
		json_decref(s->suppressed[i].json);
	}
	free(s->suppressed);
	suppressions_free(s->suppressions);
	free(s->around_own.facts);
	loaded_release(&s->around_own.modules);
	finding_release(&s->around_own.bug);
	free(s->corpus);
	free(s->children);
	for (size_t i = 0; i < s->nfollowed; i++) {
		free(s->followed[i].file);
		free(s->followed[i].name);
		json_decref(s->followed[i].json);
	}
	free(s->followed);
	follow_release(s);
	result_release(&s->search);
	input_release(s);
	folder_release(&s->output);
	dump_free(s->dumper);
	s->dumper = NULL;
	for (int i = 0; i < RESULT_FORMS; i++) {
		if (s->result_fd[i] >= 0)
			close(s->result_fd[i]);
		s->result_fd[i] = -1;
	}
}

int session_program(struct session *s, const char *name)
{
	char why[ELF_REASON];

	if (program_inspect(&s->program, name, why, sizeof(why)))
		return 0;
	return fail(STATUS_CANNOT_RUN, "%s", why);
}

/* ---- Which models there are ----------------------------------------------------------------- */

static bool available(uint32_t mode, uint32_t model, uint32_t equivalence)
{
	struct engine_config config = { .mode = mode, .model = model, .equivalence = equivalence };
	struct engine *e;

	/* Where it is, there is no room for it. */
	return engine_init(&e, NULL, 0, &config) != -ENOTSUP;
}

static int not_there(const char *what, const char *const *names, uint32_t asked, const bool *there)
{
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; names[i] && n < sizeof(list); i++) {
		if (there[i])
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      names[i]);
	}
	return fail(STATUS_USAGE, "%s '%s' is not available yet; available: %s", what,
		    name_of(names, asked), list);
}

int session_model(const struct session *s)
{
	uint32_t mode = s->options->command == COMMAND_TEST ? ENGINE_ONLINE : ENGINE_EXPLORE;
	bool models[MODEL_COUNT], equivalences[EQUIV_VALUE + 1];

	if (available(mode, s->model, s->equivalence))
		return 0;
	for (uint32_t m = 0; m < MODEL_COUNT; m++)
		models[m] = available(mode, m, EQUIV_RF);
	if (!models[s->model])
		return not_there("model", names_model, s->model, models);
	for (uint32_t e = 0; e <= EQUIV_VALUE; e++)
		equivalences[e] = available(mode, s->model, e);
	return not_there("equivalence", names_equivalence, s->equivalence, equivalences);
}

/* The usual folder is made when there is a trace for it. */
static int make_output(struct session *s)
{
	const char *path = s->options->output_dir;
	int err = s->options->output_given ? folder_make(&s->output, path) : 0;

	return err ? fail(STATUS_INTERNAL, "--output-dir: cannot write to the folder '%s': %s",
			  path, strerror(-err))
		   : 0;
}

/* A script has no executions of its own, but may run tests. */
static int find_program(struct session *s, const char *name)
{
	char why[ELF_REASON];

	if (program_inspect(&s->program, name, why, sizeof(why)) || s->program.script)
		return 0;
	return fail(STATUS_CANNOT_RUN, "%s", why);
}

int session_prepare(struct session *s, const struct options *o)
{
	int status = session_init(s, o);

	if (status)
		return status;
	if (!o->argc)
		return fail(STATUS_USAGE, "no program is named (see heddle %s --help)",
			    command_names[o->command]);
	status = session_model(s);
	if (status)
		return status;
	s->argv = o->argv;
	status = find_program(s, o->file ? o->file : o->argv[0]);
	if (!status && o->suppressions)
		s->suppressions = suppressions_read(o->suppressions, &status);
	if (!status)
		status = make_output(s);
	if (!status && o->dump_dir)
		s->dumper = dump_new(o->dump_dir, name_of(names_model, s->model),
				     name_of(names_equivalence, s->equivalence), &status);
	return status;
}

/* ---- The end ---------------------------------------------------------------------------------- */

size_t session_bugs(const struct session *s)
{
	size_t n = s->nbugs;

	for (size_t i = 0; i < s->nfollowed; i++)
		n += s->followed[i].nbugs;
	return n;
}

/* Which executions these are, if they begin like another one. */
static void around_what(const struct session *s, char *out, size_t size)
{
	const struct around *a = &s->around;

	if (a->name)
		snprintf(out, size, " that begin with the first %zu of the %zu operations of '%s'",
			 a->from, a->of, a->name);
	else
		snprintf(out, size,
			 " (%llu of them, beside the random ones, that begin with the first %zu of "
			 "the %zu operations of one)",
			 (unsigned long long)a->executions, a->from, a->of);
}

static size_t skipped_programs(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nfollowed; i++)
		n += !strcmp(s->followed[i].verdict, SKIPPED);
	return n;
}

/* Whose executions these are, if not the program's alone. */
static void of_what(const struct session *s, char *out, size_t size)
{
	size_t n = 0;

	if (s->around.trace) {
		around_what(s, out, size);
		return;
	}

	if (s->harness) {
		n = (size_t)snprintf(out, size, " of %zu program%s", s->nfollowed,
				     s->nfollowed == 1 ? "" : "s");
		if (skipped_programs(s))
			snprintf(out + n, size - n, " (%zu skipped)", skipped_programs(s));
		return;
	}
	if (s->nchildren)
		n = (size_t)snprintf(out, size, " of the program and %zu child%s", s->nchildren,
				     s->nchildren == 1 ? "" : "ren");
	if (s->nfollowed)
		snprintf(out + n, size - n, "%s %zu that it started",
			 n ? " and" : " of the program and", s->nfollowed);
}

static void summary(const struct session *s)
{
	const struct result *r = &s->search;
	unsigned long long complete = r->executions, blocked = r->blocked;
	const char *model = name_of(names_model, s->model);
	const char *plural = complete == 1 ? "" : "s";
	char time[32], more[96] = "", hidden[48] = "", of[PATH_MAX + 128] = "";

	if (s->options->command == COMMAND_REPLAY) {
		if (s->verdict == VERDICT_BUG)
			say("the same bug as recorded: %s", s->bugs[0].bug.message);
		return;
	}
	time_text(r->seconds, time, sizeof(time));
	if (blocked)
		snprintf(more, sizeof(more), " and %llu blocked", blocked);
	if (s->nsuppressed)
		snprintf(hidden, sizeof(hidden), ", %zu suppressed", s->nsuppressed);
	of_what(s, of, sizeof(of));
	if (s->verdict == VERDICT_BUG)
		say("%zu bug%s found%s; %llu complete execution%s%s%s under %s, %s",
		    session_bugs(s), session_bugs(s) == 1 ? "" : "s", hidden, complete, plural,
		    more, of, model, time);
	else if (advice_is_estimate(s))
		say("inconclusive: %s; no bug in %.0f random executions under %s, %s", s->why,
		    r->estimate.runs, model, time);
	else if (s->verdict == VERDICT_INCONCLUSIVE)
		say("inconclusive: %s; no bug in %llu complete execution%s%s%s under %s, %s",
		    s->why, complete, plural, more, of, model, time);
	else if (s->skipped)
		say("skipped: %s exits with status %llu in %s%llu execution%s%s under %s, %s "
		    "(--skip-exitcode=0: that is a bug)",
		    s->argv[0], (unsigned long long)s->options->skip_exitcode,
		    complete == 1 ? "its " : "all ", complete, plural, more, model, time);
	else if (!complete && blocked) /* what is behind an assumption, say, was not seen at all */
		say("no bug, but no execution is complete: %s%llu%s %s blocked%s under %s, %s",
		    blocked == 1 || s->options->command == COMMAND_TEST ? "" : "all ", blocked,
		    s->options->command == COMMAND_TEST ? " random ones" : "",
		    blocked == 1 ? "is" : "are", of, model, time);
	else if (s->options->command == COMMAND_TEST && s->around.trace)
		say("no bug in %llu random executions, nor in %s%llu%s that begin%s with the first "
		    "%zu of the %zu operations of one of them, under %s, %s",
		    complete - (unsigned long long)s->around.executions,
		    s->around.executions == 1 ? "the " : "all ",
		    (unsigned long long)s->around.executions, more,
		    s->around.executions == 1 ? "s" : "", s->around.from, s->around.of, model,
		    time);
	else if (s->options->command == COMMAND_TEST)
		say("no bug in %llu random execution%s%s%s under %s, %s", complete, plural, more,
		    of, model, time);
	else
		say("no bug: visited %s%llu execution%s%s%s under %s, %s",
		    complete == 1 ? "the " : "all ", complete, plural, more, of, model, time);
}

/* What became of every execution that was begun, for those who wonder about one that is missing. */
static void note_ledger(const struct ledger *l)
{
	char list[512];
	size_t n = 0;

	for (unsigned i = 0; i < LEDGER_ENDS && n < sizeof(list); i++)
		if (l->ended[i])
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%llu %s",
					      n ? ", " : "", (unsigned long long)l->ended[i],
					      ledger_ends[i]);
	if (n)
		say("note: %llu execution%s begun: %s", (unsigned long long)l->begun,
		    l->begun == 1 ? " was" : "s were", list);
}

/* What the search by values did: it may take longer than the executions. */
static void note_values(const uint64_t *count)
{
	if (count[VALUES_ASKED])
		say("note: by values: asked %llu times whether a read may return a value, in %.2f s; "
		    "%llu directly, %llu excluded, %llu searched for, %llu of these found; %llu steps without the program",
		    (unsigned long long)count[VALUES_ASKED], (double)count[VALUES_NS] / 1e9,
		    (unsigned long long)count[VALUES_DIRECT],
		    (unsigned long long)count[VALUES_EXCLUDED],
		    (unsigned long long)count[VALUES_SEARCHED],
		    (unsigned long long)count[VALUES_FOUND],
		    (unsigned long long)count[VALUES_STEPS]);
}

static void note_memo(const struct result *r)
{
	const unsigned long long made = r->memo[MEMO_MADE], given_up = r->memo[MEMO_GIVEN_UP],
				 steps = r->memo[MEMO_STEPS];

	if (steps || r->memo_over[0])
		say("note: %llu execution%s made without the program, %llu %s begun so; %llu step%s of "
		    "threads %s known%s%s",
		    made, made == 1 ? " was" : "s were", given_up, given_up == 1 ? "was" : "were",
		    steps, steps == 1 ? "" : "s", steps == 1 ? "is" : "are",
		    r->memo_over[0] ? "; then " : "", r->memo_over);
}

static void notes(const struct session *s)
{
	const struct result *r = &s->search;

	if (r->uninstrumented && s->program.built == BUILT_PLAIN && r->phase >= PHASE_RUNNING &&
	    s->options->command != COMMAND_REPLAY)
		say("note: the program is not instrumented: orders of its calls of thread functions "
		    "are explored, but its atomics and plain accesses are not seen, so neither data "
		    "races nor what weak memory lets happen; build it with heddle-cc for that");
	if (r->foreign[0] && s->options->command != COMMAND_REPLAY)
		say("note: not instrumented: %s; what threads do there is not explored; build "
		    "it with heddle-cc for that",
		    r->foreign);
	if (!r->rooted && r->phase == PHASE_DONE && !s->nbugs && !s->skipped)
		say("note: the program created no thread");
	for (size_t i = 0; i < s->nsuppressed; i++)
		say("note: suppressed by '%s': %s%s%s (in %llu execution%s)", s->suppressed[i].by,
		    bug_title(s->suppressed[i].kind), s->suppressed[i].site[0] ? ", " : "",
		    s->suppressed[i].site, (unsigned long long)s->suppressed[i].bug.times,
		    s->suppressed[i].bug.times == 1 ? "" : "s");
	if (r->damaged)
		say("note: the program wrote over memory of heddle (%s), so nothing is known about the rest",
		    r->damaged);
	if (r->cut)
		say("note: %llu execution%s cut at %llu events (--max-events)",
		    (unsigned long long)r->cut, r->cut == 1 ? " was" : "s were",
		    (unsigned long long)s->options->max_events);
	if (r->not_followed & CUT_UNROLLED)
		say("note: loops were cut after %llu round%s (--unroll)",
		    (unsigned long long)s->options->unroll, s->options->unroll == 1 ? "" : "s");
	if (r->not_followed & CUT_WINDOW)
		say("note: in long executions reads observed the last %llu writes of a location at most (--window)",
		    (unsigned long long)(s->options->window ? s->options->window
							    : CUT_WINDOW_WRITES));
	if (r->not_followed & CUT_PARTS_ORDER)
		say("note: where atomic accesses of several sizes meet, each was done behind the others, and reads observed the last "
		    "write there (heddle-models(7), ACCESSES OF SEVERAL SIZES)");
	if (r->not_followed & CUT_TRIES)
		say("note: threads that let go of their locks when a try fails, or try again to "
		    "connect, accept, read or poll, were not followed beyond %llu rounds that changed nothing (--timeouts)",
		    (unsigned long long)s->options->timeouts);
	if (r->not_followed & CUT_TIMEOUTS)
		say("note: threads were not followed beyond %llu time-outs of a call (--timeouts)",
		    (unsigned long long)s->options->timeouts);
	if (s->hardly_minimised)
		say("note: of %u bug%s smaller executions were looked for only as long as there was time (--timeout)",
		    s->hardly_minimised, s->hardly_minimised == 1 ? "" : "s");
	if ((r->not_followed & CUT_WAITS) && s->verdict != VERDICT_BUG)
		say("note: it is not known whether threads that were stopped in loops wait for ever, since under "
		    "wra there is no last write (heddle-programs(7), LIMITS)");
	if (r->elsewhere)
		say("note: %u of %llu workers took no part, since their addresses differ "
		    "(randomisation cannot be turned off here)",
		    r->elsewhere, (unsigned long long)s->options->jobs);
	if (r->bugs_more)
		say("note: further bugs were found that are not reported");
	if (s->dumper && !s->harness)
		say("note: %llu execution%s written to '%s'",
		    (unsigned long long)dump_count(s->dumper),
		    dump_count(s->dumper) == 1 ? " was" : "s were", s->options->dump_dir);
	if (s->dumper && dump_missing(s->dumper))
		say("note: the last %llu %s not, since there was no time left",
		    (unsigned long long)dump_missing(s->dumper),
		    dump_missing(s->dumper) == 1 ? "was" : "were");
	if (s->options->verbose && r->note[0])
		say("note: %s", r->note);
	if (s->options->verbose)
		say("note: back end %s, %llu events, %llu restarts, %llu explorations that led nowhere",
		    name_of(names_backend, r->backend), (unsigned long long)r->events,
		    (unsigned long long)r->restarts, (unsigned long long)r->wasted);
	if (s->options->verbose)
		note_ledger(&r->ledger);
	if (s->options->verbose)
		note_values(r->values);
	if (s->options->verbose)
		note_memo(r);
}

/* Was it asked for values, and the program one that had to be explored by reads-from (preload/facts/values.h)? */
static bool went_by_reads(const struct session *s)
{
	for (uint32_t i = 0; i < s->search.nfacts; i++)
		if (s->search.facts[i].kind == FACT_BY_READS)
			return s->equivalence == EQUIV_VALUE;
	return false;
}

static void say_by_reads(const struct session *s)
{
	const char *why = s->search.values_over;

	say("note: explored by reads-from, since what this program does depends on more than the "
	    "values of its reads, or takes far longer by these%s%s (heddle-explore(1), VALUES)",
	    why[0] ? ": " : "", why);
}

/* How many executions each strategy had, and of these that show bugs. */
static void say_mix(const struct session *s)
{
	char list[256] = "";
	size_t n = 0;

	for (unsigned i = 0; i < STRATEGY_COUNT && n < sizeof(list); i++) {
		unsigned bugs = 0;

		for (size_t k = 0; k < s->nbugs; k++)
			bugs += s->bugs[k].bug.strategy == i;
		if (s->search.drawn[i])
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s %llu%s",
					      n ? ", " : "", names_strategy[i],
					      (unsigned long long)s->search.drawn[i],
					      bugs ? " (found a bug)" : "");
	}
	if (n)
		say("note: executions by strategy: %s", list);
}

/* How the executions were chosen, and which strategy found what. */
static void say_drawn(const struct session *s)
{
	unsigned long long seed = s->seed;
	char name[STRATEGY_NAME];

	strategy_text(s->options->strategy, s->options->depth, name, sizeof(name));
	if (s->options->strategy == STRATEGY_MIX)
		say_mix(s);
	if (s->options->strategy == STRATEGY_MIX)
		say("seed %llu (repeat with -s %llu)", seed, seed);
	else
		say("seed %llu (repeat with -s %llu --strategy=%s)", seed, seed, name);
}

int session_end(struct session *s)
{
	const struct options *o = s->options;
	const char *path = NULL;
	int err;

	if (went_by_reads(s)) {
		s->equivalence = EQUIV_RF;
		if (!o->quiet)
			say_by_reads(s);
	}
	if (!o->quiet && (s->status < STATUS_CANNOT_RUN || s->nbugs || s->nfollowed)) {
		notes(s);
		report_coverage(s);
		advice_say(s);
		if (o->command == COMMAND_TEST)
			say_drawn(s);
		summary(s);
	}
	err = report_forms(s, &path);
	if (err)
		s->status = fail(STATUS_INTERNAL, "cannot write '%s': %s", path, strerror(-err));
	return outcome_status(s);
}
