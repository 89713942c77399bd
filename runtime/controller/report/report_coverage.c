/* SPDX-License-Identifier: BSD-2-Clause */
/* report_coverage.c - see report_coverage.h */
#include "config.h"

#include "controller/report/report_coverage.h"

#include <stdlib.h>

#include "controller/base/message.h"
#include "controller/base/names.h"

/* Good and Turing: how likely it is that the next execution is one that was not seen yet. */
static double unseen(const struct seen_estimate *e)
{
	return e->samples ? (double)e->once / (double)e->samples : 1;
}

static void percent(double part, char *out, size_t size)
{
	snprintf(out, size, part > 0 && part < 0.001 ? "%.2g" : "%.3g", 100 * part);
}

static void say_seen(const struct coverage *c)
{
	struct seen_estimate executions, pairs;
	char share[32];

	seen_estimate(&c->executions, &executions);
	seen_estimate(&c->pairs, &pairs);
	if (!executions.samples)
		return;
	percent(unseen(&executions), share, sizeof(share));
	say("covered: %s%llu different execution%s of %llu, and %s%llu reads-from pair%s; %llu %s seen "
	    "once, so about %s %% of further ones are new",
	    executions.exact ? "" : "about ", (unsigned long long)executions.different,
	    executions.different == 1 ? "" : "s", (unsigned long long)executions.samples,
	    pairs.exact ? "" : "about ", (unsigned long long)pairs.different,
	    pairs.different == 1 ? "" : "s", (unsigned long long)executions.once,
	    executions.once == 1 ? "was" : "were", share);
}

/* Those that were met most often come first. */
static int by_times(const void *a, const void *b)
{
	const struct reported *p = *(const struct reported *const *)a;
	const struct reported *q = *(const struct reported *const *)b;

	if (p->bug.times != q->bug.times)
		return p->bug.times < q->bug.times ? 1 : -1;
	return p < q ? -1 : p > q;
}

static void say_times(const struct reported *r, uint64_t executions)
{
	char share[32];

	if (!r->bug.times)
		return;
	percent((double)r->bug.times / (double)executions, share, sizeof(share));
	say("%s%s%s: %s%s%s: in %llu of %llu executions (%s %%)", r->child[0] ? "child " : "",
	    r->child, r->trace[0] ? r->trace : "no trace", bug_title(r->bug.kind),
	    r->summary[0] ? " " : "", r->summary, (unsigned long long)r->bug.times,
	    (unsigned long long)executions, share);
}

static void say_bugs(const struct session *s)
{
	const struct reported **ranked = calloc(s->nbugs + 1, sizeof(*ranked));
	uint64_t executions = s->search.coverage->executions.samples;

	for (size_t i = 0; ranked && i < s->nbugs; i++)
		ranked[i] = &s->bugs[i];
	if (ranked && executions) {
		qsort(ranked, s->nbugs, sizeof(*ranked), by_times);
		for (size_t i = 0; i < s->nbugs; i++)
			say_times(ranked[i], executions);
	}
	free(ranked);
}

void report_coverage(const struct session *s)
{
	if (!s->search.coverage)
		return;
	say_seen(s->search.coverage);
	if (s->options->keep_going)
		say_bugs(s);
}

json_t *coverage_json(const struct session *s)
{
	struct seen_estimate executions, pairs;
	json_t *j;

	if (!s->search.coverage)
		return NULL;
	seen_estimate(&s->search.coverage->executions, &executions);
	seen_estimate(&s->search.coverage->pairs, &pairs);
	j = json_object();
	json_object_set_new(j, "sampled", json_integer((json_int_t)executions.samples));
	json_object_set_new(j, "different", json_integer((json_int_t)executions.different));
	json_object_set_new(j, "seen_once", json_integer((json_int_t)executions.once));
	json_object_set_new(j, "unseen", json_real(unseen(&executions)));
	json_object_set_new(j, "reads_from_pairs", json_integer((json_int_t)pairs.different));
	json_object_set_new(j, "exact", json_boolean(executions.exact && pairs.exact));
	return j;
}
