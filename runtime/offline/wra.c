/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wra.c - weak release-acquire: Algorithm 1 of the PLDI 2023 paper
 *
 * hb is (po u rf)+ and there is no mo. Weak atomicity: no two read-modify-writes read from
 * one write. Weak read coherence: no write of the location lies between a read and its write
 * in hb; of each thread only the last write before the read can be that one.
 *
 * Cost: O(n k).
 */
#include <stdlib.h>
#include <string.h>

#include "offline/chains.h"
#include "offline/scan.h"

enum {
	AHEAD = 8
}; /* clocks are fetched so many events before they are used */

struct work {
	const struct execution *x;
	struct clocks clocks;
	struct by_location writes, reads;
	struct scan ws, rs;
	uint32_t *rows; /* clocks of the location's writes, together */
	size_t rows_room;
	struct verdict *v;
};

static bool check_reads(struct work *s, const uint32_t *writes, const uint32_t *reads,
			uint32_t from, uint32_t to)
{
	uint32_t t = s->x->tid[reads[from]], source, index;
	size_t k = s->x->k;

	scan_rewind(&s->ws);
	for (uint32_t i = from; i < to; i++) {
		uint32_t e = reads[i], w = s->x->rf[e];
		const uint32_t *row = clock_row(&s->clocks, e);

		if (i + AHEAD < to)
			__builtin_prefetch(clock_row(&s->clocks, reads[i + AHEAD]));
		if (w == EX_NONE)
			continue;
		source = w == EX_INIT ? 0 : s->x->tid[w];
		index = w == EX_INIT ? 0 : w - s->x->first[source];
		for (uint32_t g = 0; g < s->ws.n; g++) {
			uint32_t at, b;

			scan_move(&s->ws, writes, g, e, t, row);
			at = s->ws.cursor[g];
			if (at == s->ws.start[g])
				continue;
			b = writes[at - 1];
			/* Does w happen before b? */
			if (w != EX_INIT && (b == w || s->rows[(at - 1) * k + source] <= index))
				continue;
			verdict_fails(s->v, "weak read coherence", s->x->loc[e]);
			verdict_step(s->v, w, "hb");
			verdict_step(s->v, b, "hb");
			verdict_step(s->v, e, "rf^-1");
			return false;
		}
	}
	return true;
}

static void gather_rows(struct work *s, const uint32_t *writes, uint32_t n)
{
	size_t k = s->x->k;

	if (n * k > s->rows_room) {
		s->rows_room = n * k;
		s->rows = offline_grow(s->rows, s->rows_room, sizeof(*s->rows));
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = writes[i], *row = s->rows + i * k;

		if (i + AHEAD < n)
			__builtin_prefetch(clock_row(&s->clocks, writes[i + AHEAD]));
		memcpy(row, clock_row(&s->clocks, w), k * sizeof(*row));
		row[s->x->tid[w]] = execution_index(s->x, w) + 1;
	}
}

static bool check_location(struct work *s, uint32_t loc)
{
	const uint32_t *writes = s->writes.event + s->writes.start[loc];
	const uint32_t *reads = s->reads.event + s->reads.start[loc];

	scan_split(&s->ws, s->x, writes, s->writes.start[loc + 1] - s->writes.start[loc]);
	scan_split(&s->rs, s->x, reads, s->reads.start[loc + 1] - s->reads.start[loc]);
	gather_rows(s, writes, s->writes.start[loc + 1] - s->writes.start[loc]);
	for (uint32_t g = 0; g < s->rs.n; g++)
		if (!check_reads(s, writes, reads, s->rs.start[g], s->rs.start[g + 1]))
			return false;
	return true;
}

static void check_all(struct work *s, const uint32_t *sort)
{
	bool ok = true;

	clocks_build(&s->clocks, s->x, MODEL_WRA, sort);
	by_location_build(&s->writes, s->x, EX_WRITE, false);
	by_location_build(&s->reads, s->x, EX_READ, false);
	scan_init(&s->ws, s->x->k);
	scan_init(&s->rs, s->x->k);
	for (uint32_t l = 0; l < s->x->nlocs && ok; l++)
		ok = check_location(s, l);
	s->v->consistent = ok;
	scan_release(&s->ws);
	scan_release(&s->rs);
	by_location_release(&s->writes);
	by_location_release(&s->reads);
	clocks_release(&s->clocks);
	free(s->rows);
}

bool check_wra(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = offline_room(x->n, sizeof(*sort));
	uint32_t sorted = execution_sort(x, sort);
	struct work s = { .x = x, .v = v };
	struct chains c;

	(void)m;
	(void)witness;
	memset(v, 0, sizeof(*v));
	if (sorted < x->n) {
		verdict_porf(v, x, sort, sorted);
	} else {
		if (chains_build(&c, x, sort, v))
			check_all(&s, sort);
		else
			v->axiom = "weak atomicity";
		chains_release(&c);
	}
	free(sort);
	return true;
}
