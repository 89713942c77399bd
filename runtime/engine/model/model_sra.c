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
 * The writes of a thread are in po, so what comes behind a write is, of each thread, the
 * writes from one on, and what comes before it those up to one: two rows of k numbers for
 * each write (k threads), as in vector clocks.
 *
 * Cost: O(k) for each two writes and threads that an edge newly orders, so O(n k^2) where
 * hb says most of it; exponential in the pairs that stay open.
 * Caller: model.c.
 */
#include <string.h>

#include "engine/model/witness.h"

/* A chain: its first and last write, and the chains of its location: block[from] to block[to - 1]. */
struct block {
	uint32_t first, last, from, to;
};

/* A number that was another before a choice was made. */
struct change {
	uint32_t *at, old;
};

/* Of two open chains i comes before j, or, as the second try, behind it. What that changed stands right behind it in
 * the scratch memory. */
struct choice {
	_Alignas(16) struct choice *below;
	uint32_t i, j, nchanges;
	bool second;
};

struct writes {
	struct graph *g;
	uint32_t n, k;
	uint32_t *pos; /* place of each write; notes.node is its number: by thread, in po */
	uint32_t *thread;
	uint32_t start[HEDDLE_MAX_THREADS + 1]; /* the numbers of each thread's writes */
	/* Of each write and thread: the first write of that thread that comes behind it, or where
	 * the next thread's begin; 1 + the last that comes before it, or where the thread's begin. */
	uint32_t *after, *until;
	struct block *block; /* the chains of the locations with a chain of several writes */
	uint32_t nblocks;
	struct choice *choice; /* the last one, or NULL */
	bool cyclic;
};

static uint32_t *after(const struct writes *s, uint32_t i)
{
	return s->after + (size_t)i * s->k;
}

static uint32_t *until(const struct writes *s, uint32_t i)
{
	return s->until + (size_t)i * s->k;
}

static bool before(const struct writes *s, uint32_t a, uint32_t b)
{
	return after(s, a)[s->thread[b]] <= b;
}

static void set(struct writes *s, uint32_t *at, uint32_t value)
{
	if (s->choice) {
		struct change *c = arena_take(&s->g->scratch, sizeof(*c));

		*c = (struct change){ at, *at };
		s->choice->nchanges++;
	}
	*at = value;
}

/* Write i comes before b. */
static void put_behind(struct writes *s, uint32_t i, uint32_t b)
{
	const uint32_t *from = after(s, b);
	uint32_t *row = after(s, i);

	for (uint32_t t = 0; t < s->k; t++) {
		uint32_t first = t == s->thread[b] ? b : from[t];

		if (first < row[t])
			set(s, &row[t], first);
	}
}

/* Write i comes behind a. */
static void put_before(struct writes *s, uint32_t i, uint32_t a)
{
	const uint32_t *from = until(s, a);
	uint32_t *row = until(s, i);

	for (uint32_t t = 0; t < s->k; t++) {
		uint32_t end = t == s->thread[a] ? a + 1 : from[t];

		if (end > row[t])
			set(s, &row[t], end);
	}
}

/*
 * Orders a before b, with all that follows: what comes before a (a row of until) comes before b,
 * and what comes behind b (a row of after) behind a. Of each thread those nearest to a and to b
 * come first; from the first on that is ordered already all others are.
 */
static void order(struct writes *s, uint32_t a, uint32_t b)
{
	const uint32_t ta = s->thread[a], tb = s->thread[b];

	if (a == b || before(s, b, a))
		s->cyclic = true;
	if (s->cyclic || before(s, a, b))
		return;
	for (uint32_t t = 0; t < s->k; t++) {
		uint32_t i = t == ta ? a + 1 : until(s, a)[t];

		while (i > s->start[t] && !before(s, i - 1, b))
			put_behind(s, --i, b);
	}
	for (uint32_t t = 0; t < s->k; t++) {
		uint32_t i = t == tb ? b : after(s, b)[t];

		for (; i < s->start[t + 1] && until(s, i)[ta] <= a; i++)
			put_before(s, i, a);
	}
}

/* What hb says of two threads: clocks grow along both. */
static void compare_threads(struct writes *s, uint32_t ta, uint32_t tb)
{
	const struct graph *g = s->g;
	uint32_t a = s->start[ta];

	for (uint32_t b = s->start[tb]; b < s->start[tb + 1]; b++) {
		uint32_t hb = graph_hb(g, s->pos[b])[ta];

		for (; a < s->start[ta + 1] && g->ev[s->pos[a]].index < hb; a++)
			after(s, a)[tb] = b;
		until(s, b)[ta] = a;
	}
	for (; a < s->start[ta + 1]; a++)
		after(s, a)[tb] = s->start[tb + 1];
}

static void number_writes(struct writes *s, const uint32_t *cut)
{
	struct graph *g = s->g;

	s->k = g->nthreads;
	s->pos = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	s->thread = arena_take(&g->scratch, (g->n + 1) * sizeof(uint32_t));
	for (uint32_t t = 0; t < s->k; t++) {
		s->start[t] = s->n;
		for (uint32_t i = 0; i < cut[t]; i++) {
			uint32_t p = graph_at(g, t, i);

			if (!(g->ev[p].flags & EV_WRITE) && p != g->rmw)
				continue;
			g->notes[p].node = s->n;
			s->thread[s->n] = t;
			s->pos[s->n++] = p;
		}
	}
	s->start[s->k] = s->n;
	s->after = arena_take(&g->scratch, ((size_t)s->n * s->k + 1) * sizeof(uint32_t));
	s->until = arena_take(&g->scratch, ((size_t)s->n * s->k + 1) * sizeof(uint32_t));
	for (uint32_t t = 0; t < s->k; t++)
		for (uint32_t u = 0; u < s->k; u++)
			if (t != u)
				compare_threads(s, t, u);
	for (uint32_t i = 0; i < s->n; i++) {
		after(s, i)[s->thread[i]] = i + 1;
		until(s, i)[s->thread[i]] = i;
	}
}

/* The read that is judged as a read-modify-write comes last in the chain of the write it reads,
 * which nobody has taken. */
static void chain_rmw(struct graph *g, uint32_t loc)
{
	if (g->rmw == NO_POS || g->ev[g->rmw].loc != loc)
		return;
	uint32_t source = g->ev[g->rmw].rf;

	g->notes[g->rmw].chain = coherence_chain(g, source);
	g->notes[g->rmw].rank = coherence_rank(g, source) + 1;
}

/* The chain gets this write; are there several in it? */
static bool add_to_chain(const struct writes *s, struct block *b, uint32_t write)
{
	const struct notes *notes = s->g->notes, *w = &notes[write];

	if (b->first == NO_POS) {
		b->first = b->last = w->node;
		return false;
	}
	if (w->rank < notes[s->pos[b->first]].rank)
		b->first = w->node;
	if (w->rank > notes[s->pos[b->last]].rank)
		b->last = w->node;
	return true;
}

/*
 * Of each thread, the last of its writes to the location (o) that come before a chain, by its clock. Earlier
 * ones come before that one's chain, or are in it.
 */
static void order_before(struct writes *s, const struct coherence *o, const struct block *chains,
			 uint32_t c)
{
	const struct graph *g = s->g;

	if (chains[0].first != NO_POS)
		order(s, chains[0].last, chains[c].first);
	for (uint32_t t = 0; t < s->k; t++) {
		uint32_t n = o->clock[(size_t)c * o->stride + t];

		if (n)
			order(s, chains[g->notes[graph_at(g, t, n - 1)].chain].last,
			      chains[c].first);
	}
}

/* The chains of one location, without the initial write, and their order. */
static void add_location(struct writes *s, const uint32_t *cut, uint32_t loc)
{
	struct graph *g = s->g;
	char *mark = arena_mark(&g->scratch);
	struct coherence o;
	struct block *chains;
	bool several = false;
	uint32_t from = s->nblocks;

	coherence_build(&o, g, cut, loc, NO_POS);
	chains = arena_take(&g->scratch, o.nchains * sizeof(*chains));
	for (uint32_t c = 0; c < o.nchains; c++)
		chains[c].first = NO_POS;
	chain_rmw(g, loc);
	for (uint32_t i = 0; i < o.nevents; i++)
		if ((g->ev[o.events[i]].flags & EV_WRITE) || o.events[i] == g->rmw)
			several |=
				add_to_chain(s, &chains[g->notes[o.events[i]].chain], o.events[i]);
	s->cyclic |= o.cyclic;
	for (uint32_t c = 1; c < o.nchains && !s->cyclic; c++)
		order_before(s, &o, chains, c);
	for (uint32_t c = 0; several && c < o.nchains; c++)
		if (chains[c].first != NO_POS)
			s->block[s->nblocks++] = chains[c];
	for (uint32_t i = from; i < s->nblocks; i++) {
		s->block[i].from = from;
		s->block[i].to = s->nblocks;
	}
	arena_reset(&g->scratch, mark);
}

/* Orders two chains of a location as a whole if any of their writes are. Was it news? */
static bool order_whole(struct writes *s, const struct block *a, const struct block *b)
{
	if (!before(s, a->first, b->last) || before(s, a->last, b->first))
		return false;
	order(s, a->last, b->first);
	return true;
}

/* The same for all, until nothing changes. False on a cycle. Of two single writes there is nothing to say. */
static bool saturate(struct writes *s)
{
	bool changed = true;

	while (changed && !s->cyclic) {
		changed = false;
		for (uint32_t i = 0; i < s->nblocks; i++) {
			const struct block *a = &s->block[i];

			for (uint32_t j = a->from; j < a->to && a->first != a->last; j++)
				if (i != j)
					changed |= order_whole(s, a, &s->block[j]) ||
						   order_whole(s, &s->block[j], a);
		}
	}
	return !s->cyclic;
}

/* The next pair that is open, one of them a chain of several writes. Pairs before it stay ordered. */
static bool next_open(const struct writes *s, uint32_t *i, uint32_t *j)
{
	for (; *i < s->nblocks; *j = 0, ++*i) {
		const struct block *a = &s->block[*i], *b;

		if (*j < a->from)
			*j = a->from;
		for (; a->first != a->last && *j < a->to; ++*j) {
			b = &s->block[*j];
			if (*i != *j && !before(s, a->last, b->first) &&
			    !before(s, b->last, a->first))
				return true;
		}
	}
	return false;
}

static void choose(struct writes *s, uint32_t i, uint32_t j, bool second)
{
	const struct block *a = &s->block[second ? j : i], *b = &s->block[second ? i : j];
	struct choice *c = arena_take(&s->g->scratch, sizeof(*c));

	*c = (struct choice){ .below = s->choice, .i = i, .j = j, .second = second };
	s->choice = c;
	order(s, a->last, b->first);
}

static void take_back(struct writes *s)
{
	struct choice *c = s->choice;
	const struct change *change = (const struct change *)(c + 1);

	while (c->nchanges) {
		c->nchanges--;
		*change[c->nchanges].at = change[c->nchanges].old;
	}
	s->choice = c->below;
	s->cyclic = false;
	arena_reset(&s->g->scratch, (char *)c);
}

/* Takes choices back up to the last that was a first try, and makes its second. */
static bool choose_anew(struct writes *s)
{
	while (s->choice) {
		const struct choice c = *s->choice;

		take_back(s);
		if (!c.second) {
			choose(s, c.i, c.j, true);
			return true;
		}
	}
	return false;
}

static bool solve(struct writes *s)
{
	while (true) {
		uint32_t i = s->choice ? s->choice->i : 0, j = s->choice ? s->choice->j : 0;

		if (!saturate(s)) {
			if (!choose_anew(s))
				return false;
		} else if (next_open(s, &i, &j)) {
			choose(s, i, j, false);
		} else {
			return true;
		}
	}
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

/* Have all writes that come before this one their place? */
static bool is_next(const struct writes *s, const uint32_t *placed, uint32_t i)
{
	for (uint32_t t = 0; t < s->k; t++)
		if (until(s, i)[t] > placed[t])
			return false;
	return true;
}

/* Any order of all writes that contains what was decided: of those that can be next, what was inserted first. */
static void leave_witness(const struct writes *s)
{
	uint32_t placed[HEDDLE_MAX_THREADS], next;

	memcpy(placed, s->start, s->k * sizeof(*placed));
	witness_begin(s->g);
	for (uint32_t i = 0; i < s->n; i++) {
		next = NO_POS;
		for (uint32_t t = 0; t < s->k; t++)
			if (placed[t] < s->start[t + 1] && is_next(s, placed, placed[t]) &&
			    (next == NO_POS || s->pos[placed[t]] < s->pos[next]))
				next = placed[t];
		must(next != NO_POS);
		witness_append(s->g, s->pos[next]);
		placed[s->thread[next]]++;
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
	if (ok && g->witness.wanted)
		leave_witness(&s);
	arena_reset(&g->scratch, mark);
	return ok;
}
