/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_print.h - what heddle check says of a verdict: for people, and as JSON
 *
 * The verdict must be a decision about the execution; the JSON goes into an object of the
 * caller's. Formats in heddle-check(1).
 */
#ifndef HEDDLE_CONTROLLER_CHECK_PRINT_H
#define HEDDLE_CONTROLLER_CHECK_PRINT_H

#include <jansson.h>

#include "offline/check.h"

/* The axiom and along which cycle it fails, to standard output. */
void check_print_refusal(const struct execution *x, const struct verdict *v);
/* "axiom", "location", "cycle", "searched" and "cases". */
void check_refusal_json(json_t *into, const struct execution *x, const struct verdict *v);

/* mo, and the order of all events where there is one. */
void check_print_witness(const struct execution *x, const struct verdict *v);
/* "mo" */
void check_witness_json(json_t *into, const struct execution *x, const struct verdict *v);

#endif
