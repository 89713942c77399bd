/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model.c - the table of models, and asking them
 */
#include "engine/model.h"

static const struct model models[MODEL_COUNT] = {
	[MODEL_SC] = { "sc", SYNC_PORF, sc_consistent },
	[MODEL_RC11] = { "rc11", SYNC_RC11, psc_consistent },
};

const struct model *model_find(enum engine_model which)
{
	return (unsigned)which < MODEL_COUNT && models[which].name ? &models[which] : NULL;
}

void model_ask(struct question *q, const struct model *model, struct graph *g,
	       const uint32_t *cut, uint32_t read)
{
	q->model = model;
	q->g = g;
	q->cut = cut;
	q->read = read;
	q->mark = arena_mark(&g->scratch);
	coherence_build(&q->order, g, cut, g->ev[read].loc, read);
}

bool model_admits(struct question *q, uint32_t write)
{
	struct graph *g = q->g;
	struct event *ev = &g->ev[q->read];
	uint32_t rf = ev->rf;
	uint8_t flags = ev->flags;
	bool ok;

	if (!coherence_admits(&q->order, g, write))
		return false;
	if (!q->model->consistent)
		return true;
	ev->rf = write;
	ev->flags &= (uint8_t)~EV_BLOCKED;
	graph_clocks(g, q->read);
	ok = q->model->consistent(g, q->cut, NULL, 0);
	ev->rf = rf;
	ev->flags = flags;
	graph_clocks(g, q->read);
	return ok;
}

void model_asked(struct question *q)
{
	arena_reset(&q->g->scratch, q->mark);
}

/* Under coherence alone: the write's chain must have nothing after it, nor the chain it. */
static bool coherent_end(struct graph *g, uint32_t read)
{
	const struct event *ev = &g->ev[read];
	char *mark = arena_mark(&g->scratch);
	struct coherence o;
	uint32_t chain, rank;
	bool ok = true;

	coherence_build(&o, g, g->count, ev->loc, NO_POS);
	chain = ev->rf == RF_INIT ? 0 : g->ev[ev->rf].chain;
	rank = ev->rf == RF_INIT ? 0 : g->ev[ev->rf].rank;
	if (rank + 1 != o.length[chain])
		ok = false;
	for (uint32_t c = 0; ok && c < o.nchains; c++)
		ok = !coherence_before(&o, chain, c);
	arena_reset(&g->scratch, mark);
	return ok;
}

bool model_may_end(const struct model *model, struct graph *g, const uint32_t *reads, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct event *ev = &g->ev[reads[i]];

		for (uint32_t j = 0; j < i; j++)
			if (g->ev[reads[j]].loc == ev->loc && g->ev[reads[j]].rf != ev->rf)
				return false;
		if (!coherent_end(g, reads[i]))
			return false;
	}
	return !model->consistent || model->consistent(g, g->count, reads, n);
}
