/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * again.c - is the execution one of those that were visited elsewhere?
 *
 * At a node A all values of a read r were tried. Where its other reads go on, r observes none of the writes that were there
 * (causal map), but it may observe another one with the same value; and what comes of it may be nothing new. Let E be such an
 * execution, at its end. If there is one with the same values in which
 *
 *	- the reads above A observe good writes, as they do in E,
 *	- r observes a write that was there at A, and
 *	- no read observes what the causal map had against it at A, before r was tried,
 *
 * then it is one of those that are below A with r in turn, so these values were met there: E is left out. They were, or
 * would have been but for others that are left out likewise, each for one that comes before it. So of each vector of values
 * the first execution stays.
 */
#include "engine/explore/explore.h"
#include "engine/value/rebuild.h"

/* What the causal map had of that read when it had so many entries, or NULL. */
static const struct value_causal *entry_of(const struct value_search *v, uint32_t n,
					   const struct event *read)
{
	while (n--)
		if (v->causal[n].tid == read->tid && v->causal[n].index == read->index)
			return &v->causal[n];
	return NULL;
}

static bool was_there(const struct value_causal *c, const struct event *write)
{
	return !write || write->index < c->count[write->tid];
}

static bool may_observe(const struct rebuilt *b, const struct event *read,
			const struct event *write)
{
	const struct value_search *v = b->e->value;
	const struct value_causal *tried = b->ctx, *c;

	if (read->slot < tried->node)
		return value_has_name(v, read->slot, write ? event_name(write) : 0);
	if (read->tid == tried->tid && read->index == tried->index)
		return was_there(tried, write);
	c = entry_of(v, (uint32_t)(tried - v->causal), read);
	return !c || !was_there(c, write);
}

/* Was a write there with the value that the entry's read has now? */
static bool had_value(const struct engine *e, const struct value_causal *tried)
{
	const struct graph *g = &e->graph;
	const struct event *read = &g->ev[g->at[tried->tid][tried->index]];

	if (value_eq(g->locs[read->loc].initial, read->read))
		return true;
	for (uint32_t p = g->locs[read->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if ((g->ev[p].flags & EV_WRITE) && was_there(tried, &g->ev[p]) &&
		    value_eq(g->ev[p].written, read->read))
			return true;
	return false;
}

/* Is there one with the same values in which the read observes what it could when the entry was made? */
static bool comes_before(struct engine *e, struct value_causal *tried)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct rebuilt b;
	bool found;

	if (!had_value(e, tried) || !rebuild_begin(&b, e, false))
		return false;
	b.by_value = true;
	b.may_observe = may_observe;
	b.ctx = tried;
	found = rebuild_musts(&b, NULL);
	graph_truncate(g, 0);
	found = found && rebuild_search(&b) == VALUE_OTHER;
	explore_pop(e);
	arena_reset(&g->scratch, mark);
	return found;
}

bool value_was_visited(struct engine *e)
{
	const struct value_search *v = e->value;

	for (uint32_t i = 0; i < v->nnodes; i++)
		if (v->node[i].begun && v->node[i].under &&
		    comes_before(e, &v->causal[v->node[i].under - 1]))
			return true;
	return false;
}
