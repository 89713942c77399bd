/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * certain.c - see certain.h
 *
 * Of each event the clock is computed that holds in all executions of the node: what comes before it by po, by creation and join, and by a read that
 * synchronises, of which that counts which all its good writes have in common. Release sequences and fences are left out, so it is less than what may be certain.
 *
 * A write is hidden from a read if a later one of the same thread and location is before the read, or was read by one that is: by coherence, of
 * which each model has that much.
 *
 * Cost: O(n * threads), and for each good write.
 */
#include "engine/value/certain.h"

#include <string.h>

struct certain {
	const struct engine *e;
	uint32_t nthreads;
	uint32_t *
		clock; /* of each event a row: how many events of each thread come before it, or are it */
	bool *known; /* its row is there */
};

static uint32_t *row_of(const struct certain *c, uint32_t pos)
{
	return c->clock + (size_t)pos * c->nthreads;
}

static void join(const struct certain *c, uint32_t *row, uint32_t from)
{
	const uint32_t *other = row_of(c, from);

	for (uint32_t t = 0; c->known[from] && t < c->nthreads; t++)
		row[t] = row[t] > other[t] ? row[t] : other[t];
}

/* What all good writes of the read have in common comes before it. */
static void join_common(const struct certain *c, const struct event *read, uint32_t *row)
{
	const struct value_search *v = c->e->value;
	const struct value_node *node = &v->node[read->slot];
	const struct graph *g = &c->e->graph;
	uint32_t least[VALUE_ROW];

	for (uint32_t i = 0; i < node->ngood; i++) {
		const uint32_t write = value_named(g, v->good[node->good + i]);
		const uint32_t *other;

		if (write == RF_INIT || !c->known[write] || !order_hands_on(g, &g->ev[write]))
			return;
		other = row_of(c, write);
		for (uint32_t t = 0; t < c->nthreads; t++)
			least[t] = i && least[t] < other[t] ? least[t] : other[t];
	}
	for (uint32_t t = 0; node->ngood && t < c->nthreads; t++)
		row[t] = row[t] > least[t] ? row[t] : least[t];
}

static void compute(const struct certain *c, uint32_t pos)
{
	const struct graph *g = &c->e->graph;
	const struct event *ev = &g->ev[pos];
	uint32_t *row = row_of(c, pos);

	memset(row, 0, c->nthreads * sizeof(*row));
	if (ev->index)
		join(c, row, g->at[ev->tid][ev->index - 1]);
	row[ev->tid] = ev->index + 1;
	if ((ev->kind == OP_START || ev->kind == OP_JOIN) && ev->rf < RF_NONE)
		join(c, row, ev->rf);
	if ((ev->flags & EV_READ) && ev->rf != RF_NONE && order_takes_over(g, ev))
		join_common(c, ev, row);
	c->known[pos] = true;
}

/* The earliest write that the read may observe, if all are of one thread: 1 + its index; else 0, and *initial, if it may observe that. */
static uint32_t earliest(const struct certain *c, const struct event *read, uint32_t *tid,
			 bool *initial)
{
	const struct value_search *v = c->e->value;
	const struct value_node *node = &v->node[read->slot];
	uint32_t least = 0;

	*initial = false;
	for (uint32_t i = 0; i < node->ngood; i++) {
		const uint64_t name = v->good[node->good + i];
		const uint32_t index = (uint32_t)(name - 1);

		*initial |= !name;
		if (!name || (i && *tid != (name - 1) >> 32))
			least = UINT32_MAX;
		else if (least != UINT32_MAX)
			least = !i || index + 1 < least ? index + 1 : least;
		*tid = name ? (uint32_t)((name - 1) >> 32) : 0;
	}
	return least == UINT32_MAX ? 0 : least;
}

bool certain_hides(struct engine *e, uint32_t pos, uint32_t which)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct certain c = { .e = e, .nthreads = e->nthreads };
	const struct value_node *node = &e->value->node[which];
	uint32_t bound[VALUE_ROW] = { 0 };
	const uint32_t *row;
	bool any = false, hidden = true;

	c.clock = arena_take(&g->scratch, (size_t)g->n * c.nthreads * sizeof(*c.clock));
	c.known = arena_take(&g->scratch, g->n * sizeof(*c.known));
	memset(c.known, 0, g->n * sizeof(*c.known));
	for (uint32_t i = 0; i <= pos; i++)
		compute(&c, i);
	row = row_of(&c, pos);
	for (uint32_t p = g->locs[g->ev[pos].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];
		uint32_t tid = ev->tid, least = ev->index + 1;
		bool initial = false;

		if (p == pos || ev->index >= row[ev->tid])
			continue;
		if (!(ev->flags & EV_WRITE))
			least = earliest(&c, ev, &tid, &initial);
		any |= !initial;
		bound[tid] = bound[tid] > least ? bound[tid] : least;
	}
	for (uint32_t i = 0; i < node->ngood && hidden; i++) {
		const uint64_t name = e->value->good[node->good + i];

		hidden = name ? (uint32_t)(name - 1) + 1 < bound[(name - 1) >> 32] : any;
	}
	arena_reset(&g->scratch, mark);
	return hidden;
}
