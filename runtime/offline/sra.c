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

enum {
	AHEAD = 8
}; /* clocks are fetched so many events before they are used */

struct work {
	const struct execution *x;
	struct clocks clocks;
	struct by_location writes, reads;
	struct scan ws, rs;
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

/* The reads of one thread of one location: reads[from..to-1]. */
static bool add_reads(struct work *s, const uint32_t *writes, const uint32_t *reads, uint32_t from,
		      uint32_t to)
{
	uint32_t t = s->x->tid[reads[from]];

	scan_rewind(&s->ws);
	for (uint32_t i = from; i < to; i++) {
		uint32_t e = reads[i], w = s->x->rf[e];
		const uint32_t *row = clock_row(&s->clocks, e);
		const uint32_t *known = w < s->x->n ? clock_row(&s->clocks, w) : NULL;
		uint32_t source = w < s->x->n ? s->x->tid[w] : EX_NONE;

		if (i + AHEAD < to) {
			__builtin_prefetch(clock_row(&s->clocks, reads[i + AHEAD]));
			if (s->x->rf[reads[i + AHEAD]] < s->x->n)
				__builtin_prefetch(
					clock_row(&s->clocks, s->x->rf[reads[i + AHEAD]]));
		}

		for (uint32_t g = 0; g < s->ws.n; g++) {
			uint32_t b;

			scan_move(&s->ws, writes, g, e, t, row);
			if (s->ws.cursor[g] == s->ws.start[g])
				continue;
			b = writes[s->ws.cursor[g] - 1];
			if (w == EX_INIT) {
				verdict_fails(s->v, "read coherence", s->x->loc[e]);
				verdict_step(s->v, w, "mo");
				verdict_step(s->v, b, "hb");
				verdict_step(s->v, e, "rf^-1");
				return false;
			}
			/* Does b happen before w already? */
			if (s->ws.tid[g] == source ? b > w
						   : b - s->ws.first[g] >= known[s->ws.tid[g]])
				add_need(s, w, b);
		}
	}
	return true;
}

static bool add_location(struct work *s, uint32_t loc)
{
	const uint32_t *writes = s->writes.event + s->writes.start[loc];
	const uint32_t *reads = s->reads.event + s->reads.start[loc];

	scan_split(&s->ws, s->x, writes, s->writes.start[loc + 1] - s->writes.start[loc]);
	scan_split(&s->rs, s->x, reads, s->reads.start[loc + 1] - s->reads.start[loc]);
	for (uint32_t g = 0; g < s->rs.n; g++)
		if (!add_reads(s, writes, reads, s->rs.start[g], s->rs.start[g + 1]))
			return false;
	return true;
}

/* What event e still has to wait for, or EX_NONE. */
static uint32_t missing(const struct work *s, const uint32_t *at, uint32_t e)
{
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

/* Every thread that is not at its end waits: follow them until one comes back. */
static void waiting_cycle(struct work *s, const uint32_t *at)
{
	const struct execution *x = s->x;
	uint32_t *back = offline_room(x->k, sizeof(*back)), nback = 0, t = 0;
	uint8_t *seen = offline_zeroed(x->k, 1);

	while (at[t] == x->first[t + 1])
		t++;
	for (; !seen[t]; t = x->tid[missing(s, at, at[t])])
		seen[t] = 1;
	verdict_fails(s->v, "acyclic(hb u mo)", EX_NONE);
	for (; seen[t] == 1; t = x->tid[missing(s, at, at[t])]) {
		seen[t] = 2;
		back[nback++] = t;
	}
	while (nback--) {
		uint32_t e = at[back[nback]], w = missing(s, at, e);

		if (at[x->tid[w]] != w)
			verdict_step(s->v, at[x->tid[w]], "po");
		verdict_step(s->v, w, x->rf[e] == w ? "rf" : "mo");
	}
	free(back);
	free(seen);
}

/*
 * Runs all events in order; a thread that waits hangs on the list of the thread it waits for.
 */
static uint32_t run_all(struct work *s, uint32_t *at, uint32_t *order)
{
	const struct execution *x = s->x;
	uint32_t *ready = offline_room(x->k, sizeof(*ready)), nready = 0, done = 0;
	uint32_t *head = offline_room(x->k, sizeof(*head)), *next;
	uint32_t *wait = offline_room(x->k, sizeof(*wait));

	next = offline_room(x->k, sizeof(*next));
	memcpy(at, x->first, x->k * sizeof(*at));
	for (uint32_t t = x->k; t-- > 0;) {
		head[t] = EX_NONE;
		ready[nready++] = t;
	}
	while (nready) {
		uint32_t t = ready[--nready], m = EX_NONE, keep = EX_NONE, after;

		while (at[t] < x->first[t + 1] && (m = missing(s, at, at[t])) == EX_NONE)
			order[done++] = at[t]++;
		if (at[t] < x->first[t + 1]) {
			wait[t] = m;
			next[t] = head[x->tid[m]];
			head[x->tid[m]] = t;
		}
		for (uint32_t u = head[t]; u != EX_NONE; u = after) {
			after = next[u];
			if (wait[u] < at[t]) {
				ready[nready++] = u;
			} else {
				next[u] = keep;
				keep = u;
			}
		}
		head[t] = keep;
	}
	free(ready);
	free(head);
	free(next);
	free(wait);
	return done;
}

static void decide(struct work *s, bool witness)
{
	const struct execution *x = s->x;
	uint32_t *at = offline_room(x->k, sizeof(*at));
	uint32_t *order = offline_room(x->n, sizeof(*order)), *count;

	if (run_all(s, at, order) < x->n) {
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
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	uint32_t sorted = execution_sort(x, sort);
	struct work s = { .x = x, .v = v };
	bool ok = true;

	memset(v, 0, sizeof(*v));
	if (sorted < x->n) {
		verdict_porf(v, x, sort, sorted);
		free(sort);
		return true;
	}
	clocks_build(&s.clocks, x, m, sort);
	free(sort);
	by_location_build(&s.writes, x, EX_WRITE, false);
	by_location_build(&s.reads, x, EX_READ, false);
	scan_init(&s.ws, x->k);
	scan_init(&s.rs, x->k);
	s.need = offline_zeroed(x->n, sizeof(*s.need));
	for (uint32_t l = 0; l < x->nlocs && ok; l++)
		ok = add_location(&s, l);
	scan_release(&s.ws);
	scan_release(&s.rs);
	by_location_release(&s.writes);
	by_location_release(&s.reads);
	clocks_release(&s.clocks);
	if (ok)
		decide(&s, witness);
	free(s.need);
	free(s.rows);
	return true;
}
