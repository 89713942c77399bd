/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visited.c - which vectors of values were visited
 *
 * The steps where threads are (known.h) say what each of them has read, so the vector of an execution that is over is that of
 * its threads' steps. Two hashes of these, 128 bits, are kept of each, in a table. Once it is full, or steps are not known any
 * more, again.c tells.
 */
#include "engine/value/known.h"

#include "base/table.h"

/* What was noted before stays in the table, under names that nobody has any more: to clear it takes longer than most searches. */
void visited_empty(struct engine *e)
{
	e->value->searches++;
	e->value->forgets = false;
}

static bool name_of(struct engine *e, struct engine_id *id)
{
	*id = (struct engine_id){ e->value->searches, 1 };
	for (uint32_t t = 0; t < e->nthreads; t++) {
		const struct value_step *s = known_step(e, t);

		if (!s)
			return false;
		id->a = table_mix(id->a, (uint64_t)(s - e->value->step) + 1);
		id->b = table_mix(id->b, ((uint64_t)(s - e->value->step) << 20) + t + 1);
	}
	id->a += !id->a;
	return true;
}

/* The entry of that vector, or where it belongs. */
static struct engine_id *find(struct value_search *v, struct engine_id id)
{
	struct engine_id *slot;

	TABLE_FIND(slot, v->visited, v->visited_bits, id.a,
		   !slot->a || (slot->a == id.a && slot->b == id.b));
	return slot;
}

bool visited_knows(struct engine *e)
{
	struct value_search *v = e->value;
	struct engine_id id;

	return name_of(e, &id) && find(v, id)->a;
}

bool visited_knows_all(const struct engine *e)
{
	return !e->value->lost && !e->value->forgets;
}

void visited_note(struct engine *e)
{
	struct value_search *v = e->value;
	struct engine_id id, *slot;

	if (!name_of(e, &id)) {
		v->forgets = true;
		return;
	}
	slot = find(v, id);
	if (slot->a)
		return;
	if (v->nvisited >= v->most / 4 || table_full(v->nvisited, v->visited_bits)) {
		v->forgets = true;
		return;
	}
	*slot = id;
	v->nvisited++;
}
