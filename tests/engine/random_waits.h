/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_waits.h - random scripts about threads that wait, in the shapes that the proofs of
 * runtime/engine/explore/explore.txt are about
 *
 * The same seed and shape give the same program on every machine.
 */
#ifndef HEDDLE_TESTS_RANDOM_WAITS_H
#define HEDDLE_TESTS_RANDOM_WAITS_H

#include "engine/script.h"

enum waits_shape {
	WAITS_RACES, /* plain accesses before and behind loops that wait */
	WAITS_MUTUAL, /* two threads, each of which ends what the other waits for, or both wait for good */
	WAITS_OBJECTS, /* loops that wait beside locks, semaphores and condition variables */
	WAITS_CROWD, /* many threads, each with an exchange or compare-and-swap that is tried again */
	WAITS_SHAPES
};

extern const char *const waits_names[WAITS_SHAPES];

/* Linked and ready to run. */
void waits_script(struct script *s, uint64_t seed, enum waits_shape shape);

#endif
