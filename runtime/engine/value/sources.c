/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sources.c - the values that a read in turn may return, one after the other, and the writes that have each (value.txt, V2)
 *
 * All writes that it might observe are listed once, value by value, without those that are hidden from it in all executions of the node; most values need not be
 * asked about then. Where a list would be long, or the search goes by sets of events, they are looked for anew for each value.
 */
#include "engine/value/nodes.h"

#include <string.h>

#include "engine/run/run.h"
#include "engine/value/certain.h"
#include "engine/value/queues.h"

/* A write that a read may observe, by name, and its value. */
struct source {
	uint64_t name;
	struct value value;
};

/*
 * Do all that write the location take what they read? Then they stand in one chain, the same in all executions of the node, and an operation that is in turn, and
 * takes what it reads as well, may observe the last of it, or nothing (V10). That write, into *write.
 */
static bool is_chain(const struct graph *g, uint32_t loc, uint32_t *write)
{
	*write = RF_INIT;
	for (uint32_t p = g->locs[loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		if (!is_rmw_write(&g->ev[p]))
			return false;
		if (g->ev[p].taker == NO_POS)
			*write = p;
	}
	return true;
}

/* The only write that the read may observe, if the causal map does not forbid it. */
static uint32_t only_source(const struct engine *e, const struct value_read *r, uint32_t loc,
			    uint32_t write, struct source *out)
{
	const struct graph *g = &e->graph;
	const struct value_causal *c = value_causal_of(e, r->tid);

	if (c && (write == RF_INIT || g->ev[write].index < c->count[g->ev[write].tid]))
		return 0;
	*out = (struct source){ .name = write == RF_INIT ? 0 : event_name(&g->ev[write]),
				.value = graph_value(g, loc, write) };
	return 1;
}

/* All at its location that it may observe as far as the causal map and chains tell, in the order of names, into out. */
static uint32_t sources(struct engine *e, const struct value_read *r, struct source *out)
{
	const struct graph *g = &e->graph;
	const struct value_causal *c = value_causal_of(e, r->tid);
	const uint32_t loc = graph_find_location(g, r->op.addr, r->op.size);
	const struct location *l = &g->locs[loc];
	uint32_t n = 0, write;

	if (queue_kind(r->op.kind))
		return queue_source(e, r->tid, loc, &write) ? only_source(e, r, loc, write, out)
							    : 0;
	if (r->op.kind == OP_RMW && is_chain(g, loc, &write))
		return only_source(e, r, loc, write, out);
	if (!c)
		out[n++] = (struct source){ .value = l->initial };
	for (uint32_t p = l->last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];
		struct source s = { .name = event_name(ev), .value = ev->written };
		uint32_t i = n;

		if (!(ev->flags & EV_WRITE) || (c && ev->index < c->count[ev->tid]))
			continue;
		for (; i && out[i - 1].name > s.name; i--)
			out[i] = out[i - 1];
		out[i] = s;
		n++;
	}
	return n;
}

/* Would the operation wait if it found that? */
static bool waits_with(const struct op *op, struct value value)
{
	struct value written;
	const struct guard_op guard = {
		.kind = op->kind, .size = op->size, .arg = op->arg, .expected = op->expected
	};

	if (op->kind == OP_LOAD && op->fn == LOAD_OF_FUTEX)
		return !value_eq(value, op->expected);
	if (op->kind == OP_LOAD && op->fn == LOAD_CHANGED)
		return value_eq(value, op->expected);
	return guard_may_block(op->kind) && op->kind != OP_FUTEX_WAIT &&
	       guard_apply(&guard, value, &written) == GUARD_BLOCKS;
}

/* Is it the first one of its value? */
static bool is_first(const struct source *s, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (value_eq(s[k].value, s[i].value))
			return false;
	return true;
}

/* How many ways are there to go on with that write: whom a signal takes; 0: it has its ways with another one of its value, or waits. */
static uint32_t ways_on(struct engine *e, const struct value_read *r, const struct source *s,
			uint32_t i)
{
	struct graph *g = &e->graph;

	if (!is_first(s, i) || waits_with(&r->op, s[i].value))
		return 0;
	if (r->op.kind == OP_FUTEX_WAKE)
		return graph_choices_of(g, run_peek(e, r->tid, &r->op), value_named(g, s[i].name));
	return graph_choices_with(g, r->op.kind, s[i].value);
}

/* The next value, whose writes are looked for among all sources. */
static bool next_by_number(struct engine *e, struct value_node *node)
{
	struct value_search *v = e->value;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct source *s = arena_take(&g->scratch, (g->n + 1) * sizeof(*s));
	const struct value_read *r = &v->reads[node->at];
	uint32_t which = node->tried++, n = 0, i;

	v->ngood = node->good = v->by_sets ? node->good : node->list;
	node->ngood = 0;
	node->is_settled = false;
	if (!which || which < node->values)
		n = sources(e, r, s);
	for (i = 0; !which && i < n; i++)
		node->values += ways_on(e, r, s, i);
	for (i = 0; i < n; i++) {
		const uint32_t ways = ways_on(e, r, s, i);

		if (which < ways)
			break;
		which -= ways;
	}
	node->choice = which;
	for (uint32_t k = i; k < n; k++)
		if (value_eq(s[k].value, s[i].value)) {
			v->good[v->ngood++] = s[k].name;
			node->ngood++;
		}
	arena_reset(&g->scratch, mark);
	return node->ngood;
}

enum {
	LISTED = 64 /* writes, at most */
};

/* May the sources of the read be listed? Each value is one child then. */
static bool can_list(const struct value_search *v, const struct value_read *r)
{
	return !v->by_sets && !value_is_queue(r->op.kind);
}

/* Leaves those that are not hidden from the read in all executions of the node. */
static uint32_t drop_hidden(struct engine *e, const struct value_read *r, struct source *s,
			    uint32_t n)
{
	struct certain_bounds b;
	uint32_t kept = 0;

	if (n < 2 ||
	    !certain_bound(e, r->tid, graph_find_location(&e->graph, r->op.addr, r->op.size), &b))
		return n;
	for (uint32_t i = 0; i < n; i++)
		if (!certain_is_hidden(&b, s[i].name))
			s[kept++] = s[i];
	return kept;
}

/* Into the node: of each value how many writes have it, and these. False: they are too many. */
static bool list_values(struct engine *e, struct value_node *node)
{
	struct value_search *v = e->value;
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct source *s = arena_take(&g->scratch, (g->n + 1) * sizeof(*s));
	const struct value_read *r = &v->reads[node->at];
	uint32_t n = drop_hidden(e, r, s, sources(e, r, s));
	uint64_t *to = &v->good[node->list];

	for (uint32_t i = 0; i < n && n <= LISTED; i++) {
		uint64_t *count = to;

		if (!ways_on(e, r, s, i))
			continue;
		for (uint32_t k = i; k < n; k++)
			if (value_eq(s[k].value, s[i].value))
				*++to = s[k].name;
		*count = (uint64_t)(to++ - count);
		node->values++;
	}
	node->nlist = (uint32_t)(to - &v->good[node->list]);
	node->behind = node->list;
	v->ngood = node->list + node->nlist;
	arena_reset(&g->scratch, mark);
	return n <= LISTED;
}

bool value_next(struct engine *e, struct value_node *node)
{
	struct value_search *v = e->value;

	if (!node->tried)
		node->lists = can_list(v, &v->reads[node->at]) && list_values(e, node);
	if (!node->lists)
		return next_by_number(e, node);
	if (node->tried == node->values)
		return false;
	node->tried++;
	node->is_settled = false;
	node->choice = 0;
	node->good = node->behind + 1;
	node->ngood = (uint32_t)v->good[node->behind];
	node->behind = node->good + node->ngood;
	return true;
}
