/* SPDX-License-Identifier: BSD-2-Clause */
/* incomplete.h - why a search that found no bug is no "no bug" */
#ifndef HEDDLE_CONTROLLER_INCOMPLETE_H
#define HEDDLE_CONTROLLER_INCOMPLETE_H

#include "controller/report/outcome.h"

/* Why s->search is not complete, into s->why, in a part of a sentence; false when it is. */
bool incomplete(struct session *s);

#endif
