/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visited.c - which vectors of values were visited
 *
 * The steps where threads are (known.h) say what each of them has read, so the vector of an execution that is over is that of
 * its threads' steps. Two hashes of these, 128 bits, are kept of each, in a table. Once it is full, or steps are not known any
 * more, again.c tells.
 */
#include "engine/value/known.h"

#include <string.h>

#include "base/table.h"

enum {
	FIRST_BITS = 10
};

void visited_empty(struct engine *e)
{
	e->value->nvisited = e->value->visited_bits = 0;
	e->value->forgets = false;
}

static bool name_of(struct engine *e, struct engine_id *id)
{
	*id = (struct engine_id){ 1, 2 };
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct value_step *s = known_step(e, t);

		if (!s)
			return false;
		id->a = table_mix(id->a, (uint64_t)(s - e->value->step) + 1);
		id->b = table_mix(id->b, ((uint64_t)(s - e->value->step) << 20) + t + 1);
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

/* Small at first, so that a search that visits little touches little memory. */
static void widen(struct value_search *v)
{
	v->visited_bits = table_wider(v->visited_bits, FIRST_BITS);
	memset(v->visited_slot, 0, table_slots(v->visited_bits) * sizeof(*v->visited_slot));
	for (uint32_t i = 0; i < v->nvisited; i++)
		*find(v, v->visited[i]) = i + 1;
}

bool visited_knows(struct engine *e)
{
	struct value_search *v = e->value;
	struct engine_id id;

	return v->visited_bits && name_of(e, &id) && *find(v, id);
}

bool visited_knows_all(const struct engine *e)
{
	return !e->value->lost && !e->value->forgets;
}

void visited_note(struct engine *e)
{
	struct value_search *v = e->value;
	struct engine_id id;
	uint32_t *slot;

	if (v->nvisited >= v->most / 4 || !name_of(e, &id)) {
		v->forgets = true;
		return;
	}
	if (table_full(v->nvisited, v->visited_bits))
		widen(v);
	slot = find(v, id);
	if (*slot)
		return;
	v->visited[v->nvisited++] = id;
	*slot = v->nvisited;
}
