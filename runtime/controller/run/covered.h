/* SPDX-License-Identifier: BSD-2-Clause */
/* covered.h - what random testing has seen (wire/coverage.h), from the process that is gone */
#ifndef HEDDLE_CONTROLLER_COVERED_H
#define HEDDLE_CONTROLLER_COVERED_H

#include "controller/run/collect.h"

/* A copy of its own; NULL: memory is short. */
struct coverage *covered_collect(const struct shared *s);

/* Adds what another search of the session has seen, if that is known of both. */
void covered_join(struct result *r, const struct result *other);

#endif
