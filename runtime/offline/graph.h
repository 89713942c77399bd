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
void graph_release(struct graph_edges *g);

#endif
