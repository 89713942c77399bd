/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_search.c - rc11 with sc accesses and fences: is there an mo with acyclic psc?
 *
 * Coherence first (coherence.c): it says which chains must be ordered, and gives one order
 * that does it. If psc is acyclic for that one, which is the common case, all is well. If it
 * is cyclic for what is demanded alone, nothing helps. In between, one open pair of chains
 * after the other is decided both ways, each time trying to complete the rest in the order of
 * the chains' numbers: exact, and exponential in the pairs that stay open.
 *
 * Cost: O(n k) for the two ends; the search keeps a matrix of bits for each location's
 * chains, and gives up beyond a gigabyte.
 */
#include <stdlib.h>
#include <string.h>

#include "offline/coherence.h"
#include "offline/psc.h"

struct chain_matrix {
	uint32_t n, words;
	uint64_t *after; /* [a] bit b: chain b comes after chain a */
	uint32_t *first; /* write of each chain; EX_NONE: chain 0 has no event but init */
};

struct search {
	const struct execution *x;
	struct psc psc;
	struct chain_order order;
	struct chain_matrix *at; /* of each location */
	size_t words;            /* of all matrices */
	uint32_t *next;          /* of each write: the read-modify-write of it, or EX_NONE */
	struct verdict *v;
};

static bool comes_before(const struct chain_matrix *m, uint32_t a, uint32_t b)
{
	return m->after[(size_t)a * m->words + b / 64] >> (b % 64) & 1;
}

/* Chain a before chain b, and what follows from that. */
static void put_before(struct chain_matrix *m, uint32_t a, uint32_t b)
{
	const uint64_t *from = m->after + (size_t)b * m->words;

	for (uint32_t c = 0; c < m->n; c++) {
		uint64_t *to = m->after + (size_t)c * m->words;

		if (c != a && !comes_before(m, c, a))
			continue;
		to[b / 64] |= (uint64_t)1 << (b % 64);
		for (uint32_t i = 0; i < m->words; i++)
			to[i] |= from[i];
	}
}

static bool build_matrices(struct search *s)
{
	const struct execution *x = s->x;

	for (uint32_t l = 0; l < x->nlocs; l++) {
		size_t n = s->order.c.count[l];

		s->words += n * ((n + 63) / 64);
		if (s->words > (size_t)1 << 27)
			return false;
	}
	s->at = offline_zeroed(x->nlocs, sizeof(*s->at));
	for (uint32_t l = 0; l < x->nlocs; l++) {
		struct chain_matrix *m = &s->at[l];

		m->n = s->order.c.count[l];
		m->words = (m->n + 63) / 64;
		m->after = offline_zeroed((size_t)m->n * m->words, sizeof(*m->after));
		m->first = offline_room(m->n, sizeof(*m->first));
		memset(m->first, 0xff, m->n * sizeof(*m->first));
		for (uint32_t c = 1; c < m->n; c++)
			put_before(m, 0, c);
		for (size_t i = l ? s->order.end[l - 1] : 0; i < s->order.end[l]; i++)
			if (!comes_before(m, s->order.edges[i].from, s->order.edges[i].to))
				put_before(m, s->order.edges[i].from, s->order.edges[i].to);
	}
	return true;
}

static void find_ends(struct search *s)
{
	const struct execution *x = s->x;

	s->next = offline_room(x->n, sizeof(*s->next));
	memset(s->next, 0xff, x->n * sizeof(*s->next));
	for (uint32_t e = 0; e < x->n; e++) {
		if (!(x->kind[e] & EX_WRITE))
			continue;
		if (!(x->kind[e] & EX_READ) || x->rf[e] == EX_INIT)
			s->at[x->loc[e]].first[s->order.c.chain[e]] = e;
		if ((x->kind[e] & EX_READ) && x->rf[e] < x->n)
			s->next[x->rf[e]] = e;
	}
}

/* mo and fr as far as they are decided. */
static bool acyclic(struct search *s)
{
	const struct execution *x = s->x;

	s->v->states++;
	psc_begin(&s->psc);
	for (uint32_t e = 0; e < x->n; e++) {
		const struct chain_matrix *m;
		uint32_t w = x->kind[e] & EX_WRITE ? e : x->rf[e], c, next;

		if (!(x->kind[e] & EX_RMW))
			continue;
		m = &s->at[x->loc[e]];
		c = s->order.c.chain[e];
		next = w < x->n ? s->next[w] : m->first[0];
		if (next != EX_NONE) {
			psc_mo(&s->psc, e, next);
			continue;
		}
		for (uint32_t b = 1; b < m->n; b++)
			if (comes_before(m, c, b))
				psc_mo(&s->psc, e, m->first[b]);
	}
	return psc_acyclic(&s->psc);
}

/* Locations and chains in order, from where the caller stands. */
static bool open_pair(const struct search *s, uint32_t *loc, uint32_t *a, uint32_t *b)
{
	for (; *loc < s->x->nlocs; ++*loc, *a = 1) {
		const struct chain_matrix *m = &s->at[*loc];

		for (; *a < m->n; ++*a)
			for (*b = *a + 1; *b < m->n; ++*b)
				if (!comes_before(m, *a, *b) && !comes_before(m, *b, *a))
					return true;
	}
	return false;
}

static uint64_t *save(const struct search *s)
{
	uint64_t *copy = offline_room(s->words, sizeof(*copy)), *to = copy;

	for (uint32_t l = 0; l < s->x->nlocs; l++) {
		size_t n = (size_t)s->at[l].n * s->at[l].words;

		memcpy(to, s->at[l].after, n * sizeof(*to));
		to += n;
	}
	return copy;
}

static void restore(struct search *s, const uint64_t *copy)
{
	for (uint32_t l = 0; l < s->x->nlocs; l++) {
		size_t n = (size_t)s->at[l].n * s->at[l].words;

		memcpy(s->at[l].after, copy, n * sizeof(*copy));
		copy += n;
	}
}

static bool solve(struct search *s, uint32_t loc, uint32_t a)
{
	uint32_t b = 0, l, c, d = 0;
	uint64_t *copy;
	bool ok;

	if (!acyclic(s))
		return false;
	if (!open_pair(s, &loc, &a, &b))
		return true;
	copy = save(s);
	for (l = loc, c = a; open_pair(s, &l, &c, &d);)
		put_before(&s->at[l], c, d);
	ok = acyclic(s);
	for (int i = 0; i < 2 && !ok; i++) {
		restore(s, copy);
		put_before(&s->at[loc], i ? b : a, i ? a : b);
		ok = solve(s, loc, a);
	}
	free(copy);
	return ok;
}

/* mo of a complete order: each chain's writes after those of the chains before it. */
static void take_witness(struct search *s)
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
			if (comes_before(m, b, c))
				s->v->rank[e] += length[x->loc[e]][b];
	}
	for (uint32_t l = 0; l < x->nlocs; l++)
		free(length[l]);
	free(length);
}

static bool decide(struct search *s)
{
	uint64_t states;

	if (!build_matrices(s))
		return false;
	find_ends(s);
	if (solve(s, 0, 1)) {
		take_witness(s);
		return true;
	}
	states = s->v->states;
	verdict_fails(s->v, "acyclic(psc)", EX_NONE);
	s->v->states = states;
	return true;
}

static bool rank_holds(struct psc *p, const struct execution *x, const uint32_t *rank)
{
	uint32_t *count = offline_zeroed((size_t)x->nlocs + 1, sizeof(*count)), *write;
	bool ok;

	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			count[x->loc[e] + 1]++;
	for (uint32_t l = 0; l < x->nlocs; l++)
		count[l + 1] += count[l];
	write = offline_room(x->n, sizeof(*write));
	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			write[count[x->loc[e]] + rank[e] - 1] = e;
	psc_begin(p);
	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t w = x->kind[e] & EX_WRITE ? e : x->rf[e], at;

		if (!(x->kind[e] & EX_RMW))
			continue;
		at = count[x->loc[e]] + (w < x->n ? rank[w] : 0);
		if (at < count[x->loc[e] + 1])
			psc_mo(p, e, write[at]);
	}
	ok = psc_acyclic(p);
	free(count);
	free(write);
	return ok;
}

bool psc_holds(const struct execution *x, const uint32_t *rank)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	struct clocks clocks;
	struct psc p;
	bool ok;

	execution_sort(x, sort);
	clocks_build(&clocks, x, MODEL_RC11, sort);
	psc_init(&p, x, &clocks);
	ok = rank_holds(&p, x, rank);
	psc_release(&p);
	clocks_release(&clocks);
	free(sort);
	return ok;
}

static void search_release(struct search *s)
{
	for (uint32_t l = 0; s->at && l < s->x->nlocs; l++) {
		free(s->at[l].after);
		free(s->at[l].first);
	}
	free(s->at);
	free(s->next);
	psc_release(&s->psc);
}

/* Coherence holds and v has a witness of it. */
static bool decide_psc(struct search *s, const struct clocks *clocks)
{
	bool ok = true;

	/* 13 nodes an event must have numbers of 32 bits. */
	if (s->x->n > EX_MAX_EVENTS / 4)
		return false;
	psc_init(&s->psc, s->x, clocks);
	s->v->states++;
	if (!rank_holds(&s->psc, s->x, s->v->rank)) {
		s->v->consistent = false;
		ok = decide(s);
		s->v->consistent = ok && !s->v->axiom;
	}
	search_release(s);
	return ok;
}

bool check_psc(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	uint32_t sorted = execution_sort(x, sort);
	struct search s = { .x = x, .v = v };
	struct clocks clocks;
	bool ok = true;

	(void)witness;
	memset(v, 0, sizeof(*v));
	if (sorted < x->n) {
		verdict_porf(v, x, sort, sorted);
	} else {
		clocks_build(&clocks, x, m, sort);
		coherence_decide(x, &clocks, sort, true, &s.order, v);
		if (v->consistent)
			ok = decide_psc(&s, &clocks);
		chain_order_release(&s.order);
		clocks_release(&clocks);
	}
	free(sort);
	return ok;
}
