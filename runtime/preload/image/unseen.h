/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.h - memory that the program writes without telling
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_UNSEEN_H
#define HEDDLE_PRELOAD_UNSEEN_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Memory was compared, in any execution (lasting.h). */
extern uint32_t *memory_was_compared;

/* Nothing in the program is instrumented. Known from the root point on. */
extern bool unseen;
/* Some of it is not: the program itself, or a library that is not one of the system's. */
extern bool unseen_partly;

/* Once, at the root point. */
void unseen_root(void);

/* Names what the execution has loaded so far, as what was there at the root point. */
void unseen_loaded(void);

/* The program mapped, unmapped or protected memory in this execution: it cannot be followed. */
void unseen_moved(void);
/* Before each execution. */

/*
 * A hash of all memory of the program, apart from stacks, errno, and what is the runtime's. False
 * if there is too much, or some of it cannot be followed.
 */
bool unseen_hash(uint64_t *hash);

#pragma GCC visibility pop

#endif
