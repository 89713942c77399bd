/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - the table of offline checkers
 */
#include "offline/check.h"

#include <string.h>

#define M(model) (1u << MODEL_##model)

const struct checker checkers[] = {
	{ "wra", "weak coherence and atomicity, O(n k) (Algorithm 1)", M(WRA), false, false,
	  check_wra },
	{ "sra", "minimal coherence of sra, O(n k), without read-modify-writes (Algorithm 2)",
	  M(SRA), true, false, check_sra },
	{ "rc20", "minimal coherence, O(n k) (Algorithm 3)", M(RA) | M(RELAXED) | M(RC20) | M(RC11),
	  false, true, check_coherence },
	{ "relaxed", "minimal coherence where hb is po, O(n) (Algorithm 4)", M(RELAXED), false,
	  false, check_relaxed },
	{ "search",
	  "the recorded order, saturation, an exact search over thread positions, O(k n^(k+1))",
	  M(SC) | M(TSO) | M(SRA), false, false, check_search },
	{ "psc", "an order for sc, minimal coherence, an exact search for an mo with acyclic psc",
	  M(RC11), false, false, check_psc },
	{ "wb", "writes-before, closed transitively, O(n^3): GenMC's, as a baseline",
	  M(RA) | M(RELAXED) | M(RC20) | M(RC11), false, true, check_wb },
	{ NULL, NULL, 0, false, false, NULL },
};

bool has_sc(const struct execution *x)
{
	for (uint32_t e = 0; e < x->n; e++)
		if (x->order[e] == ORDER_SC)
			return true;
	return false;
}

bool has_rmw(const struct execution *x)
{
	for (uint32_t e = 0; e < x->n; e++)
		if ((x->kind[e] & EX_RMW) == EX_RMW)
			return true;
	return false;
}

const struct checker *checker_find(const char *name)
{
	for (const struct checker *c = checkers; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const struct checker *checker_best(const struct execution *x, enum engine_model model)
{
	switch (model) {
	case MODEL_WRA:
		return checker_find("wra");
	case MODEL_RELAXED:
		return checker_find("relaxed");
	case MODEL_SRA:
		return checker_find(has_rmw(x) ? "search" : "sra");
	case MODEL_SC:
	case MODEL_TSO:
		return checker_find("search");
	case MODEL_RC11:
		return checker_find(has_sc(x) ? "psc" : "rc20");
	default:
		return checker_find("rc20");
	}
}

bool checker_fits(const struct checker *c, const struct execution *x)
{
	uint32_t threads = 0;

	if (c->check == check_relaxed || c->check == check_search)
		return true;
	for (uint32_t t = 0; t < x->k; t++)
		threads += x->first[t] < x->first[t + 1];
	return threads <= CHECKER_THREADS;
}

const char *checker_unfit(const struct checker *c, const struct execution *x,
			  enum engine_model model)
{
	if (!(c->models & 1u << model))
		return "it is not for this model";
	if (c->rmw_free && has_rmw(x))
		return "it is for executions without read-modify-writes";
	if (c->psc_free && model == MODEL_RC11 && has_sc(x))
		return "under rc11 it is for executions without sc accesses and fences";
	return NULL;
}
