/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steal.h - one search by several workers (-j N): what one of them does
 *
 * Internal to runtime/preload. With one worker alone all of this does nothing.
 */
#ifndef HEDDLE_PRELOAD_STEAL_H
#define HEDDLE_PRELOAD_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "wire/shared.h"

#pragma GCC visibility push(hidden)

/* Maps the memory common to all workers; right after shared. */
void steal_map(void);

/* This process is the worker of that number. */
void steal_become(uint32_t number);

/* At the root point, once the image is taken: other workers may be made (siblings.h). */
void steal_root(void);

/* At the root point, before there is an engine: waits until the first worker lets the others in. */
void steal_wait(void);

/* Where facts are kept, those of all workers. */
struct fact_table *steal_facts(void);

/* The names of threads that the workers agree on; NULL: one alone. */
struct engine_names *steal_names(void);
/* Likewise, of a search by values (engine_config.board). */
struct value_board *steal_board(void);

/* Is this the worker that speaks for all where all do the same? */
bool steal_is_first(void);

/* Testing: the number of the execution that runs; 0: not with several workers. */
uint64_t steal_number(void);

/* At the root point, with main's stack pointer, before the first execution: waits for work; false:
 * there is none. */
bool steal_begin(uint64_t sp);

/* An execution is to be counted; false: it is beyond the limit of executions. */
bool steal_counts(void);

/* Exploring: no worker goes on. */
void steal_stop(void);

/*
 * After engine_advance(), with what it said: gives work to others, or takes it from them; false:
 * no execution follows in this worker.
 */
bool steal_next(bool more);

/* How many executions all workers have counted together, about, if this one has counted so many. */
uint64_t steal_counted(uint64_t mine);

/*
 * The search is to start again: true if this worker is alone in it; false if all stop, for the
 * controller to do that.
 */
bool steal_restart(void);

/* After steal_next(): is the whole space visited, by all workers together? */
bool steal_over(void);

#pragma GCC visibility pop

#endif
