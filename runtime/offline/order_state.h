/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order_state.h - how far the lines of an order have come
 *
 * A location is *locked* while locking reads of its current write are to come.
 */
#ifndef HEDDLE_OFFLINE_ORDER_STATE_H
#define HEDDLE_OFFLINE_ORDER_STATE_H

#include "offline/order.h"

struct order_state {
	const struct order *o;
	uint32_t *at;        /* next item of each line */
	uint32_t *remaining; /* locking reads to come, of each write; of init behind those */
	uint32_t *current;   /* write of each location; n + location: init */
};

void order_state_init(struct order_state *s, const struct order *o);
void order_state_release(struct order_state *s);

/* What a read observes, as an index into remaining. */
static inline uint32_t order_source(const struct order *o, uint32_t i)
{
	return o->rf[i] == EX_INIT ? o->n + o->loc[i] : o->rf[i];
}

/* A write that may come next, as far as its location goes. */
static inline bool order_unlocked(const struct order_state *s, uint32_t i)
{
	uint32_t current = s->current[s->o->loc[i]];

	if (s->o->flags[i] & ITEM_LOCKS)
		return current == order_source(s->o, i) && s->remaining[current] == 1;
	return !s->remaining[current];
}

/* Item i, the next of its line, comes. */
static inline void order_perform(struct order_state *s, uint32_t i)
{
	const struct order *o = s->o;

	s->at[o->line[i]]++;
	if (o->flags[i] & ITEM_LOCKS)
		s->remaining[order_source(o, i)]--;
	if (o->flags[i] & ITEM_WRITE)
		s->current[o->loc[i]] = i;
}

#endif
