/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incremental_closed.h - for comparison: a modification order that is kept transitively closed
 *
 * The constraint graph of "C11Tester: A Race Detector for C/C++ Atomics" (ASPLOS 2021), written
 * from its description: a node for each write, with a clock vector that is closed over all
 * edges at any time, so that one comparison says whether a node reaches another.
 *
 *	closed_init(&c, &g);
 *	for each event pos of g, in order:
 *		a read: for each write: if (closed_admits(&c, pos, write)) ...
 *		        closed_observe(&c, pos);
 *		closed_add(&c, pos);
 *	closed_release(&c);
 *
 * The graph is heddle's own, with its hb clocks; all events may be in it from the start.
 */
#ifndef HEDDLE_BENCH_INCREMENTAL_CLOSED_H
#define HEDDLE_BENCH_INCREMENTAL_CLOSED_H

#include "engine/graph/graph.h"

struct closed_node {
	uint32_t tid, seq;    /* its entry in clocks: thread, and 1 + index of the event in it */
	uint32_t rmw, source; /* the read-modify-write that reads it; the write it reads */
	uint32_t *edges, nedges, room;
};

/* The events of one thread at one location so far. */
struct closed_list {
	uint32_t *at, n, room;
};

struct closed {
	const struct graph *g;
	bool to_top; /* also order before a chain what comes before a part of it */
	uint32_t width;
	uint32_t nnodes;
	struct closed_node *node; /* of the initial writes by location, then of the events */
	uint32_t *clock;
	struct closed_list *list; /* by location and thread */
	uint32_t *queue, nqueue, room;
	uint32_t prior[HEDDLE_MAX_THREADS + 1];
};

void closed_init(struct closed *c, const struct graph *g, bool to_top);
void closed_release(struct closed *c);

/* May the read at pos observe this write (a place, or RF_INIT)? Its thread's events before it
 * have been added. O(k log q) */
bool closed_admits(struct closed *c, uint32_t pos, uint32_t write);

/* The read at pos observes its rf: what happens before it is not later than that. */
void closed_observe(struct closed *c, uint32_t pos);

/* The event at pos is there from now on. */
void closed_add(struct closed *c, uint32_t pos);

#endif
