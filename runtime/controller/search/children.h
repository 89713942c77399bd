/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.h - processes that the program makes before it has threads (preload/loop/children.c)
 */
#ifndef HEDDLE_CONTROLLER_CHILDREN_H
#define HEDDLE_CONTROLLER_CHILDREN_H

#include "controller/search/session.h"

/*
 * Explores the children of the program, each by a run of its own, after the program itself
 * (search_process()). Puts the results together in the session: totals, bugs, verdict and status.
 */
void children_search(struct session *s, uint32_t mode);

#endif
