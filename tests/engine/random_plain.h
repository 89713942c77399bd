/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random_plain.h - plain memory that threads hand over to each other, mostly without a race
 */
#ifndef HEDDLE_TESTS_RANDOM_PLAIN_H
#define HEDDLE_TESTS_RANDOM_PLAIN_H

#include "engine/script.h"

void plain_script(struct script *s, uint64_t seed);

#endif
