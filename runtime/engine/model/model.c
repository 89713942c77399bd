/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.c - the table of models, and asking them
 */
#include "engine/model/model.h"

#include "base/must.h"
#include "engine/graph/checks.h"
#include "engine/graph/hbmo_list.h"
#include "engine/model/whole.h"
#include "engine/model/witness.h"

static const struct model models[MODEL_COUNT] = {
	[MODEL_SC] = { "sc", SYNC_PORF, NULL, false, sc_consistent, WITNESS_OF_SC },
	[MODEL_TSO] = { "tso", SYNC_PORF, NULL, true, tso_consistent, WITNESS_OF_TSO },
	[MODEL_SRA] = { "sra", SYNC_PORF, NULL, true, sra_consistent, WITNESS_OF_SRA },
	[MODEL_RA] = { "ra", SYNC_PORF, NULL, false, NULL, NO_WITNESS },
	[MODEL_WRA] = { "wra", SYNC_PORF, wra_admits, false, NULL, NO_WITNESS },
	[MODEL_RELAXED] = { "relaxed", SYNC_PO, NULL, false, NULL, NO_WITNESS },
	[MODEL_RC20] = { "rc20", SYNC_RC20, NULL, false, NULL, NO_WITNESS },
	[MODEL_RC11] = { "rc11", SYNC_RC11, NULL, false, psc_consistent, WITNESS_OF_PSC },
};

const struct model *model_find(enum engine_model which)
{
	return (unsigned)which < MODEL_COUNT ? &models[which] : NULL;
}

void model_ask(struct question *q, const struct model *model, struct graph *g, const uint32_t *cut,
	       uint32_t read)
{
	q->model = model;
	q->g = g;
	q->cut = cut;
	q->read = read;
	q->mark = arena_mark(&g->scratch);
	q->whole = cut == g->count && hbmo_knows(g, read);
	q->built = false;
	checks_cut(g, cut, read);
	if (q->whole)
		hbmo_ask(&q->view, g, read);
	if (q->whole && g->mo)
		q->floor = hbmo_floor(&q->view, g);
}

/* Is a write at the floor or later in mo? */
static bool not_below(const struct graph *g, uint32_t floor, uint32_t write)
{
	while (write != floor && write != RF_INIT)
		write = g->ev[write].mo_before;
	return write == floor;
}

bool model_is_coherent(struct question *q, uint32_t write)
{
	if (!q->whole && !q->built) {
		coherence_build(&q->order, q->g, q->cut, q->g->ev[q->read].loc, q->read);
		q->built = true;
	}
	if (q->model->admits)
		return q->model->admits(q, write);
	if (q->whole && q->g->mo)
		return not_below(q->g, q->floor, write);
	return q->whole ? hbmo_admits(&q->view, q->g, write)
			: coherence_admits(&q->order, q->g, write);
}

/* Inserts a place into n places that are sorted, the greatest first. */
static void insert_sorted(uint32_t *sorted, uint32_t n, uint32_t pos)
{
	while (n && sorted[n - 1] < pos) {
		sorted[n] = sorted[n - 1];
		n--;
	}
	sorted[n] = pos;
}

/* Of each thread the latest writes, down to the first that is hidden. */
static uint32_t coherent_in_graph(struct question *q, uint32_t *out)
{
	const struct graph *g = q->g;
	uint32_t n = 0, loc = g->ev[q->read].loc;

	for (uint32_t t = 0; t < g->nthreads; t++)
		for (uint32_t w = hbmo_latest(g, loc, t); w != NO_POS; w = hbmo_earlier(g, w)) {
			if (!model_is_coherent(q, w))
				break;
			insert_sorted(out, n++, w);
		}
	return n;
}

/* With a total modification order: what comes in it from the floor on. */
static uint32_t coherent_in_mo(const struct question *q, uint32_t *out)
{
	const struct graph *g = q->g;
	uint32_t n = 0, loc = g->ev[q->read].loc, w = q->floor;

	for (w = w == RF_INIT ? mo_next(g, loc, w) : w; w != NO_POS; w = mo_next(g, loc, w))
		insert_sorted(out, n++, w);
	return n;
}

uint32_t model_coherent(struct question *q, uint32_t *out)
{
	uint32_t n;

	must(q->whole);
	n = q->g->mo ? coherent_in_mo(q, out) : coherent_in_graph(q, out);

	if (model_is_coherent(q, RF_INIT))
		out[n++] = RF_INIT;
	return n;
}

/* Is there nothing in the graph, nor the read, that the model minds beyond coherence? */
static bool is_free(const struct question *q)
{
	const struct event *ev = &q->g->ev[q->read];

	return witness_is_idle(q->g, q->model) && ev->order_success != ORDER_SC &&
	       ev->order_fail != ORDER_SC;
}

/* Is it certain, and soon seen, that no modification order makes the model accept the graph? */
static bool is_refuted(const struct question *q)
{
	const struct model *m = q->model;

	return !q->g->mo && (m->witness == WITNESS_OF_PSC || m->witness == WITNESS_OF_SC) &&
	       witness_refutes(q->g, q->cut, q->read, q->whole, m);
}

bool model_agrees(struct question *q, uint32_t write)
{
	struct graph *g = q->g;
	struct event *ev = &g->ev[q->read];
	uint32_t rf = ev->rf;
	uint8_t flags = ev->flags, order = ev->order;
	bool ok;

	g->witness.extends = 0;
	if (!q->model->consistent || is_free(q) || witness_shows(g, q->cut, q->read, write))
		return true;
	ev->rf = write;
	graph_label(g, q->read, flags & ~(unsigned)EV_BLOCKED, graph_order_given(g, ev, write));
	graph_clocks(g, q->read);
	if (witness_extends(g, q->cut, q->read, q->model))
		g->witness.extends = g->witness.version + 1;
	g->witness.about = q->read;
	ok = g->witness.extends ||
	     (!is_refuted(q) && ((q->whole && witness_moves(g, q->read, q->model, false)) ||
				 q->model->consistent(g, q->cut, NULL, 0)));
	g->witness.about = NO_POS;
	ev->rf = rf;
	graph_label(g, q->read, flags, order);
	graph_clocks(g, q->read);
	return ok;
}

bool model_admits(struct question *q, uint32_t write)
{
	return model_is_coherent(q, write) && model_agrees(q, write);
}

bool model_agrees_rmw(struct question *q, uint32_t write)
{
	bool ok;

	if (q->model->rmw_differs)
		q->g->rmw = q->read;
	ok = model_agrees(q, write);
	q->g->rmw = NO_POS;
	return ok;
}

bool model_admits_rmw(struct question *q, uint32_t write)
{
	return model_is_coherent(q, write) && model_agrees_rmw(q, write);
}

void model_asked(struct question *q)
{
	arena_reset(&q->g->scratch, q->mark);
}

/*
 * The write that an event stands for, which reads it or is it, for good, under coherence alone: nothing may come after it
 * but read-modify-writes that store what they read (a spinning exchange). Returns the last
 * of those, or the event itself; NO_POS when something else comes after it.
 */
static uint32_t coherent_end(struct graph *g, uint32_t pos)
{
	const struct event *ev = &g->ev[pos];
	uint32_t write = event_write(ev, pos);
	char *mark = arena_mark(&g->scratch);
	struct coherence o;
	uint32_t chain, rank, end = pos, top;

	coherence_build(&o, g, g->count, ev->loc, NO_POS);
	chain = coherence_chain(g, write);
	top = rank = coherence_rank(g, write);
	for (uint32_t p = g->locs[ev->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *w = &g->ev[p];

		if (!(w->flags & EV_WRITE) || g->notes[p].chain != chain ||
		    g->notes[p].rank <= rank)
			continue;
		if (end != NO_POS && g->notes[p].rank > top) {
			top = g->notes[p].rank;
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
	return x->loc == y->loc && event_write(x, a) != event_write(y, b);
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
	if (ok && g->parts)
		ok = whole_judge(model, g, g->count, ends, n) == PARTS_WHOLE;
	arena_reset(&g->scratch, mark);
	return ok;
}
