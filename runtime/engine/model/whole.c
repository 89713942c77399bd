/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole.c - are accesses that are events of several locations done at one moment?
 *
 * Here an access is one node, whatever the number of its events, and the axioms of the model are asked
 * about nodes (models.txt). Relations are rows of bits. Modification orders are built one write at a
 * time, location by location; the axioms are that something has no cycle, so what is built so
 * far is checked behind each write.
 *
 * hb between nodes comes from the clocks of events: the first event of one is in the clock of
 * the last of the other. Nothing is told by a node's events before its last read is done (parts.c), so
 * this is closed.
 *
 * Where the model has nothing but coherence, only locations of such accesses are looked at.
 */
#include "engine/model/whole.h"

#include <string.h>

#include "base/must.h"
#include "engine/model/whole_nodes.h"

enum {
	CHECKS = 5000 /* of the axioms, in one search */
};

/* ---- Relations ------------------------------------------------------------------------------- */

static void join(struct relation *into, const struct relation *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into->row[i] |= r->row[i];
}

static void close_relation(struct relation *r, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			if (r->row[i] & BIT(k))
				r->row[i] |= r->row[k];
}

/* out = a ; b, which may be one of them. */
static void compose(struct relation *out, const struct relation *a, const struct relation *b,
		    uint32_t n)
{
	row_t row[NODES];

	for (uint32_t i = 0; i < n; i++) {
		row[i] = 0;
		EACH(k, a->row[i])
		row[i] |= b->row[k];
	}
	memcpy(out->row, row, n * sizeof(row_t));
}

static bool has_no_cycle(const struct relation *r, uint32_t n)
{
	row_t left = n == NODES ? ~(row_t)0 : BIT(n) - 1;

	while (left) {
		row_t entered = 0;

		EACH(i, left)
		entered |= r->row[i];
		if (!(left & ~entered))
			return false;
		left &= entered;
	}
	return true;
}

/* ---- What holds whatever the modification orders are ------------------------------------------------ */

static void relate(struct judge *j, uint32_t a, uint32_t b)
{
	const struct node *x = &j->node[a], *y = &j->node[b];
	const struct graph *g = j->g;

	if (a == b || b < j->nlocs)
		return;
	if (a < j->nlocs) {
		j->po.row[a] |= BIT(b);
		j->hb.row[a] |= BIT(b);
		return;
	}
	if (x->tid == y->tid && x->first < y->first)
		j->po.row[a] |= BIT(b);
	if (x->first < graph_hb(g, g->at[y->tid][y->last])[x->tid] &&
	    (x->tid != y->tid || x->first < y->first))
		j->hb.row[a] |= BIT(b);
}

static void fixed_relations(struct judge *j)
{
	for (uint32_t l = 0; l < j->nlocs; l++)
		EACH(a, j->at[l])
	j->overlap.row[a] |= j->at[l];
	for (uint32_t a = 0; a < j->n; a++) {
		for (uint32_t b = 0; b < j->n; b++)
			relate(j, a, b);
		j->sc |= j->node[a].sc ? BIT(a) : 0;
		j->fences |= j->node[a].fence ? BIT(a) : 0;
	}
}

/* ppo and rfe (models.txt). */
static void order_of_tso(struct judge *j)
{
	row_t full = j->fences & j->sc;

	for (uint32_t i = 0; i < j->n; i++)
		if (j->node[i].reads && j->node[i].writes)
			full |= BIT(i);
	for (uint32_t a = 0; a < j->n; a++) {
		EACH(b, j->po.row[a])
		{
			const struct node *x = &j->node[a], *y = &j->node[b];
			bool delayed = a >= j->nlocs && x->writes && !x->reads && !x->sc &&
				       y->reads && !y->writes;

			EACH(k, j->po.row[a] & full)
			delayed &= !(j->po.row[k] & BIT(b));
			if (!delayed)
				j->far.row[a] |= BIT(b);
		}
		EACH(r, j->rf.row[a])
		if (j->node[r].tid != j->node[a].tid)
			j->far.row[a] |= BIT(r);
	}
}

/* Light fences are nothing to tso: they stand in no order. */
static void forget_light_fences(struct judge *j)
{
	row_t light = j->fences & ~j->sc;

	for (uint32_t i = 0; i < j->n; i++)
		j->po.row[i] = light & BIT(i) ? 0 : j->po.row[i] & ~light;
}

static void fixed_orders(struct judge *j)
{
	const struct model *m = j->model;
	bool tso = m->witness == WITNESS_OF_TSO;

	if (tso)
		forget_light_fences(j);
	for (uint32_t i = 0; i < j->n; i++)
		j->near.row[i] =
			((tso ? j->po.row[i] : j->hb.row[i]) & j->overlap.row[i]) | j->rf.row[i];
	if (tso) {
		order_of_tso(j);
	} else if (m->witness == WITNESS_OF_SC) {
		j->far = j->po;
		join(&j->far, &j->rf, j->n);
	} else if (j->all) {
		j->far = j->hb; /* sra; psc makes its own */
	}
}

/* ---- The axioms ------------------------------------------------------------------------------------ */

static void reads_before(struct judge *j)
{
	memset(j->fr.row, 0, j->n * sizeof(row_t));
	for (uint32_t i = 0; i < j->nreadings; i++) {
		const struct reading *r = &j->reading[i];

		j->fr.row[r->node] |= j->mo.row[r->from] & j->writes_at[r->loc] & ~BIT(r->node);
	}
}

static bool sum_has_no_cycle(struct judge *j, const struct relation *fixed, bool with_fr)
{
	j->sum = *fixed;
	join(&j->sum, &j->mo, j->n);
	if (with_fr)
		join(&j->sum, &j->fr, j->n);
	return has_no_cycle(&j->sum, j->n);
}

/* sc fences, as ends of what psc is made of: hb?;[F] and [F];hb?, with the sc accesses. */
static void ends_of_psc(struct judge *j)
{
	row_t accesses = j->sc & ~j->fences, fences = j->sc & j->fences;

	for (uint32_t i = 0; i < j->n; i++) {
		row_t near = j->hb.row[i] | BIT(i);

		j->left.row[i] = (accesses & BIT(i)) | (fences & BIT(i) ? near : 0);
		j->right.row[i] = (accesses & BIT(i)) | (near & fences);
	}
}

static bool psc_has_no_cycle(struct judge *j)
{
	row_t fences = j->sc & j->fences;
	uint32_t n = j->n;

	j->eco = j->mo;
	join(&j->eco, &j->rf, n);
	join(&j->eco, &j->fr, n);
	close_relation(&j->eco, n);
	for (uint32_t i = 0; i < n; i++)
		j->sum.row[i] = j->po.row[i] & ~j->overlap.row[i];
	compose(&j->scb, &j->sum, &j->hb, n);
	compose(&j->scb, &j->scb, &j->sum, n);
	for (uint32_t i = 0; i < n; i++)
		j->scb.row[i] |= j->po.row[i] | (j->hb.row[i] & j->overlap.row[i]) | j->mo.row[i] |
				 j->fr.row[i];
	ends_of_psc(j);
	compose(&j->psc, &j->left, &j->scb, n);
	compose(&j->psc, &j->psc, &j->right, n);
	compose(&j->sum, &j->hb, &j->eco, n);
	compose(&j->sum, &j->sum, &j->hb, n);
	for (uint32_t i = 0; i < n; i++)
		if (fences & BIT(i))
			j->psc.row[i] |= (j->sum.row[i] | j->hb.row[i]) & fences;
	return has_no_cycle(&j->psc, n);
}

/* With the modification orders so far. Whatever has a cycle has it with more of them, too. */
static bool holds(struct judge *j)
{
	j->checks++;
	reads_before(j);
	if (!sum_has_no_cycle(j, &j->near, true))
		return false;
	if (!j->all)
		return true;
	switch (j->model->witness) {
	case WITNESS_OF_SC:
	case WITNESS_OF_TSO:
		return sum_has_no_cycle(j, &j->far, true);
	case WITNESS_OF_PSC:
		return psc_has_no_cycle(j);
	default:
		return sum_has_no_cycle(j, &j->far, false);
	}
}

/* ---- Modification orders ----------------------------------------------------------------------------- */

/* Where the graph has modification orders: the next one of those left, or any that was only begun. */
static row_t next_by_list(const struct judge *j, uint32_t loc, row_t left)
{
	const struct graph *g = j->g;
	row_t begun = left, next = 0;

	for (uint32_t w = g->locs[j->loc_of[loc]].mo_first; w != NO_POS; w = g->ev[w].mo_after) {
		if (!in_cut(&g->ev[w], j->cut))
			continue;
		begun &= ~BIT(j->node_of[w]);
		if (!next)
			next = left & BIT(j->node_of[w]);
	}
	return next | begun;
}

/* The writes, of those left, that may come next in the order of the location. */
static row_t next_writes(const struct judge *j, uint32_t loc, row_t left, uint32_t last)
{
	row_t next = left;

	for (uint32_t i = 0; i < j->nreadings; i++) {
		const struct reading *r = &j->reading[i];

		if (r->loc == loc && r->from == last && (j->writes_at[loc] & BIT(r->node)))
			next &= BIT(r->node);
	}
	if (j->g->mo)
		next &= next_by_list(j, loc, left);
	EACH(w, next)
	for (uint32_t k = 0; k < j->n; k++)
		if ((left & BIT(k)) && k != w && (j->near.row[k] & BIT(w)))
			next &= ~BIT(w);
	return next;
}

static bool place(struct judge *j, uint32_t loc, row_t placed, uint32_t last)
{
	row_t left;

	if (loc == j->nlocs)
		return true;
	left = j->writes_at[loc] & ~placed;
	if (!left)
		return place(j, loc + 1, loc + 1 < j->nlocs ? BIT(loc + 1) : 0, loc + 1);
	EACH(w, next_writes(j, loc, left, last))
	{
		row_t fresh = 0;

		if (j->checks > CHECKS)
			return false;
		EACH(p, placed)
		if (!(j->mo.row[p] & BIT(w))) {
			j->mo.row[p] |= BIT(w);
			fresh |= BIT(p);
		}
		if (holds(j) && place(j, loc, placed | BIT(w), w))
			return true;
		EACH(q, fresh)
		j->mo.row[q] &= ~BIT(w);
	}
	return false;
}

/* Writes that have to be the last of their locations, but for read-modify-writes that store what they read. */
static void put_last(struct judge *j, const uint32_t *ends, uint32_t nends)
{
	const struct graph *g = j->g;

	for (uint32_t i = 0; i < nends; i++) {
		const struct event *ev = &g->ev[ends[i]];
		uint32_t loc = j->number[ev->loc], write = event_write(ev, ends[i]);
		uint32_t last;

		if (!loc || write == RF_NONE)
			continue;
		last = write == RF_INIT ? loc - 1 : j->node_of[write];
		EACH(w, j->writes_at[loc - 1] & ~BIT(last))
		j->near.row[w] |= BIT(last);
	}
}

static struct judge *new_judge(const struct model *model, struct graph *g, const uint32_t *cut)
{
	struct judge *j = arena_take(&g->scratch, sizeof(*j));
	size_t locs = (g->nlocs + 1) * sizeof(uint32_t), events = (g->n + 1) * sizeof(uint32_t);

	memset(j, 0, sizeof(*j));
	j->model = model;
	j->g = g;
	j->cut = cut;
	j->loc_of = arena_take(&g->scratch, locs);
	j->number = memset(arena_take(&g->scratch, locs), 0, locs);
	j->node_of = memset(arena_take(&g->scratch, events), 0xff, events);
	j->reading = arena_take(&g->scratch, (g->n + 1) * sizeof(*j->reading));
	return j;
}

static enum wholeness judge(struct judge *j, const uint32_t *ends, uint32_t nends)
{
	if (!nodes_find(j))
		return PARTS_UNKNOWN;
	if (!nodes_read(j))
		return PARTS_TORN;
	fixed_relations(j);
	fixed_orders(j);
	put_last(j, ends, nends);
	if (!holds(j))
		return PARTS_TORN;
	if (place(j, 0, BIT(0), 0))
		return PARTS_WHOLE;
	return j->checks > CHECKS ? PARTS_UNKNOWN : PARTS_TORN;
}

enum wholeness whole_judge(const struct model *model, struct graph *g, const uint32_t *cut,
			   const uint32_t *ends, uint32_t nends)
{
	char *mark = arena_mark(&g->scratch);
	enum wholeness found;

	must(!model->admits); /* there is no modification order, and no moment */
	found = judge(new_judge(model, g, cut), ends, nends);
	arena_reset(&g->scratch, mark);
	return found;
}
