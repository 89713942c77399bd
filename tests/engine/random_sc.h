/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_sc.h - random scripts of accesses, half of them sc, with few fences: what the order of sc
 * events asks of reads, where one modification order (engine/model/witness_reach.c) may answer
 *
 * The same seed names the same program on every machine.
 */
#ifndef HEDDLE_TESTS_RANDOM_SC_H
#define HEDDLE_TESTS_RANDOM_SC_H

#include "engine/script.h"

/* Linked and ready to run. */
void sc_script(struct script *s, uint64_t seed);

#endif
