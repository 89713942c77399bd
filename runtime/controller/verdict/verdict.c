/* SPDX-License-Identifier: BSD-2-Clause */
/* verdict.c - see verdict.h */
#include "config.h"

#include "controller/verdict/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/progress.h"
#include "controller/base/status.h"
#include "controller/report/report.h"
#include "controller/run/supervise.h"
#include "controller/verdict/behind.h"
#include "controller/verdict/confirm.h"
#include "controller/verdict/incomplete.h"
#include "controller/verdict/minimise.h"
#include "controller/verdict/suppress.h"

/* ---- Bugs --------------------------------------------------------------------------------------- */

/* Nothing that is left of the execution replays. */
static void say_damaged(struct session *s, const struct finding *f)
{
	const char *damaged = s->search.damaged ? s->search.damaged : "the recorded execution";
	struct reported r = { .bug = *f, .modules = s->search.modules };

	if (signal_from_outside(f->signal))
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
 * since it knows where the earlier access was made. An execution of the search ends with its race, so those of
 * two findings are different ones. What came behind a race was seen in an execution that the search does not count.
 */
static bool is_reported(struct session *s, const struct reported *r, bool behind)
{
	for (size_t i = 0; i < s->nbugs; i++) {
		if (s->bugs[i].bug.kind != BUG_DATA_RACE ||
		    strcmp(s->bugs[i].child, r->child) != 0 ||
		    !finding_repeats(&s->bugs[i].bug, &r->bug))
			continue;
		if (!behind)
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
	if (is_reported(s, r, !f)) {
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
		if (signal_from_outside(f->signal)) {
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

/* Confirms the bugs of the search and decides. */
static void decide(struct session *s, int status)
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

void verdict_decide(struct session *s, int status)
{
	decide(s, status);
	audit(s);
}
