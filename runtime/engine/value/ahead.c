/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ahead.c - the search goes on without the program, where it is known what all threads do next
 *
 * As the program would, each thread goes on to its next read; the events stand in the graph, and the next run repeats them. So
 * nobody runs an execution of which nothing comes. (value.txt, V7)
 */
#include "engine/value/ahead.h"

#include "engine/run/run.h"
#include "engine/value/known.h"
#include "engine/value/nodes.h"

/* ---- Threads ------------------------------------------------------------------------------------- */

void ahead_note_create(struct engine *e, uint32_t pos)
{
	const struct event *ev = &e->graph.ev[pos];

	if (ev->kind == OP_CREATE)
		e->value->made[ev->peer] =
			(struct value_made){ .tid = ev->tid, .index = ev->index };
}

/* Is the thread there? *made: the event that created it. */
static bool is_there(const struct engine *e, uint32_t tid, uint32_t *made)
{
	const struct graph *g = &e->graph;
	const struct value_made *m = &e->value->made[tid];

	if (!tid)
		return true;
	if (m->index >= g->count[m->tid])
		return false;
	*made = g->at[m->tid][m->index];
	return g->ev[*made].kind == OP_CREATE && g->ev[*made].peer == tid;
}

/* ---- What memory holds at first ------------------------------------------------------------------ */

/* The thread's next operation is about a location: is it known what that holds? */
static bool meets(struct engine *e, uint32_t tid, const struct value_step *s)
{
	struct graph *g = &e->graph;
	struct location *l;

	if (!s->op.addr)
		return true;
	l = &g->locs[graph_location(g, s->op.addr, s->op.size)];
	if (l->last != NO_POS)
		return true;
	if (!s->began)
		return false;
	for (uint32_t t = 0; t < tid; t++)
		if (e->value->next[t].kind != OP_KINDS && e->value->next[t].addr == s->op.addr &&
		    !value_eq(l->initial, s->initial))
			return false;
	l->initial = s->initial;
	return true;
}

/* ---- One step of a thread ------------------------------------------------------------------------ */

bool ahead_has_room(const struct engine *e)
{
	const uint64_t most = e->config.max_events;

	return run_has_room(e) && (!most || engine_events(e) + 4 < most);
}

enum moved {
	STAYS, /* it waits, at a read or for another thread, or is over */
	MOVED,
	UNKNOWN
};

static enum moved move(struct engine *e, uint32_t tid)
{
	struct value_search *v = e->value;
	const struct value_step *s;
	uint32_t made = NO_POS, rf = RF_NONE, pos;

	v->next[tid].kind = OP_KINDS;
	if (!is_there(e, tid, &made) || graph_end_of(&e->graph, tid) != NO_POS)
		return STAYS;
	s = known_step(e, tid);
	if (!s || s->op.kind == OP_KINDS)
		return UNKNOWN;
	if (!meets(e, tid, s))
		return UNKNOWN;
	v->next[tid] = s->op;
	if (op_reads(&s->op) || value_chooses(&s->op))
		return STAYS;
	if (s->op.kind == OP_EXIT || s->op.kind == OP_STUCK || s->op.kind == OP_BLOCK)
		return STAYS;
	if (s->op.kind == OP_JOIN && (rf = graph_end_of(&e->graph, s->op.peer)) == NO_POS)
		return STAYS;
	if ((s->op.kind == OP_BARRIER_PASS || s->op.kind == OP_COND_WOKEN) &&
	    (rf = run_waker(e, tid, &s->op)) == NO_POS)
		return STAYS;
	if (!ahead_has_room(e))
		return UNKNOWN;
	if (s->op.kind == OP_START)
		rf = made;
	pos = run_add_behind(e, tid, &s->op, rf);
	value_added(e, pos);
	return MOVED;
}

bool ahead_go(struct engine *e)
{
	bool any, known;

	do {
		any = false;
		known = true;
		for (uint32_t t = 0; t < e->nthreads; t++) {
			enum moved m;

			while ((m = move(e, t)) == MOVED)
				any = true;
			known &= m != UNKNOWN;
		}
	} while (any);
	return known && ahead_has_room(e) && value_has_room(e, 2 * (e->graph.n + 1));
}
