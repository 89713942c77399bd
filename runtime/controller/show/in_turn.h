/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_turn.h - the steps of an execution in an order in which reads see the newest, as far as there is one
 *
 * An exploration lets a read return an old value by executing it behind the write that it does not see. Who looks at the execution wonders how it can
 * be. Mostly it need not be so: another order of the same execution has the read first.
 */
#ifndef HEDDLE_CONTROLLER_IN_TURN_H
#define HEDDLE_CONTROLLER_IN_TURN_H

#include "controller/trace/recording.h"

/*
 * order[i]: which step comes i-th. Steps of a thread stay in their order; a step stays behind the one that it reads from, or that woke,
 * created or ended its thread; those on one location that write, and all on one object, stay as they were executed. A load comes before the
 * next write of its location behind the one that it reads, unless that cannot be: then the model is weak. Among steps that may come next
 * the one that was executed first does. False when memory is short.
 *
 * O(n log n) for n steps.
 */
bool steps_in_turn(const struct step *steps, size_t n, size_t *order);

#endif
