/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_execution.h - random executions, and the same one for the brute-force axioms
 */
#ifndef HEDDLE_TESTS_RANDOM_EXECUTION_H
#define HEDDLE_TESTS_RANDOM_EXECUTION_H

#include "engine/axioms.h"
#include "offline/execution.h"

struct shape {
	uint32_t events, threads, locations;
	uint32_t rmws, fences, strong; /* per cent of events; strong: sc among the orders */
	uint32_t wild;                 /* per cent of reads that observe any earlier write */
	uint32_t stale;                /* per cent of the others that observe one of the last 3 */
};

/* An execution as a run of a machine with stale reads records it, some reads rewired. */
void random_execution(struct execution *x, const struct shape *s, uint64_t *seed);

/* At most AX_EVENTS events with the initial writes. */
void to_axioms(const struct execution *x, struct ax_graph *g);

/* In the line format, to be freed. */
char *to_text(const struct execution *x);

#endif
