/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.c - the table of models, and asking them
 */
#include "engine/model.h"
#include "engine/guard.h"

static const struct model models[MODEL_COUNT] = {
	[MODEL_SC] = { "sc", SYNC_PORF, NULL, false, sc_consistent },
	[MODEL_TSO] = { "tso", SYNC_PORF, NULL, true, tso_consistent },
	[MODEL_SRA] = { "sra", SYNC_PORF, NULL, true, sra_consistent },
	[MODEL_RA] = { "ra", SYNC_PORF, NULL, false, NULL },
	[MODEL_WRA] = { "wra", SYNC_PORF, wra_admits, false, NULL },
	[MODEL_RELAXED] = { "relaxed", SYNC_PO, NULL, false, NULL },
	[MODEL_RC20] = { "rc20", SYNC_RC20, NULL, false, NULL },
	[MODEL_RC11] = { "rc11", SYNC_RC11, NULL, false, psc_consistent },
};

const struct model *model_find(enum engine_model which)
{
	return (unsigned)which < MODEL_COUNT && models[which].name ? &models[which] : NULL;
}

void model_ask(struct question *q, const struct model *model, struct graph *g, const uint32_t *cut,
	       uint32_t read)
{
	q->model = model;
	q->g = g;
	q->cut = cut;
	q->read = read;
	q->mark = arena_mark(&g->scratch);
	coherence_build(&q->order, g, cut, g->ev[read].loc, read);
}

/* The order that the read at ev has when it observes this write: of success or failure. */
static unsigned order_given(const struct graph *g, const struct event *ev, uint32_t write)
{
	struct guard_op op = { .kind = ev->kind,
			       .fn = ev->fn,
			       .size = ev->size,
			       .tid = ev->tid,
			       .arg = ev->arg,
			       .expected = ev->expected };
	struct value written;

	return guard_apply(&op, graph_value(g, ev->loc, write), &written) == GUARD_READS
		       ? ev->order_fail
		       : ev->order_success;
}

bool model_admits(struct question *q, uint32_t write)
{
	struct graph *g = q->g;
	struct event *ev = &g->ev[q->read];
	uint32_t rf = ev->rf;
	uint8_t flags = ev->flags, order = ev->order;
	bool ok;

	if (q->model->admits)
		return q->model->admits(q, write);
	if (!coherence_admits(&q->order, g, write))
		return false;
	if (!q->model->consistent)
		return true;
	ev->rf = write;
	graph_label(g, q->read, flags & ~(unsigned)EV_BLOCKED, order_given(g, ev, write));
	graph_clocks(g, q->read);
	ok = q->model->consistent(g, q->cut, NULL, 0);
	ev->rf = rf;
	graph_label(g, q->read, flags, order);
	graph_clocks(g, q->read);
	return ok;
}

bool model_admits_rmw(struct question *q, uint32_t write)
{
	bool ok;

	if (q->model->rmw_differs)
		q->g->rmw = q->read;
	ok = model_admits(q, write);
	q->g->rmw = NO_POS;
	return ok;
}

void model_asked(struct question *q)
{
	arena_reset(&q->g->scratch, q->mark);
}

/*
 * The write that a read observes for good, under coherence alone: nothing may come after it
 * but read-modify-writes that store what they read (a spinning exchange). Returns the last
 * of those, or the read itself; NO_POS when something else comes after it.
 */
static uint32_t coherent_end(struct graph *g, uint32_t read)
{
	const struct event *ev = &g->ev[read];
	char *mark = arena_mark(&g->scratch);
	struct coherence o;
	uint32_t chain, rank, end = read, top;

	coherence_build(&o, g, g->count, ev->loc, NO_POS);
	chain = ev->rf == RF_INIT ? 0 : g->ev[ev->rf].chain;
	top = rank = ev->rf == RF_INIT ? 0 : g->ev[ev->rf].rank;
	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *w = &g->ev[p];

		if (!(w->flags & EV_WRITE) || w->chain != chain || w->rank <= rank)
			continue;
		if (end != NO_POS && w->rank > top) {
			top = w->rank;
			end = p;
		}
		if (!value_eq(w->read, w->written))
			end = NO_POS;
	}
	for (uint32_t c = 0; end != NO_POS && c < o.nchains; c++)
		if (coherence_before(&o, g, chain, c))
			end = NO_POS;
	arena_reset(&g->scratch, mark);
	return end;
}

/* Two events at whose location the last write is another. */
static bool contradict(const struct graph *g, uint32_t a, uint32_t b)
{
	const struct event *x = &g->ev[a], *y = &g->ev[b];
	uint32_t wx = x->flags & EV_WRITE ? a : x->rf, wy = y->flags & EV_WRITE ? b : y->rf;

	return x->loc == y->loc && wx != wy;
}

bool model_may_end(const struct model *model, struct graph *g, const uint32_t *reads, uint32_t n)
{
	char *mark = arena_mark(&g->scratch);
	uint32_t *ends = arena_take(&g->scratch, (n + 1) * sizeof(*ends));
	bool ok = true;

	for (uint32_t i = 0; ok && i < n; i++) {
		ends[i] = coherent_end(g, reads[i]);
		ok = ends[i] != NO_POS;
		for (uint32_t k = 0; ok && k < i; k++)
			ok = !contradict(g, ends[k], ends[i]);
	}
	if (ok && model->consistent)
		ok = model->consistent(g, g->count, ends, n);
	arena_reset(&g->scratch, mark);
	return ok;
}
