/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_saturate.c - which pairs of chains psc allows in one order only
 *
 * For a chain b, all that its first write leads to in the graph of psc is found once. A chain a
 * of which the last write, or a read of it, is among that cannot come before b: so it comes
 * after it. (A cycle that needs the same pair twice is not seen: the search meets it when the
 * pair is put.)
 */
#include <stdlib.h>
#include <string.h>

#include "offline/psc_order.h"

enum {
	EFFORT = 1 << 26 /* edges looked at in a round */
};

/* Accesses of the last write of each chain of a location: those that mo leads on from. */
struct tails {
	uint32_t *start, *access;
};

static bool is_tail(const struct psc_order *s, uint32_t e)
{
	const struct execution *x = s->x;
	uint32_t w = x->kind[e] & EX_WRITE ? e : x->rf[e];

	if (!(x->kind[e] & EX_RMW) || w == EX_NONE)
		return false;
	return (w < x->n ? s->next[w] : s->at[x->loc[e]].first[0]) == EX_NONE;
}

/* first: of each location, the number of its chain 0 among all chains. */
static void build_tails(const struct psc_order *s, const uint32_t *first, struct tails *t)
{
	const struct execution *x = s->x;
	uint32_t chains = first[x->nlocs];

	t->start = offline_zeroed((size_t)chains + 2, sizeof(*t->start));
	t->access = offline_room(x->n, sizeof(*t->access));
	for (uint32_t e = 0; e < x->n; e++)
		if (is_tail(s, e))
			t->start[first[x->loc[e]] + s->order.c.chain[e] + 2]++;
	for (uint32_t c = 0; c < chains; c++)
		t->start[c + 2] += t->start[c + 1];
	for (uint32_t e = 0; e < x->n; e++)
		if (is_tail(s, e))
			t->access[t->start[first[x->loc[e]] + s->order.c.chain[e] + 1]++] = e;
}

static bool open_chains(const struct chain_matrix *m, uint32_t a, uint32_t b)
{
	return a != b && !chain_before(m, a, b) && !chain_before(m, b, a);
}

static bool any_open(const struct chain_matrix *m, uint32_t b)
{
	for (uint32_t a = 1; a < m->n; a++)
		if (open_chains(m, a, b))
			return true;
	return false;
}

/* Chains that cannot come before chain b of a location. True if there are any. */
static bool follow(struct psc_order *s, uint32_t loc, uint32_t b, struct psc_ahead *ahead,
		   const struct tails *t, uint32_t first)
{
	struct chain_matrix *m = &s->at[loc];
	bool found = false;

	if (!any_open(m, b))
		return false;
	psc_ahead_of(ahead, m->first[b]);
	for (uint32_t a = 1; a < m->n; a++) {
		bool out = false;

		if (!open_chains(m, a, b))
			continue;
		for (uint32_t i = t->start[first + a]; i < t->start[first + a + 1] && !out; i++)
			out = psc_rules_out(ahead, t->access[i]);
		if (out)
			chain_put(m, b, a);
		found |= out;
	}
	return found;
}

static bool follow_all(struct psc_order *s, const uint32_t *first, const struct tails *t)
{
	struct psc_ahead ahead;
	bool found = false;

	psc_ahead_init(&ahead, &s->psc);
	for (uint32_t l = 0; l < s->x->nlocs; l++)
		for (uint32_t b = 1; b < s->at[l].n; b++)
			found |= follow(s, l, b, &ahead, t, first[l]);
	psc_ahead_release(&ahead);
	return found;
}

bool psc_order_saturate(struct psc_order *s)
{
	uint32_t nlocs = s->x->nlocs, *first = offline_room((size_t)nlocs + 1, sizeof(*first));
	struct tails t;
	bool ok, found = true;

	first[0] = 0;
	for (uint32_t l = 0; l < nlocs; l++)
		first[l + 1] = first[l] + s->at[l].n;
	ok = psc_order_acyclic(s);
	if (ok && first[nlocs] * (uint64_t)s->psc.g.nedges <= EFFORT) {
		build_tails(s, first, &t);
		while (ok && found) {
			found = follow_all(s, first, &t);
			ok = !found || psc_order_acyclic(s);
		}
		free(t.start);
		free(t.access);
	}
	free(first);
	return ok;
}
