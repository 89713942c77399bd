/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain_read.h - for people: why a read may not observe a write
 *
 * The engine answers yes or no. This says of a no which axiom fails, and along which cycle:
 *
 *	struct explanation e;
 *	char line[400];
 *
 *	if (explain_read(&e, MODEL_RA, g, g->count, read, write, false) == EXPLAIN_MAY_NOT) {
 *		explanation_line(&e, line, sizeof(line));
 *		puts(line); // "read coherence: 1.1 -hb-> 2.2 -fr-> 1.1; 1.0 -mo-> 1.1 since ..."
 *	}
 *	explanation_release(&e);
 *
 * Slow: the whole execution is judged. Allocates; never called from a program under test.
 */
#ifndef HEDDLE_OFFLINE_EXPLAIN_READ_H
#define HEDDLE_OFFLINE_EXPLAIN_READ_H

#include "engine/graph/graph.h"
#include "offline/check.h"

enum explained {
	EXPLAIN_MAY,      /* it may observe it, by all axioms */
	EXPLAIN_MAY_NOT,  /* it may not, and the explanation says why */
	EXPLAIN_TOO_LARGE /* the search gave up; nothing is known */
};

struct explanation {
	struct execution x; /* what the graph would be */
	struct verdict v;   /* why that is inconsistent */
	uint32_t *rank;     /* of each write in mo, from 1, if the graph has a total one */
	uint32_t *step;     /* of each event of x: how many operations of its thread come before */
};

/*
 * May the read, the last event of its thread in the cut, observe the write (a place in the cut,
 * or RF_INIT)? rmw: as a read-modify-write that then writes. If the graph has a total
 * modification order, with that one. Release e in any case.
 */
enum explained explain_read(struct explanation *e, enum engine_model model, const struct graph *g,
			    const uint32_t *cut, uint32_t read, uint32_t write, bool rmw);

/*
 * Is the cut of the graph, as it is, consistent; if `given`, with the modification order in the graph's lists?
 */
enum explained explain_graph(struct explanation *e, enum engine_model model, const struct graph *g,
			     const uint32_t *cut, bool given);

/*
 * One line (without a newline) into out[size], cut off if it does not fit; returns its length.
 * Events are named thread.step, as in traces; a read-modify-write is one step.
 */
size_t explanation_line(const struct explanation *e, char *out, size_t size);

void explanation_release(struct explanation *e);

#endif
