/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * minimise.h - a smaller execution with the same bug, and where in it the bug is certain to come
 *
 * What random testing finds is full of switches and of threads that have nothing to do with the bug; what an
 * exploration finds has some, by the order in which it happened to look at executions. So
 * pieces of it are joined, left out, or let read what is newest, one after the other; a random execution that follows what is left
 * (run/guided.h) shows whether the bug is still there. Each that is smaller and has it is the next to
 * begin with. What is found in the end is an execution of its own, confirmed by replay like any other.
 */
#ifndef HEDDLE_CONTROLLER_MINIMISE_H
#define HEDDLE_CONTROLLER_MINIMISE_H

#include "controller/report/outcome.h"

/*
 * f is a bug as it was found, r the same one, confirmed. Fills r->shorter and, of one that was found at random, r->inflection,
 * as far as they can be had; r->bug is the smaller one then.
 */
void minimise(struct session *s, const struct finding *f, size_t number, struct reported *r);

#endif
