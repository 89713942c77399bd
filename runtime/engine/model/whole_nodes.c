/* SPDX-License-Identifier: BSD-2-Clause */
/* whole_nodes.c - see whole_nodes.h */
#include "engine/model/whole_nodes.h"

enum {
	ROUND = 16 /* events of a loop that looks */
};

static bool is_part(const struct event *ev)
{
	return ev->peer && ev->size &&
	       (ev->kind == OP_LOAD || ev->kind == OP_STORE || ev->kind == OP_RMW);
}

static bool is_inside(const struct location *l, const struct node *node)
{
	return l->size && l->addr >= node->addr && l->addr < node->end;
}

/* Is it of the same access as the event of its thread before it? */
static bool goes_on(const struct event *ev)
{
	return is_rmw_write(ev) || (is_part(ev) && op_part_joined(ev->peer));
}

/* Does the model ask anything but coherence, in this cut? */
static bool asks_for_all(const struct judge *j)
{
	const struct graph *g = j->g;

	if (!j->model->consistent)
		return false;
	return j->model->witness != WITNESS_OF_PSC || g->nsc || g->nfences;
}

/* Numbers the locations to be looked at, each with its initial write. */
static bool number_locations(struct judge *j)
{
	const struct graph *g = j->g;

	for (uint32_t p = 0; p < g->n; p++) {
		const struct event *ev = &g->ev[p];
		struct node range;

		if (!is_part(ev))
			continue;
		range.addr = g->locs[ev->loc].addr - op_part_offset(ev->peer);
		range.end = range.addr + op_part_size(ev->peer);
		for (uint32_t l = 0; l < g->nlocs; l++)
			if (is_inside(&g->locs[l], &range))
				j->number[l] = 1;
	}
	for (uint32_t l = 0; l < g->nlocs; l++) {
		if (!j->all && !j->number[l])
			continue;
		j->number[l] = 0;
		if (g->locs[l].last == NO_POS)
			continue;
		if (j->nlocs == NODES)
			return false;
		j->loc_of[j->nlocs] = l;
		j->number[l] = ++j->nlocs;
	}
	j->n = j->nlocs;
	for (uint32_t l = 0; l < j->nlocs; l++) {
		j->node[l] = (struct node){ .tid = NO_POS, .writes = true };
		j->writes_at[l] = j->at[l] = BIT(l);
	}
	return true;
}

/* The event belongs to the latest node. */
static void take_event(struct judge *j, uint32_t pos)
{
	const struct event *ev = &j->g->ev[pos];
	struct node *node = &j->node[j->n - 1];

	node->last = ev->index;
	node->fence |= (ev->flags & EV_FENCE) != 0;
	node->sc |= ev->order == ORDER_SC;
	j->node_of[pos] = j->n - 1;
}

/* Where it is, and what it does there. */
static void take_location(struct judge *j, uint32_t pos)
{
	const struct event *ev = &j->g->ev[pos];
	uint32_t loc = ev->loc == NO_LOC ? 0 : j->number[ev->loc], n = j->node_of[pos];
	struct node *node = &j->node[n];

	if (!loc || !(ev->flags & (EV_READ | EV_WRITE)))
		return;
	j->at[loc - 1] |= BIT(n);
	if (ev->flags & EV_WRITE) {
		node->writes = true;
		j->writes_at[loc - 1] |= BIT(n);
	}
	if (is_part(ev)) {
		node->addr = j->g->locs[ev->loc].addr - op_part_offset(ev->peer);
		node->end = node->addr + op_part_size(ev->peer);
	}
}

/* What only stands between others need not be a node where coherence is all; and what is in no relation never. */
static bool counts(const struct judge *j, const struct event *ev)
{
	if (ev->loc != NO_LOC)
		return j->all || j->number[ev->loc];
	return j->all && ((ev->flags & EV_FENCE) || (ev->kind >= OP_CREATE && ev->kind <= OP_JOIN));
}

/* Do the events of the thread read the same, knowing the same? */
static bool same_reads(const struct graph *g, uint32_t tid, uint32_t a, uint32_t b)
{
	const struct event *x = &g->ev[g->at[tid][a]], *y = &g->ev[g->at[tid][b]];
	const uint32_t *know = graph_hb(g, g->at[tid][a]), *now = graph_hb(g, g->at[tid][b]);

	if (x->loc != y->loc || x->rf != y->rf || x->order != y->order || x->peer != y->peer)
		return false;
	for (uint32_t t = 0; t < g->nthreads; t++)
		if (t != tid && know[t] != now[t])
			return false;
	return true;
}

static bool only_looks(const struct event *ev)
{
	return (ev->flags & EV_READ) && !(ev->flags & (EV_EXCLUSIVE | EV_BLOCKED));
}

bool whole_repeats(const struct graph *g, uint32_t tid, uint32_t n)
{
	uint32_t length = 1, i;

	for (; length <= ROUND && 3 * length <= n; length++) {
		for (i = 0; i < 2 * length; i++)
			if (!only_looks(&g->ev[g->at[tid][n - 1 - i]]) ||
			    !same_reads(g, tid, n - 1 - i, n - 1 - i - length))
				break;
		if (i == 2 * length)
			return true;
	}
	return false;
}

static bool only_reads(const struct judge *j, const struct node *node)
{
	for (uint32_t i = node->first; i <= node->last; i++)
		if (!only_looks(&j->g->ev[j->g->at[node->tid][i]]))
			return false;
	return true;
}

static bool same_nodes(const struct judge *j, uint32_t a, uint32_t b)
{
	const struct node *x = &j->node[a], *y = &j->node[b];

	if (x->tid != y->tid || x->last - x->first != y->last - y->first)
		return false;
	for (uint32_t i = 0; i <= x->last - x->first; i++)
		if (!same_reads(j->g, x->tid, x->first + i, y->first + i))
			return false;
	return true;
}

/* The latest node before `from`, with nothing but reads behind it, that is the same as that one; NODES: none. */
static uint32_t same_before(const struct judge *j, uint32_t from, uint32_t node)
{
	for (uint32_t i = from; i-- > j->nlocs && j->node[i].tid == j->node[node].tid;) {
		if (!only_reads(j, &j->node[i]))
			break;
		if (same_nodes(j, i, node))
			return i;
	}
	return NODES;
}

/*
 * The latest node is a round, or a part of one, of a loop that looks again and again: it finds what an earlier one found,
 * and so does all in between. Then whatever has to come before it comes before something that
 * whatever has to come behind it comes behind.
 */
static bool says_nothing(const struct judge *j)
{
	uint32_t now = j->n - 1, before;

	if (now < j->nlocs || !only_reads(j, &j->node[now]))
		return false;
	before = same_before(j, now, now);
	if (before == NODES)
		return false;
	for (uint32_t i = before + 1; i < now; i++)
		if (same_before(j, before, i) == NODES)
			return false;
	return true;
}

/* Room for another node. */
static bool next_node(struct judge *j)
{
	if (j->n > j->nlocs && says_nothing(j)) {
		const struct node *node = &j->node[--j->n];

		for (uint32_t i = node->first; i <= node->last; i++)
			j->node_of[j->g->at[node->tid][i]] = NODES;
	}
	return j->n < NODES;
}

static bool make_nodes(struct judge *j)
{
	const struct graph *g = j->g;

	for (uint32_t t = 0; t < g->nthreads; t++)
		for (uint32_t i = 0; i < j->cut[t]; i++) {
			const struct event *ev = &g->ev[g->at[t][i]];

			if (!counts(j, ev))
				continue;
			if (!goes_on(ev)) {
				if (!next_node(j))
					return false;
				j->node[j->n++] = (struct node){ .tid = t, .first = i };
			}
			take_event(j, g->at[t][i]);
		}
	for (uint32_t p = 0; p < g->n; p++)
		if (j->node_of[p] < NODES)
			take_location(j, p);
	return true;
}

/* What an access has begun to write, it writes. */
static void write_all(struct judge *j)
{
	for (uint32_t i = j->nlocs; i < j->n; i++) {
		const struct node *node = &j->node[i];

		for (uint32_t l = 0; node->writes && node->end && l < j->nlocs; l++)
			if (is_inside(&j->g->locs[j->loc_of[l]], node)) {
				j->writes_at[l] |= BIT(i);
				j->at[l] |= BIT(i);
			}
	}
}

/* Notes what the event reads. False: its access has read something else of the location already. */
static bool take_reading(struct judge *j, uint32_t pos)
{
	const struct event *ev = &j->g->ev[pos];
	uint32_t node = j->node_of[pos], loc = ev->loc == NO_LOC ? 0 : j->number[ev->loc];
	uint32_t from = ev->rf == RF_INIT ? loc - 1 : ev->rf < RF_NONE ? j->node_of[ev->rf] : 0;

	if (ev->rf == RF_NONE || (!loc && (ev->rf == RF_INIT || !j->all)))
		return true;
	j->rf.row[from] |= BIT(node);
	if (!loc || !(ev->flags & EV_READ))
		return true;
	for (uint32_t i = j->nreadings; i-- > 0 && j->reading[i].node == node;)
		if (j->reading[i].loc == loc - 1)
			return j->reading[i].source == ev->rf;
	j->node[node].reads = true;
	j->reading[j->nreadings++] =
		(struct reading){ .node = node, .loc = loc - 1, .from = from, .source = ev->rf };
	return true;
}

bool nodes_read(struct judge *j)
{
	const struct graph *g = j->g;

	for (uint32_t t = 0; t < g->nthreads; t++)
		for (uint32_t i = 0; i < j->cut[t]; i++)
			if (j->node_of[g->at[t][i]] < NODES && !take_reading(j, g->at[t][i]))
				return false;
	return true;
}

bool nodes_find(struct judge *j)
{
	j->all = asks_for_all(j);
	if (!number_locations(j) || !make_nodes(j))
		return false;
	write_all(j);
	return true;
}
