/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model_sra.c - strong release-acquire: hb and mo have no cycle together
 *
 * Beyond coherence, sra wants one order of all writes that contains hb and whose part on
 * each location is a modification order. Without read-modify-writes saturation decides:
 * hb and what coherence demands, closed, must have no cycle (Algorithm 2 of "Optimal
 * Reads-From Consistency Checking for C11-Style Memory Models", PLDI 2023). With them the
 * question is NP-complete: the writes of an rf-chain stand together in mo, so of two chains
 * one comes wholly before the other. A pair that hb or saturation orders anywhere is ordered
 * as a whole; what stays open, and has a chain of more than one write, is tried both ways.
 *
 * Cost: O(n^3 / 64) for n writes of the cut, exponential in the pairs that stay open.
 * Caller: model.c.
 */
#include <string.h>

#include "engine/model/model.h"

struct writes {
	struct graph *g;
	uint32_t n, words;
	uint32_t *pos;       /* place of each write; event.node is its number */
	uint64_t *after;     /* rows: writes that come later */
	struct block *block; /* the chains of the locations with a chain of several writes */
	uint32_t nblocks;
	bool cyclic;
};

/* A chain: its first and last write; chains of one location carry its number. */
struct block {
	uint32_t first, last, loc;
};

static uint64_t *row(const struct writes *s, uint32_t i)
{
	return s->after + (size_t)i * s->words;
}

static bool before(const struct writes *s, uint32_t a, uint32_t b)
{
	return row(s, a)[b / 64] >> (b % 64) & 1;
}

/* Orders a before b, with all that follows. */
static void order(struct writes *s, uint32_t a, uint32_t b)
{
	if (a == b || before(s, b, a))
		s->cyclic = true;
	if (a == b || before(s, a, b))
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		if (i != a && !before(s, i, a))
			continue;
		for (uint32_t w = 0; w < s->words; w++)
			row(s, i)[w] |= row(s, b)[w];
		row(s, i)[b / 64] |= (uint64_t)1 << (b % 64);
	}
}

static void number_writes(struct writes *s, const uint32_t *cut)
{
	struct graph *g = s->g;

	s->pos = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	for (uint32_t p = 0; p < g->n; p++)
		if (((g->ev[p].flags & EV_WRITE) && in_cut(&g->ev[p], cut)) || p == g->rmw) {
			g->notes[p].node = s->n;
			s->pos[s->n++] = p;
		}
	s->words = (s->n + 63) / 64;
	s->after = arena_take(&g->scratch, ((size_t)s->n * s->words + 1) * sizeof(uint64_t));
	memset(s->after, 0, (size_t)s->n * s->words * sizeof(uint64_t));
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++)
			if (happens_before(g, s->pos[i], s->pos[j]))
				row(s, i)[j / 64] |= (uint64_t)1 << (j % 64);
}

/* The chains of one location, without the initial write, and their order. */
static void add_location(struct writes *s, const uint32_t *cut, uint32_t loc)
{
	struct graph *g = s->g;
	char *mark;
	struct coherence o;
	struct block *block = s->block + s->nblocks;
	uint32_t *of, n = 0;
	bool several = false;

	mark = arena_mark(&g->scratch);
	coherence_build(&o, g, cut, loc, NO_POS);
	of = arena_take(&g->scratch, o.nchains * sizeof(uint32_t));
	memset(of, 0xff, o.nchains * sizeof(uint32_t));
	if (g->rmw != NO_POS && g->ev[g->rmw].loc == loc) {
		/* It comes last in the chain of the write it reads, which nobody has taken. */
		uint32_t source = g->ev[g->rmw].rf;

		g->notes[g->rmw].chain = coherence_chain(g, source);
		g->notes[g->rmw].rank = coherence_rank(g, source) + 1;
	}
	for (uint32_t i = 0; i < o.nevents; i++) {
		const struct notes *w = &g->notes[o.events[i]];

		if (!(g->ev[o.events[i]].flags & EV_WRITE) && o.events[i] != g->rmw)
			continue;
		if (of[w->chain] == NO_POS) {
			of[w->chain] = n;
			block[n++] = (struct block){ w->node, w->node, loc };
		} else {
			struct block *b = &block[of[w->chain]];

			several = true;
			if (w->rank < g->notes[s->pos[b->first]].rank)
				b->first = w->node;
			if (w->rank > g->notes[s->pos[b->last]].rank)
				b->last = w->node;
		}
	}
	s->cyclic |= o.cyclic;
	for (uint32_t a = 0; a < o.nchains; a++)
		for (uint32_t b = 0; b < o.nchains; b++)
			if (of[a] != NO_POS && of[b] != NO_POS && coherence_before(&o, g, a, b))
				order(s, block[of[a]].last, block[of[b]].first);
	if (several)
		s->nblocks += n;
	arena_reset(&g->scratch, mark);
}

/* Orders chains as a whole where any of their writes are ordered; false on a cycle. */
static bool saturate(struct writes *s)
{
	bool changed = true;

	while (changed && !s->cyclic) {
		changed = false;
		for (uint32_t i = 0; i < s->nblocks; i++)
			for (uint32_t j = 0; j < s->nblocks; j++) {
				const struct block *a = &s->block[i], *b = &s->block[j];

				if (i == j || a->loc != b->loc || !before(s, a->first, b->last) ||
				    before(s, a->last, b->first))
					continue;
				order(s, a->last, b->first);
				changed = true;
			}
	}
	return !s->cyclic;
}

static bool solve(struct writes *s)
{
	size_t size = (size_t)s->n * s->words * sizeof(uint64_t);
	char *mark = arena_mark(&s->g->scratch);
	uint64_t *saved;
	bool ok;

	if (!saturate(s))
		return false;
	for (uint32_t i = 0; i < s->nblocks; i++)
		for (uint32_t j = i + 1; j < s->nblocks; j++) {
			const struct block *a = &s->block[i], *b = &s->block[j];

			if (a->loc != b->loc || before(s, a->last, b->first) ||
			    before(s, b->last, a->first) ||
			    (a->first == a->last && b->first == b->last))
				continue;
			saved = arena_take(&s->g->scratch, size);
			memcpy(saved, s->after, size);
			order(s, a->last, b->first);
			ok = solve(s);
			if (!ok) {
				memcpy(s->after, saved, size);
				s->cyclic = false;
				order(s, b->last, a->first);
				ok = solve(s);
			}
			arena_reset(&s->g->scratch, mark);
			return ok;
		}
	return true;
}

/* What the given reads observe, or the given writes, come last in their locations. */
static void order_ends(struct writes *s, const uint32_t *ends, uint32_t nends)
{
	const struct graph *g = s->g;

	for (uint32_t i = 0; i < nends; i++) {
		const struct event *ev = &g->ev[ends[i]];
		uint32_t w = event_write(ev, ends[i]);

		for (uint32_t k = 0; k < s->n; k++) {
			if (g->ev[s->pos[k]].loc != ev->loc || s->pos[k] == w)
				continue;
			s->cyclic |= w == RF_INIT;
			if (w != RF_INIT)
				order(s, k, g->notes[w].node);
		}
	}
}

bool sra_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends)
{
	char *mark = arena_mark(&g->scratch);
	struct writes s = { .g = g };
	bool ok;

	number_writes(&s, cut);
	s.block = arena_take(&g->scratch, (s.n + 1) * sizeof(*s.block));
	g->visit++;
	for (uint32_t i = 0; i < s.n; i++) {
		struct location *l = &g->locs[g->ev[s.pos[i]].loc];

		if (l->visit != g->visit)
			add_location(&s, cut, (uint32_t)(l - g->locs));
		l->visit = g->visit;
	}
	order_ends(&s, ends, nends);
	ok = !s.cyclic && solve(&s);
	arena_reset(&g->scratch, mark);
	return ok;
}
