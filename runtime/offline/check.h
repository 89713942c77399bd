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

/* event -relation-> the event of the next step; after the last step of a cycle its first. */
struct verdict_step {
	uint32_t event; /* or EX_INIT */
	bool psc;       /* in a cycle of psc: a pair of psc ends and begins here */
	const char *relation;
};

enum reason_kind {
	REASON_SINCE,   /* a path leads from `from` to `to`, so that the opposite closes a cycle */
	REASON_ASSUMED, /* it is what the case tries */
	REASON_REFUTED, /* an earlier case refutes the opposite */
};

/*
 * from comes before to in mo. Of a path the last step has no relation: its event is `to`.
 * Paths may use the mo of the reasons before this one, of this case.
 */
struct verdict_reason {
	enum reason_kind kind;
	uint32_t from, to;
	uint32_t path, npath; /* steps; npath 0 unless REASON_SINCE */
	uint32_t by;          /* REASON_REFUTED: that case */
};

/* A cycle, and the reasons for the mo that its mo and fr steps need. */
struct verdict_case {
	uint32_t cycle, ncycle; /* steps */
	uint32_t reasons, nreasons;
};

/*
 * Why an execution is inconsistent: mostly one case that assumes nothing. Where a search was
 * needed, cases that try one pair of writes each and refute it, and a last one that
 * assumes nothing but what those refuted; or, if that is not found (`searched`), one case for
 * an order that fails as all others do.
 */
struct verdict {
	bool consistent;
	/* Consistent, and a witness was asked for: */
	uint32_t *rank;  /* of each write in the mo of its location, from 1; others 0 */
	uint32_t *total; /* sc, sra: all events in one order; NULL otherwise */
	/* Inconsistent: */
	const char *axiom;
	uint32_t loc; /* or EX_NONE */
	bool searched;
	struct verdict_case *cases; /* at least one */
	struct verdict_reason *reasons;
	struct verdict_step *steps;
	uint32_t ncases, nreasons, nsteps;
	bool in_path;    /* while it is built: steps go to the last reason */
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
/*
 * Algorithms that keep a number of each thread for each thread take their square in time and
 * memory, however few events there are. Up to so many that is no matter.
 */
enum {
	CHECKER_THREADS = 4096
};
bool checker_fits(const struct checker *c, const struct execution *x);
/* NULL, or why an algorithm is not for this execution and model. */
const char *checker_unfit(const struct checker *c, const struct execution *x,
			  enum engine_model model);

void verdict_release(struct verdict *v);

/* Building a verdict: a refusal with one case whose cycle is empty. */
void verdict_fails(struct verdict *v, const char *axiom, uint32_t loc);
/* Another case; steps go to its cycle. */
void verdict_case(struct verdict *v);
/* A reason of the last case; steps go to its path until verdict_cycle(). */
void verdict_reason(struct verdict *v, enum reason_kind kind, uint32_t from, uint32_t to);
void verdict_cycle(struct verdict *v);
void verdict_step(struct verdict *v, uint32_t event, const char *relation);
/*
 * Begins a verdict: the events as execution_sort() orders them, to be freed. NULL: po u rf is cyclic,
 * and v says along which cycle.
 */
uint32_t *verdict_begin(struct verdict *v, const struct execution *x);

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

/*
 * Is x consistent with just this mo, the rank of each write in its location, from 1? A
 * read-modify-write stands right behind what it reads. A refusal has one case without reasons.
 * Not for wra.
 */
void check_mo(const struct execution *x, enum engine_model m, const uint32_t *rank,
	      struct verdict *v);

/* Is acyclic(psc) true of this mo? Used by check_psc() and verify_witness(). */
bool psc_holds(const struct execution *x, const uint32_t *rank);
/*
 * The rank of each write in an mo with which x is consistent with sc or tso, to be freed; NULL if
 * none was found, which says nothing. sort: execution_sort(). follow_only: only close to
 * that order.
 */
uint32_t *search_rank(const struct execution *x, enum engine_model m, const uint32_t *sort,
		      bool follow_only);
bool has_sc(const struct execution *x);
bool has_rmw(const struct execution *x);

#endif
