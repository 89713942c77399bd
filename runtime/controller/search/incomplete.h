/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incomplete.h - why a search that found no bug does not show that there is none
 *
 * Limits that it came to, what it left out, and code that does what heddle does not see.
 */
#ifndef HEDDLE_CONTROLLER_INCOMPLETE_H
#define HEDDLE_CONTROLLER_INCOMPLETE_H

#include <stdbool.h>

#include "controller/search/session.h"

/* Puts into s->why, in words, why the search is not complete; false when it is. */
bool incomplete(struct session *s);

/* Did the process end in a way that is nobody's doing? */
bool search_died(const struct result *r);

#endif
