/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incremental_closed.c - see incremental_closed.h
 *
 * The rules, in the words of that paper: a write is ordered behind the write that each
 * thread's last event at the location that happens before it stands for (its prior set), and
 * behind the last of its own thread even where that is known already; a read puts its prior
 * set before what it observes, which must reach none of them. Whatever follows a write in the
 * order follows the read-modify-write that reads it: that one takes its edges over, and an
 * edge from a write begins at the end of its chain. A clock that grows is merged into those of
 * all successors at once.
 *
 * As described, an edge to a read-modify-write does not order its source: with chain a, b,
 * a write w before b is not known to come before a, and a read that has seen a may then observe
 * w, which no modification order allows. Minimal coherence (heddle's hbmo) knows better.
 * With to_top such edges go to the chain's first write, and both admit the same.
 *
 * Cost: an edge O(k) for each node it can reach.
 */
#include "incremental_closed.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define NONE UINT32_MAX

static void *room_for(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	must(p);
	return p;
}

static void push(uint32_t **list, uint32_t *n, uint32_t *room, uint32_t value)
{
	if (*n == *room) {
		*room = *room ? 2 * *room : 4;
		*list = realloc(*list, *room * sizeof(**list));
		must(*list);
	}
	(*list)[(*n)++] = value;
}

static uint32_t node_of(const struct closed *c, uint32_t loc, uint32_t write)
{
	return write == RF_INIT ? loc : c->g->nlocs + write;
}

static uint32_t *clock_of(const struct closed *c, uint32_t node)
{
	return c->clock + (size_t)node * c->width;
}

/* ---- The graph --------------------------------------------------------------------------- */

static bool reaches(const struct closed *c, uint32_t from, uint32_t to)
{
	return clock_of(c, to)[c->node[from].tid] >= c->node[from].seq;
}

static bool merge(struct closed *c, uint32_t into, uint32_t from)
{
	uint32_t *to = clock_of(c, into);
	const uint32_t *with = clock_of(c, from);
	bool raised = false;

	for (uint32_t i = 0; i < c->width; i++)
		if (with[i] > to[i]) {
			to[i] = with[i];
			raised = true;
		}
	return raised;
}

static void link_nodes(struct closed *c, uint32_t from, uint32_t to)
{
	struct closed_node *f = &c->node[from];

	if (!f->nedges || f->edges[f->nedges - 1] != to)
		push(&f->edges, &f->nedges, &f->room, to);
	if (!merge(c, to, from))
		return;
	c->nqueue = 0;
	push(&c->queue, &c->nqueue, &c->room, to);
	while (c->nqueue) {
		uint32_t at = c->queue[--c->nqueue];
		const struct closed_node *n = &c->node[at];

		for (uint32_t i = 0; i < n->nedges; i++)
			if (merge(c, n->edges[i], at))
				push(&c->queue, &c->nqueue, &c->room, n->edges[i]);
	}
}

static void add_edge(struct closed *c, uint32_t from, uint32_t to)
{
	const struct closed_node *node = c->node;

	while (c->to_top && node[to].source != NONE && !reaches(c, from, to))
		to = node[to].source;
	if (from == to ||
	    (reaches(c, from, to) && node[from].tid != node[to].tid && node[from].rmw != to))
		return;
	while (node[from].rmw != NONE && node[from].rmw != to)
		from = node[from].rmw;
	if (from != to)
		link_nodes(c, from, to);
}

static void add_rmw(struct closed *c, uint32_t from, uint32_t rmw)
{
	struct closed_node *f = &c->node[from], *r = &c->node[rmw];

	f->rmw = rmw;
	r->source = from;
	for (uint32_t i = 0; i < f->nedges; i++)
		if (f->edges[i] != rmw)
			push(&r->edges, &r->nedges, &r->room, f->edges[i]);
	f->nedges = 0;
	link_nodes(c, from, rmw);
}

/* ---- Events ------------------------------------------------------------------------------ */

/* The last event in a list whose index is below n, or NO_POS. */
static uint32_t last_below(const struct closed *c, const struct closed_list *l, uint32_t n)
{
	uint32_t low = 0, high = l->n;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (c->g->ev[l->at[mid]].index < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? l->at[low - 1] : NO_POS;
}

/* The prior set of the event at pos into c->prior; returns how many. */
static uint32_t find_prior(struct closed *c, uint32_t pos)
{
	const struct graph *g = c->g;
	const struct event *ev = &g->ev[pos];
	uint32_t before = graph_po_before(g, ev), n = 0;
	const struct closed_list *list = c->list + (size_t)ev->loc * g->nthreads;

	c->prior[n++] = ev->loc; /* the initial write happens before everything */
	for (uint32_t t = 0; before != NO_POS && t < g->nthreads; t++) {
		uint32_t e = last_below(c, &list[t], graph_hb(g, before)[t]);

		if (e != NO_POS)
			c->prior[n++] =
				node_of(c, ev->loc, g->ev[e].flags & EV_WRITE ? e : g->ev[e].rf);
	}
	return n;
}

bool closed_admits(struct closed *c, uint32_t pos, uint32_t write)
{
	uint32_t node = node_of(c, c->g->ev[pos].loc, write), n = find_prior(c, pos);

	for (uint32_t i = 0; i < n; i++)
		if (c->prior[i] != node && reaches(c, node, c->prior[i]))
			return false;
	return true;
}

void closed_observe(struct closed *c, uint32_t pos)
{
	const struct event *ev = &c->g->ev[pos];
	uint32_t node = node_of(c, ev->loc, ev->rf), n = find_prior(c, pos);

	for (uint32_t i = 0; i < n; i++)
		add_edge(c, c->prior[i], node);
}

void closed_add(struct closed *c, uint32_t pos)
{
	const struct graph *g = c->g;
	const struct event *ev = &g->ev[pos];
	struct closed_list *l = &c->list[(size_t)ev->loc * g->nthreads + ev->tid];
	uint32_t node = node_of(c, ev->loc, pos), n;

	if (ev->flags & EV_WRITE) {
		c->node[node] = (struct closed_node){
			.tid = ev->tid, .seq = ev->index + 1, .rmw = NONE, .source = NONE
		};
		clock_of(c, node)[ev->tid] = ev->index + 1;
		if (ev->flags & EV_EXCLUSIVE)
			add_rmw(c, node_of(c, ev->loc, graph_rmw_source(g, ev)), node);
		n = find_prior(c, pos);
		for (uint32_t i = 0; i < n; i++)
			add_edge(c, c->prior[i], node);
	}
	push(&l->at, &l->n, &l->room, pos);
}

void closed_init(struct closed *c, const struct graph *g, bool to_top)
{
	*c = (struct closed){ .g = g, .to_top = to_top, .width = g->nthreads + 1 };
	c->nnodes = g->nlocs + g->capacity;
	c->node = room_for(c->nnodes, sizeof(*c->node));
	c->clock = room_for((size_t)c->nnodes * c->width, sizeof(*c->clock));
	c->list = room_for((size_t)g->nlocs * g->nthreads, sizeof(*c->list));
	for (uint32_t l = 0; l < g->nlocs; l++) {
		c->node[l] = (struct closed_node){
			.tid = g->nthreads, .seq = 1, .rmw = NONE, .source = NONE
		};
		clock_of(c, l)[g->nthreads] = 1;
	}
}

void closed_release(struct closed *c)
{
	for (uint32_t i = 0; i < c->nnodes; i++)
		free(c->node[i].edges);
	for (uint32_t i = 0; i < c->g->nlocs * c->g->nthreads; i++)
		free(c->list[i].at);
	free(c->node);
	free(c->clock);
	free(c->list);
	free(c->queue);
}
