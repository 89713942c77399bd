/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sites.h - places in the program where threads look again and again, learned
 *
 * Internal to runtime/target; await_begin(), await_restart(), await_learn() and await_is_learned()
 * are in driver.h.
 */
#ifndef HEDDLE_TARGET_SITES_H
#define HEDDLE_TARGET_SITES_H

#include "target/driver.h"

#pragma GCC visibility push(hidden)

/* Is a location known to be read again at that place? */
bool site_known(uint64_t pc);
/* Is the place known, and used like that? */
bool site_is(uint64_t pc, enum site_use use);
/* Notes the place and runs the execution again; returns when there is no room, or it is known. */
void site_learn(uint64_t pc);
/* The exploration is to start again with that place in use. */
void site_use(uint64_t pc);

/* A name of the place that holds in each run, also where addresses vary; and the place of that name. */
uint64_t site_name(uint64_t pc);
uint64_t site_named(uint64_t name);

#pragma GCC visibility pop

#endif
