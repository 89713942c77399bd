/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal.h - is what a checker says of an inconsistent execution true?
 */
#ifndef HEDDLE_TESTS_REFUSAL_H
#define HEDDLE_TESTS_REFUSAL_H

#include "offline/check.h"

/*
 * NULL, or what is wrong with the cycles and reasons of v. At most AX_EVENTS events with the
 * initial writes; po u rf is acyclic or v says that it is not.
 */
const char *refute_refusal(const struct execution *x, enum engine_model m, const struct verdict *v);

#endif
