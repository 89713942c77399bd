/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_explain.c - why the search found no total order: pairs of writes for explain.c
 */
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "offline/explain.h"
#include "offline/order.h"

enum {
	EFFORT = 1 << 28, /* components of clocks that may be computed, about */
	PAIRS = 1 << 24   /* and pairs that may be looked at */
};

struct tries {
	struct order *o;
	uint32_t *item;           /* of each event */
	uint32_t *start, *write;  /* writes by location */
	uint32_t loc, a, b, seen; /* where open() stands */
	uint32_t mark, found;     /* edges before the last put, and before all */
	uint32_t *clock;          /* before the last put */
};

static void rewind_pairs(void *self)
{
	struct tries *t = self;

	t->loc = t->a = t->b = 0;
}

static bool open_pair(void *self, uint32_t *a, uint32_t *b)
{
	struct tries *t = self;

	for (; t->loc < t->o->nlocs && t->seen < PAIRS; t->loc++, t->a = t->b = 0) {
		const uint32_t *write = t->write + t->start[t->loc];
		uint32_t n = t->start[t->loc + 1] - t->start[t->loc];

		for (; t->a < n && t->seen < PAIRS; t->a++, t->b = t->a) {
			while (++t->b < n && t->seen++ < PAIRS) {
				uint32_t i = write[t->a], j = write[t->b];

				if (order_before(t->o, i, j) || order_before(t->o, j, i))
					continue;
				*a = t->o->event[i];
				*b = t->o->event[j];
				return true;
			}
		}
	}
	return false;
}

static size_t clock_bytes(const struct order *o)
{
	return (size_t)o->n * o->lines * sizeof(*o->clock);
}

static bool put(void *self, uint32_t a, uint32_t b, enum reason_kind kind, uint32_t by,
		struct verdict *v)
{
	struct tries *t = self;

	t->mark = t->o->nedges;
	memcpy(t->clock, t->o->clock, clock_bytes(t->o));
	order_edge(t->o,
		   (struct order_edge){ t->item[a], t->item[b], by, t->mark,
					kind == REASON_ASSUMED ? ORDER_ASSUMED : ORDER_REFUTED });
	return order_saturate(t->o, v);
}

static void undo(void *self)
{
	struct tries *t = self;

	t->o->nedges = t->mark;
	memcpy(t->o->clock, t->clock, clock_bytes(t->o));
}

struct place {
	uint64_t sum; /* of the clock: greater than that of what comes before */
	uint32_t item;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->sum != q->sum)
		return p->sum < q->sum ? -1 : 1;
	return p->item < q->item ? -1 : 1;
}

/* The writes of each location in some order that extends what must be. */
static void put_all(void *self, struct verdict *v)
{
	struct tries *t = self;
	struct order *o = t->o;
	struct place *place = offline_room(o->n, sizeof(*place));
	bool ok;

	if (o->nedges != t->found) {
		o->nedges = t->found;
		must(order_saturate(o, v));
	}
	for (uint32_t loc = 0; loc < o->nlocs; loc++) {
		uint32_t n = t->start[loc + 1] - t->start[loc];

		for (uint32_t i = 0; i < n; i++) {
			place[i] = (struct place){ .item = t->write[t->start[loc] + i] };
			for (uint32_t l = 0; l < o->lines; l++)
				place[i].sum += o->clock[(size_t)place[i].item * o->lines + l];
		}
		qsort(place, n, sizeof(*place), compare_places);
		for (uint32_t i = 1; i < n; i++)
			if (!order_before(o, place[i - 1].item, place[i].item))
				order_edge(o, (struct order_edge){ place[i - 1].item, place[i].item,
								   EX_NONE, o->nedges,
								   ORDER_ASSUMED });
	}
	free(place);
	ok = order_saturate(o, v);
	must(!ok);
}

void order_explain(struct order *o, struct verdict *v)
{
	struct tries t = { .o = o, .mark = o->nedges, .found = o->nedges };
	struct decider d = { &t, 0, open_pair, rewind_pairs, put, undo, put_all };
	uint32_t *key = offline_room(o->n, sizeof(*key)), events = 0;
	uint64_t once = 8 * ((uint64_t)o->n * o->lines + 1);

	for (uint32_t i = 0; i < o->n; i++) {
		key[i] = o->flags[i] & ITEM_WRITE ? o->loc[i] : EX_NONE;
		events = o->event[i] >= events ? o->event[i] + 1 : events;
	}
	order_group(o->n, o->nlocs, key, &t.start, &t.write);
	free(key);
	t.item = offline_room(events, sizeof(*t.item));
	for (uint32_t i = 0; i < o->n; i++)
		t.item[o->event[i]] = i;
	d.tries = (uint32_t)(EFFORT / once);
	t.clock = offline_room(d.tries ? clock_bytes(o) : 0, 1);
	explain(&d, v);
	free(t.item);
	free(t.start);
	free(t.write);
	free(t.clock);
}
