/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.c - see graph.h
 */
#include "offline/graph.h"

#include <stdlib.h>

#include "offline/execution.h"

void graph_edge(struct graph_edges *g, uint32_t from, uint32_t to)
{
	if (g->nedges == g->room) {
		g->room = g->room ? g->room * 2 : 256;
		g->from = offline_grow(g->from, g->room, sizeof(*g->from));
		g->to = offline_grow(g->to, g->room, sizeof(*g->to));
	}
	g->from[g->nedges] = from;
	g->to[g->nedges++] = to;
}

bool graph_acyclic(const struct graph_edges *g)
{
	size_t *start = offline_zeroed((size_t)g->n + 2, sizeof(*start));
	uint32_t *out = offline_room(g->nedges, sizeof(*out));
	uint32_t *in = offline_zeroed(g->n, sizeof(*in));
	uint32_t *queue = offline_room(g->n, sizeof(*queue)), n = 0;

	for (size_t i = 0; i < g->nedges; i++) {
		start[g->from[i] + 2]++;
		in[g->to[i]]++;
	}
	for (uint32_t v = 0; v < g->n; v++)
		start[v + 2] += start[v + 1];
	for (size_t i = 0; i < g->nedges; i++)
		out[start[g->from[i] + 1]++] = g->to[i];
	for (uint32_t v = 0; v < g->n; v++)
		if (!in[v])
			queue[n++] = v;
	for (uint32_t done = 0; done < n; done++)
		for (size_t i = start[queue[done]]; i < start[queue[done] + 1]; i++)
			if (!--in[out[i]])
				queue[n++] = out[i];
	free(start);
	free(out);
	free(in);
	free(queue);
	return n == g->n;
}

void graph_release(struct graph_edges *g)
{
	free(g->from);
	free(g->to);
}
