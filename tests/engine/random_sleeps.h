/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_sleeps.h - seeded random scripts about futexes
 *
 * Threads that sleep, as futex(2) does if a word is what is expected or whatever it is, some of them twice, and such as wake one or
 * several of them, with accesses beside, also plain ones.
 */
#ifndef HEDDLE_TESTS_RANDOM_SLEEPS_H
#define HEDDLE_TESTS_RANDOM_SLEEPS_H

#include "engine/script.h"

/* Linked and ready to run. The same seed gives the same program on every machine. */
void sleeps_script(struct script *s, uint64_t seed);

#endif
