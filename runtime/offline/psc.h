/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psc.h - the partial sc order of rc11, as reachability in a graph
 */
#ifndef HEDDLE_OFFLINE_PSC_H
#define HEDDLE_OFFLINE_PSC_H

#include "offline/check.h"
#include "offline/graph.h"
#include "offline/scan.h"

/* What does not depend on mo; x and clocks must stay. */
struct psc {
	const struct execution *x;
	const struct clocks *clocks;
	struct graph_edges g;
	size_t fixed;     /* edges */
	struct scan scan; /* while it is built */
};

/* sort: execution_sort(). */
void psc_init(struct psc *p, const struct execution *x, const struct clocks *clocks,
	      const uint32_t *sort);
void psc_release(struct psc *p);

/*
 * psc_begin(), psc_mo() for pairs whose closure is (the known part of) mo and fr, then
 * psc_acyclic(). a: a write, or a read of a write that comes before b.
 */
void psc_begin(struct psc *p);
void psc_mo(struct psc *p, uint32_t a, uint32_t b);
bool psc_acyclic(struct psc *p);

/* psc_begin() and all of an mo: the rank of each write in its location, from 1. */
void psc_put_rank(struct psc *p, const struct execution *x, const uint32_t *rank);

/*
 * What psc rules out, for the mo and fr that are known: psc_ahead_of() one write, then
 * psc_rules_out() for accesses of its location: would a before that write close a cycle?
 */
struct psc_ahead {
	const struct psc *p;
	struct graph_index index;
	uint32_t *by_mo,
		*by_eco; /* of each node: the last write asked about that leads there, + 1 */
	uint32_t *queue;
	uint32_t write;
};
void psc_ahead_init(struct psc_ahead *a, const struct psc *p);
void psc_ahead_release(struct psc_ahead *a);
void psc_ahead_of(struct psc_ahead *a, uint32_t write);
bool psc_rules_out(const struct psc_ahead *a, uint32_t access);

/* A step of a cycle of psc; mo and fr steps lead to the write of the next one. */
struct psc_step {
	uint32_t event;
	const char *relation;
	bool begins; /* a pair of psc */
	int part;    /* for psc.c */
};

/* After psc_acyclic() said no: a cycle, to be freed. */
struct psc_step *psc_cycle(const struct psc *p, uint32_t *length);

/* Its steps, as those of v's cycle. */
void psc_tell(struct verdict *v, const struct psc_step *step, uint32_t n);

#endif
