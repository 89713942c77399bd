/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc_order.c - a quick yes for psc without fences
 *
 * Where a cut has sc accesses but no sc fence, psc is [Esc];scb;[Esc]. This looks at one
 * modification order, the one that follows insertion where coherence leaves a choice, and at
 * the edges that generate psc there: from each sc access to the first one of every thread
 * that it reaches (later ones of the thread follow by program order), and to the next sc
 * write in modification order. If the result has no cycle, that order is the proof. A cycle
 * proves nothing; psc.c then decides.
 *
 * Cost: O(n k) for n events of the cut and k threads, where psc.c takes O(n^2) and more. Long
 * executions with default (sc) atomics live on it.
 */
#include <string.h>

#include "engine/model/psc.h"
#include "engine/model/witness.h"

struct access {
	uint32_t pos, last; /* the event, and for a read-modify-write its write part */
	uint32_t other;     /* first event after it, of its thread, to another location */
	uint32_t before;    /* last event before it, of its thread, to another location */
	uint32_t indegree;
};

struct quick {
	struct graph *g;
	const uint32_t *cut;
	struct access *sc; /* by thread, in program order */
	uint32_t nsc;
	uint32_t start[HEDDLE_MAX_THREADS + 1]; /* of each thread in sc */
	uint32_t *edge;                         /* nsc rows of `row` targets; NO_POS: none */
	uint32_t row;
};

static bool same_place(const struct event *a, const struct event *b)
{
	return a->loc == b->loc && a->loc != NO_LOC;
}

/* The sc accesses of a thread; false when it has an sc fence. */
static bool gather_thread(struct quick *q, uint32_t t)
{
	struct graph *g = q->g;
	uint32_t before = NO_POS, first = q->nsc;

	q->start[t] = q->nsc;
	for (uint32_t i = 0; i < q->cut[t]; i++) {
		uint32_t pos = g->at[t][i];
		const struct event *ev = &g->ev[pos];

		for (uint32_t k = q->nsc; k-- > first && q->sc[k].other == NO_POS;)
			if (!same_cell(g, g->ev[q->sc[k].pos].loc, ev->loc))
				q->sc[k].other = pos;
			else if (k + 1 < q->nsc)
				break;
		if (i && !same_cell(g, g->ev[g->at[t][i - 1]].loc, ev->loc))
			before = g->at[t][i - 1];
		g->notes[pos].node = NO_POS;
		if (ev->order != ORDER_SC || (ev->flags & EV_BLOCKED))
			continue;
		if (ev->flags & EV_FENCE)
			return false;
		if (is_rmw_write(ev)) {
			q->sc[q->nsc - 1].last = pos;
			g->notes[pos].node = q->nsc - 1;
			continue;
		}
		g->notes[pos].node = q->nsc;
		q->sc[q->nsc++] = (struct access){
			.pos = pos, .last = pos, .other = NO_POS, .before = before
		};
	}
	return true;
}

static void add_edge(struct quick *q, uint32_t from, uint32_t slot, uint32_t to)
{
	if (to == NO_POS || to == from)
		return;
	q->edge[(size_t)from * q->row + slot] = to;
	q->sc[to].indegree++;
}

/*
 * From access a to the first access b of thread t with
 * a -po_neq-> y -hb-> z -po_neq-> b: z is what stands before b, and its clock grows with b.
 */
static uint32_t reached_by_hb(const struct quick *q, const struct access *a, uint32_t t)
{
	const struct graph *g = q->g;
	uint32_t lo = q->start[t], hi = q->start[t + 1], tid = g->ev[a->pos].tid, y;

	if (a->other == NO_POS)
		return NO_POS;
	y = g->ev[a->other].index;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2, z = q->sc[mid].before;

		if (z != NO_POS && z != a->other && graph_hb(g, z)[tid] > y)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < q->start[t + 1] ? lo : NO_POS;
}

/* From access a to the first access of thread t to the same location that it happens before. */
static uint32_t reached_at_place(const struct quick *q, const struct access *a, uint32_t t)
{
	const struct graph *g = q->g;
	const struct event *ev = &g->ev[a->pos];
	uint32_t lo = q->start[t], hi = q->start[t + 1];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (graph_hb(g, q->sc[mid].pos)[ev->tid] > ev->index)
			hi = mid;
		else
			lo = mid + 1;
	}
	while (lo < q->start[t + 1] && !same_place(ev, &g->ev[q->sc[lo].pos]))
		lo++;
	return lo < q->start[t + 1] ? lo : NO_POS;
}

/*
 * Lays the chains of a location one behind the other, in their order; start[c] is where the
 * writes of chain c begin. Returns the number of writes, the initial one included.
 */
static uint32_t lay_chains(const struct coherence *o, uint32_t *start)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < o->nchains; i++) {
		start[o->sorted[i]] = at;
		at += o->length[o->sorted[i]];
	}
	return at;
}

/* Where the write of an event stands in the order laid out. */
static uint32_t place_of(const struct graph *g, const uint32_t *start, uint32_t write)
{
	return write == RF_INIT ? start[0] : start[g->notes[write].chain] + g->notes[write].rank;
}

/* mo and fr of one location: to the next sc write in the order chosen. */
static void order_location(struct quick *q, const struct coherence *o)
{
	struct graph *g = q->g;
	uint32_t *start = arena_take(&g->scratch, o->nchains * sizeof(uint32_t));
	uint32_t n = lay_chains(o, start), first = NO_POS;
	uint32_t *node = arena_take(&g->scratch, n * sizeof(uint32_t));
	uint32_t *next = arena_take(&g->scratch, n * sizeof(uint32_t));

	memset(node, 0xff, n * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->nevents; i++)
		if (g->ev[o->events[i]].flags & EV_WRITE)
			node[place_of(g, start, o->events[i])] = g->notes[o->events[i]].node;
	for (uint32_t i = n; i-- > 0;) {
		next[i] = first;
		if (node[i] != NO_POS)
			first = node[i];
	}
	for (uint32_t i = 0; i < n; i++)
		if (node[i] != NO_POS)
			add_edge(q, node[i], 2 * g->nthreads, next[i]);
	for (uint32_t i = 0; i < o->nevents; i++) {
		const struct event *r = &g->ev[o->events[i]];
		uint32_t from = g->notes[o->events[i]].node;

		/* Of a read-modify-write, fr leads to itself, and its mo goes on from there. */
		if ((r->flags & EV_READ) && from != NO_POS)
			add_edge(q, from, 2 * g->nthreads + 1, next[place_of(g, start, r->rf)]);
	}
}

static void add_thread_edges(struct quick *q, uint32_t a)
{
	uint32_t own = q->g->ev[q->sc[a].pos].tid;

	for (uint32_t t = 0; t < q->g->nthreads; t++) {
		if (t == own) {
			add_edge(q, a, t, a + 1 < q->start[t + 1] ? a + 1 : NO_POS);
			continue;
		}
		add_edge(q, a, t, reached_by_hb(q, &q->sc[a], t));
		add_edge(q, a, q->g->nthreads + t, reached_at_place(q, &q->sc[a], t));
	}
}

/* Kahn's algorithm: true when every access can be taken in order. */
static bool acyclic(struct quick *q)
{
	uint32_t *ready = arena_take(&q->g->scratch, (q->nsc + 1) * sizeof(uint32_t));
	uint32_t n = 0, taken = 0;

	for (uint32_t i = 0; i < q->nsc; i++)
		if (!q->sc[i].indegree)
			ready[n++] = i;
	while (taken < n) {
		const uint32_t *row = q->edge + (size_t)ready[taken++] * q->row;

		for (uint32_t s = 0; s < q->row; s++)
			if (row[s] != NO_POS && !--q->sc[row[s]].indegree)
				ready[n++] = row[s];
	}
	return taken == q->nsc;
}

static bool gather(struct quick *q)
{
	struct graph *g = q->g;

	q->sc = arena_take(&g->scratch, (g->nsc + 1) * sizeof(*q->sc));
	for (uint32_t t = 0; t < g->nthreads; t++)
		if (!gather_thread(q, t))
			return false;
	q->start[g->nthreads] = q->nsc;
	q->row = 2 * g->nthreads + 2;
	q->edge = arena_take(&g->scratch, ((size_t)q->nsc * q->row + 1) * sizeof(uint32_t));
	memset(q->edge, 0xff, (size_t)q->nsc * q->row * sizeof(uint32_t));
	return true;
}

/* The order of every location; sorted as the check has it, or, without sc accesses, as
 * coherence has it: psc does not mind. */
static void leave_witness(struct graph *g)
{
	g->visit++;
	witness_begin(g);
	for (uint32_t p = 0; p < g->n; p++) {
		struct location *l = g->ev[p].loc == NO_LOC ? NULL : &g->locs[g->ev[p].loc];
		char *mark = arena_mark(&g->scratch);
		struct coherence o;

		if (!l || l->visit == g->visit)
			continue;
		l->visit = g->visit;
		coherence_build(&o, g, g->count, g->ev[p].loc, NO_POS);
		witness_append_chains(g, &o, o.sorted);
		arena_reset(&g->scratch, mark);
	}
}

bool psc_quick(struct graph *g, const uint32_t *cut)
{
	char *mark = arena_mark(&g->scratch);
	struct quick q = { .g = g, .cut = cut };
	bool ok = gather(&q);

	g->visit++;
	for (uint32_t i = 0; ok && i < q.nsc; i++) {
		struct location *l = &g->locs[g->ev[q.sc[i].pos].loc];
		char *here = arena_mark(&g->scratch);
		struct coherence o;

		add_thread_edges(&q, i);
		if (l->visit == g->visit)
			continue;
		l->visit = g->visit;
		coherence_build(&o, g, cut, (uint32_t)(l - g->locs), NO_POS);
		order_location(&q, &o);
		arena_reset(&g->scratch, here);
	}
	ok = ok && acyclic(&q);
	if (ok && g->witness.wanted)
		leave_witness(g);
	arena_reset(&g->scratch, mark);
	return ok;
}
