/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nodes.c - the recursion of the exploration by values, as a stack of nodes (value.h; value.txt, V1 to V4)
 *
 * What each thread does next is in value_search.next: from the program, or known from earlier runs (ahead.c).
 */
#include "engine/value/nodes.h"

#include <string.h>

#include "engine/run/run.h"
#include "engine/value/board.h"
#include "engine/value/finished.h"
#include "engine/value/queues.h"

/* ---- The causal map ---------------------------------------------------------------------------- */

static void causal_add(struct engine *e, uint32_t tid)
{
	struct value_search *v = e->value;
	struct value_causal *c = &v->causal[v->ncausal];

	if (v->by_sets) /* there is none (V13) */
		return;
	v->ncausal++;
	c->tid = tid;
	c->index = e->graph.count[tid];
	c->before = v->last[tid];
	c->node = v->nnodes - 1;
	memcpy(c->count, e->graph.count, sizeof(c->count));
	v->last[tid] = v->ncausal;
}

static void causal_drop(struct value_search *v, uint32_t n)
{
	while (v->ncausal > n) {
		const struct value_causal *c = &v->causal[--v->ncausal];

		v->last[c->tid] = c->before;
	}
}

/* ---- Signals ----------------------------------------------------------------------------------- */

void value_signal(struct engine *e, uint32_t tid, uint64_t addr)
{
	struct value_search *v = e->value;

	finished_note_write(v, tid, addr);
	for (uint32_t i = 0; i < v->nnodes; i++) {
		struct value_node *node = &v->node[i];
		const struct value_read *r = &v->reads[node->at];

		if (node->begun && r->tid != tid && r->op.addr == addr)
			node->goes_on = true;
	}
}

void value_note_writer(struct engine *e, const struct event *write)
{
	uint32_t *last = e->value->wrote[write->loc < e->value->room ? write->loc : 0];

	if (write->loc < e->value->room && last[write->tid] <= write->index)
		last[write->tid] = write->index + 1;
}

/* ---- Nodes ------------------------------------------------------------------------------------- */

bool value_has_room(const struct engine *e, uint32_t good)
{
	const struct value_search *v = e->value;
	const uint32_t n = VALUE_ROW + 4;

	return v->nnodes + n < v->room && v->nreads + n < v->room && v->ncausal + n < v->room &&
	       v->ngood + good < v->room;
}

/* How many other threads write what the thread is about to read, some time later, for all that was seen in other executions? */
static uint32_t writers_to_come(const struct engine *e, uint32_t tid)
{
	const struct op *op = &e->value->next[tid];
	const uint32_t loc = graph_find_location(&e->graph, op->addr, op->size);
	uint32_t n = 0;

	for (uint32_t t = 0; t < e->nthreads && loc < e->value->room; t++)
		n += t != tid && e->value->wrote[loc][t] > e->graph.count[t];
	return n;
}

/*
 * In which order the reads of a node are tried: those of which the causal map says nothing come first, since signals are of
 * use there; and of these those for which nothing new comes up, as far as is known: then no other one need be tried.
 * In a long execution it is those whose threads have done least: a loop without end must not keep all others from what they have to show.
 */
static uint64_t turn_of(const struct engine *e, uint32_t tid)
{
	const uint64_t behind = (uint64_t)(value_causal_of(e, tid) != NULL) << 32;

	return behind + (e->graph.n < VALUE_LONG ? writers_to_come(e, tid) : e->graph.count[tid]);
}

static void insert_read(struct engine *e, uint32_t first, uint32_t tid)
{
	struct value_search *v = e->value;
	uint32_t i = v->nreads++;

	v->had_queues = v->had_queues || value_is_queue(v->next[tid].kind);

	for (; i > first && turn_of(e, v->reads[i - 1].tid) > turn_of(e, tid); i--)
		v->reads[i] = v->reads[i - 1];
	v->reads[i] = (struct value_read){ .tid = tid, .op = v->next[tid] };
}

/*
 * All reads that are next. If a thread is to choose, that alone: what it takes changes nothing for the others. So it is if a thread is to go
 * to sleep: nobody else can do anything to the queue before (V11).
 */
static void add_reads(struct engine *e, uint32_t first)
{
	struct value_search *v = e->value;

	for (uint32_t t = 0; t < e->nthreads; t++)
		if (value_chooses(&v->next[t]) || v->next[t].kind == OP_FUTEX_WAIT) {
			insert_read(e, first, t);
			return;
		}
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct op *op = &v->next[t];

		if (!op_reads(op))
			continue;
		insert_read(e, first, t);
		/* Whoever reads what it reads cannot do so as a read-modify-write. */
		if (op->kind != OP_LOAD)
			value_signal(e, t, op->addr);
	}
}

bool value_new_node(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_node *node = &v->node[v->nnodes];
	uint32_t first = v->nreads;

	add_reads(e, first);
	if (v->nreads == first)
		return false;
	*node = (struct value_node){ .n = e->graph.n,
				     .nframes = e->nframes,
				     .first = first,
				     .at = first,
				     .end = v->nreads,
				     .goes_on = true,
				     .open = v->open,
				     .list = v->ngood,
				     .good = v->ngood,
				     .causal = v->ncausal };
	v->nnodes++;
	if (v->by_sets) {
		for (uint32_t i = first; i < v->nreads; i++)
			if (v->reads[i].op.kind != OP_LOAD)
				finished_note_write(v, v->reads[i].tid, v->reads[i].op.addr);
		finished_name(e);
	} else if (!v->is_decided) {
		v->nmade++;
		finished_met(e);
	}
	return true;
}

void value_drop_node(struct value_search *v)
{
	const struct value_node *node = value_latest(v);

	v->nreads = node->first;
	v->ngood = v->by_sets ? node->good : node->list;
	causal_drop(v, node->causal);
	v->nnodes--;
}

/* ---- Children ---------------------------------------------------------------------------------- */

/*
 * Is it to be left to the others to go on, whether or not the read in turn can return anything? What the word of a futex is last need not let the thread
 * pass, though something that it may read does. (V11)
 */
static bool leaves_it_to_others(const struct op *op)
{
	return op->kind == OP_LOAD && (op->fn == LOAD_OF_FUTEX || op->fn == LOAD_CHANGED);
}

/* All of its value that are there are good for the read, but for what its thread writes later. */
static void add_good(struct value_search *v, const struct graph *g, const struct event *read)
{
	for (uint32_t p = g->locs[read->loc].last; p != NO_POS; p = g->ev[p].prev_at_loc) {
		const struct event *ev = &g->ev[p];

		if ((ev->flags & EV_WRITE) && value_eq(ev->written, read->read) &&
		    !(ev->tid == read->tid && ev->index > read->index))
			v->good[v->ngood++] = event_name(ev);
	}
	if (value_eq(g->locs[read->loc].initial, read->read))
		v->good[v->ngood++] = 0;
}

bool value_widen(struct engine *e)
{
	struct value_search *v = e->value;
	const struct graph *g = &e->graph;
	struct value_node *latest = value_latest(v);
	char *mark = arena_mark(&e->graph.scratch);
	const size_t size = latest->ngood * sizeof(*v->good);
	uint64_t *own = arena_take(&e->graph.scratch, size + 1);
	bool room = true;

	memcpy(own, &v->good[latest->good], size);
	v->ngood = 0;
	for (uint32_t pos = 0; pos < g->n && room; pos++) {
		const struct event *ev = &g->ev[pos];
		struct value_node *node = &v->node[ev->slot];

		if (!(ev->flags & EV_READ) || ev->kind == OP_CHOOSE || node == latest)
			continue;
		node->good = v->ngood;
		room = v->ngood + g->n < v->room;
		if (node->is_settled)
			v->good[v->ngood++] = node->write;
		else if (room)
			add_good(v, g, ev);
		node->ngood = v->ngood - node->good;
	}
	room = room && v->ngood + latest->ngood < v->room;
	latest->good = v->ngood;
	if (room)
		memcpy(&v->good[latest->good], own, size);
	v->ngood += latest->ngood;
	arena_reset(&e->graph.scratch, mark);
	return room;
}

bool value_has_name(const struct value_search *v, uint32_t node, uint64_t name)
{
	const struct value_node *of = &v->node[node];

	for (uint32_t i = 0; i < of->ngood; i++)
		if (v->good[of->good + i] == name)
			return true;
	return false;
}

bool value_is_good(const struct engine *e, uint32_t node, uint32_t write)
{
	return value_has_name(e->value, node,
			      write == RF_INIT ? 0 : event_name(&e->graph.ev[write]));
}

/* Does the value in turn lead to the end of an execution whose vector was visited? Nothing need be asked about it, then. */
static bool ends_visited(struct engine *e, const struct value_node *node,
			 const struct value_read *r)
{
	const struct value_search *v = e->value;
	const struct graph *g = &e->graph;
	struct value_child child = { .tid = r->tid };
	uint32_t loc;

	if (node->end - node->first > 1 || !node->lists || node->open || e->config.board ||
	    guard_may_block(r->op.kind))
		return false;
	loc = graph_find_location(g, r->op.addr, r->op.size);
	child.came = graph_value(g, loc, value_named(g, v->good[node->good]));
	return finished_visited(e, &child);
}

/* The next child by the read in turn. */
static enum value_answer next_by_read(struct engine *e, struct value_node *node, uint32_t *rf)
{
	const struct value_read *r = &e->value->reads[node->at];

	if (value_chooses(&r->op)) {
		node->values = r->op.peer;
		*rf = node->tried;
		return node->tried++ < node->values ? VALUE_DIRECT : VALUE_NEVER;
	}
	while (value_next(e, node)) {
		enum value_answer a;

		if (ends_visited(e, node, r))
			return VALUE_MET;
		a = value_feasible(e, r->tid, &r->op, e->value->nnodes - 1, rf);
		if (a != VALUE_NEVER)
			return a;
	}
	return VALUE_NEVER;
}

/* The search is through with that child, which says nothing of whether the operation may pass behind the node's executions. */
static bool is_only_met(const struct value_node *node, const struct op *op, enum value_answer a)
{
	return a == VALUE_MET && !node->is_settled && guard_may_block(op->kind);
}

enum value_answer value_next_child(struct engine *e, uint32_t *rf)
{
	struct value_search *v = e->value;
	struct value_node *node = value_latest(v);

	for (; node->at < node->end && (node->begun || node->goes_on); node->at++) {
		const struct value_read *r = &v->reads[node->at];
		enum value_answer a;
		bool is;

		if (!node->begun) {
			node->begun = true;
			node->any = false;
			node->tried = node->values = 0;
			node->under = value_causal_of(e, r->tid) ? v->last[r->tid] : 0;
		}
		do {
			a = next_by_read(e, node, rf);
			/* A lock that nothing lets pass leaves it to others to go on. */
			is = a != VALUE_NEVER && !is_only_met(node, &r->op, a);
			if (is && !node->any && !node->under && !leaves_it_to_others(&r->op))
				node->goes_on = false;
			node->any |= is;
			if (a == VALUE_MET)
				finished_signal(e);
		} while (a == VALUE_MET);
		if (a != VALUE_NEVER)
			return a;
		if (node->join && !board_arrive(e))
			return VALUE_LEFT;
		causal_add(e, r->tid);
		node->begun = false;
	}
	return VALUE_NEVER;
}
