/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_search.c - rc11 with sc accesses and fences: is there an mo with acyclic psc?
 *
 * If the execution is consistent with sc it is with rc11, and orders for sc are found fast: first
 * that is tried. Then coherence (coherence.c): it says which chains must be ordered, and gives
 * one order that does it. If psc is acyclic for that one, or for an order for tso, all is well.
 * If it is cyclic for what is demanded alone, nothing helps. In between, one open pair of chains
 * after the other is decided both ways, each time with what psc then allows in one order only
 * (psc_saturate.c) and trying to complete the rest in the order of the chains' numbers: exact,
 * and exponential in the pairs that stay open.
 *
 * Cost: O(n k) for the two ends; the search keeps a matrix of bits for each location's
 * chains, and gives up beyond a gigabyte.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/psc_order.h"

static bool solve(struct psc_order *s, uint32_t loc, uint32_t a)
{
	uint32_t b = 0, l, c, d = 0;
	uint64_t *copy;
	bool ok;

	if (!psc_order_saturate(s))
		return false;
	if (!psc_order_open(s, &loc, &a, &b))
		return true;
	copy = psc_order_save(s);
	for (l = loc, c = a; psc_order_open(s, &l, &c, &d);)
		chain_put(&s->at[l], c, d);
	ok = psc_order_acyclic(s);
	for (int i = 0; i < 2 && !ok; i++) {
		psc_order_restore(s, copy);
		chain_put(&s->at[loc], i ? b : a, i ? a : b);
		ok = solve(s, loc, a);
	}
	free(copy);
	return ok;
}

/* mo of a complete order: each chain's writes after those of the chains before it. */
static void take_witness(struct psc_order *s)
{
	const struct execution *x = s->x;
	uint32_t **length = offline_zeroed(x->nlocs, sizeof(*length));

	for (uint32_t l = 0; l < x->nlocs; l++)
		length[l] = offline_zeroed(s->at[l].n, sizeof(**length));
	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			length[x->loc[e]][s->order.c.chain[e]]++;
	for (uint32_t e = 0; e < x->n; e++) {
		const struct chain_matrix *m;
		uint32_t c = s->order.c.chain[e];

		if (!(x->kind[e] & EX_WRITE))
			continue;
		m = &s->at[x->loc[e]];
		s->v->rank[e] = s->order.c.rank[e] + (c ? 1 : 0);
		for (uint32_t b = 0; b < m->n; b++)
			if (chain_before(m, b, c))
				s->v->rank[e] += length[x->loc[e]][b];
	}
	for (uint32_t l = 0; l < x->nlocs; l++)
		free(length[l]);
	free(length);
}

static bool decide(struct psc_order *s)
{
	uint64_t *forced;

	if (!psc_order_build(s))
		return false;
	forced = psc_order_save(s);
	if (solve(s, 0, 1)) {
		take_witness(s);
	} else {
		verdict_fails(s->v, "acyclic(psc)", EX_NONE);
		psc_order_restore(s, forced);
		psc_explain(s);
	}
	free(forced);
	return true;
}

static bool rank_holds(struct psc *p, const struct execution *x, const uint32_t *rank)
{
	psc_put_rank(p, x, rank);
	return psc_acyclic(p);
}

bool psc_holds(const struct execution *x, const uint32_t *rank)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	struct clocks clocks;
	struct psc p;
	bool ok;

	execution_sort(x, sort);
	clocks_build(&clocks, x, MODEL_RC11, sort);
	psc_init(&p, x, &clocks, sort);
	ok = rank_holds(&p, x, rank);
	psc_release(&p);
	clocks_release(&clocks);
	free(sort);
	return ok;
}

/* What is consistent with tso is coherent, and psc mostly agrees. */
static bool tso_rank_holds(struct psc_order *s, const uint32_t *sort)
{
	uint32_t *rank = search_rank(s->x, MODEL_TSO, sort, false);

	if (rank && rank_holds(&s->psc, s->x, rank)) {
		free(s->v->rank);
		s->v->rank = rank;
		return true;
	}
	free(rank);
	return false;
}

/* Coherence holds and v has a witness of it. */
static bool decide_psc(struct psc_order *s, const struct clocks *clocks, const uint32_t *sort)
{
	uint32_t *rank = search_rank(s->x, MODEL_SC, sort, false);
	bool ok = true;

	if (rank) {
		free(s->v->rank);
		s->v->rank = rank;
		return true;
	}
	/* 13 nodes an event must have numbers of 32 bits. */
	if (s->x->n > EX_MAX_EVENTS / 4)
		return false;
	psc_init(&s->psc, s->x, clocks, sort);
	s->v->states++;
	if (!rank_holds(&s->psc, s->x, s->v->rank) && !tso_rank_holds(s, sort)) {
		s->v->consistent = false;
		ok = decide(s);
		s->v->consistent = ok && !s->v->axiom;
	}
	psc_order_release(s);
	return ok;
}

bool check_psc(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct psc_order s = { .x = x, .v = v };
	struct clocks clocks;
	bool ok = true;

	(void)witness;
	if (!sort)
		return true;
	v->rank = search_rank(x, MODEL_SC, sort, true);
	if (v->rank) {
		v->consistent = true;
	} else {
		clocks_build(&clocks, x, m, sort);
		coherence_decide(x, &clocks, sort, true, &s.order, v);
		if (v->consistent)
			ok = decide_psc(&s, &clocks, sort);
		chain_order_release(&s.order);
		clocks_release(&clocks);
	}
	free(sort);
	return ok;
}
