/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * way.c - see way.h
 */
#include "engine/value/way.h"

#include "engine/run/run.h"
#include "engine/value/ahead.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"

bool way_model(const struct engine *e)
{
	const enum engine_model m = e->config.model;

	return m == MODEL_SC || m == MODEL_RC11;
}

/* Under rc11 a program has no others if its atomic accesses are sc, and none of the executions that it has so races (value.txt, V15). */
static bool is_fit(const struct engine *e, unsigned order)
{
	return e->config.model == MODEL_SC || order == ORDER_SC || order == ORDER_NA;
}

bool way_follows(const struct engine *e, const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_STORE:
	case OP_RMW:
		return is_fit(e, op->order);
	case OP_CAS:
		return is_fit(e, op->order) && is_fit(e, op->order_fail);
	case OP_LOCK:
	case OP_UNLOCK:
		return true;
	default:
		return false;
	}
}

enum guard way_guard(uint32_t tid, const struct op *op, struct value held, struct value *written)
{
	const struct guard_op guard = { .kind = op->kind,
					.fn = op->fn,
					.size = op->size,
					.tid = (uint16_t)tid,
					.arg = op->arg,
					.expected = op->expected };

	if (op->kind == OP_LOAD)
		return GUARD_READS;
	if (op->kind == OP_STORE || op->kind == OP_UNLOCK) {
		*written = op->kind == OP_STORE ? op->arg : value_of(0);
		return GUARD_WRITES;
	}
	return guard_apply(&guard, held, written);
}

static uint32_t latest_write(const struct graph *g, uint32_t loc)
{
	uint32_t p = g->locs[loc].last;

	while (p != NO_POS && !(g->ev[p].flags & EV_WRITE))
		p = g->ev[p].prev_at_loc;
	return p == NO_POS ? RF_INIT : p;
}

bool way_reads_latest(struct engine *e, uint32_t tid, const struct op *op)
{
	struct graph *g = &e->graph;
	uint32_t pos;
	enum guard guard;

	witness_settle(g, e->model);
	pos = run_add_read(e, tid, op);
	g->ev[pos].slot = 0;
	g->ev[pos].written = g->locs[g->ev[pos].loc].initial;
	g->witness.promised = 0;
	guard = run_set_read(e, pos, latest_write(g, g->ev[pos].loc), 0);
	if (guard == GUARD_BLOCKS) {
		graph_truncate(g, pos);
		return false;
	}
	if (guard == GUARD_WRITES)
		run_add_write_part(e, pos);
	known_goes(e, pos);
	value_note_plain(e->value, &g->ev[pos]);
	return true;
}

/* The thread's operation becomes an event. */
static void build(struct engine *e, uint32_t tid, const struct value_step *st)
{
	const struct value_made *made = &e->value->made[tid];
	struct graph *g = &e->graph;
	uint32_t rf = RF_NONE;

	if (st->op.addr) {
		struct location *l = &g->locs[graph_location(g, st->op.addr, st->op.size)];

		if (l->last == NO_POS)
			l->initial = st->initial;
	}
	if (op_reads(&st->op)) {
		must(way_reads_latest(e, tid, &st->op));
		return;
	}
	if (st->op.kind == OP_START)
		rf = g->at[made->tid][made->index];
	else if (st->op.kind == OP_JOIN)
		rf = graph_end_of(g, st->op.peer);
	value_added(e, run_add_behind(e, tid, &st->op, rf));
}

bool way_build(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_states *s = v->states;

	graph_truncate(&e->graph, s->way[s->nbuilt].n);
	for (; s->nbuilt < s->nway - 1; s->nbuilt++) {
		struct value_move *m = &s->way[s->nbuilt];

		if (!ahead_has_room(e))
			return false;
		build(e, m->turn, &v->step[m->step - 1]);
		m[1].n = e->graph.n;
	}
	return true;
}

bool way_goes_on(struct engine *e)
{
	struct value_states *s = e->value->states;

	s->failed = s->failed || e->graph.n > STATE_WAY;
	THREAD_SET_EACH(t, &e->waiting) {
		const struct op op = e->thread[t].pending;

		if (s->failed || is_aside(e, t) || op.kind == OP_JOIN || op.kind == OP_EXIT)
			continue;
		s->failed = !way_follows(e, &op);
		if (!s->failed && way_reads_latest(e, t, &op))
			return true;
	}
	return false;
}
