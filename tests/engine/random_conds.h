/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_conds.h - seeded random scripts about condition variables
 *
 * Threads that wait, with and without a time, and such as signal and broadcast, under the mutex or not; some wait only if they
 * find a flag, or wait twice, so that who wakes whom is open.
 */
#ifndef HEDDLE_TESTS_RANDOM_CONDS_H
#define HEDDLE_TESTS_RANDOM_CONDS_H

#include "engine/script.h"

/* Linked and ready to run. The same seed gives the same program on every machine. */
void conds_script(struct script *s, uint64_t seed);

#endif
