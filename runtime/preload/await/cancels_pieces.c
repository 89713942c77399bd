/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancels_pieces.c - pieces of a row of read-modify-writes that did nothing: await.txt, E and F
 *
 * Whether there is one is a function of what the thread that is to stop knows of (po u rf). Of the row all is before its
 * last one there, so that is gone through backwards.
 *
 * Cost: O(n^2) for a piece of n.
 */
#include "preload/await/cancels_looks.h"

#include <string.h>

#include "preload/await/arrival.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"

/* A read-modify-write of the row. */
struct member {
	uint32_t tid, event;
	struct engine_rmw rmw;
};

/* Those of one thread in a piece, in its order. */
struct part {
	const struct member *at[PIECE];
	uint32_t n;
};

/* What of a piece is left out. */
struct left_out {
	uint64_t added; /* by all of it, */
	bool mixed;     /* if it adds, */
	bool all;       /* and it is all there is */
	uint32_t round; /* the last ones of the thread that is to stop */
};

bool cancels_same(const struct look *a, const struct look *b)
{
	return !memcmp(a->hash, b->hash, sizeof(a->hash)) && same_op(&a->op, &b->op);
}

static bool adds(const struct look *l)
{
	return l && is_sum(&l->op);
}

/*
 * Is the thread, behind those n of its part, where it was before them, and has it done nothing else in between? The one that
 * is to stop may have looked at memory. (E3)
 */
static bool is_back(const struct member *const *at, uint32_t n)
{
	const uint32_t tid = at[0]->tid;
	const struct cancels *c = &cancels_of[tid];
	const struct look *l = look_at(tid, at[0]->event), *end = c->look + c->n, *first = l;
	bool may_read = tid == current->tid && !cancels_strict;

	for (uint32_t i = 0; l && i < n; i++)
		if (++l == end || !l->goes_on || !(l->quiet || may_read))
			return false;
	return l && l[-1].event == at[n - 1]->event && cancels_same(first, l);
}

/* Does it add the same whatever is there? Of several parts of an access what is carried from one to the next depends on that. */
static bool only_adds(const struct look *l)
{
	return adds(l) && l->op.size <= 8 && !fact_in_use(FACT_SPLIT);
}

/* And does whoever did it do the same whatever it finds? (E7) */
static bool may_stay(const struct member *m)
{
	const struct look *l = look_at(m->tid, m->event);

	return only_adds(l) && l->ignored;
}

/* Or the same as without the rounds of that thread? (F) */
static bool may_stay_without(const struct member *m, uint32_t tid)
{
	const struct look *l = look_at(m->tid, m->event);

	return only_adds(l) && (l->ignored || !(l->minds >> tid & 1));
}

static void leave_out(struct left_out *out, const struct member *const *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		out->added += at[i]->rmw.written.lo - at[i]->rmw.read.lo;
		out->mixed |= !adds(look_at(at[i]->tid, at[i]->event));
	}
	out->round = at[0]->tid == current->tid ? n : out->round;
}

/* Can all of the part be left out, or stay? Of what begins at one place the longest that comes back is left out. */
static bool divide(const struct part *p, struct left_out *out)
{
	uint32_t i = 0, n;

	while (i < p->n) {
		for (n = p->n - i; n && !is_back(&p->at[i], n);)
			n--;
		if (!n && !may_stay(p->at[i]))
			return false;
		out->all &= n != 0;
		if (n)
			leave_out(out, &p->at[i], n);
		else if (p->at[i]->tid == current->tid)
			out->round = 0; /* what comes last has to be left out */
		i += n ? n : 1;
	}
	return true;
}

/* The n last ones of the row, the latest one first: how many of them are a round of the thread that is to stop, if without what is
 * left out of them all is as it was; else 0. */
static uint32_t round_of(const struct member *row, uint32_t n)
{
	static struct part part[HEDDLE_EXPLORED_THREADS];
	FRESH(part);
	struct left_out out = { .all = true };
	uint64_t met = 0;
	uint32_t size = look_at(row->tid, row->event)->op.size;

	for (uint32_t i = n; i-- > 0;) {
		struct part *p = &part[row[i].tid];

		if (!(met >> row[i].tid & 1))
			p->n = 0;
		met |= (uint64_t)1 << row[i].tid;
		p->at[p->n++] = &row[i];
	}
	while (met) {
		if (!divide(&part[__builtin_ctzll(met)], &out))
			return 0;
		met &= met - 1;
	}
	if (out.all)
		return value_eq(row[n - 1].rmw.read, row[0].rmw.written) ? out.round : 0;
	return out.mixed || out.added & bits_of(size) ? 0 : out.round;
}

uint32_t cancels_find_piece(const struct look *x)
{
	static struct member row[PIECE];
	FRESH(row);
	const uint32_t tid = current->tid;
	uint32_t n = 0, round;

	row[0] = (struct member){ .tid = tid, .event = x[-1].event };
	while (engine_rmw(engine, row[n].tid, row[n].event, &row[n].rmw)) {
		const struct member *m = &row[n++];

		round = round_of(row, n);
		if (round && engine_rmw_alone(engine, tid, m->tid, m->event, false))
			return round;
		if (!m->rmw.has_before || n == PIECE)
			break;
		row[n] = (struct member){ .tid = m->rmw.tid, .event = m->rmw.index };
	}
	return 0;
}

/* Has the thread nothing there that it will take back? */
static bool has_none_open(const struct look *l)
{
	return l->began && !l->mixed && !(l->open & bits_of(l->op.size));
}

/* Has the thread done nothing between that look and the next one, but load what is there? */
static bool leads_on(const struct look *l)
{
	return l[1].goes_on && (l[1].quiet || !cancels_strict);
}

/* May a run of its thread up to x begin there? */
static bool begins_run(const struct look *l, const struct look *x)
{
	return has_none_open(l) && cancels_same(l, x);
}

uint32_t cancels_find_own(const struct look *x, bool looks)
{
	const uint32_t tid = current->tid;
	const struct look *first = x;
	struct member m = { .tid = tid, .event = x[-1].event };

	if (!has_none_open(x))
		return 0;
	for (uint32_t n = 0; n < PIECE && engine_rmw(engine, m.tid, m.event, &m.rmw); n++) {
		if (m.tid != tid && !may_stay_without(&m, tid))
			return 0;
		if (m.tid == tid) {
			if (first-- == cancels_of[tid].look || first->event != m.event ||
			    !only_adds(first) || !leads_on(first))
				return 0;
			if (begins_run(first, x))
				return engine_rmw_alone(engine, tid, tid, m.event, looks)
					       ? (uint32_t)(x - first)
					       : 0;
		}
		if (!m.rmw.has_before)
			return 0;
		m = (struct member){ .tid = m.rmw.tid, .event = m.rmw.index };
	}
	return 0;
}
