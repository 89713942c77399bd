/* SPDX-License-Identifier: BSD-2-Clause */
/* inflection.c - see inflection.h */
#include "config.h"

#include "controller/verdict/inflection.h"

#include <string.h>

#include "controller/run/guided.h"
#include "controller/run/supervise.h"

enum {
	DRAWN = 50, /* ways to go on behind a beginning, while it is looked for */
	SURE = 500  /* and where it is */
};

struct asked {
	struct session *s;
	const struct trace *t;
	double until;
	bool failed; /* it could not be tried */
};

/* What becomes of ways to go on behind the first k operations. */
static struct guided go_on(struct asked *a, size_t k, uint64_t ways)
{
	struct guided_how how = {
		.options = a->s->options,
		.backend = a->s->search.backend,
		.executions = ways,
		.all = true,
		.seed = a->s->seed + k,
		.timeout_s = a->until - now_s(),
	};
	struct guided what = { 0 };
	struct result r;

	if (how.timeout_s <= 0 || was_interrupted()) {
		a->failed = true;
		return what;
	}
	if (guided_run(a->t, &a->s->program, a->t->bug.steps, k, &how, &r) || r.damaged ||
	    r.phase != PHASE_DONE || r.end != RUN_OVER)
		a->failed = true;
	what = r.guided;
	result_release(&r);
	/* A beginning that cannot be had again says nothing of what comes behind it. */
	a->failed |= !what.failed && !what.ended && !what.cut;
	return what;
}

static bool always_fails(const struct guided *g)
{
	return g->failed && !g->ended && !g->cut;
}

/* The bug is certain behind `sure` operations for all that is known, and not behind `open`: between them. */
static size_t bisect(struct asked *a, size_t open, size_t sure, struct inflection *out)
{
	while (!a->failed && sure - open > 1) {
		size_t mid = open + (sure - open) / 2;
		struct guided g = go_on(a, mid, DRAWN);

		if (always_fails(&g)) {
			sure = mid;
		} else {
			open = mid;
			out->before = g;
		}
	}
	return sure;
}

void inflection_find(struct session *s, const struct trace *t, double seconds,
		     struct inflection *out)
{
	struct asked a = { .s = s, .t = t, .until = now_s() + seconds };
	const size_t n = t->bug.nsteps;
	size_t at = 0;

	memset(out, 0, sizeof(*out));
	out->of = n;
	/* Few ways may all fail where more do not: then it is behind that. */
	while (n && !a.failed) {
		at = bisect(&a, at, n, out);
		if (a.failed)
			return;
		out->behind = go_on(&a, at, SURE);
		if (a.failed)
			return;
		if (always_fails(&out->behind))
			break;
		out->before = out->behind;
		if (at == n)
			return; /* not even its own end is certain */
	}
	if (a.failed || !n)
		return;
	out->at = at;
	out->step = t->bug.steps[at - 1];
}
