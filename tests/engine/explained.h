/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explained.h - does the explanation of a refusal hold? For the tests of explain_read()
 *
 * Each fails the test that asks.
 */
#ifndef HEDDLE_TESTS_EXPLAINED_H
#define HEDDLE_TESTS_EXPLAINED_H

#include "offline/explain_read.h"

/* What has been asked so far. */
struct asked {
	uint64_t may, may_not, judged;
	uint64_t tried; /* refusals in which writes had to be tried in both orders */
	uint64_t mo;    /* refusals that only the modification order of the graph makes */
};

extern const char *const explained_models[MODEL_COUNT];

/* The line names axioms of the model and a cycle. */
void explained_line(const struct explanation *e, enum engine_model m);

/* What brute force says of the execution that the explanation is about, if it can judge it. */
void explained_by_force(struct explanation *e, enum engine_model m, bool admitted,
			struct asked *count);

#endif
