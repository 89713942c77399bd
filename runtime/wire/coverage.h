/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coverage.h - what a session of random testing has seen
 *
 * Two executions are the same if their threads do the same operations and their reads observe the same writes (a
 * loop that looks again at what it has looked at last counts as one look), or if both end with one bug. A pair is a place in the code that
 * writes, of a thread, and one that has read what it wrote.
 *
 * How much is unseen is estimated by Good and Turing's rule: the next execution is one that was not
 * seen yet with about the probability that one of those so far was seen once.
 */
#ifndef HEDDLE_WIRE_COVERAGE_H
#define HEDDLE_WIRE_COVERAGE_H

#include "wire/seen.h"

struct coverage {
	struct seen_set executions, pairs;
};

#endif
