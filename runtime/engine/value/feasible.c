/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * feasible.c - is there an execution with these events in which each read observes a good write?
 *
 * Questions, from the cheapest on:
 *
 * 1. May the new read observe a good write in the graph as it is? Then nothing else changes. And if not, and no read
 *    above has a choice, there is no other graph.
 * 2. If it writes as well, and all that write its location stand in one chain, then the graph as it is has said it all.
 *    Else: can each read-modify-write of the location have a write of its own? In the graph those before have, so it is
 *    a matter of one path that alternates between what they read and what else they may (Berge). So a lock that is held is held.
 *    Or is each good write hidden by what is before the read in all executions of the node (certain.h)?
 * 3. A search (rebuild.h) that takes choices of the graph back, if it is short: most are. But 4 comes first where that has said no most of the time,
 *    lately: each 16th question sees to that.
 * 4. Could it, if only those reads observed anything that have no choice? All axioms are about what there is in a graph, so
 *    a graph without some of what its reads observe is consistent if the whole is. So if not, there is no such execution.
 * 5. A search from an empty graph, in a better order, however long.
 */
#include "engine/value/rebuild.h"

#include <string.h>

#include "engine/explore/explore.h"
#include "engine/run/run.h"
#include "engine/value/certain.h"
#include "engine/value/finished.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"

void value_list_again(struct engine *e)
{
	struct thread_set stopped = { 0 };

	/* What stopped a thread for good is no event: it comes behind all others. */
	for (uint32_t i = 0; i < e->nran; i++)
		if (e->ran[i].pos == NO_POS)
			thread_set_add(&stopped, e->ran[i].tid);
	e->nran = 0;
	for (uint32_t pos = 0; pos < e->graph.n; pos++)
		if (happened(e, pos) && !is_rmw_write(&e->graph.ev[pos]))
			e->ran[e->nran++] = (struct ran){ .pos = pos, .tid = e->graph.ev[pos].tid };
	THREAD_SET_EACH(t, &stopped) {
		e->ran[e->nran++] = (struct ran){ .pos = NO_POS, .tid = t };
	}
}

enum {
	SHORT = 24,  /* steps of a search */
	ALWAYS = 256 /* how often what has to be observed excludes the rest */
};

/* Is that to be asked before a search? */
static bool asks_first(struct value_search *v)
{
	return v->excludes > ALWAYS / 4 * 3 || v->searches++ % 16 == 0;
}

/* Is there no graph with what has to be observed? Then the answer is known. */
static bool is_excluded(struct engine *e)
{
	struct rebuilt b;
	bool excluded;

	if (!rebuild_begin(&b, e, false))
		return false;
	excluded = !rebuild_musts(&b, &b.old[b.n - 1]);
	explore_pop(e);
	return excluded;
}

/* is_short: from the graph as it is on, and not for long. */
static enum value_answer search(struct engine *e, bool is_short)
{
	struct rebuilt b;
	enum value_answer a;

	if (!rebuild_begin(&b, e, is_short))
		return VALUE_FULL;
	a = is_short ? rebuild_change(&b, SHORT) : rebuild_search(&b);
	if (a != VALUE_OTHER)
		explore_pop(e);
	return a;
}

/* The newest event of the graph is the read, which observes nothing. */
static enum value_answer otherwise(struct engine *e)
{
	struct value_search *v = e->value;
	char *mark = arena_mark(&e->graph.scratch);
	const bool asks = asks_first(v), excluded = asks && is_excluded(e);
	enum value_answer a = VALUE_NEVER;

	e->stats.values[VALUES_SEARCHED]++;
	if (asks) {
		v->excludes -= v->excludes / 16;
		v->excludes += excluded ? ALWAYS / 16 : 0;
	}
	if (!excluded)
		a = search(e, true);
	if (a == VALUE_FULL)
		a = !asks && is_excluded(e) ? VALUE_NEVER : search(e, false);
	e->stats.values[VALUES_FOUND] += a == VALUE_OTHER;
	arena_reset(&e->graph.scratch, mark);
	return a;
}

/* Could any read observe anything else than it does in the graph? */
static bool any_choice(const struct value_search *v)
{
	for (uint32_t i = 0; i + 1 < v->nnodes; i++)
		if (v->node[i].ngood > 1)
			return true;
	return false;
}

/* The read-modify-write that takes that good write now, or NO_POS. */
static uint32_t taker_of(const struct graph *g, uint32_t loc, uint64_t name)
{
	if (!name)
		return g->locs[loc].taker;
	return g->ev[g->at[(name - 1) >> 32][(uint32_t)(name - 1)]].taker;
}

/* The read at pos, which observes nothing yet: can it take a good write, if others take other good ones for it? */
static bool can_take(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	const struct value_search *v = e->value;
	char *mark = arena_mark(&g->scratch);
	uint32_t *want = arena_take(&g->scratch, (g->n + 1) * sizeof(*want)), n = 1;
	bool *seen = arena_take(&g->scratch, g->n * sizeof(*seen)), found = false;

	memset(seen, 0, g->n * sizeof(*seen));
	want[0] = pos;
	for (uint32_t i = 0; i < n && !found; i++) {
		const struct value_node *node = &v->node[g->ev[want[i]].slot];

		for (uint32_t k = 0; k < node->ngood && !found; k++) {
			const uint32_t taker = taker_of(g, g->ev[pos].loc, v->good[node->good + k]);

			found = taker == NO_POS;
			if (found || seen[taker])
				continue;
			seen[taker] = true;
			want[n++] = taker;
		}
	}
	arena_reset(&g->scratch, mark);
	return found;
}

/* A location as a lock, seen from its latest write on (backwards in each thread). */
struct backwards {
	bool freed[VALUE_ROW]; /* the thread has given it back behind what was met so far, */
	uint32_t nfreed;       /* and so often, all threads, without having taken it */
};

/* The write at pos, which is the next one. False: no lock is used so. */
static bool is_of_lock(const struct graph *g, uint32_t pos, struct backwards *b)
{
	const struct event *ev = &g->ev[pos];
	const struct value free = g->locs[ev->loc].initial;
	const struct event *read = is_rmw_write(ev) ? &g->ev[g->at[ev->tid][ev->index - 1]] : NULL;

	if (value_eq(ev->written, free)) {
		b->freed[ev->tid] = true;
		b->nfreed++;
		return true;
	}
	if (read && value_eq(read->read, free)) {
		b->nfreed -= b->freed[ev->tid];
		b->freed[ev->tid] = false;
	}
	return read;
}

/*
 * Does a read-modify-write that is in turn, and is to return that value, observe the same write in all executions of the node, or nothing? So it is where all that write are read-modify-writes,
 * which stand in one chain; and if the location is a lock, and the value that it is free. (value.txt, V10)
 */
static bool is_chain(const struct graph *g, uint32_t loc, struct value v)
{
	struct backwards b = { .nfreed = 0 };
	bool all_exchange = true, is_lock = value_eq(v, g->locs[loc].initial);

	for (uint32_t p = g->locs[loc].last; p != NO_POS && (all_exchange || is_lock);
	     p = g->ev[p].prev_at_loc) {
		if (!(g->ev[p].flags & EV_WRITE))
			continue;
		all_exchange = all_exchange && is_rmw_write(&g->ev[p]);
		is_lock = is_lock && is_of_lock(g, p, &b);
	}
	return all_exchange || (is_lock && !b.nfreed);
}

/* Has the thread ever written by a read-modify-write? */
static bool has_exchanged(const struct graph *g, uint32_t tid)
{
	for (uint32_t i = 0; i < g->count[tid]; i++)
		if (is_rmw_write(&g->ev[g->at[tid][i]]))
			return true;
	return false;
}

/* Does the read at pos, the last event, stand in a section of a lock, and all writes of its location in such of the same one? (V10) */
static bool is_guarded(struct engine *e, uint32_t pos)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	uint64_t *held, common;

	if (!has_exchanged(g, g->ev[pos].tid))
		return false;
	held = arena_take(&g->scratch, g->n * sizeof(*held));
	value_sections(e, held, e->value->by_sets);
	common = held[pos];
	for (uint32_t p = g->locs[g->ev[pos].loc].last; p != NO_POS; p = g->ev[p].prev_at_loc)
		if (g->ev[p].flags & EV_WRITE)
			common &= held[p];
	arena_reset(&g->scratch, mark);
	return common;
}

/* Of the good writes of the latest node that one is left, which the read in turn observes in all executions. */
static void leave_one(struct engine *e, struct value_node *node, uint32_t rf)
{
	struct value_search *v = e->value;

	v->good[node->good] = rf == RF_INIT ? 0 : event_name(&e->graph.ev[rf]);
	node->ngood = 1;
	if (!node->lists)
		v->ngood = node->good + 1;
}

/* Does the graph as it is say of all executions of the node what the read at pos, the last event, may observe, of the value that the write has? (V10) */
static bool is_settled(struct engine *e, uint32_t pos, uint32_t write, bool writes)
{
	const struct graph *g = &e->graph;
	const uint32_t loc = g->ev[pos].loc;

	return (writes && is_chain(g, loc, graph_value(g, loc, write))) || is_guarded(e, pos);
}

/*
 * The good writes of the node, at that location, into out. The one that is last in the witness comes first: it may be observed, and leaves the witness as it
 * is. Then the latest ones.
 */
static uint32_t good_writes(const struct engine *e, uint32_t which, uint32_t loc, uint32_t *out)
{
	const struct graph *g = &e->graph;
	const struct value_node *node = &e->value->node[which];
	uint32_t n = 0;

	for (uint32_t k = 0; k < node->ngood; k++) {
		const uint32_t write = value_named(g, e->value->good[node->good + k]);
		uint32_t i = n++;

		for (; i && write != g->locs[loc].mo_last && out[i - 1] != g->locs[loc].mo_last &&
		       (out[i - 1] == RF_INIT || (write != RF_INIT && out[i - 1] < write));
		     i--)
			out[i] = out[i - 1];
		for (; i && write == g->locs[loc].mo_last; i--)
			out[i] = out[i - 1];
		out[i] = write;
	}
	return n;
}

static enum value_answer ask(struct engine *e, uint32_t tid, const struct op *op, uint32_t which,
			     uint32_t *rf)
{
	struct graph *g = &e->graph;
	struct value_node *node = &e->value->node[which];
	char *mark = arena_mark(&g->scratch);
	uint32_t pos, n, one;
	enum value_answer a = VALUE_NEVER;
	bool writes, excluded;
	uint32_t *want = arena_take(&g->scratch, (g->n + 1) * sizeof(*want)), nwant = 0;

	witness_settle(g, e->model);
	pos = run_add_read(e, tid, op);
	g->ev[pos].slot = which;
	g->ev[pos].written = g->locs[g->ev[pos].loc].initial;
	nwant = good_writes(e, which, g->ev[pos].loc, want);
	n = run_may_observe(e, pos, want, nwant, 1, rf);
	writes = nwant && run_guard(e, pos, want[0], 0) == GUARD_WRITES;
	one = nwant ? want[0] : RF_INIT;
	arena_reset(&g->scratch, mark);
	if (n && nwant > 1 && is_settled(e, pos, one, writes))
		leave_one(e, node, *rf);
	excluded = !n && (!any_choice(e->value) || is_settled(e, pos, one, writes) ||
			  (writes && !can_take(e, pos)) ||
			  (!node->lists && certain_hides(e, pos, which)));
	if (n)
		a = VALUE_DIRECT;
	else if (!excluded)
		a = otherwise(e);
	e->stats.values[VALUES_EXCLUDED] += excluded;
	if (a != VALUE_OTHER)
		graph_truncate(g, pos);
	else
		certain_keep(e->value, 0);
	return a;
}

/* What may be asked about the read at pos, which observes nothing in the graph as it is. */
static enum value_answer ask_others(struct engine *e, uint32_t pos, bool writes)
{
	const uint32_t which = e->graph.ev[pos].slot;

	certain_keep(e->value, 0);
	if (!value_widen(e))
		return VALUE_FULL;
	if (!any_choice(e->value) || (writes && !can_take(e, pos)) ||
	    certain_hides(e, pos, which)) {
		e->stats.values[VALUES_EXCLUDED]++;
		return VALUE_NEVER;
	}
	return otherwise(e);
}

/* The child is one that the read at pos leads to; n of its good writes may be observed in the graph, as *rf. */
static enum value_answer ask_child(struct engine *e, uint32_t pos, struct value_child *child,
				   uint32_t *rf, const uint32_t *want, uint32_t nwant, bool writes)
{
	struct value_node *node = value_latest(e->value);

	if (child->settled) {
		if (!run_may_observe(e, pos, want, nwant, 1, rf))
			return VALUE_NEVER;
		leave_one(e, node, *rf);
		node->is_settled = true;
		node->write = child->write = e->value->good[node->good];
	}
	if (finished_child(e, child) && finished_has(e, child))
		return VALUE_MET;
	if (child->settled || run_may_observe(e, pos, want, nwant, 1, rf))
		return VALUE_DIRECT;
	return ask_others(e, pos, writes);
}

/* The same where the search goes by sets of events (V13). */
static enum value_answer ask_by_sets(struct engine *e, uint32_t tid, const struct op *op,
				     uint32_t *rf)
{
	struct graph *g = &e->graph;
	const uint32_t which = e->value->nnodes - 1;
	char *mark = arena_mark(&g->scratch);
	uint32_t *want = arena_take(&g->scratch, (g->n + 1) * sizeof(*want)), nwant, pos;
	struct value_child child = { .tid = tid };
	enum value_answer a;
	bool writes;

	e->value->node[which].index = g->count[tid];
	known_step(e, tid); /* and that is where it stays while the read is asked about */
	witness_settle(g, e->model);
	pos = run_add_read(e, tid, op);
	g->ev[pos].slot = which;
	g->ev[pos].written = g->locs[g->ev[pos].loc].initial;
	nwant = good_writes(e, which, g->ev[pos].loc, want);
	writes = run_guard(e, pos, want[0], 0) == GUARD_WRITES;
	child.came = graph_value(g, g->ev[pos].loc, want[0]);
	child.settled = is_settled(e, pos, want[0], writes);
	a = ask_child(e, pos, &child, rf, want, nwant, writes);
	arena_reset(&g->scratch, mark);
	if (a != VALUE_OTHER)
		graph_truncate(g, pos);
	else
		certain_keep(e->value, 0);
	return a;
}

enum value_answer value_feasible(struct engine *e, uint32_t tid, const struct op *op, uint32_t node,
				 uint32_t *rf)
{
	const uint64_t begun = e->config.ticks ? e->config.ticks() : 0;
	const enum value_answer a =
		e->value->by_sets ? ask_by_sets(e, tid, op, rf) : ask(e, tid, op, node, rf);

	e->stats.values[VALUES_ASKED]++;
	e->stats.values[VALUES_DIRECT] += a == VALUE_DIRECT;
	if (begun)
		e->stats.values[VALUES_NS] += e->config.ticks() - begun;
	return a;
}
