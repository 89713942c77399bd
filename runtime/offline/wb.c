/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wb.c - writes-before, the check of GenMC (PLDI 2019, section 3), as a baseline
 *
 * wb relates two writes of a location when one of them, or a read of it, happens before the
 * other or a read of the other; read-modify-writes follow their write at once, so what comes
 * after a write comes after them, and what comes before them before it. Its transitive
 * closure is kept as a matrix of bits for each location; the execution is consistent if it is
 * irreflexive. Nothing here is shared with coherence.c but the clocks; what people read of a
 * refusal comes from there.
 *
 * Cost: O(m^3 / 64) for m writes of one location, and m^2 / 8 bytes; too large beyond a
 * gigabyte. There is no witness.
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "offline/coherence.h"
#include "offline/scan.h"

struct work {
	const struct execution *x;
	struct clocks clocks;
	struct by_location at;
	uint32_t *number; /* of each write in its location, from 1 */
	uint64_t *wb;
	size_t words;
	uint32_t nwrites;
};

static uint64_t *wb_row(const struct work *s, uint32_t i)
{
	return s->wb + i * s->words;
}

static void relate(const struct work *s, uint32_t a, uint32_t b)
{
	if (a != b)
		wb_row(s, a)[b / 64] |= (uint64_t)1 << (b % 64);
}

static bool related(const struct work *s, uint32_t a, uint32_t b)
{
	return wb_row(s, a)[b / 64] >> (b % 64) & 1;
}

static uint32_t place(const struct work *s, uint32_t e)
{
	uint32_t w = write_of(s->x, e);

	return w < s->x->n ? s->number[w] : 0;
}

static void close_all(const struct work *s)
{
	for (uint32_t k = 0; k < s->nwrites; k++)
		for (uint32_t i = 0; i < s->nwrites; i++)
			if (related(s, i, k))
				for (size_t w = 0; w < s->words; w++)
					wb_row(s, i)[w] |= wb_row(s, k)[w];
}

/* What comes after a write comes after the read-modify-write of it, and so on; until done. */
static bool keep_chains(const struct work *s, const uint32_t *events, uint32_t n)
{
	bool changed = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t e = events[i], u, w;

		if ((s->x->kind[e] & EX_RMW) != EX_RMW)
			continue;
		u = s->number[e];
		w = s->x->rf[e] < s->x->n ? s->number[s->x->rf[e]] : 0;
		for (uint32_t o = 0; o < s->nwrites; o++) {
			if (o != u && related(s, w, o) && !related(s, u, o)) {
				relate(s, u, o);
				changed = true;
			}
			if (o != w && related(s, o, u) && !related(s, o, w)) {
				relate(s, o, w);
				changed = true;
			}
		}
	}
	return changed;
}

/* 1 consistent, 0 not, -1 too large. */
static int check_location(struct work *s, uint32_t loc)
{
	const uint32_t *events = s->at.event + s->at.start[loc];
	uint32_t n = s->at.start[loc + 1] - s->at.start[loc];
	int ok = 1;

	s->nwrites = 1;
	for (uint32_t i = 0; i < n; i++)
		if (s->x->kind[events[i]] & EX_WRITE)
			s->number[events[i]] = s->nwrites++;
	s->words = ((size_t)s->nwrites + 63) / 64;
	if (s->words * s->nwrites > (size_t)1 << 27)
		return -1;
	s->wb = offline_zeroed(s->words * s->nwrites, sizeof(*s->wb));
	for (uint32_t w = 1; w < s->nwrites; w++)
		relate(s, 0, w);
	for (uint32_t i = 0; i < n; i++) {
		if ((s->x->kind[events[i]] & EX_RMW) == EX_RMW)
			relate(s,
			       s->x->rf[events[i]] < s->x->n ? s->number[s->x->rf[events[i]]] : 0,
			       s->number[events[i]]);
		for (uint32_t j = 0; j < n; j++)
			if (i != j && clock_before(&s->clocks, events[i], events[j]))
				relate(s, place(s, events[i]), place(s, events[j]));
	}
	do
		close_all(s);
	while (keep_chains(s, events, n));
	for (uint32_t w = 0; w < s->nwrites; w++)
		if (related(s, w, w))
			ok = 0;
	free(s->wb);
	return ok;
}

bool check_wb(const struct execution *x, enum engine_model m, bool witness, struct verdict *v)
{
	uint32_t *sort = verdict_begin(v, x);
	struct work s = { .x = x };
	struct chains c;
	int ok = 1;

	(void)witness;
	if (!sort)
		return true;
	if (chains_build(&c, x, sort, v)) {
		clocks_build(&s.clocks, x, m, sort);
		by_location_build(&s.at, x, NULL, EX_RMW);
		s.number = offline_zeroed(x->n, sizeof(*s.number));
		for (uint32_t l = 0; l < x->nlocs && ok > 0; l++)
			ok = check_location(&s, l);
		/* A matrix does not know why: minimal coherence says along which cycle. */
		if (!ok)
			coherence_decide(x, &s.clocks, sort, false, NULL, v);
		must(ok || !v->consistent);
		v->consistent = ok > 0;
		free(s.number);
		by_location_release(&s.at);
		clocks_release(&s.clocks);
	}
	chains_release(&c);
	free(sort);
	return ok >= 0;
}
