/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_order.c - see psc_order.h
 *
 * A matrix of bits for each location's chains, closed whenever a pair is decided.
 *
 * Cost: O(c^2 / 64) for a pair of a location with c chains, and c^2 / 8 bytes; too large
 * beyond a gigabyte.
 */
#include "offline/psc_order.h"

#include <stdlib.h>
#include <string.h>

void chain_put(struct chain_matrix *m, uint32_t a, uint32_t b)
{
	const uint64_t *from = m->after + (size_t)b * m->words;

	for (uint32_t c = 0; c < m->n; c++) {
		uint64_t *to = m->after + (size_t)c * m->words;

		if (c != a && !chain_before(m, c, a))
			continue;
		to[b / 64] |= (uint64_t)1 << (b % 64);
		for (uint32_t i = 0; i < m->words; i++)
			to[i] |= from[i];
	}
}

static bool build_matrices(struct psc_order *s)
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
			chain_put(m, 0, c);
		for (size_t i = l ? s->order.end[l - 1] : 0; i < s->order.end[l]; i++)
			if (!chain_before(m, s->order.edges[i].from, s->order.edges[i].to))
				chain_put(m, s->order.edges[i].from, s->order.edges[i].to);
	}
	return true;
}

static void find_ends(struct psc_order *s)
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

bool psc_order_acyclic(struct psc_order *s)
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
			if (chain_before(m, c, b))
				psc_mo(&s->psc, e, m->first[b]);
	}
	return psc_acyclic(&s->psc);
}

bool psc_order_open(const struct psc_order *s, uint32_t *loc, uint32_t *a, uint32_t *b)
{
	for (; *loc < s->x->nlocs; ++*loc, *a = 1) {
		const struct chain_matrix *m = &s->at[*loc];

		for (; *a < m->n; ++*a)
			for (*b = *a + 1; *b < m->n; ++*b)
				if (!chain_before(m, *a, *b) && !chain_before(m, *b, *a))
					return true;
	}
	return false;
}

uint64_t *psc_order_save(const struct psc_order *s)
{
	uint64_t *copy = offline_room(s->words, sizeof(*copy)), *to = copy;

	for (uint32_t l = 0; l < s->x->nlocs; l++) {
		size_t n = (size_t)s->at[l].n * s->at[l].words;

		memcpy(to, s->at[l].after, n * sizeof(*to));
		to += n;
	}
	return copy;
}

void psc_order_restore(struct psc_order *s, const uint64_t *copy)
{
	for (uint32_t l = 0; l < s->x->nlocs; l++) {
		size_t n = (size_t)s->at[l].n * s->at[l].words;

		memcpy(s->at[l].after, copy, n * sizeof(*copy));
		copy += n;
	}
}

bool psc_order_build(struct psc_order *s)
{
	if (!build_matrices(s))
		return false;
	find_ends(s);
	return true;
}

void psc_order_release(struct psc_order *s)
{
	for (uint32_t l = 0; s->at && l < s->x->nlocs; l++) {
		free(s->at[l].after);
		free(s->at[l].first);
	}
	free(s->at);
	free(s->next);
	psc_release(&s->psc);
}
