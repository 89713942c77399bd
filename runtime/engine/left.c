/* SPDX-License-Identifier: BSD-2-Clause */
/* left.c - what memory holds, by what was executed there last, whatever modification order says */
#include "engine/engine.h"
#include "engine/online/online.h"
#include "engine/run/state.h"

/*
 * What the write of the location that was executed last has left there, or a plain read. False: none was.
 * Rows of mo are those of an earlier execution until an event enters them (mod_row()).
 */
static bool last_left(const struct engine *e, uint32_t loc, struct value *left)
{
	const struct graph *g = &e->graph;
	const struct location *l = &g->locs[loc];
	const uint32_t shown = l->shown.run == e->begun ? l->shown.step : 0;

	if (e->online && l->last != NO_POS && loc < e->online->mo.rows) {
		*left = e->online->mo.at[loc].left;
		return e->online->mo.at[loc].written;
	}
	for (uint32_t i = e->online ? 0 : e->nran; i-- > shown;) {
		const struct event *ev = e->ran[i].pos == NO_POS ? NULL : &g->ev[e->ran[i].pos];

		if (!ev || ev->loc != loc || !(ev->flags & (EV_WRITE | EV_EXCLUSIVE)))
			continue;
		*left = ev->flags & EV_WRITE ? ev->written
					     : g->ev[graph_at(g, ev->tid, ev->index + 1)].written;
		return true;
	}
	*left = l->shown.value;
	return l->shown.run == e->begun;
}

static void show(struct engine *e, uint32_t loc, struct value held)
{
	struct location *l = &e->graph.locs[loc];

	l->shown.run = e->begun;
	l->shown.step = e->nran;
	l->shown.value = held;
	if (e->online && l->last != NO_POS && loc < e->online->mo.rows)
		e->online->mo.at[loc].left = held;
}

void engine_shows(struct engine *e, uint64_t addr, unsigned size, struct value read)
{
	uint32_t loc = graph_find_location(&e->graph, addr, size);

	if (loc != NO_LOC)
		show(e, loc, read);
}

/*
 * Is another thread about to store that? The instruction of a volatile or plain store is done before its event is, which has to wait for its
 * turn.
 */
static bool is_about_to_be_left(const struct engine *e, uint64_t addr, unsigned size,
				struct value held)
{
	THREAD_SET_EACH(t, &e->waiting) {
		const struct op *op = &e->thread[t].pending;

		if (op->kind == OP_STORE && op->addr == addr && op->size == size &&
		    value_eq(op->arg, held))
			return true;
	}
	return false;
}

bool engine_was_left(struct engine *e, uint64_t addr, unsigned size, struct value held)
{
	uint32_t loc = graph_find_location(&e->graph, addr, size);
	struct location *l;
	struct value left;

	if (loc == NO_LOC || is_about_to_be_left(e, addr, size, held))
		return true;
	l = &e->graph.locs[loc];
	if (!last_left(e, loc, &left)) {
		if (l->run != e->begun)
			return true;
		left = l->initial;
	}
	if (!value_eq(left, held))
		return false;
	show(e, loc, held); /* who asks next need not look further back */
	return true;
}
