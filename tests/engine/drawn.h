/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drawn.h - random executions of a script, compared with what brute force says that the model has
 *
 * Errors are failures of the test that runs.
 */
#ifndef HEDDLE_TESTS_DRAWN_H
#define HEDDLE_TESTS_DRAWN_H

#include "engine/oracle.h"
#include "engine/runner.h"

extern const enum engine_model drawn_models[];
enum {
	DRAWN_MODELS = 8
};

/* Asks brute force about these models, all at once. False: too large to know. */
bool drawn_ask(struct oracle *o, const struct script *s, unsigned models);

/* Draws executions as ro says; each must be one that the model has. */
void drawn_are_of_model(const struct oracle *o, struct runner *r, const struct script *s,
			const struct runner_options *ro);

/*
 * Draws more and more of them until each that the model has was drawn, if these are few. (ro: max_executions
 * is set here.)
 */
void drawn_all(struct oracle *o, struct runner *r, const struct script *s,
	       const struct runner_options *ro);

#endif
