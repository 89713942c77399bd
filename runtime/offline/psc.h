/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.h - the partial sc order of rc11, as reachability in a graph
 */
#ifndef HEDDLE_OFFLINE_PSC_H
#define HEDDLE_OFFLINE_PSC_H

#include "offline/graph.h"
#include "offline/scan.h"

/* What does not depend on mo; x and clocks must stay. */
struct psc {
	const struct execution *x;
	const struct clocks *clocks;
	struct graph_edges g;
	size_t fixed; /* edges */
};

void psc_init(struct psc *p, const struct execution *x, const struct clocks *clocks);
void psc_release(struct psc *p);

/*
 * psc_begin(), psc_mo() for pairs whose closure is (the known part of) mo and fr, then
 * psc_acyclic(). a: a write, or a read of a write that comes before b.
 */
void psc_begin(struct psc *p);
void psc_mo(struct psc *p, uint32_t a, uint32_t b);
bool psc_acyclic(struct psc *p);

#endif
