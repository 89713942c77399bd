/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_why.c - for people: the cycle that saturation found, and where its edges come from
 *
 * An edge of mo or fr that saturation added stands for a path among the edges known when it was
 * found. A refusal names the cycle and, for each such edge in it, that path, and so
 * on down to po and rf. Paths are shortest in their number of steps, where any distance in one
 * line is one step.
 *
 * Cost: O(n + edges) for each edge that is named.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/order.h"

enum {
	STEP_PO = EX_NONE,
	STEP_RF = EX_NONE - 1
};

struct step {
	uint32_t item, edge; /* to the next item: STEP_PO, STEP_RF or an edge */
};

struct path {
	struct step *steps;
	uint32_t n;
};

struct why {
	const struct order *o;
	uint32_t *in_start, *in; /* edges into each item */
	struct verdict *v;
	uint8_t *told; /* of each edge */
	/* Of one search, backwards from the end. */
	uint32_t *high;        /* of each line: items below have been seen */
	uint32_t *ahead;       /* of each item seen: the item of its line from which it goes on */
	uint32_t *next, *edge; /* of those: the next item, and how */
	uint8_t *queued;
	uint32_t *queue, nqueue;
};

static void enqueue(struct why *w, uint32_t i, uint32_t next, uint32_t edge)
{
	if (w->queued[i] || i < w->high[w->o->line[i]])
		return;
	w->queued[i] = 1;
	w->next[i] = next;
	w->edge[i] = edge;
	w->queue[w->nqueue++] = i;
}

/* What comes before item i at once but in its line. */
static void look_back(struct why *w, uint32_t i, uint32_t known)
{
	const struct order *o = w->o;

	if ((o->flags[i] & ITEM_READ) && !(o->flags[i] & ITEM_EARLY) && o->rf[i] < o->n)
		enqueue(w, o->rf[i], i, STEP_RF);
	for (uint32_t j = w->in_start[i]; j < w->in_start[i + 1] && w->in[j] < known; j++)
		enqueue(w, o->edges[w->in[j]].from, i, w->in[j]);
}

/* The path from one item to another, which is there, among the edges below known. */
static struct path find_path(struct why *w, uint32_t from, uint32_t to, uint32_t known)
{
	const struct order *o = w->o;
	struct path p = { 0 };
	uint32_t line = o->line[from], done = 0;

	memset(w->queued, 0, o->n);
	memcpy(w->high, o->first, o->lines * sizeof(*w->high));
	w->nqueue = 0;
	enqueue(w, to, EX_NONE, STEP_PO);
	while (w->high[line] <= from) {
		uint32_t i = w->queue[done++], *high = &w->high[o->line[i]], low = *high;

		if (i < low)
			continue;
		*high = i + 1;
		for (uint32_t j = i + 1; j-- > low;) {
			w->ahead[j] = i;
			look_back(w, j, known);
		}
	}
	for (uint32_t i = from, end = 0; !end; p.n++) {
		p.steps = offline_grow(p.steps, p.n + 1, sizeof(*p.steps));
		p.steps[p.n] = (struct step){ i, STEP_PO };
		if (w->ahead[i] != i) {
			i = w->ahead[i];
		} else if (i != to) {
			p.steps[p.n].edge = w->edge[i];
			i = w->next[i];
		} else {
			end = 1;
		}
	}
	return p;
}

static const char *relation(const struct why *w, uint32_t edge)
{
	if (edge == STEP_PO || edge == STEP_RF)
		return edge == STEP_PO ? "po" : "rf";
	switch (w->o->edges[edge].why) {
	case ORDER_PO:
		return "po";
	case ORDER_FR:
		return "fr";
	default:
		return "mo";
	}
}

/* All but the last item of a path. */
static void tell_path(struct why *w, const struct path *p)
{
	for (uint32_t i = 0; i + 1 < p->n; i++)
		verdict_step(w->v, w->o->event[p->steps[i].item], relation(w, p->steps[i].edge));
}

static void tell_edge(struct why *w, uint32_t edge);

static void tell_edges(struct why *w, const struct path *p)
{
	for (uint32_t i = 0; i + 1 < p->n; i++)
		if (p->steps[i].edge < w->o->nedges)
			tell_edge(w, p->steps[i].edge);
}

/* Has the case said so of these two writes, for another edge? */
static bool is_told(const struct why *w, uint32_t from, uint32_t to)
{
	const struct verdict *v = w->v;
	const struct verdict_case *c = &v->cases[v->ncases - 1];

	for (uint32_t i = c->reasons; i < v->nreasons; i++)
		if (v->reasons[i].from == from && v->reasons[i].to == to)
			return true;
	return false;
}

/* from is before via, which observes to; or (fr) what is observed is before to. */
static void tell_since(struct why *w, const struct order_edge *e)
{
	const struct order *o = w->o;
	bool fr = e->why == ORDER_FR;
	struct path p = fr ? find_path(w, e->via, e->to, e->known)
			   : find_path(w, e->from, e->via, e->known);

	uint32_t from = o->event[fr ? e->via : e->from];

	tell_edges(w, &p);
	if (!is_told(w, from, o->event[e->to])) {
		verdict_reason(w->v, REASON_SINCE, from, o->event[e->to]);
		tell_path(w, &p);
		if (!fr)
			verdict_step(w->v, o->event[e->via], "rf^-1");
		verdict_step(w->v, o->event[e->to], NULL);
	}
	free(p.steps);
}

/* The reason of an edge, after those that its path needs: they all are older. */
static void tell_edge(struct why *w, uint32_t edge)
{
	const struct order *o = w->o;
	const struct order_edge *e = &o->edges[edge];
	uint32_t from = o->event[e->from], to = o->event[e->to];

	if (w->told[edge] || e->why == ORDER_PO)
		return;
	w->told[edge] = 1;
	switch (e->why) {
	case ORDER_ASSUMED:
		verdict_reason(w->v, REASON_ASSUMED, from, to);
		break;
	case ORDER_REFUTED:
		verdict_reason(w->v, REASON_REFUTED, from, to);
		w->v->reasons[w->v->nreasons - 1].by = e->via;
		break;
	case ORDER_OWN:
		verdict_reason(w->v, REASON_SINCE, from, to);
		verdict_step(w->v, from, "po");
		verdict_step(w->v, o->event[e->via], "rf^-1");
		verdict_step(w->v, to, NULL);
		break;
	default:
		if (e->via < o->n)
			tell_since(w, e);
	}
}

static bool is_mo(const struct why *w, uint32_t edge)
{
	return edge < w->o->nedges && !strcmp(relation(w, edge), "mo");
}

/*
 * The cycle from `to` to `from`, which p leads, and back by an edge. Where that is mo since a
 * locking read observes `to`, and p begins with mo, both are that read's fr.
 */
static void tell_cycle(struct why *w, struct path *p, uint32_t from, uint32_t edge)
{
	const struct order *o = w->o;
	const struct order_edge *e = edge < o->nedges ? &o->edges[edge] : NULL;
	struct path q = { 0 };

	tell_edges(w, p);
	if (e && e->why == ORDER_READ && (o->flags[e->via] & ITEM_LOCKS) &&
	    is_mo(w, p->steps->edge)) {
		q = find_path(w, e->from, e->via, e->known);
		tell_edges(w, &q);
	} else if (e) {
		tell_edge(w, edge);
	}
	verdict_cycle(w->v);
	if (q.n) {
		tell_path(w, &(struct path){ p->steps + 1, p->n - 1 });
		tell_path(w, &q);
		verdict_step(w->v, o->event[e->via], "fr");
	} else {
		tell_path(w, p);
		verdict_step(w->v, o->event[from], e ? relation(w, edge) : "fr");
	}
	free(q.steps);
}

void order_refute(const struct order *o, uint32_t from, uint32_t to, uint32_t known, uint32_t edge,
		  struct verdict *v)
{
	struct why w = { .o = o, .v = v };
	struct path p;

	order_edges_into(o, &w.in_start, &w.in);
	w.told = offline_zeroed(o->nedges, 1);
	w.high = offline_room(o->lines, sizeof(*w.high));
	w.ahead = offline_room(o->n, sizeof(*w.ahead));
	w.next = offline_room(o->n, sizeof(*w.next));
	w.edge = offline_room(o->n, sizeof(*w.edge));
	w.queued = offline_room(o->n, 1);
	w.queue = offline_room(o->n, sizeof(*w.queue));
	verdict_case(v);
	p = find_path(&w, from, to, known);
	tell_cycle(&w, &p, to, edge);
	free(p.steps);
	free(w.in_start);
	free(w.in);
	free(w.told);
	free(w.high);
	free(w.ahead);
	free(w.next);
	free(w.edge);
	free(w.queued);
	free(w.queue);
}
