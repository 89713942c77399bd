/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model_tso.c - x86-TSO consistency of a cut, exactly
 *
 * Looks for a run of the machine with one store buffer per thread: stores enter their
 * thread's buffer and leave it in order; a read takes the youngest store of its own buffer to
 * its location, else memory; read-modify-writes and sc fences wait until the buffer is
 * empty, and so do reads behind an sc store (it is compiled as an exchange), and what other
 * threads learn of by other means than memory (creation, end). That is the axiomatic
 * model of models.txt.
 *
 * As for sc (model_sc.c), most steps lose nothing by being early: a store enters the buffer;
 * a read whose value is there; a store that nobody is still to read leaves the buffer when
 * nobody is still to read what it overwrites; a read-modify-write that is the last reader of
 * what it overwrites. The choice is which store with readers leaves its buffer next. Sets of
 * steps that failed are remembered.
 *
 * Cost: O(n k) time when no choice fails, O(n) memory. Caller: model.c.
 */
#include "engine/model/failures.h"
#include "engine/model/witness.h"

struct machine {
	struct graph *g;
	const uint32_t *cut;
	uint32_t done[HEDDLE_MAX_THREADS];    /* events executed */
	uint32_t drained[HEDDLE_MAX_THREADS]; /* stores of events before this one left the buffer */
	uint32_t left;                        /* events to execute and stores to drain */
	struct undo *trail;
	uint32_t ntrail;
	struct point *point;   /* the choices made */
	struct stores *stores; /* of each event, by its place */
	struct failures failed;
};

/*
 * Of the stores of its thread that go through the buffer: the last one before it to its location, and the last sc one; the first from it on.
 * By their index, or NO_POS.
 */
struct stores {
	uint32_t there, sc, next;
};

/* A choice: where the trail was before the steps that lose nothing, and behind them; the threads from `tid` on are still to be tried. */
struct point {
	uint32_t before, behind, tid;
};

/* One step taken: a thread's event (or two), or a store that left its buffer. */
struct undo {
	uint32_t tid, events, drained, current;
};

static bool buffered(const struct event *ev)
{
	return (ev->flags & (EV_WRITE | EV_EXCLUSIVE)) == EV_WRITE;
}

static const struct event *event_at(const struct machine *m, uint32_t t, uint32_t i)
{
	return &m->g->ev[m->g->at[t][i]];
}

static void find_stores(struct machine *m)
{
	struct graph *g = m->g;
	uint32_t *last = arena_take(&g->scratch,
				    (g->nlocs + 1) * sizeof(*last)); /* by location: its place */

	memset(last, 0xff, g->nlocs * sizeof(*last));
	m->stores = arena_take(&g->scratch, (g->n + 1) * sizeof(*m->stores));
	for (uint32_t t = 0; t < g->nthreads; t++) {
		uint32_t sc = NO_POS, next = NO_POS;

		for (uint32_t i = 0; i < m->cut[t]; i++) {
			const struct event *ev = event_at(m, t, i);
			struct stores *s = &m->stores[g->at[t][i]];

			s->sc = sc;
			s->there = ev->loc == NO_LOC || last[ev->loc] == NO_POS ||
						   g->ev[last[ev->loc]].tid != t
					   ? NO_POS
					   : g->ev[last[ev->loc]].index;
			if (!buffered(ev))
				continue;
			last[ev->loc] = g->at[t][i];
			if (ev->order == ORDER_SC)
				sc = i;
		}
		for (uint32_t i = m->cut[t]; i--;) {
			next = buffered(event_at(m, t, i)) ? i : next;
			m->stores[g->at[t][i]].next = next;
		}
	}
}

/* The oldest store in the buffer of thread t, or NO_POS: its index. */
static uint32_t oldest(const struct machine *m, uint32_t t)
{
	uint32_t i = m->drained[t];

	if (i < m->done[t])
		i = m->stores[m->g->at[t][i]].next;
	return i < m->done[t] ? i : NO_POS;
}

static bool is_in_buffer(const struct machine *m, uint32_t t, uint32_t store)
{
	return store != NO_POS && store >= m->drained[t];
}

/* The youngest store in the buffer of its thread to the location of its next event: its place, or NO_POS. */
static uint32_t forwarded(const struct machine *m, const struct event *ev)
{
	uint32_t *at = m->g->at[ev->tid], store = m->stores[at[ev->index]].there;

	return is_in_buffer(m, ev->tid, store) ? at[store] : NO_POS;
}

static bool sc_store_waits(const struct machine *m, const struct event *ev)
{
	return is_in_buffer(m, ev->tid, m->stores[m->g->at[ev->tid][ev->index]].sc);
}

static uint32_t *readers(struct graph *g, uint32_t loc, uint32_t write)
{
	return write == RF_INIT ? &g->locs[loc].pending : &g->notes[write].readers;
}

static void prepare(struct machine *m, const uint32_t *ends, uint32_t nends)
{
	struct graph *g = m->g;

	find_stores(m);
	g->gen++;
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		g->notes[p].readers = 0;
		if (!in_cut(ev, m->cut))
			continue;
		m->left += 1 + buffered(ev);
		if (ev->loc != NO_LOC && g->locs[ev->loc].gen != g->gen) {
			g->locs[ev->loc].gen = g->gen;
			g->locs[ev->loc].current = RF_INIT;
			g->locs[ev->loc].pending = 0;
		}
	}
	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];

		if (in_cut(ev, m->cut) && (ev->flags & EV_READ) && !(ev->flags & EV_BLOCKED))
			++*readers(g, ev->loc, ev->rf);
	}
	/* A reader that never comes: nothing may overwrite what it is to read. */
	for (uint32_t i = 0; i < nends; i++)
		++*readers(g, g->ev[ends[i]].loc, event_write(&g->ev[ends[i]], ends[i]));
}

/* May the next event of its thread be executed? All that may be go at once. */
static bool ready(const struct machine *m, const struct event *ev, bool *pair)
{
	struct graph *g = m->g;
	uint32_t t = ev->tid, own;

	*pair = false;
	if (ev->flags & EV_BLOCKED)
		return true;
	if (ev->loc == NO_LOC) {
		if (((ev->flags & EV_FENCE) ? ev->order == ORDER_SC
					    : ev->kind == OP_CREATE || ev->kind == OP_END) &&
		    oldest(m, t) != NO_POS)
			return false;
		return ev->rf >= RF_NONE || g->ev[ev->rf].index < m->done[g->ev[ev->rf].tid];
	}
	if (ev->flags & EV_WRITE)
		return true;
	*pair = (ev->flags & EV_EXCLUSIVE) && ev->index + 1 < m->cut[t];
	if (*pair || g->at[t][ev->index] == g->rmw)
		return oldest(m, t) == NO_POS && g->locs[ev->loc].current == ev->rf &&
		       *readers(g, ev->loc, ev->rf) == 1;
	if (sc_store_waits(m, ev))
		return false;
	own = forwarded(m, ev);
	return (own == NO_POS ? g->locs[ev->loc].current : own) == ev->rf;
}

static void execute(struct machine *m, const struct event *ev, bool pair)
{
	struct graph *g = m->g;

	m->trail[m->ntrail++] =
		(struct undo){ .tid = ev->tid,
			       .events = 1 + pair,
			       .current = ev->loc == NO_LOC ? 0 : g->locs[ev->loc].current };
	m->done[ev->tid] += 1 + pair;
	m->left -= 1 + pair;
	if ((ev->flags & EV_READ) && !(ev->flags & EV_BLOCKED))
		--*readers(g, ev->loc, ev->rf);
	if (pair)
		g->locs[ev->loc].current = g->at[ev->tid][ev->index + 1];
}

static void drain(struct machine *m, uint32_t t, uint32_t i)
{
	struct location *l = &m->g->locs[event_at(m, t, i)->loc];

	m->trail[m->ntrail++] =
		(struct undo){ .tid = t, .drained = m->drained[t], .current = l->current };
	m->drained[t] = i + 1;
	m->left--;
	l->current = m->g->at[t][i];
}

static void undo_to(struct machine *m, uint32_t n)
{
	struct graph *g = m->g;

	while (m->ntrail > n) {
		const struct undo *u = &m->trail[--m->ntrail];
		const struct event *ev;

		if (!u->events) {
			ev = event_at(m, u->tid, m->drained[u->tid] - 1);
			m->drained[u->tid] = u->drained;
			m->left++;
			g->locs[ev->loc].current = u->current;
			continue;
		}
		m->done[u->tid] -= u->events;
		m->left += u->events;
		ev = event_at(m, u->tid, m->done[u->tid]);
		if ((ev->flags & EV_READ) && !(ev->flags & EV_BLOCKED))
			++*readers(g, ev->loc, ev->rf);
		if (u->events == 2)
			g->locs[ev->loc].current = u->current;
	}
}

/* May the oldest store of thread t leave its buffer? */
static bool may_drain(const struct machine *m, uint32_t t, uint32_t *i)
{
	struct graph *g = m->g;
	uint32_t loc;

	*i = oldest(m, t);
	if (*i == NO_POS)
		return false;
	loc = event_at(m, t, *i)->loc;
	if (g->mo && g->locs[loc].current != mo_before_in_cut(g, m->cut, event_at(m, t, *i)))
		return false;
	return !*readers(g, loc, g->locs[loc].current);
}

static void run_at_once(struct machine *m)
{
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t t = 0; t < m->g->nthreads; t++) {
			uint32_t i;
			bool pair;

			while (m->done[t] < m->cut[t] &&
			       ready(m, event_at(m, t, m->done[t]), &pair)) {
				execute(m, event_at(m, t, m->done[t]), pair);
				moved = true;
			}
			while (may_drain(m, t, &i) && !notes_of(m->g, event_at(m, t, i))->readers) {
				drain(m, t, i);
				moved = true;
			}
		}
	}
}

/* Remembers where the machine stands; true when it was known. */
static bool known_failure(struct machine *m)
{
	uint64_t hash = 0;

	for (uint32_t t = 0; t < m->g->nthreads; t++)
		hash = table_mix(hash, (uint64_t)m->done[t] << 32 | m->drained[t]);
	return failures_known(&m->failed, &m->g->scratch, hash);
}

/* The next store that may leave its buffer does. False: there is no other one. */
static bool choose(struct machine *m, struct point *p)
{
	undo_to(m, p->behind);
	while (p->tid < m->g->nthreads) {
		uint32_t t = p->tid++, i;

		if (!may_drain(m, t, &i))
			continue;
		drain(m, t, i);
		return true;
	}
	undo_to(m, p->before);
	return false;
}

/* A stack of choices and no recursion: an execution of a hundred thousand events may have one for each store. */
static bool search(struct machine *m)
{
	uint32_t n = 0;

	for (;;) {
		struct point *p = &m->point[n++];

		p->before = m->ntrail;
		run_at_once(m);
		if (!m->left)
			return true;
		p->behind = m->ntrail;
		p->tid = known_failure(m) ? m->g->nthreads : 0;
		while (!choose(m, p)) {
			if (!--n)
				return false;
			p = &m->point[n - 1];
		}
	}
}

/* Stores reach memory when they leave the buffer, read-modify-writes at once. */
static void leave_witness(struct machine *m)
{
	uint32_t done[HEDDLE_MAX_THREADS], drained[HEDDLE_MAX_THREADS];

	memset(done, 0, m->g->nthreads * sizeof(*done));
	memset(drained, 0, m->g->nthreads * sizeof(*drained));
	witness_begin(m->g);
	for (uint32_t k = 0; k < m->ntrail; k++) {
		const struct undo *u = &m->trail[k];
		uint32_t t = u->tid;

		done[t] += u->events;
		if (u->events == 2)
			witness_append(m->g, m->g->at[t][done[t] - 1]);
		if (u->events)
			continue;
		while (!buffered(event_at(m, t, drained[t])))
			drained[t]++;
		witness_append(m->g, m->g->at[t][drained[t]++]);
	}
}

bool tso_consistent(struct graph *g, const uint32_t *cut, const uint32_t *ends, uint32_t nends)
{
	char *mark = arena_mark(&g->scratch);
	struct machine m = { .g = g, .cut = cut };
	bool ok;

	m.trail = arena_take(&g->scratch, (2 * (size_t)g->n + 1) * sizeof(*m.trail));
	m.point = arena_take(&g->scratch, ((size_t)g->n + 1) * sizeof(*m.point));
	prepare(&m, ends, nends);
	ok = search(&m);
	if (ok && g->witness.wanted)
		leave_witness(&m);
	arena_reset(&g->scratch, mark);
	return ok;
}
