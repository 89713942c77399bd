/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * salvage.h - the last execution of a program that died without a word
 */
#ifndef HEDDLE_CONTROLLER_SALVAGE_H
#define HEDDLE_CONTROLLER_SALVAGE_H

#include "controller/run/collect.h"

/*
 * If the process of a run died by a signal and left no word of it, or wrote over our memory:
 * adds a bug of kind crash to the result, with the steps the engine had recorded, if they can
 * still be read. Returns false when memory is short.
 */
bool salvage(const struct run *run, struct result *r);

#endif
