/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * graph.h - edges between numbered nodes, and whether they have a cycle
 */
#ifndef HEDDLE_OFFLINE_GRAPH_H
#define HEDDLE_OFFLINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins with the number of nodes and zeros; ends with graph_release(). */
struct graph_edges {
	uint32_t n;
	uint32_t *from, *to;
	size_t nedges, room;
};

void graph_edge(struct graph_edges *g, uint32_t from, uint32_t to);
/* O(n + edges) */
bool graph_acyclic(const struct graph_edges *g);
/*
 * A shortest cycle through one of the nodes below `among`, of which a few on cycles are tried:
 * its nodes, to be freed, and how many; NULL if there is none. O(n + edges) for each try.
 */
uint32_t *graph_cycle(const struct graph_edges *g, uint32_t among, uint32_t *length);

/* The edges by their origin: out[start[v]..start[v + 1] - 1] for node v. */
struct graph_index {
	size_t *start;
	uint32_t *out;
};

void graph_index(const struct graph_edges *g, struct graph_index *index);
void graph_index_release(struct graph_index *index);
/*
 * Sets seen[u] to stamp for each node u that v leads to, v itself only if along a cycle. queue:
 * room for all nodes.
 */
void graph_reach(const struct graph_index *index, uint32_t v, uint32_t *seen, uint32_t stamp,
		 uint32_t *queue);

void graph_release(struct graph_edges *g);

#endif
