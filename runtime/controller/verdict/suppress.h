/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suppress.h - bugs that the user does not want to be told of (--suppressions)
 *
 * In ThreadSanitizer's format: a line is TYPE:PATTERN, where a pattern may stand anywhere in a name, * is any text, and
 * ^ and $ are the ends of the name. What is suppressed is counted, and no "no bug" (verdict.c).
 */
#ifndef HEDDLE_CONTROLLER_SUPPRESS_H
#define HEDDLE_CONTROLLER_SUPPRESS_H

#include "controller/report/outcome.h"

struct suppressions;

/* NULL with an exit status after a message, in one line. */
struct suppressions *suppressions_read(const char *path, int *status);
void suppressions_free(struct suppressions *all);

/* Does a line of the file suppress that confirmed bug? Then it is counted, and *r is released, with its trace. */
bool suppress(struct session *s, struct reported *r);

/* Says in s->why of n such bugs why they are no "no bug". */
void suppressed_say(struct session *s, size_t n);

#endif
