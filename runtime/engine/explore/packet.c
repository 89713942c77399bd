/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packet.c - see packet.h
 */
#include "engine/explore/packet.h"

void *packet_put(struct writer *w, size_t n)
{
	char *p = w->at;

	n = (n + 15) & ~(size_t)15;
	if (n > (size_t)(w->end - p))
		return NULL;
	w->at = p + n;
	return p;
}

const void *packet_get(struct reader *r, size_t n)
{
	const char *p = r->at;

	n = (n + 15) & ~(size_t)15;
	must(n <= (size_t)(r->end - p));
	r->at = p + n;
	return p;
}

uint32_t packet_location(const struct graph *g, struct packed_location *locs, uint32_t *n,
			 uint32_t *number, uint32_t loc)
{
	const struct location *l = &g->locs[loc];

	if (!number[loc]) {
		locs[*n] = (struct packed_location){ l->addr, l->size, l->initial };
		number[loc] = ++*n;
	}
	return number[loc] - 1;
}

void packet_take_locations(struct graph *g, const struct packed_location *locs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		g->locs[graph_location(g, locs[i].addr, locs[i].size)].initial = locs[i].initial;
}

void packet_learn_names(struct engine *e, uint32_t n)
{
	struct engine_names *names = e->config.names;

	for (; e->nthreads < n; e->nthreads++) {
		uint64_t name =
			atomic_load_explicit(&names->name[e->nthreads], memory_order_acquire);

		e->name[e->nthreads] = (struct thread_name){ .parent = (uint32_t)(name >> 32) - 1,
							     .rank = (uint32_t)name };
	}
	graph_widen(&e->graph, e->nthreads);
}
