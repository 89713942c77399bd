/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_why.c - for people: the cycle of psc, and the reasons of its mo and fr steps
 *
 * An mo step within one chain is that of its read-modify-writes. One to another chain follows
 * from pairs of chains that coherence orders or that were put by the search, in a row.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/psc_order.h"

struct why {
	const struct psc_order *s;
	const struct psc_put *puts;
	uint32_t nputs;
	uint8_t *told_edge, *told_put;
};

/* Edges of one location: those of coherence, then those put. */
struct edges {
	size_t first, n;
};

static struct edges edges_of(const struct why *w, uint32_t loc)
{
	struct edges e;

	e.first = loc ? w->s->order.end[loc - 1] : 0;
	e.n = w->s->order.end[loc] - e.first;
	return e;
}

/* The chains of edge i; false if it is of another location. */
static bool chains_of(const struct why *w, uint32_t loc, const struct edges *e, size_t i,
		      struct chain_edge *out)
{
	const struct psc_put *put;

	if (i < e->n) {
		*out = w->s->order.edges[e->first + i];
		return true;
	}
	put = &w->puts[i - e->n];
	out->from = w->s->order.c.chain[put->from];
	out->to = w->s->order.c.chain[put->to];
	return w->s->x->loc[put->from] == loc;
}

static void tell(struct why *w, const struct edges *e, size_t i)
{
	struct verdict *v = w->s->v;

	if (i < e->n) {
		const struct chain_pair *p = &w->s->order.pairs[e->first + i];

		if (!w->told_edge[e->first + i]++)
			coherence_reason(v, w->s->x, p->a, p->e);
	} else if (!w->told_put[i - e->n]++) {
		const struct psc_put *put = &w->puts[i - e->n];

		verdict_reason(v, put->kind, put->from, put->to);
		v->reasons[v->nreasons - 1].by = put->by;
	}
}

/* Why chain `from` comes before chain `to`: the shortest row of edges. */
static void tell_chains(struct why *w, uint32_t loc, uint32_t from, uint32_t to)
{
	const struct chain_matrix *m = &w->s->at[loc];
	struct edges e = edges_of(w, loc);
	size_t *into = offline_room(m->n, sizeof(*into));
	uint32_t *queue = offline_room(m->n, sizeof(*queue)), done = 0, n = 0;
	uint8_t *seen = offline_zeroed(m->n, 1);
	struct chain_edge edge;

	queue[n++] = from;
	seen[from] = 1;
	while (done < n && !seen[to]) {
		uint32_t c = queue[done++];

		for (size_t i = 0; i < e.n + w->nputs; i++) {
			if (!chains_of(w, loc, &e, i, &edge) || edge.from != c || seen[edge.to])
				continue;
			seen[edge.to] = 1;
			into[edge.to] = i;
			queue[n++] = edge.to;
		}
	}
	for (uint32_t c = to; seen[to] && c != from; c = edge.from) {
		tell(w, &e, into[c]);
		chains_of(w, loc, &e, into[c], &edge);
	}
	free(into);
	free(queue);
	free(seen);
}

void psc_tell(struct verdict *v, const struct psc_step *step, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		verdict_step(v, step[i].event, step[i].relation);
		v->steps[v->nsteps - 1].psc = step[i].begins;
	}
}

void psc_refute(const struct psc_order *s, const struct psc_put *puts, uint32_t nputs)
{
	struct why w = { .s = s, .puts = puts, .nputs = nputs };
	uint32_t n;
	struct psc_step *step = psc_cycle(&s->psc, &n);

	w.told_edge = offline_zeroed(s->order.nedges, 1);
	w.told_put = offline_zeroed(nputs, 1);
	verdict_case(s->v);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = step[i].event, b = step[(i + 1) % n].event;
		uint32_t from = s->order.c.chain[a], to = s->order.c.chain[b];
		bool mo = !strcmp(step[i].relation, "mo") || !strcmp(step[i].relation, "fr");

		/* Chain 0 comes first without a reason. */
		if (mo && from && from != to)
			tell_chains(&w, s->x->loc[a], from, to);
	}
	verdict_cycle(s->v);
	psc_tell(s->v, step, n);
	free(step);
	free(w.told_edge);
	free(w.told_put);
}
