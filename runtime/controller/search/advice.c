/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * advice.c - how large an exploration is, how much of it was seen, and what to do next
 *
 * Numbers are those of random descents (engine/explore/estimate.c). Where executions part is told by the operations that had
 * a choice on the way of these.
 */
#include "config.h"

#include "controller/search/advice.h"

#include <stdio.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/progress.h"
#include "controller/describe/describe.h"
#include "controller/run/estimate.h"

enum {
	PLACES = 3 /* that are named */
};

static const double least = 0.1; /* part of the branching that is worth a name */
static const double long_s = 24 * 3600;

bool advice_is_estimate(const struct session *s)
{
	struct estimate x;

	return s->options->estimate && s->verdict == VERDICT_INCONCLUSIVE &&
	       estimate_known(&s->search.estimate, &x);
}

/* An exploration that a limit has ended, or who asked for it. */
static bool is_unfinished(const struct session *s)
{
	const struct result *r = &s->search;

	return s->options->command == COMMAND_EXPLORE && s->verdict == VERDICT_INCONCLUSIVE &&
	       !r->exhausted && !s->around.trace && !s->options->estimate &&
	       (r->end == RUN_TIMEOUT || r->end == RUN_INTERRUPTED ||
		(r->end == RUN_OVER && r->phase == PHASE_DONE));
}

/* Seconds for all, at the rate so far; 0: nobody knows. */
static double seconds_for(const struct session *s, const struct estimate *x)
{
	const struct result *r = &s->search;
	const double done =
		s->options->estimate ? r->estimate.runs : (double)(r->executions + r->blocked);

	return done > 0 && r->seconds > 0 ? x->all * r->seconds / done : 0;
}

static void whole_time(double seconds, char *out, size_t size)
{
	if (seconds < 100 * 3600)
		time_text(seconds, out, size);
	else if (seconds < 2 * 365 * long_s)
		snprintf(out, size, "%.0f days", seconds / long_s);
	else
		snprintf(out, size, "%.3g years", seconds / (365 * long_s));
}

static void say_estimate(const struct session *s, const struct estimate *x)
{
	char complete[ESTIMATE_TEXT], blocked[ESTIMATE_TEXT], time[32];

	estimate_text(x->complete, complete);
	estimate_text(x->blocked, blocked);
	whole_time(seconds_for(s, x), time, sizeof(time));
	say("about %s complete executions and %s blocked, with a standard error of %.2g %%, by %.0f random descents; "
	    "to visit all takes about %s with -j %llu",
	    complete, blocked, 100 * x->error / x->all, x->descents, time,
	    (unsigned long long)s->options->jobs);
}

static void say_covered(const struct session *s, const struct estimate *x)
{
	const uint64_t visited = s->search.executions + s->search.blocked;
	char all[ESTIMATE_TEXT], time[32];

	if (!estimate_holds(x, visited)) {
		say("note: visited %llu executions; how many there are could not be estimated yet",
		    (unsigned long long)visited);
		return;
	}
	estimate_text(x->all, all);
	whole_time(seconds_for(s, x), time, sizeof(time));
	say("note: visited %.2g %% of about %s executions (standard error %.2g %%, by %.0f random descents); to visit "
	    "all takes about %s",
	    100 * (double)visited / x->all, all, 100 * x->error / x->all, x->descents, time);
}

/* The place with the most ways that was not named yet. */
static struct estimate_place *next_place(struct engine_estimate *x)
{
	struct estimate_place *most = &x->place[0];

	for (size_t i = 1; i < ESTIMATE_PLACES; i++)
		if (x->place[i].ways > most->ways)
			most = &x->place[i];
	return most;
}

static void say_places(const struct session *s)
{
	struct engine_estimate x = s->search.estimate;
	char list[600] = "", site[160];
	struct scene scene;
	size_t n = 0;

	if (!scene_init(&scene, &s->search.modules))
		return;
	for (int i = 0; i < PLACES && n < sizeof(list); i++) {
		struct estimate_place *p = next_place(&x);

		if (!(p->ways > least * x.ways))
			break;
		describe_site(&scene, p->pc, "in ", site, sizeof(site));
		if (site[0])
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s (%.0f %%)",
					      n ? ", " : "", site, 100 * p->ways / x.ways);
		p->ways = 0;
	}
	scene_release(&scene);
	if (n)
		say("note: executions part most at %s: fewer threads or rounds there make fewer of them",
		    list);
}

static void say_next(const struct session *s, double seconds)
{
	const struct options *o = s->options;
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char jobs[64] = "";

	if (processors > 1 && !(s->search.not_followed & CUT_FULL) &&
	    o->jobs < (uint64_t)processors && seconds < 30 * long_s)
		snprintf(jobs, sizeof(jobs), "; -j %ld explores with all processors", processors);
	say("note: heddle test looks for bugs in random executions, however many there are%s%s",
	    jobs, s->equivalence == EQUIV_MO ? "; -e rf has fewer executions than -e mo" : "");
}

void advice_say(const struct session *s)
{
	struct estimate x;
	const bool known = estimate_known(&s->search.estimate, &x);

	if (known && advice_is_estimate(s)) {
		say_estimate(s, &x);
		say_places(s);
	} else if (is_unfinished(s)) {
		if (known)
			say_covered(s, &x);
		if (known)
			say_places(s);
		say_next(s, known ? seconds_for(s, &x) : 0);
	}
}
