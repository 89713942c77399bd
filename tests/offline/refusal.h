/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refusal.h - is what a checker says of an inconsistent execution true?
 */
#ifndef HEDDLE_TESTS_REFUSAL_H
#define HEDDLE_TESTS_REFUSAL_H

#include "offline/check.h"

/*
 * NULL, or what is wrong with the cycles and reasons of v. At most AX_EVENTS events with the
 * initial writes; po u rf is acyclic or v says that it is not. rank: of each write in
 * its location's mo, from 1, if that is given; else NULL.
 */
const char *refute_refusal(const struct execution *x, enum engine_model m, const uint32_t *rank,
			   const struct verdict *v);

#endif
