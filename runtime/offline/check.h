/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.h - is a recorded execution consistent with a memory model?
 *
 * There is a modification order (for sc, tso and sra: a total order) that makes it so, or an
 * axiom fails along a cycle. Papers: "Optimal Reads-From Consistency Checking for C11-Style
 * Memory Models" (PLDI 2023) for all but sc, tso, psc and wb.
 *
 *	struct verdict v;
 *
 *	if (!checker_for(MODEL_RC20, NULL)->check(&x, MODEL_RC20, true, &v))
 *		puts("a limit was reached");
 *	puts(v.consistent ? "consistent" : v.axiom);
 *	verdict_release(&v);
 *
 * One thread at a time for each execution and verdict.
 */
#ifndef HEDDLE_OFFLINE_CHECK_H
#define HEDDLE_OFFLINE_CHECK_H

#include "engine/engine.h"
#include "offline/execution.h"

/* event -relation-> the event of the next step; after the last step comes the first one. */
struct verdict_step {
	uint32_t event; /* or EX_INIT */
	const char *relation;
};

/* from comes before to in every mo, because `by` happens before `then`. */
struct verdict_reason {
	uint32_t from, to, by, then;
};

struct verdict {
	bool consistent;
	/* Consistent, and a witness was asked for: */
	uint32_t *rank;  /* of each write in the mo of its location, from 1; others 0 */
	uint32_t *total; /* sc, sra: all events in one order; NULL otherwise */
	/* Inconsistent: */
	const char *axiom;
	uint32_t loc;               /* or EX_NONE */
	struct verdict_step *cycle; /* may be empty after a search: there is no single cycle */
	uint32_t ncycle;
	struct verdict_reason *reasons;
	uint32_t nreasons;
	uint64_t states; /* of the search */
};

struct checker {
	const char *name, *what;
	unsigned models; /* 1 << enum engine_model */
	bool rmw_free;   /* only for executions without read-modify-writes */
	bool psc_free;   /* for rc11 only without sc accesses and fences */
	/* False: too large for this algorithm, nothing was decided. */
	bool (*check)(const struct execution *x, enum engine_model model, bool witness,
		      struct verdict *v);
};

extern const struct checker checkers[]; /* ends with a NULL name */

/* By name; NULL if there is none. */
const struct checker *checker_find(const char *name);
/* The best algorithm for this execution and model. */
const struct checker *checker_best(const struct execution *x, enum engine_model model);
/* NULL, or why an algorithm is not for this execution and model. */
const char *checker_unfit(const struct checker *c, const struct execution *x,
			  enum engine_model model);

void verdict_release(struct verdict *v);
/* Building a verdict. */
void verdict_fails(struct verdict *v, const char *axiom, uint32_t loc);
void verdict_step(struct verdict *v, uint32_t event, const char *relation);
void verdict_reason(struct verdict *v, struct verdict_reason reason);
/* po u rf is cyclic: the cycle, from the events that execution_sort() could order. */
void verdict_porf(struct verdict *v, const struct execution *x, const uint32_t *sort, uint32_t n);

bool check_wra(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);
bool check_sra(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);
bool check_coherence(const struct execution *x, enum engine_model m, bool witness,
		     struct verdict *v);
bool check_relaxed(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);
bool check_search(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);
bool check_psc(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);
bool check_wb(const struct execution *x, enum engine_model m, bool witness, struct verdict *v);

/*
 * Is a witness one? Straight from the axioms, sharing only the clocks with the checkers.
 * NULL, or what is wrong. For wra there is nothing to verify.
 */
const char *verify_witness(const struct execution *x, enum engine_model model,
			   const struct verdict *v);

/* Is acyclic(psc) true of this mo? Used by check_psc() and verify_witness(). */
bool psc_holds(const struct execution *x, const uint32_t *rank);
bool has_sc(const struct execution *x);
bool has_rmw(const struct execution *x);

#endif
