/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mo_graph.c - see mo_graph.h. Cost: O(n), and O(n) edges.
 */
#include "offline/mo_graph.h"

#include <stdlib.h>
#include <string.h>

bool mo_graph_init(struct mo_graph *m, const struct execution *x, const uint32_t *rank)
{
	bool ok = true;

	*m = (struct mo_graph){ .x = x, .rank = rank };
	m->start = offline_zeroed((size_t)x->nlocs + 1, sizeof(*m->start));
	m->write = offline_room(x->n, sizeof(*m->write));
	memset(m->write, 0xff, x->n * sizeof(*m->write));
	for (uint32_t e = 0; e < x->n; e++)
		if (x->kind[e] & EX_WRITE)
			m->start[x->loc[e] + 1]++;
	for (uint32_t l = 0; l < x->nlocs; l++)
		m->start[l + 1] += m->start[l];
	for (uint32_t e = 0; e < x->n && ok; e++) {
		const uint32_t *start;

		if (!(x->kind[e] & EX_WRITE))
			continue;
		start = m->start + x->loc[e];
		ok = rank[e] && rank[e] <= start[1] - start[0] &&
		     m->write[start[0] + rank[e] - 1] == EX_NONE;
		if (ok)
			m->write[start[0] + rank[e] - 1] = e;
	}
	return ok;
}

void mo_graph_release(struct mo_graph *m)
{
	free(m->start);
	free(m->write);
}

uint32_t mo_next(const struct mo_graph *m, uint32_t e)
{
	uint32_t l = m->x->loc[e], at = m->start[l] + mo_rank(m, e);

	return at < m->start[l + 1] ? m->write[at] : EX_NONE;
}

static void add_mo(const struct mo_graph *m, uint32_t kinds, struct graph_edges *g)
{
	const struct execution *x = m->x;

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t next = x->kind[e] & kinds ? mo_next(m, e) : EX_NONE;

		if (next != EX_NONE)
			graph_edge(g, e, next);
	}
}

static void add_po_rf(const struct execution *x, struct graph_edges *g)
{
	for (uint32_t e = 0; e < x->n; e++) {
		if (e > x->first[x->tid[e]])
			graph_edge(g, e - 1, e);
		if (x->rf[e] < x->n)
			graph_edge(g, x->rf[e], e);
	}
}

/* ppo u rfe; fences other than sc take no part. */
static void add_tso(const struct execution *x, struct graph_edges *g)
{
	uint32_t read = 0, write = 0, barrier = 0; /* + 1 */

	for (uint32_t e = 0; e < x->n; e++) {
		uint32_t kind = x->kind[e] & EX_RMW;

		if (e == x->first[x->tid[e]])
			read = write = barrier = 0;
		if (x->rf[e] < x->n && x->tid[x->rf[e]] != x->tid[e])
			graph_edge(g, x->rf[e], e);
		if ((x->kind[e] & EX_FENCE) && x->order[e] != ORDER_SC)
			continue;
		if (read)
			graph_edge(g, read - 1, e);
		if (barrier)
			graph_edge(g, barrier - 1, e);
		if (write && kind != EX_READ)
			graph_edge(g, write - 1, e);
		if (kind == EX_READ)
			read = e + 1;
		if (kind & EX_WRITE)
			write = e + 1;
		if (kind != EX_READ && (kind != EX_WRITE || x->order[e] == ORDER_SC))
			barrier = e + 1;
	}
}

void mo_graph_edges(const struct mo_graph *m, enum engine_model model, struct graph_edges *g)
{
	if (model == MODEL_TSO)
		add_tso(m->x, g);
	else
		add_po_rf(m->x, g);
	add_mo(m, model == MODEL_SRA ? EX_WRITE : EX_RMW, g);
}
