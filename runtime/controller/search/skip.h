/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * skip.h - a test program that ends as tests do that are to be skipped (--skip-exitcode)
 *
 * Its status is no bug if all executions end with it: what is searched then is a program that is to end so. Where some
 * end otherwise, chance decides whether the test is run at all, and the bug is what it was.
 */
#ifndef HEDDLE_CONTROLLER_SKIP_H
#define HEDDLE_CONTROLLER_SKIP_H

#include "controller/search/session.h"

/* Behind the search of the program that the user named: has an execution ended so? */
bool skip_applies(const struct session *s);
/*
 * Searches again, for other bugs, in place of the first search, unless there are executions that end otherwise. status: of
 * the first search; returns that of the one that is left.
 */
int skip_search(struct session *s, uint32_t mode, int status);
/* When the verdict is known. */
void skip_settle(struct session *s);

#endif
