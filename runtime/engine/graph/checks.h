/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checks.h - is all that a graph keeps what it would be if it were made anew? (--enable-checks)
 *
 * When that is asked: run/checks.h. Callers here: who takes events away, or asks about a cut.
 */
#ifndef HEDDLE_ENGINE_GRAPH_CHECKS_H
#define HEDDLE_ENGINE_GRAPH_CHECKS_H

#include "engine/graph/graph.h"

#ifdef HEDDLE_CHECKS

/* A question is about to be asked about this cut, of whose events `read` is the last of its thread. */
void checks_cut(const struct graph *g, const uint32_t *cut, uint32_t read);

/* The events from place n up to end are gone: whoever looks at one all the same sees nonsense. */
void checks_gone(struct graph *g, uint32_t n, uint32_t end);

_Noreturn void checks_failed(const struct graph *g, uint32_t pos, const char *what);

#define check_that(g, pos, cond)                      \
	do {                                          \
		if (!(cond))                          \
			checks_failed(g, pos, #cond); \
	} while (0)

/* checks_graph.c; executed: it is what a program does, not only good for revisits */
void checks_graph(const struct graph *g, bool slots, bool executed);
/* checks_clock.c */
void checks_clocks(struct graph *g);
/* checks_hbmo.c */
void checks_hbmo(struct graph *g);

#else

static inline void checks_cut(const struct graph *g, const uint32_t *cut, uint32_t read)
{
	(void)g;
	(void)cut;
	(void)read;
}

static inline void checks_gone(struct graph *g, uint32_t n, uint32_t end)
{
	(void)g;
	(void)n;
	(void)end;
}

#endif
#endif
