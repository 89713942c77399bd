/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visited.c - which vectors of values were visited
 *
 * The steps where threads are (known.h) say what each of them has read, so the vector of an execution that is over is that of
 * its threads' steps. Two hashes of these, 128 bits, are kept of each, in a table: the engine's own, or one that all
 * engines have (board.h). Once it is full, or steps are not known any more, again.c tells.
 */
#include "engine/value/known.h"

#include <string.h>

#include "base/table.h"
#include "engine/value/board.h"

enum {
	FIRST_BITS = 10
};

void visited_empty(struct engine *e)
{
	e->value->nvisited = e->value->visited_bits = 0;
	e->value->forgets = false;
}

void visited_add_name(struct engine_id *id, struct engine_id reads, uint32_t tid)
{
	id->a = table_mix(id->a, reads.a);
	id->b = table_mix(table_mix(id->b, reads.b), tid);
}

static bool name_of(struct engine *e, struct engine_id *id)
{
	*id = visited_no_name;
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct value_step *s = known_step(e, t);

		if (!s)
			return false;
		visited_add_name(id, s->reads, t);
	}
	return true;
}

/* The slot of that vector, or where it belongs: 1 + its place in the list of names. */
static uint32_t *find(struct value_search *v, struct engine_id id)
{
	uint32_t *slot;

	TABLE_FIND(slot, v->visited_slot, v->visited_bits, id.a,
		   !*slot || (v->visited[*slot - 1].a == id.a && v->visited[*slot - 1].b == id.b));
	return slot;
}

bool visited_has(struct value_search *v, struct engine_id id)
{
	return v->visited_bits && *find(v, id);
}

/* Small at first, so that a search that visits little touches little memory. */
static void widen(struct value_search *v)
{
	v->visited_bits = table_wider(v->visited_bits, FIRST_BITS);
	memset(v->visited_slot, 0, table_slots(v->visited_bits) * sizeof(*v->visited_slot));
	for (uint32_t i = 0; i < v->nvisited; i++)
		*find(v, v->visited[i]) = i + 1;
}

/* The same as board_claim(), in the table of this engine alone. */
static enum claim claim_here(struct value_search *v, struct engine_id id)
{
	uint32_t *slot;

	if (visited_has(v, id))
		return CLAIM_TAKEN;
	if (v->nvisited >= v->most / 2) {
		v->forgets = true;
		return CLAIM_NO_ROOM;
	}
	if (table_full(v->nvisited, v->visited_bits))
		widen(v);
	slot = find(v, id);
	v->visited[v->nvisited++] = id;
	*slot = v->nvisited;
	return CLAIM_FIRST;
}

static enum claim claim(struct engine *e, struct engine_id id)
{
	return e->config.board ? board_claim(e->config.board, id) : claim_here(e->value, id);
}

bool visited_claims(struct engine *e, struct engine_id id)
{
	const enum claim c = claim(e, id);

	if (c == CLAIM_NO_ROOM)
		e->value->forgets = true;
	return c == CLAIM_FIRST;
}

bool visited_first(struct engine *e)
{
	struct value_search *v = e->value;
	struct value_board *b = e->config.board;
	enum claim c = CLAIM_NO_ROOM;
	struct engine_id id;
	bool forgets;

	if (name_of(e, &id))
		c = claim(e, id);
	else if (b)
		atomic_store_explicit(&b->forgets, 1, memory_order_relaxed);
	if (c == CLAIM_TAKEN)
		return false;
	if ((v->by_sets || v->by_states) && c == CLAIM_NO_ROOM) {
		v->forgets = true; /* and it is met again, by a search that knows what to do then */
		return false;
	}
	/* relaxed: who forgot one says so before it has an execution with that vector */
	forgets = b ? atomic_load_explicit(&b->forgets, memory_order_relaxed) : v->forgets;
	return (!v->lost && !forgets) || !value_was_visited(e);
}
