/* SPDX-License-Identifier: BSD-2-Clause */
/* session_end.c - what every command does last: notes, one line that sums up, the files that were asked for, the exit status */
#include "config.h"

#include "controller/search/session.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/progress.h"
#include "controller/base/status.h"
#include "controller/options/strategies.h"
#include "controller/report/dump.h"
#include "controller/report/report.h"
#include "controller/report/report_coverage.h"
#include "controller/search/advice.h"

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
	if (count[VALUES_STATES])
		say("note: by values: went by %llu states of threads and memory",
		    (unsigned long long)count[VALUES_STATES]);
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

static void note_cut(const struct session *s)
{
	const unsigned long long cut = s->search.cut, most = s->options->max_events;
	const bool full = s->search.not_followed & CUT_FULL;
	char at[80] = "";

	if (most)
		snprintf(at, sizeof(at), "%s at %llu events (--max-events)", full ? ", or" : "",
			 most);
	say("note: %llu execution%s cut%s%s", cut, cut == 1 ? " was" : "s were",
	    full ? " where the memory for executions was full" : "", at);
}

/* What was followed for a while only, or not as it might be. */
static void note_cuts(const struct session *s)
{
	const struct result *r = &s->search;

	if (r->not_followed & CUT_UNROLLED)
		say("note: loops were cut after %llu round%s (--unroll)",
		    (unsigned long long)s->options->unroll, s->options->unroll == 1 ? "" : "s");
	if (r->not_followed & CUT_WINDOW)
		say("note: in long executions reads observed the last %llu writes of a location at most (--window)",
		    (unsigned long long)(s->options->window ? s->options->window
							    : CUT_WINDOW_WRITES));
	if (r->not_followed & CUT_FENCES)
		say("note: in long executions that free memory seq_cst fences came last in the order of seq_cst operations");
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
}

/* How it went about it (-v). */
static void note_more(const struct session *s)
{
	const struct result *r = &s->search;

	if (r->note[0])
		say("note: %s", r->note);
	say("note: back end %s, %llu events, %llu restarts, %llu explorations that led nowhere",
	    name_of(names_backend, r->backend), (unsigned long long)r->events,
	    (unsigned long long)r->restarts, (unsigned long long)r->wasted);
	note_ledger(&r->ledger);
	note_values(r->values);
	note_memo(r);
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
		note_cut(s);
	note_cuts(s);
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
	if (s->options->verbose)
		note_more(s);
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
