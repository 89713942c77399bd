/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole_nodes.h - accesses as nodes, whatever the number of their events (whole.c)
 *
 * An access may have been begun only, in a graph or a cut. It is taken to write all that it will
 * write: nobody sees a part of it without the rest.
 */
#ifndef HEDDLE_ENGINE_WHOLE_NODES_H
#define HEDDLE_ENGINE_WHOLE_NODES_H

#include "engine/model/whole.h"

typedef unsigned __int128 row_t;

enum {
	NODES = 128 /* initial writes included */
};

#define BIT(i) ((row_t)1 << (i))

struct relation {
	row_t row[NODES];
};

struct node {
	uint32_t tid, first, last; /* its events, by their index in the thread */
	uint64_t addr, end;        /* of an access of several parts: the bytes; else 0 */
	bool reads, writes, fence, sc;
};

/* The node reads the location from that one. */
struct reading {
	uint32_t node, loc, from, source;
};

struct judge {
	const struct model *model;
	const struct graph *g;
	const uint32_t *cut;
	bool all; /* of the graph: the model has more than coherence */
	uint32_t n, nlocs, nreadings, checks;
	uint32_t *loc_of, *number; /* the graph's of ours; ours + 1, or 0 */
	uint32_t *node_of;         /* by place of the event */
	struct reading *reading;
	struct node node[NODES];
	row_t writes_at[NODES], at[NODES]; /* by location: nodes that write it; that touch it */
	row_t sc, fences;
	/* order: po, or what takes its place, and rf; near: what nodes that overlap must follow; far: the rest of the model */
	struct relation po, hb, rf, overlap, near, far, mo;
	struct relation fr, sum, eco, scb, psc, left, right; /* scratch of the checks */
};

static inline uint32_t lowest(row_t set)
{
	return (uint64_t)set ? (uint32_t)__builtin_ctzll((uint64_t)set)
			     : 64 + (uint32_t)__builtin_ctzll((uint64_t)(set >> 64));
}

#define EACH(i, set)                                                     \
	for (row_t i##_left = (set); i##_left; i##_left &= i##_left - 1) \
		for (uint32_t i = lowest(i##_left), i##_once = 1; i##_once; i##_once = 0)

/* Finds the locations and nodes to be looked at. False: there are too many. */
bool nodes_find(struct judge *j);
/* What they read. False: an access has found two things in one place. */
bool nodes_read(struct judge *j);

#endif
