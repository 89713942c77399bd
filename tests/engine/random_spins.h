/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_spins.h - seeded random scripts about atomic variables that are used as locks
 *
 * Sections behind an exchange, or a compare-and-swap, that found it free, most of them given back by a store; now and then by whoever
 * does not have it, by an order that releases nothing, or not at all. Accesses in them, also plain ones, and beside them.
 */
#ifndef HEDDLE_TESTS_RANDOM_SPINS_H
#define HEDDLE_TESTS_RANDOM_SPINS_H

#include "engine/script.h"

/* Linked and ready to run. The same seed gives the same program on every machine. */
void spins_script(struct script *s, uint64_t seed);

#endif
