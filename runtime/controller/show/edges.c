/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * edges.c - what orders the events of an execution, by what heddle check knows (offline/)
 *
 * hb is that of the model (offline/clocks.h), as vector clocks. Its edges lead to each event from the last event of
 * each other thread that happens before it, where that is more than happens before the event before it in its thread.
 * Of these, sw are the ones that do not follow from others: so po and sw together give all of hb. What comes by
 * creation, locks and the like is among them.
 *
 * A trace has no modification order. Shown is the order in which writes were executed, if the execution is consistent
 * with that one; else one that heddle check finds. fr follows from it.
 *
 * Cost: that of one or two checks, and n k^2 at most for n events of k threads.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/names.h"
#include "controller/show/model.h"
#include "controller/trace/check_trace.h"
#include "offline/check.h"
#include "offline/clocks.h"
#include "offline/mo_graph.h"

const char *const edge_names[] = { "po", "rf", "mo", "fr", "sw", "hb", NULL };
const char *const edge_meanings[] = {
	"program order: what a thread does next",
	"reads-from: from a write to what reads it",
	"modification order: from a write to the next one of its location",
	"from-reads: from a read to the write that overwrites what it read",
	"synchronises-with: what happens before the event, and by no other edge",
	"happens-before: the last event of each other thread that happens before the event",
	NULL,
};
const char *const mo_names[] = { "recorded", "witness", "none", NULL };

struct edges {
	struct model *m;
	struct execution x;
	uint32_t *event; /* of each step of the trace: its event in x, EX_NONE */
	int *shown;      /* of each event in x: that of the model */
	uint32_t *sort;
};

/* ---- The same events as an execution ---------------------------------------------------------- */

static uint32_t event_of(const struct edges *g, const struct model_event *e)
{
	return e->step ? g->event[e->step - g->m->trace->bug.steps] : EX_NONE;
}

static bool convert(struct edges *g, char *error, size_t size)
{
	const struct finding *b = &g->m->trace->bug;
	struct trace_symbols names = scene_trace_symbols(&g->m->scene);
	char why[600];

	g->event = calloc(b->nsteps + 1, sizeof(*g->event));
	if (!g->event)
		return false;
	if (!check_steps(&g->x, b->steps, b->nsteps, &names, g->event, why, sizeof(why))) {
		snprintf(error, size, "%.200s: %s", g->m->path, why);
		return false;
	}
	g->shown = offline_room(g->x.n, sizeof(*g->shown));
	memset(g->shown, 0xff, g->x.n * sizeof(*g->shown));
	for (size_t i = 0; i < g->m->nevents; i++) {
		uint32_t e = event_of(g, &g->m->events[i]);

		if (e == EX_NONE)
			continue;
		g->shown[e] = (int)i;
		/* Steps are in po: a second event of one is behind its first. */
		if (e + 1 < g->x.first[g->x.tid[e] + 1])
			g->shown[e + 1] = (int)i;
	}
	return true;
}

/* ---- po and rf ------------------------------------------------------------------------------ */

static bool add_po(struct model *m)
{
	int *last = malloc((m->nlanes + 1) * sizeof(*last));

	if (!last)
		return false;
	for (size_t l = 0; l < m->nlanes; l++)
		last[l] = MODEL_NONE;
	for (size_t i = 0; i < m->nevents; i++) {
		size_t l = model_lane(m, &m->events[i]);

		if (last[l] != MODEL_NONE)
			model_edge(m, EDGE_PO, last[l], (int)i);
		last[l] = (int)i;
	}
	free(last);
	return true;
}

/* What a thread learns otherwise than by memory or an object is no read of the program. */
static void add_rf(struct edges *g)
{
	struct model *m = g->m;

	for (size_t i = 0; i < m->nevents; i++) {
		struct model_event *e = &m->events[i];
		const struct engine_step_record *r = e->step ? &e->step->record : NULL;
		uint32_t own = event_of(g, e);

		if (own == EX_NONE || !(r->flags & STEP_READ) || r->rf_tid < 0 ||
		    g->x.rf[own] >= g->x.n)
			continue;
		e->from = g->shown[g->x.rf[own]];
		model_edge(m, EDGE_RF, e->from, (int)i);
	}
}

/* ---- Happens-before --------------------------------------------------------------------------- */

static uint32_t *row_of(const struct model *m, int i)
{
	return m->clock + (size_t)i * m->nlanes;
}

/* The clock of an event of the model: that of its thread so far, and what the event itself learns. */
static void fill_row(const struct edges *g, const struct clocks *c, size_t i,
		     const uint32_t *before)
{
	struct model *m = g->m;
	uint32_t *row = row_of(m, (int)i), e = event_of(g, &m->events[i]);

	if (before)
		memcpy(row, before, m->nlanes * sizeof(*row));
	for (size_t l = 0; e != EX_NONE && l < m->nlanes; l++) {
		uint32_t t = m->lanes[l].tid, n = t < g->x.k ? clock_of(c, e, t) : 0;
		int last = n ? g->shown[g->x.first[t] + n - 1] : MODEL_NONE;

		if (last != MODEL_NONE && row[l] < (uint32_t)last + 1)
			row[l] = (uint32_t)last + 1;
	}
	row[model_lane(m, &m->events[i])] = (uint32_t)i + 1;
}

/* Does what lane `l` has before event i come along with what another lane has? */
static bool follows(const struct model *m, const uint32_t *row, const uint32_t *before, size_t own,
		    size_t l)
{
	for (size_t o = 0; o < m->nlanes; o++) {
		bool news = o != l && o != own && row[o] > (before ? before[o] : 0);

		if (news && row_of(m, (int)row[o] - 1)[l] >= row[l])
			return true;
	}
	return false;
}

static void add_hb(struct model *m, size_t i, const uint32_t *before)
{
	const uint32_t *row = row_of(m, (int)i);
	size_t own = model_lane(m, &m->events[i]);

	for (size_t l = 0; l < m->nlanes; l++) {
		if (l == own || row[l] <= (before ? before[l] : 0))
			continue;
		model_edge(m, EDGE_HB, (int)row[l] - 1, (int)i);
		if (!follows(m, row, before, own, l))
			model_edge(m, EDGE_SW, (int)row[l] - 1, (int)i);
	}
}

static bool order_events(struct edges *g)
{
	struct model *m = g->m;
	struct clocks c;
	int *last = malloc((m->nlanes + 1) * sizeof(*last));

	m->clock = calloc((m->nevents + m->trace->bug.nsides + 1) * (m->nlanes + 1),
			  sizeof(*m->clock));
	if (!last || !m->clock) {
		free(last);
		return false;
	}
	clocks_build(&c, &g->x, (enum engine_model)m->trace->model, g->sort);
	for (size_t l = 0; l < m->nlanes; l++)
		last[l] = MODEL_NONE;
	for (size_t i = 0; i < m->nevents; i++) {
		struct model_event *e = &m->events[i];
		size_t l = model_lane(m, e);
		const uint32_t *before = last[l] == MODEL_NONE ? NULL : row_of(m, last[l]);

		fill_row(g, &c, i, before);
		add_hb(m, i, before);
		if (e->from != MODEL_NONE)
			e->synchronises = row_of(m, (int)i)[model_lane(m, &m->events[e->from])] >
					  (uint32_t)e->from;
		last[l] = (int)i;
	}
	clocks_release(&c);
	free(last);
	return true;
}

/* ---- Modification order ------------------------------------------------------------------------ */

/* Of each write its place among those of its location, as they were executed. */
static uint32_t *rank_as_executed(const struct edges *g)
{
	const struct execution *x = &g->x;
	uint32_t *count = offline_zeroed(x->nlocs, sizeof(*count));
	uint32_t *rank = offline_zeroed(x->n, sizeof(*rank));

	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t e = g->sort[i];

		if (x->kind[e] & EX_WRITE)
			rank[e] = ++count[x->loc[e]];
	}
	free(count);
	return rank;
}

/* Each read-modify-write comes right behind what it reads. */
static bool is_atomic(const struct execution *x, const uint32_t *rank)
{
	for (uint32_t e = 0; e < x->n; e++)
		if ((x->kind[e] & EX_RMW) == EX_RMW &&
		    rank[e] != (x->rf[e] < x->n ? rank[x->rf[e]] : 0) + 1)
			return false;
	return true;
}

/* A rank with which the execution is consistent, to be freed; NULL: m->mo_why. */
static uint32_t *find_rank(struct edges *g)
{
	struct model *m = g->m;
	enum engine_model model = (enum engine_model)m->trace->model;
	const struct checker *c = checker_best(&g->x, model);
	uint32_t *rank = rank_as_executed(g);
	struct verdict v = { 0 };
	bool decided;

	m->mo = MO_RECORDED;
	if (is_atomic(&g->x, rank)) {
		check_mo(&g->x, model, rank, &v);
		if (v.consistent) {
			verdict_release(&v);
			return rank;
		}
		verdict_release(&v);
	}
	free(rank);
	m->mo = MO_WITNESS;
	decided = checker_fits(c, &g->x) && c->check(&g->x, model, true, &v);
	rank = decided && v.consistent ? v.rank : NULL;
	if (!rank && decided && v.axiom)
		snprintf(m->mo_why, sizeof(m->mo_why),
			 "the execution is inconsistent with %s, by %s (heddle check says why)",
			 name_of(names_model, model), v.axiom);
	else if (!rank)
		snprintf(m->mo_why, sizeof(m->mo_why), "the execution is too large to find one");
	if (rank)
		v.rank = NULL;
	verdict_release(&v);
	return rank;
}

/* Not what threads write for each other, which is at no place of the program. */
static bool is_write_of_program(const struct edges *g, uint32_t e)
{
	const struct model_event *shown = g->shown[e] < 0 ? NULL : &g->m->events[g->shown[e]];

	return shown && event_of(g, shown) == e &&
	       (shown->step->place.kind || shown->step->record.size);
}

static void add_mo(struct edges *g)
{
	const struct execution *x = &g->x;
	struct mo_graph mo;
	uint32_t *rank;

	if (g->m->trace->model == MODEL_WRA) {
		g->m->mo = MO_NONE;
		snprintf(g->m->mo_why, sizeof(g->m->mo_why), "wra has none");
		return;
	}
	rank = find_rank(g);
	if (!rank) {
		g->m->mo = MO_NONE;
		return;
	}
	if (mo_graph_init(&mo, x, rank)) {
		for (uint32_t e = 0; e < x->n; e++) {
			uint32_t next = x->kind[e] & EX_RMW ? mo_next(&mo, e) : EX_NONE;

			if (next == EX_NONE || g->shown[e] < 0 || !is_write_of_program(g, next))
				continue;
			model_edge(g->m, x->kind[e] & EX_WRITE ? EDGE_MO : EDGE_FR, g->shown[e],
				   g->shown[next]);
		}
	}
	mo_graph_release(&mo);
	free(rank);
}

/* ---- All ---------------------------------------------------------------------------------------- */

bool model_edges(struct model *m, char *error, size_t size)
{
	struct edges g = { .m = m };
	bool ok = convert(&g, error, size);

	if (ok) {
		g.sort = offline_room(g.x.n, sizeof(*g.sort));
		ok = execution_sort(&g.x, g.sort) == g.x.n && add_po(m);
		if (ok)
			add_rf(&g);
		ok = ok && order_events(&g);
		if (ok)
			add_mo(&g);
	}
	execution_release(&g.x);
	free(g.event);
	free(g.shown);
	free(g.sort);
	return ok;
}
