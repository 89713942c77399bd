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

/*
 * Mostly inconsistent with sc, tso, sra (only with rmws) and rc11 (if all is strong), for
 * reasons that need cases. kept: per cent of the reads that make it so; strong: of sc events.
 */
void tangled_execution(struct execution *x, uint32_t locs, bool rmws, uint32_t kept,
		       uint32_t strong, uint64_t *seed);

/* At most AX_EVENTS events with the initial writes; at: where each event is in g. */
void to_axioms(const struct execution *x, struct ax_graph *g, uint32_t *at);

/* In the line format, to be freed. */
char *to_text(const struct execution *x);

#endif
