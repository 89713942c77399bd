/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * product.c - threads whose read-modify-writes cancel out: the states of all of them at once
 *
 * A state is a node of each thread (together.c); what the location holds is what all have added at theirs. One thread at a time
 * takes a step. All states that they may come to are looked at, until a thread leaves. (await.txt, E8)
 *
 * Bounds: TOGETHER_THREADS, STATES.
 *
 * Cost: a search in a table for each state and thread.
 */
#include <string.h>

#define XXH_INLINE_ALL 1
#include <xxhash.h>

#include "preload/await/together.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"

enum {
	STATES = 4096,
	SLOTS = 2 * STATES
};

struct state {
	uint8_t node[TOGETHER_THREADS];
};
_Static_assert(WALK_NODES <= 256, "a node is a byte");

static struct product {
	const struct together *all;
	uint32_t n;
	struct state state[STATES];
	uint16_t slot[SLOTS]; /* one more than the state's number; 0: none */
} * product;
KEPT(product);

/* The number of a state, which is a new one perhaps; STATES: there is no room. */
static uint32_t find_state(const struct state *s)
{
	struct product *p = product;
	uint64_t at = XXH3_64bits(s, sizeof(*s)) % SLOTS;

	for (; p->slot[at]; at = (at + 1) % SLOTS)
		if (!memcmp(&p->state[p->slot[at] - 1], s, sizeof(*s)))
			return p->slot[at] - 1u;
	if (p->n == STATES)
		return STATES;
	p->state[p->n] = *s;
	p->slot[at] = (uint16_t)++p->n;
	return p->n - 1;
}

/* The step of that thread. */
static enum alone step(uint32_t from, uint32_t thread)
{
	const struct together *all = product->all;
	struct state to = product->state[from];
	uint64_t others = 0;
	uint32_t at, node = to.node[thread], next;

	for (uint32_t t = 0; t < all->threads; t++)
		if (t != thread)
			others += walk_node(to.node[t])->mark.open;
	at = together_find(&all->values, together_value(all, node, others));
	next = at < TOGETHER_SUMS ? all->step[node][at] : STEP_UNTRIED;
	if (next == STEP_LEAVES)
		return ALONE_LEAVES;
	if (next == STEP_UNTRIED)
		return ALONE_UNKNOWN;
	to.node[thread] = (uint8_t)next;
	return find_state(&to) < STATES ? ALONE_STAYS : ALONE_UNKNOWN;
}

enum alone product_follow(const struct together *all)
{
	struct state first = { 0 };

	if (all->threads > TOGETHER_THREADS)
		return ALONE_UNKNOWN;
	if (!product)
		product = map_own(sizeof(*product));
	product->all = all;
	product->n = 0;
	memset(product->slot, 0, sizeof(product->slot));
	for (uint32_t t = 0; t < all->threads; t++)
		first.node[t] = (uint8_t)all->first[t];
	find_state(&first);
	for (uint32_t i = 0; i < product->n; i++)
		for (uint32_t t = 0; t < all->threads; t++) {
			enum alone to = step(i, t);

			if (to != ALONE_STAYS)
				return to;
		}
	return ALONE_STAYS;
}
