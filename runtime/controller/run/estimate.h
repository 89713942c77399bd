/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * estimate.h - how many executions there are, from what random descents have found (wire/search.h)
 */
#ifndef HEDDLE_CONTROLLER_ESTIMATE_H
#define HEDDLE_CONTROLLER_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/search.h"

struct estimate {
	double complete, blocked, all; /* executions; all: both */
	double error; /* of all: the standard error, as far as the descents show it */
	double descents;
};

/* Those of one more worker. */
void estimate_add(struct engine_estimate *sum, const struct engine_estimate *x);

/* False: nothing is known (no descent came to its end, or the program wrote over the numbers). */
bool estimate_known(const struct engine_estimate *x, struct estimate *out);

/* Beside an exploration that has visited so many, and is not over: is it worth saying? Few descents miss the large subtrees. */
bool estimate_holds(const struct estimate *x, uint64_t visited);

/* A number as people say it: "1234", "12.3 million". */
enum {
	ESTIMATE_TEXT = 32
};
void estimate_text(double n, char out[ESTIMATE_TEXT]);

#endif
