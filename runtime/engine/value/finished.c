/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * finished.c - see finished.h
 *
 * The name of a node is that of its threads' steps (known.h), as of a vector, and of what its settled reads observe. A child is looked for before
 * anything is asked about it: what follows its read at once is gone through in the steps, without the graph.
 *
 * Cost: O(threads) for a name, and O(1) for each step that follows.
 */
#include "engine/value/finished.h"

#include <string.h>

#include "base/table.h"
#include "engine/run/run.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"

enum {
	FIRST_BITS = 10
};

/* ---- Writes ------------------------------------------------------------------------------------ */

static uint64_t bit_of(uint64_t addr)
{
	return (uint64_t)1 << (table_mix(0, addr) & 63);
}

static void writes_add(struct value_writes *w, uint32_t tid, uint64_t addr)
{
	w->of[tid % VALUE_WRITERS] |= bit_of(addr);
}

static void writes_join(struct value_writes *w, const struct value_writes *from)
{
	for (uint32_t i = 0; i < VALUE_WRITERS; i++)
		w->of[i] |= from->of[i];
}

void finished_note_write(struct value_search *v, uint32_t tid, uint64_t addr)
{
	if (v->by_sets && v->nnodes)
		writes_add(&value_latest(v)->below, tid, addr);
}

/* All of them signal, as they would one by one. */
static void signal_all(struct engine *e, const struct value_writes *w)
{
	struct value_search *v = e->value;
	uint64_t others[VALUE_WRITERS] = { 0 };

	for (uint32_t i = 0; i < VALUE_WRITERS; i++)
		for (uint32_t k = 0; k < VALUE_WRITERS; k++)
			others[i] |= k != i || e->nthreads > VALUE_WRITERS ? w->of[k] : 0;
	for (uint32_t i = 0; i < v->nnodes; i++) {
		struct value_node *node = &v->node[i];
		const struct value_read *r = &v->reads[node->at];

		if (node->begun && others[r->tid % VALUE_WRITERS] & bit_of(r->op.addr))
			node->goes_on = true;
	}
	writes_join(&value_latest(v)->below, w);
}

/* ---- The table --------------------------------------------------------------------------------- */

static uint32_t *find(struct value_search *v, struct engine_id name)
{
	uint32_t *slot;

	TABLE_FIND(slot, v->finished_slot, v->finished_bits, name.a,
		   !*slot || (v->finished[*slot - 1].name.a == name.a &&
			      v->finished[*slot - 1].name.b == name.b));
	return slot;
}

/* Small at first, so that a search that visits little touches little memory. */
static void widen(struct value_search *v)
{
	v->finished_bits = table_wider(v->finished_bits, FIRST_BITS);
	memset(v->finished_slot, 0, table_slots(v->finished_bits) * sizeof(*v->finished_slot));
	for (uint32_t i = 0; i < v->nfinished; i++)
		*find(v, v->finished[i].name) = i + 1;
}

void finished_empty(struct value_search *v)
{
	v->nfinished = v->finished_bits = 0;
}

/* Where nothing fits any more, what comes later is not remembered. */
static void add(struct value_search *v, struct engine_id name, const struct value_writes *below)
{
	uint32_t *slot;

	if (v->nfinished == v->room || (v->finished_bits && *find(v, name)))
		return;
	if (table_full(v->nfinished, v->finished_bits))
		widen(v);
	slot = find(v, name);
	v->finished[v->nfinished++] = (struct value_finished){ .name = name, .below = *below };
	*slot = v->nfinished;
}

/* ---- Names ------------------------------------------------------------------------------------- */

static struct engine_id join_names(struct engine_id a, struct engine_id b)
{
	return (struct engine_id){ a.a + b.a, a.b + b.b };
}

/* That the read observes that write; such are added up, since which came to be known first is nothing. */
static struct engine_id name_of_settled(uint32_t tid, uint32_t index, uint64_t write)
{
	const uint64_t read = (uint64_t)tid << 32 | index;

	return (struct engine_id){ table_mix(table_mix(3, read), write),
				   table_mix(table_mix(4, write), read) };
}

/* Of what all settled reads of the latest node's events observe. */
static struct engine_id settled_above(const struct value_search *v)
{
	const struct value_node *above = &v->node[v->nnodes > 1 ? v->nnodes - 2 : 0];
	const struct value_read *r = &v->reads[above->at];

	if (v->nnodes < 2)
		return (struct engine_id){ 0, 0 };
	if (!above->is_settled)
		return above->settled;
	return join_names(above->settled, name_of_settled(r->tid, above->index, above->write));
}

static void add_step(struct engine_id *id, struct engine_id step, uint32_t tid)
{
	id->a = table_mix(id->a, step.a);
	id->b = table_mix(table_mix(id->b, step.b), tid);
}

static bool name_of_steps(struct engine *e, struct engine_id *id)
{
	*id = (struct engine_id){ 5, 6 };
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct value_step *s = known_step(e, t);

		if (!s)
			return false;
		add_step(id, s->reads, t);
	}
	return true;
}

void finished_name(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_node *node = value_latest(v);

	node->is_named = name_of_steps(e, &node->name);
	node->settled = settled_above(v);
	node->name = join_names(node->name, node->settled);
}

void finished_met(struct engine *e)
{
	const struct value_writes none = { 0 };
	struct engine_id name;

	if (name_of_steps(e, &name))
		add(e->value, name, &none);
}

uint32_t finished_names(const struct value_search *v)
{
	return v->nfinished;
}

void finished_add(struct engine *e)
{
	struct value_search *v = e->value;
	const struct value_node *node = value_latest(v);

	if (node->is_named)
		add(v, node->name, &node->below);
	if (v->nnodes > 1)
		writes_join(&v->node[v->nnodes - 2].below, &node->below);
}

void finished_over(struct engine *e)
{
	struct value_search *v = e->value;
	const struct value_node *above = value_latest(v);
	const struct value_writes none = { 0 };
	struct engine_id name;

	if (!name_of_steps(e, &name))
		return;
	name = join_names(name, above->settled);
	if (above->is_settled)
		name = join_names(
			name, name_of_settled(v->reads[above->at].tid, above->index, above->write));
	add(v, name, &none);
}

/* ---- Children ---------------------------------------------------------------------------------- */

/* Where the threads are, by their steps. */
struct walk {
	bool plain;             /* accesses that are no more than plain come on the way */
	uint32_t at[VALUE_ROW]; /* 1 + the step */
	bool over[VALUE_ROW];
};

enum moved {
	STAYS,
	MOVED,
	UNKNOWN
};

static enum moved move(struct engine *e, struct walk *w, uint32_t tid, struct value_writes *writes)
{
	struct value_search *v = e->value;
	const struct value_step *s = &v->step[w->at[tid] - 1];
	struct value came = value_of(0);

	if (w->over[tid])
		return STAYS;
	if (s->op.kind == OP_KINDS)
		return UNKNOWN;
	if (op_reads(&s->op) || value_chooses(&s->op) || s->op.kind == OP_EXIT ||
	    s->op.kind == OP_STUCK || s->op.kind == OP_BLOCK)
		return STAYS;
	if (s->op.kind == OP_JOIN && !w->over[s->op.peer])
		return STAYS;
	/* The rest is seldom, and a matter of more than steps. */
	if (s->op.kind == OP_BARRIER_PASS || s->op.kind == OP_COND_WOKEN ||
	    s->op.kind == OP_CREATE || s->op.kind == OP_START)
		return UNKNOWN;
	if (s->op.kind == OP_JOIN) {
		came = known_joined(v, w->at[s->op.peer]).value;
	} else if (s->op.addr) {
		w->plain |= s->op.order == ORDER_NA;
		writes_add(writes, tid, s->op.addr);
	}
	w->over[tid] = s->op.kind == OP_END;
	w->at[tid] = known_behind(v, w->at[tid], came);
	return w->at[tid] ? MOVED : UNKNOWN;
}

/* Goes on to where all threads are at reads. */
static bool walk_on(struct engine *e, struct walk *w, uint32_t tid, struct value_writes *writes)
{
	enum moved m;
	bool any;

	while ((m = move(e, w, tid, writes)) == MOVED)
		;
	if (m == UNKNOWN || !w->over[tid])
		return m != UNKNOWN;
	do {
		any = false;
		for (uint32_t t = 0; t < e->nthreads; t++) {
			if (graph_end_of(&e->graph, t) != NO_POS || !e->graph.count[t])
				continue;
			while ((m = move(e, w, t, writes)) == MOVED)
				any = true;
			if (m == UNKNOWN)
				return false;
		}
	} while (any);
	return true;
}

/* To where all threads are at reads behind the child, or over. False: that is not known. */
static bool walk_behind(struct engine *e, struct value_child *child, struct walk *w)
{
	struct value_search *v = e->value;

	child->on_the_way = (struct value_writes){ 0 };
	w->plain = v->step[v->at[child->tid] - 1].op.order == ORDER_NA;
	for (uint32_t t = 0; t < e->nthreads; t++) {
		if (t != child->tid && !known_step(e, t))
			return false;
		w->at[t] = v->at[t];
		w->over[t] = graph_end_of(&e->graph, t) != NO_POS;
		if (v->step[w->at[t] - 1].op.kind == OP_BARRIER_PASS)
			return false;
	}
	w->at[child->tid] = known_behind(v, w->at[child->tid], child->came);
	return w->at[child->tid] && walk_on(e, w, child->tid, &child->on_the_way);
}

bool finished_child(struct engine *e, struct value_child *child)
{
	struct value_search *v = e->value;
	const struct value_node *node = value_latest(v);
	struct engine_id id = { 5, 6 };
	struct walk w;

	if (!node->is_named || !walk_behind(e, child, &w))
		return false;
	for (uint32_t t = 0; t < e->nthreads; t++)
		add_step(&id, v->step[w.at[t] - 1].reads, t);
	child->name = join_names(id, node->settled);
	if (child->settled)
		child->name = join_names(child->name,
					 name_of_settled(child->tid, node->index, child->write));
	return true;
}

bool finished_visited(struct engine *e, struct value_child *child)
{
	struct value_search *v = e->value;
	struct engine_id id = visited_no_name;
	struct walk w;

	if (!known_step(e, child->tid) || !walk_behind(e, child, &w) || w.plain)
		return false;
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct value_step *s = &v->step[w.at[t] - 1];

		if (!w.over[t] && s->op.kind != OP_EXIT)
			return false;
		visited_add_name(&id, s->reads, t);
	}
	v->met = child->on_the_way;
	return visited_has(v, id);
}

bool finished_has(struct engine *e, const struct value_child *child)
{
	struct value_search *v = e->value;
	const uint32_t slot = v->finished_bits ? *find(v, child->name) : 0;

	if (!slot)
		return false;
	v->met = child->on_the_way;
	writes_join(&v->met, &v->finished[slot - 1].below);
	return true;
}

void finished_signal(struct engine *e)
{
	signal_all(e, &e->value->met);
}
