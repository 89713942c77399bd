/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sra.c - strong release-acquire without read-modify-writes: Algorithm 2 of the PLDI 2023
 * paper
 *
 * A write that happens before a read of another write of its location comes before that one
 * in mo; of each thread only the last such write matters. If these orders and hb have no
 * cycle together, any total order that extends both is a witness (Lemma 4.3): all events are
 * run in such an order, each thread going on for as long as what its next event needs has
 * come. What a write needs is a vector clock, the join over its readers, kept only for writes
 * of which it says more than hb.
 *
 * Cost: O(n k).
 */
#include <stdlib.h>
#include <string.h>

#include "offline/check.h"
#include "offline/scan.h"
#include "offline/turns.h"

struct work {
	const struct execution *x;
	struct clocks clocks;
	struct scan scan;
	uint32_t *need; /* of each write: its row + 1, or 0 */
	uint32_t *rows; /* k components: how many events of that thread come before */
	size_t nrows, room;
	struct verdict *v;
};

static void add_need(struct work *s, uint32_t w, uint32_t before)
{
	uint32_t k = s->x->k, t = s->x->tid[before], count = execution_index(s->x, before) + 1;
	uint32_t *row;

	if (!s->need[w]) {
		if (s->nrows == s->room) {
			s->room = s->room ? s->room * 2 : 256;
			s->rows = offline_grow(s->rows, s->room * k, sizeof(*s->rows));
		}
		memset(s->rows + s->nrows * k, 0, k * sizeof(*s->rows));
		s->need[w] = (uint32_t)++s->nrows;
	}
	row = s->rows + (size_t)(s->need[w] - 1) * k;
	if (row[t] < count)
		row[t] = count;
}

/* Of each thread, the last write that happens before read e comes before what e observes. */
static bool add_read(void *self, const struct look *l)
{
	struct work *s = self;
	uint32_t w = l->source, b;

	/* What w knows of comes before it already. */
	for (uint32_t g = 0; g < s->scan.n && w != EX_NONE; g++) {
		if (!scan_last(&s->scan, l, g, l->known, &b))
			continue;
		if (w == EX_INIT) {
			verdict_fails(s->v, "read coherence", s->x->loc[l->e]);
			verdict_step(s->v, b, "hb");
			verdict_step(s->v, l->e, "fr");
			return false;
		}
		if (!clock_before(&s->clocks, b, w))
			add_need(s, w, b);
	}
	return true;
}

/* What event e has to wait for: what it reads from, and what must come before a write. */
static uint32_t missing(const void *self, const uint32_t *at, uint32_t e)
{
	const struct work *s = self;
	const struct execution *x = s->x;
	const uint32_t *row;
	uint32_t w = x->rf[e];

	if (w < x->n && at[x->tid[w]] <= w)
		return w;
	if (!(x->kind[e] & EX_WRITE) || !s->need[e])
		return EX_NONE;
	row = s->rows + (size_t)(s->need[e] - 1) * x->k;
	for (uint32_t t = 0; t < x->k; t++)
		if (row[t] > at[t] - x->first[t])
			return x->first[t] + row[t] - 1;
	return EX_NONE;
}

/* b comes before w in mo: a read of w that b happens before says so. */
static void reason_of(struct work *s, uint32_t b, uint32_t w)
{
	uint32_t r = 0;

	while (s->x->rf[r] != w || !clock_before(&s->clocks, b, r))
		r++;
	verdict_reason(s->v, REASON_SINCE, b, w);
	verdict_step(s->v, b, "hb");
	verdict_step(s->v, r, "rf^-1");
	verdict_step(s->v, w, NULL);
}

/* Threads that wait for each other: po from where one waits to what it owes. */
static void waiting_cycle(struct work *s, const uint32_t *at)
{
	const struct execution *x = s->x;
	uint32_t n, *circle = turns_circle(x, missing, s, at, &n);

	verdict_fails(s->v, "acyclic(hb u mo)", EX_NONE);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = at[circle[i]], w = missing(s, at, e);

		if (x->rf[e] != w)
			reason_of(s, w, e);
	}
	verdict_cycle(s->v);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = at[circle[i]], w = missing(s, at, e);

		if (at[x->tid[w]] != w)
			verdict_step(s->v, at[x->tid[w]], "po");
		verdict_step(s->v, w, x->rf[e] == w ? "rf" : "mo");
	}
	free(circle);
}

static void decide(struct work *s, bool witness)
{
	const struct execution *x = s->x;
	uint32_t *at = offline_room(x->k, sizeof(*at));
	uint32_t *order = offline_room(x->n, sizeof(*order)), *count;

	if (turns_run(x, missing, s, at, order) < x->n) {
		waiting_cycle(s, at);
		free(order);
	} else if (s->v->consistent = true, witness) {
		count = offline_zeroed(x->nlocs, sizeof(*count));
		s->v->rank = offline_zeroed(x->n, sizeof(*s->v->rank));
		for (uint32_t i = 0; i < x->n; i++)
			if (x->kind[order[i]] & EX_WRITE)
				s->v->rank[order[i]] = ++count[x->loc[order[i]]];
		s->v->total = order;
		free(count);
	} else {
		free(order);
	}
	free(at);
}

bool check_sra(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct work s = { .x = x, .v = v };
	bool ok;

	if (!sort)
		return true;
	clocks_build(&s.clocks, x, m, sort);
	scan_init(&s.scan, x, &s.clocks, sort, EX_WRITE, EX_RMW);
	free(sort);
	s.need = offline_zeroed(x->n, sizeof(*s.need));
	ok = scan_all(&s.scan, add_read, &s);
	scan_release(&s.scan);
	if (ok)
		decide(&s, witness);
	clocks_release(&s.clocks);
	free(s.need);
	free(s.rows);
	return true;
}
