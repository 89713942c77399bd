/* SPDX-License-Identifier: BSD-2-Clause */
/* minimise.c - see minimise.h */
#include "config.h"

#include "controller/verdict/minimise.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/run/guided.h"
#include "controller/run/supervise.h"
#include "controller/verdict/confirm.h"
#include "controller/verdict/inflection.h"

enum {
	WAYS = 4, /* executions that follow one guide, while none has the bug: the first is the calm one */
	SECONDS = 5, /* for one bug, and as many for its inflection point */
	SECONDS_EXPLORED =
		1, /* for one that an exploration found, whose execution is short as a rule */
	SECONDS_ALL = 30, /* for all of a session */
	LONGEST = 1 << 14 /* operations of an execution that is worth it */
};

struct minimising {
	struct session *s;
	const struct trace *t;    /* of the bug as it was found */
	const struct finding *as; /* and what it is to be */
	struct finding best;      /* own, but for what is borrowed at first */
	bool owned;
	bool reads_first; /* see shorten_compare() */
	struct trace_size size;
	struct step *guide; /* room for one */
	uint64_t tried;
	double until;
};

static bool is_explored(const struct session *s)
{
	return s->options->command == COMMAND_EXPLORE;
}

static bool may_try(const struct minimising *m)
{
	return m->tried < m->s->options->minimise && now_s() < m->until && !was_interrupted();
}

/* A guide has as many steps as the best one, which may have more than that before: what counts first are switches. */
static bool make_room(struct minimising *m, size_t n)
{
	struct step *grown = realloc(m->guide, n * sizeof(*grown));

	m->guide = grown ? grown : m->guide;
	return grown;
}

/* False when memory is short. */
static bool adopt(struct minimising *m, struct finding *f, const struct trace_size *size)
{
	if (!make_room(m, f->nsteps))
		return false;
	if (m->owned)
		finding_release(&m->best);
	m->best = *f;
	m->best.guided = true;
	memset(f, 0, sizeof(*f));
	m->owned = true;
	m->size = *size;
	return true;
}

/* Does what the guide leads to have the bug, and is it smaller? Then it is the best one. */
static bool attempt(struct minimising *m, const struct step *guide, size_t n)
{
	struct guided_how how = {
		.options = m->s->options,
		.backend = m->s->search.backend,
		.executions = WAYS,
		.seed = m->s->seed + m->tried,
		.timeout_s = m->until - now_s(),
	};
	struct trace_size size;
	struct result r;
	bool better = false;

	if (!n || !may_try(m))
		return false;
	m->tried++;
	if (!guided_run(m->t, &m->s->program, guide, n, &how, &r) && !r.damaged &&
	    r.nfindings == 1 && finding_repeats(m->as, &r.findings[0]) &&
	    r.findings[0].nfacts == m->t->bug.nfacts) {
		size = shorten_measure(r.findings[0].steps, r.findings[0].nsteps);
		better = shorten_compare(&size, &m->size, m->reads_first) < 0 &&
			 adopt(m, &r.findings[0], &size);
	}
	result_release(&r);
	return better;
}

/* The beginning is enough, if the bug comes when all goes on calmly. */
static bool cut_end(struct minimising *m)
{
	bool any = false;
	size_t last = 0;

	for (size_t part = 8; part > 0; part--) {
		size_t n = m->best.nsteps * (8 - part) / 8;

		n = n ? n : 1;
		if (n != last)
			any |= attempt(m, m->best.steps, n);
		last = n;
	}
	return any;
}

/* Where the which-th piece begins, or the end. */
static size_t piece(const struct finding *f, size_t which)
{
	size_t at = 0;

	while (which-- && at < f->nsteps)
		at = shorten_piece(f->steps, f->nsteps, at);
	return at;
}

static bool join_pieces(struct minimising *m)
{
	bool any = false;

	for (size_t i = 0; may_try(m) && piece(&m->best, i) < m->best.nsteps; i++) {
		for (int later = 0; later < 2; later++) {
			size_t at = piece(&m->best, i);

			if (at < m->best.nsteps &&
			    shorten_join(m->best.steps, m->best.nsteps, at, later, m->guide))
				any |= attempt(m, m->guide, m->best.nsteps);
		}
	}
	return any;
}

static bool end_threads(struct minimising *m)
{
	bool any = false;

	for (size_t i = 0; may_try(m) && piece(&m->best, i) < m->best.nsteps; i++) {
		size_t at = piece(&m->best, i);

		any |= attempt(m, m->guide,
			       shorten_end(m->best.steps, m->best.nsteps, at, m->guide));
	}
	return any;
}

/* All old reads, then each half of them, and so on. */
static bool read_newest(struct minimising *m)
{
	bool any = false;

	for (size_t count = m->size.old_reads; count && may_try(m); count /= 2) {
		for (size_t first = 0; first < m->size.old_reads && may_try(m); first += count)
			if (shorten_read_newest(m->best.steps, m->best.nsteps, first, count,
						m->guide))
				any |= attempt(m, m->guide, m->best.nsteps);
	}
	return any;
}

/* Each thread moves in one go, and reads see the newest: nothing that counts can become less. */
static bool is_least(const struct minimising *m)
{
	bool moved[HEDDLE_MAX_THREADS] = { false };
	size_t threads = 0;

	for (size_t i = 0; i < m->best.nsteps; i++) {
		uint32_t tid = m->best.steps[i].record.tid;

		threads += !moved[tid];
		moved[tid] = true;
	}
	return !m->size.old_reads && m->size.switches + 1 == threads;
}

static void make_smaller(struct minimising *m)
{
	bool any = true;

	while (any && may_try(m) && !(is_explored(m->s) && is_least(m))) {
		any = cut_end(m);
		any |= join_pieces(m);
		any |= end_threads(m);
		any |= read_newest(m);
	}
}

/* From now on the report is about that execution, which shows the same bug; when it was found, and how often, is as before. */
static void show_smaller(struct reported *r, struct reported *smaller)
{
	struct reported longer = *r;

	r->bug = smaller->bug;
	r->bug.execution = longer.bug.execution;
	r->bug.seed = longer.bug.seed;
	r->bug.strategy = longer.bug.strategy;
	r->bug.times = longer.bug.times;
	r->modules = smaller->modules;
	r->output = smaller->output;
	smaller->bug = longer.bug;
	smaller->modules = longer.modules;
	smaller->output = longer.output;
	memcpy(r->site, smaller->site, sizeof(r->site));
	memcpy(r->summary, smaller->summary, sizeof(r->summary));
}

/* The smallest that was found, replayed like any bug, beside the one that it was made of. */
static bool keep_smaller(struct minimising *m, size_t number, struct reported *r)
{
	struct reported smaller;
	bool kept;

	m->best.execution = m->as->execution;
	m->best.seed = m->as->seed;
	kept = confirm_smaller(m->s, &m->best, number, &smaller);
	if (kept) {
		r->shorter.replaces = is_explored(m->s);
		if (!r->shorter.replaces)
			memcpy(r->shorter.trace, smaller.trace, sizeof(r->shorter.trace));
		show_smaller(r, &smaller);
	}
	reported_release(&smaller);
	return kept;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double seconds_left(const struct session *s)
{
	double left =
		least(SECONDS_ALL - s->minimised_s, is_explored(s) ? SECONDS_EXPLORED : SECONDS);

	return s->until > 0 ? least(left, s->until - now_s()) : left;
}

static void minimise_trace(struct minimising *m, size_t number, struct reported *r)
{
	struct trace smaller = *m->t;

	r->shorter.before = m->size;
	make_smaller(m);
	r->shorter.after = m->size;
	r->shorter.tried = m->tried;
	if (m->owned && !keep_smaller(m, number, r)) {
		r->shorter.after = r->shorter.before;
	} else {
		smaller.bug.steps = m->best.steps;
		smaller.bug.nsteps = m->best.nsteps;
	}
	if (!is_explored(m->s))
		inflection_find(m->s, &smaller, seconds_left(m->s), &r->inflection);
}

void minimise(struct session *s, const struct finding *f, size_t number, struct reported *r)
{
	struct minimising m = {
		.s = s,
		.as = f,
		.best = *f,
		.reads_first = is_explored(s) || s->model == MODEL_SC,
		.size = shorten_measure(f->steps, f->nsteps < LONGEST ? f->nsteps : 0),
		.until = now_s() + seconds_left(s),
	};
	double began = now_s();
	struct trace t;

	if (!f->nsteps || f->nsteps >= LONGEST || f->behind || s->search.damaged || f->signal)
		return;
	if (make_room(&m, f->nsteps) && confirm_trace(s, f, &t)) {
		m.t = &t;
		minimise_trace(&m, number, r);
		trace_release(&t);
	}
	if (s->until > 0 && now_s() >= s->until && !was_interrupted())
		s->hardly_minimised++;
	if (m.owned)
		finding_release(&m.best);
	free(m.guide);
	s->minimised_s += now_s() - began;
}
