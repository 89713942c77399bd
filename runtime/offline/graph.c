/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.c - see graph.h
 */
#include "offline/graph.h"

#include <stdlib.h>
#include <string.h>

#include "offline/execution.h"

enum {
	CYCLE_TRIES = 256
};

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

void graph_index(const struct graph_edges *g, struct graph_index *index)
{
	size_t *start = offline_zeroed((size_t)g->n + 2, sizeof(*start));
	uint32_t *out = offline_room(g->nedges, sizeof(*out));

	for (size_t i = 0; i < g->nedges; i++)
		start[g->from[i] + 2]++;
	for (uint32_t v = 0; v < g->n; v++)
		start[v + 2] += start[v + 1];
	for (size_t i = 0; i < g->nedges; i++)
		out[start[g->from[i] + 1]++] = g->to[i];
	*index = (struct graph_index){ start, out };
}

void graph_index_release(struct graph_index *index)
{
	free(index->start);
	free(index->out);
}

void graph_reach(const struct graph_index *index, uint32_t v, uint32_t *seen, uint32_t stamp,
		 uint32_t *queue)
{
	uint32_t done = 0, n = 0;

	queue[n++] = v;
	while (done < n) {
		uint32_t u = queue[done++];

		for (size_t i = index->start[u]; i < index->start[u + 1]; i++) {
			uint32_t to = index->out[i];

			if (seen[to] == stamp)
				continue;
			seen[to] = stamp;
			if (to != v)
				queue[n++] = to;
		}
	}
}

/* Takes out nodes that nothing left leads to; in[v] is 0 for those. How many. */
static uint32_t take_out(const struct graph_edges *g, const struct graph_index *index, uint32_t *in)
{
	const size_t *start = index->start;
	const uint32_t *out = index->out;
	uint32_t *queue = offline_room(g->n, sizeof(*queue)), n = 0;

	for (size_t i = 0; i < g->nedges; i++)
		in[g->to[i]]++;
	for (uint32_t v = 0; v < g->n; v++)
		if (!in[v])
			queue[n++] = v;
	for (uint32_t done = 0; done < n; done++)
		for (size_t i = start[queue[done]]; i < start[queue[done] + 1]; i++)
			if (!--in[out[i]])
				queue[n++] = out[i];
	free(queue);
	return n;
}

bool graph_acyclic(const struct graph_edges *g)
{
	uint32_t *in = offline_zeroed(g->n, sizeof(*in));
	struct graph_index index;
	bool acyclic;

	graph_index(g, &index);
	acyclic = take_out(g, &index, in) == g->n;
	graph_index_release(&index);
	free(in);
	return acyclic;
}

/* The shortest way from a node back to it, into path; its length, 0 if there is none. */
static uint32_t way_back(const struct graph_index *index, uint32_t v, uint32_t n, uint32_t *before,
			 uint32_t *path)
{
	const size_t *start = index->start;
	const uint32_t *out = index->out;
	uint32_t done = 0, end = 1, length = 0, *queue = path;

	memset(before, 0xff, n * sizeof(*before));
	queue[0] = v;
	while (done < end && before[v] == UINT32_MAX) {
		uint32_t u = queue[done++];

		for (size_t i = start[u]; i < start[u + 1]; i++) {
			if (before[out[i]] != UINT32_MAX)
				continue;
			before[out[i]] = u;
			if (out[i] != v)
				queue[end++] = out[i];
		}
	}
	if (before[v] == UINT32_MAX)
		return 0;
	for (uint32_t u = before[v]; u != v; u = before[u])
		length++;
	for (uint32_t u = before[v], i = length; u != v; u = before[u])
		path[i--] = u;
	path[0] = v;
	return length + 1;
}

uint32_t *graph_cycle(const struct graph_edges *g, uint32_t among, uint32_t *length)
{
	uint32_t *in = offline_zeroed(g->n, sizeof(*in)), *best = NULL, tries = 0, n;
	uint32_t *before = offline_room(g->n, sizeof(*before));
	uint32_t *path = offline_room((size_t)g->n + 1, sizeof(*path));
	struct graph_index index;

	graph_index(g, &index);
	take_out(g, &index, in);
	for (uint32_t v = 0; v < among && tries < CYCLE_TRIES; v++) {
		n = in[v] ? way_back(&index, v, g->n, before, path) : 0;
		if (!n)
			continue;
		tries++;
		if (best && n >= *length)
			continue;
		free(best);
		best = offline_room(n, sizeof(*best));
		memcpy(best, path, n * sizeof(*best));
		*length = n;
	}
	graph_index_release(&index);
	free(in);
	free(before);
	free(path);
	return best;
}

void graph_release(struct graph_edges *g)
{
	free(g->from);
	free(g->to);
}
