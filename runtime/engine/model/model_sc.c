/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model_sc.c - sequential consistency of a cut, exactly
 *
 * Looks for one order of all events in which every read sees the last write of its location
 * before it. The question is NP-hard in general; this search rarely branches:
 *
 * - A read whose write is the current one of its location, a read-modify-write that is its
 *   write's last reader, and a write that nobody reads while no reader waits for the
 *   current one, are executed at once: doing them early never takes a choice away.
 * - What remains to choose is which of the writes that somebody reads comes next.
 * - Whether the rest can be completed depends only on the set of events executed (at most
 *   one write per location still has readers, and it must be the current one), so a set
 *   that failed once is remembered and not tried again.
 *
 * Cost: O(n k) time when no choice fails, O(n) memory. Caller: model.c.
 */
#include "engine/model/failures.h"
#include "engine/model/witness.h"

struct search {
	struct graph *g;
	const uint32_t *cut;
	uint32_t done[HEDDLE_MAX_THREADS];
	uint32_t left; /* events not executed */
	struct undo *trail;
	uint32_t ntrail;
	struct point *point; /* the choices made */
	struct failures failed;
};

/* A choice: where the trail was before what was executed at once, and behind it; the threads from `tid` on are still to be tried. */
struct point {
	uint32_t before, behind, tid;
};

struct undo {
	uint32_t tid, events, loc, current, pending;
};

static void touch(struct graph *g, uint32_t loc)
{
	struct location *l = &g->locs[loc];

	if (l->gen == g->gen)
		return;
	l->gen = g->gen;
	l->current = RF_INIT;
	l->pending = 0;
}

/* Counts the readers of every write in the cut. */
static void prepare(struct search *s, const uint32_t *ends, uint32_t nends)
{
	struct graph *g = s->g;

	g->gen++;
	s->left = 0;
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		g->notes[p].readers = 0;
		if (!in_cut(ev, s->cut))
			continue;
		s->left++;
		if (ev->loc != NO_LOC)
			touch(g, ev->loc);
	}
	for (uint32_t p = 0; p < g->n + nends; p++) {
		const struct event *ev = &g->ev[p < g->n ? p : ends[p - g->n]];

		if (p >= g->n && ev->flags & EV_WRITE)
			notes_of(g, ev)->readers++;
		if (!in_cut(ev, s->cut) || !(ev->flags & EV_READ) || (ev->flags & EV_BLOCKED))
			continue;
		if (ev->rf == RF_INIT)
			g->locs[ev->loc].pending++;
		else
			g->notes[ev->rf].readers++;
	}
}

static bool executed(const struct search *s, uint32_t pos)
{
	const struct event *ev = &s->g->ev[pos];

	return ev->index < s->done[ev->tid];
}

enum readiness {
	NOT_YET,
	CHOICE,
	AT_ONCE
};

/* May the next event of a thread be executed? *pair: its write part goes with it. */
static enum readiness ready(const struct search *s, const struct event *ev, bool *pair)
{
	const struct graph *g = s->g;
	const struct location *l;

	*pair = false;
	if (ev->loc == NO_LOC)
		return ev->rf >= RF_NONE || executed(s, ev->rf) ? AT_ONCE : NOT_YET;
	if (ev->flags & EV_BLOCKED)
		return AT_ONCE;
	l = &g->locs[ev->loc];
	if (ev->flags & EV_READ) {
		*pair = (ev->flags & EV_EXCLUSIVE) && ev->index + 1 < s->cut[ev->tid];
		if (l->current != ev->rf || (*pair && l->pending != 1))
			return NOT_YET;
		return AT_ONCE;
	}
	if (l->pending || (g->mo && l->current != mo_before_in_cut(g, s->cut, ev)))
		return NOT_YET;
	return notes_of(g, ev)->readers ? CHOICE : AT_ONCE;
}

static void execute(struct search *s, const struct event *ev, bool pair)
{
	struct graph *g = s->g;
	struct undo *u = &s->trail[s->ntrail++];

	*u = (struct undo){ .tid = ev->tid, .events = 1 + pair, .loc = ev->loc };
	s->done[ev->tid] += 1 + pair;
	s->left -= 1 + pair;
	if (ev->loc == NO_LOC || (ev->flags & EV_BLOCKED))
		return;
	struct location *l = &g->locs[ev->loc];

	u->current = l->current;
	u->pending = l->pending;
	if (ev->flags & EV_READ)
		l->pending--;
	if (pair)
		ev = &g->ev[g->at[ev->tid][ev->index + 1]];
	if (ev->flags & EV_WRITE) {
		l->current = g->at[ev->tid][ev->index];
		l->pending = notes_of(g, ev)->readers;
	}
}

static void undo_to(struct search *s, uint32_t n)
{
	while (s->ntrail > n) {
		const struct undo *u = &s->trail[--s->ntrail];
		const struct event *ev;

		s->done[u->tid] -= u->events;
		s->left += u->events;
		ev = &s->g->ev[s->g->at[u->tid][s->done[u->tid]]];
		if (u->loc == NO_LOC || (ev->flags & EV_BLOCKED))
			continue;
		s->g->locs[u->loc].current = u->current;
		s->g->locs[u->loc].pending = u->pending;
	}
}

static const struct event *next_of(const struct search *s, uint32_t t)
{
	return s->done[t] < s->cut[t] ? &s->g->ev[s->g->at[t][s->done[t]]] : NULL;
}

/* Executes everything that can go at once. */
static void run_at_once(struct search *s)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t t = 0; t < s->g->nthreads; t++) {
			const struct event *ev;
			bool pair;

			while ((ev = next_of(s, t)) && ready(s, ev, &pair) == AT_ONCE) {
				execute(s, ev, pair);
				moved = true;
			}
		}
	}
}

/* Remembers the set executed; true when it was known. */
static bool known_failure(struct search *s)
{
	uint64_t hash = 0;

	for (uint32_t t = 0; t < s->g->nthreads; t++)
		hash = table_mix(hash, s->done[t]);
	return failures_known(&s->failed, &s->g->scratch, hash);
}

/* The next write that may come here does. False: there is no other one. */
static bool choose(struct search *s, struct point *p)
{
	undo_to(s, p->behind);
	while (p->tid < s->g->nthreads) {
		const struct event *ev = next_of(s, p->tid++);
		bool pair;

		if (!ev || ready(s, ev, &pair) != CHOICE)
			continue;
		execute(s, ev, pair);
		return true;
	}
	undo_to(s, p->before);
	return false;
}

/* A stack of choices and no recursion: an execution of a hundred thousand events may have one for each write. */
static bool search(struct search *s)
{
	uint32_t n = 0;

	for (;;) {
		struct point *p = &s->point[n++];

		p->before = s->ntrail;
		run_at_once(s);
		if (!s->left)
			return true;
		p->behind = s->ntrail;
		p->tid = known_failure(s) ? s->g->nthreads : 0;
		while (!choose(s, p)) {
			if (!--n)
				return false;
			p = &s->point[n - 1];
		}
	}
}

static void leave_witness(struct search *s)
{
	uint32_t done[HEDDLE_MAX_THREADS];

	memset(done, 0, s->g->nthreads * sizeof(*done));
	witness_begin(s->g);
	for (uint32_t i = 0; i < s->ntrail; i++) {
		const struct undo *u = &s->trail[i];

		/* Of a read-modify-write both events were executed; the write is the second. */
		done[u->tid] += u->events;
		uint32_t pos = s->g->at[u->tid][done[u->tid] - 1];

		if (s->g->ev[pos].flags & EV_WRITE)
			witness_append(s->g, pos);
	}
}

bool sc_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends)
{
	char *mark = arena_mark(&g->scratch);
	struct search s = { .g = g, .cut = cut };
	bool ok;

	s.trail = arena_take(&g->scratch, (g->n + 1) * sizeof(*s.trail));
	s.point = arena_take(&g->scratch, ((size_t)g->n + 1) * sizeof(*s.point));
	prepare(&s, ends, nends);
	ok = search(&s);
	if (ok && g->witness.wanted)
		leave_witness(&s);
	arena_reset(&g->scratch, mark);
	return ok;
}
