/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over.c - values of a node that another engine tries (value.txt, V8)
 *
 * The node is the first one, from the root on, of whose read in turn a value was not tried yet: most lies below it. What goes over is
 * the way there: nodes with their reads and good writes, the causal map, and one execution with the node's events. Those stand in
 * the order in which nodes came to have them, so the graph of each node on the way is its beginning: reads that were there at a node observe
 * writes that were there.
 *
 * What the threads do goes along (known.h), so that the other one need not run the program to find it out.
 *
 * Cost: O(n k), and one event after the other is added where it is taken.
 */
#include "engine/value/hand_over.h"

#include <string.h>

#include "engine/explore/packet.h"
#include "engine/value/ahead.h"
#include "engine/value/board.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"
#include "engine/value/rebuild.h"

enum {
	MAGIC = 0x68647376
};

struct packet {
	uint32_t magic, n, nlocs, nthreads;
	uint32_t nnodes, nreads, ngood, ncausal;
	/* Then locations, events, for each of these and for each thread what is known of the step, nodes, reads, good writes, the map. */
};

/* What a thread does, as far as it is known. */
struct packed_step {
	struct op op;
	bool began;
	struct value initial;
};

/* ---- Giving ---------------------------------------------------------------------------------------- */

/* The node whose values go to somebody else, or nnodes: there is none. */
static uint32_t oldest(const struct value_search *v)
{
	for (uint32_t i = 0; i < v->nnodes && i < BOARD_DEPTH; i++)
		if (v->node[i].begun && v->node[i].tried < v->node[i].values)
			return i;
	return v->nnodes;
}

/* Which node is the first one that has the event, 1 + its number; 0: all have it. */
static uint32_t depth_of(const struct graph *g, uint32_t pos, const uint32_t *depth)
{
	const struct event *ev = &g->ev[pos];
	uint32_t d = 0;

	if (is_rmw_write(ev))
		return depth[pos - 1];
	if (ev->flags & EV_READ || ev->kind == OP_CHOOSE)
		return ev->slot + 1;
	if (ev->index)
		d = depth[g->at[ev->tid][ev->index - 1]];
	if (ev->rf < RF_NONE && depth[ev->rf] > d)
		d = depth[ev->rf];
	return d;
}

/* The events of that node, in the order of nodes, into `from`; place: where each of the graph's events is in it. */
static uint32_t in_order(const struct engine *e, uint32_t node, uint32_t *from, uint32_t *place)
{
	const struct graph *g = &e->graph;
	struct value_search *v = e->value;
	uint32_t *depth = place, n = 0;

	for (uint32_t pos = 0; pos < g->n; pos++)
		depth[pos] = depth_of(g, pos, depth);
	for (uint32_t d = 0; d <= node; d++) {
		for (uint32_t pos = 0; pos < g->n; pos++)
			if (depth[pos] == d)
				from[n++] = pos;
		must(n == v->node[d].n);
	}
	for (uint32_t i = 0; i < n; i++)
		place[from[i]] = i;
	return n;
}

/* Of the events of the packet, and behind them of the place where each thread is then. */
static bool put_steps(struct engine *e, struct packet *p, const uint32_t *place,
		      const uint32_t *count, struct writer *w)
{
	const struct value_search *v = e->value;
	const uint32_t n = p->n + p->nthreads;
	struct packed_step *to = packet_put(w, n * sizeof(*to));

	if (!to)
		return false;
	for (uint32_t i = 0; i < n; i++)
		to[i] = (struct packed_step){ .op = { .kind = OP_KINDS } };
	for (uint32_t t = 0; t < p->nthreads; t++) {
		const struct value_step *s = known_step(e, t);

		for (; s; s = s->above ? &v->step[s->above - 1] : NULL) {
			const uint32_t at =
				s->index < count[t] ? place[e->graph.at[t][s->index]] : p->n + t;

			if (s->index <= count[t])
				to[at] = (struct packed_step){ .op = s->op,
							       .began = s->began,
							       .initial = s->initial };
		}
	}
	return true;
}

static bool put_events(struct engine *e, uint32_t node, struct packet *p, struct writer *w)
{
	struct graph *g = &e->graph;
	uint32_t *from = arena_take(&g->scratch, (g->n + 1) * sizeof(*from));
	uint32_t *place = arena_take(&g->scratch, (g->n + 1) * sizeof(*place));
	uint32_t count[VALUE_ROW] = { 0 };
	uint32_t *number = arena_take(&g->scratch, (g->nlocs + 1) * sizeof(*number));
	struct packed_location *locs;
	struct event *ev;

	p->n = in_order(e, node, from, place);
	locs = packet_put(w, (p->n + 1) * sizeof(*locs));
	ev = packet_put(w, (p->n + 1) * sizeof(*ev));
	if (!locs || !ev)
		return false;
	memset(number, 0, (g->nlocs + 1) * sizeof(*number));
	for (uint32_t i = 0; i < p->n; i++) {
		ev[i] = g->ev[from[i]];
		if (ev[i].loc != NO_LOC)
			ev[i].loc = packet_location(g, locs, &p->nlocs, number, ev[i].loc);
		if (ev[i].rf < RF_NONE)
			ev[i].rf = place[ev[i].rf];
		must(ev[i].rf < i || ev[i].rf >= RF_NONE);
		count[ev[i].tid]++;
	}
	return put_steps(e, p, place, count, w);
}

static bool put_nodes(const struct value_search *v, struct packet *p, struct writer *w)
{
	struct value_node *node = packet_put(w, p->nnodes * sizeof(*node));
	struct value_read *reads = packet_put(w, p->nreads * sizeof(*reads));
	uint64_t *good = packet_put(w, p->ngood * sizeof(*good));
	struct value_causal *causal = packet_put(w, p->ncausal * sizeof(*causal));

	if (!node || !reads || !good || !causal)
		return false;
	memcpy(node, v->node, p->nnodes * sizeof(*node));
	memcpy(reads, v->reads, p->nreads * sizeof(*reads));
	memcpy(good, v->good, p->ngood * sizeof(*good));
	memcpy(causal, v->causal, p->ncausal * sizeof(*causal));
	for (uint32_t i = 0; i < p->nnodes; i++)
		node[i].nframes = 0;
	return true;
}

static bool put_all(struct engine *e, uint32_t which, struct packet *p, struct writer *w)
{
	const struct value_search *v = e->value;
	const struct value_node *node = &v->node[which];

	*p = (struct packet){ .magic = MAGIC,
			      .nthreads = e->nthreads,
			      .nnodes = which + 1,
			      .nreads = node->end,
			      .ngood = node->list + (node->lists ? node->nlist : 0),
			      /* each read that had its turn has left an entry */
			      .ncausal = node->causal + node->at - node->first };
	return put_events(e, which, p, w) && put_nodes(v, p, w);
}

#define UNDECIDED_TICKS (UINT64_C(1) << 29) /* about a quarter of a second */

/*
 * Nobody is given anything while it is open whether the search goes by sets of events, nor where it does: that is one engine's.
 * Where it stays open for long the program is slow, and others are of use.
 */
static bool may_give(const struct engine *e)
{
	const struct value_search *v = e->value;

	if (v->by_sets || v->by_states)
		return false;
	return v->is_decided || e->config.by_sets_after || e->config.by_states_after ||
	       !e->config.ticks || e->config.ticks() - v->since > UNDECIDED_TICKS;
}

size_t value_hand_over(struct engine *e, void *buf, size_t size, struct engine_id *id)
{
	struct value_search *v = e->value;
	struct writer w = { buf, (char *)buf + size };
	struct packet *p = packet_put(&w, sizeof(*p));
	char *mark = arena_mark(&e->graph.scratch);
	const uint32_t which = oldest(v);
	bool given;

	if (!may_give(e) || !p || !e->config.board || which == v->nnodes)
		return 0;
	for (uint32_t i = which + 1; i < v->nnodes; i++)
		must(!v->node[i].join);
	if (!board_share(e->config.board, &v->node[which]))
		return 0;
	given = put_all(e, which, p, &w);
	arena_reset(&e->graph.scratch, mark);
	if (!given) {
		board_unshare(e->config.board, &v->node[which]);
		return 0;
	}
	v->is_decided = true;
	v->node[which].tried = v->node[which].values;
	*id = (struct engine_id){ 0 }; /* nobody leaves it out */
	e->stats.ledger.noted++;
	e->stats.ledger.work[WORK_GIVEN]++;
	return (size_t)(w.at - (char *)buf);
}

/* ---- Taking ---------------------------------------------------------------------------------------- */

/*
 * What somebody else knows of what the thread does next. Not behind what was handed over to joins: which of that counts there this engine does not know as long as
 * none of its runs has come there.
 */
static void learn(struct engine *e, uint32_t tid, const struct packed_step *from)
{
	struct value_step *s = known_step(e, tid);

	if (!s || s->op.kind != OP_KINDS || s->handed)
		return;
	s->op = from->op;
	s->began = from->began;
	s->initial = from->initial;
}

static void take_events(struct engine *e, const struct packet *p, struct reader *r)
{
	struct graph *g = &e->graph;
	const struct packed_location *locs = packet_get(r, (p->n + 1) * sizeof(*locs));
	const struct event *in = packet_get(r, (p->n + 1) * sizeof(*in));
	const struct packed_step *step = packet_get(r, (p->n + p->nthreads) * sizeof(*step));
	struct event *ev = arena_take(&g->scratch, (p->n + 1) * sizeof(*ev));

	packet_take_locations(g, locs, p->nlocs);
	for (uint32_t i = 0; i < p->n; i++) {
		ev[i] = in[i];
		must(ev[i].tid < p->nthreads && ev[i].kind < OP_KINDS);
		if (ev[i].loc == NO_LOC)
			continue;
		must(ev[i].loc < p->nlocs);
		ev[i].loc = graph_find_location(g, locs[ev[i].loc].addr, locs[ev[i].loc].size);
	}
	for (uint32_t i = 0; i < p->n; i++) {
		if (is_rmw_write(&ev[i]))
			continue;
		learn(e, ev[i].tid, &step[i]);
		rebuild_as_it_was(e, &ev[i]);
		known_goes(e, i);
		value_note_plain(e->value, &e->graph.ev[i]);
		ahead_note_create(e, i);
	}
	for (uint32_t t = 0; t < p->nthreads; t++)
		learn(e, t, &step[p->n + t]);
	must(g->n == p->n);
}

static void take_nodes(struct value_search *v, const struct packet *p, struct reader *r)
{
	memcpy(v->node, packet_get(r, p->nnodes * sizeof(*v->node)), p->nnodes * sizeof(*v->node));
	memcpy(v->reads, packet_get(r, p->nreads * sizeof(*v->reads)),
	       p->nreads * sizeof(*v->reads));
	memcpy(v->good, packet_get(r, p->ngood * sizeof(*v->good)), p->ngood * sizeof(*v->good));
	memcpy(v->causal, packet_get(r, p->ncausal * sizeof(*v->causal)),
	       p->ncausal * sizeof(*v->causal));
	v->nnodes = p->nnodes;
	v->nreads = p->nreads;
	v->ngood = p->ngood;
	v->ncausal = p->ncausal;
	v->ncertain = 0;
	v->by_sets = false;
	v->is_decided = true;
	memset(v->last, 0, sizeof(v->last));
	for (uint32_t i = 0; i < v->ncausal; i++)
		v->last[v->causal[i].tid] = i + 1;
}

void value_take_over(struct engine *e, const void *buf, size_t len)
{
	struct value_search *v = e->value;
	struct reader r = { buf, (const char *)buf + len };
	const struct packet *p = packet_get(&r, sizeof(*p));
	char *mark = arena_mark(&e->graph.scratch);

	must(p->magic == MAGIC && p->nthreads <= HEDDLE_EXPLORED_THREADS &&
	     p->n < e->graph.capacity / 2 && p->nnodes && p->nnodes <= v->room &&
	     p->nreads <= v->room && p->ngood <= v->room && p->ncausal <= v->room);
	packet_learn_names(e, p->nthreads);
	take_events(e, p, &r);
	take_nodes(v, p, &r);
	arena_reset(&e->graph.scratch, mark);
	memcpy(v->asked, e->graph.count, sizeof(v->asked));
	must(value_latest(v)->n == e->graph.n);
}
