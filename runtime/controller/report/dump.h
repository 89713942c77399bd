/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump.h - every execution of an exploration as a file for heddle check
 *
 *	struct dumper *d = dump_new("dir", "rc11", "rf", &status);
 *
 *	... while the program runs, and when it is over:
 *	if (!dump_take(d, run.shared))
 *		stop the program
 *	...
 *	status = dump_status(d);
 *	dump_free(d);
 */
#ifndef HEDDLE_CONTROLLER_DUMP_H
#define HEDDLE_CONTROLLER_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/shared.h"

struct dumper;

/*
 * Makes the folder if need be, and checks that no executions lie in it. NULL after a message:
 * then *status is the exit status.
 */
struct dumper *dump_new(const char *dir, const char *model, const char *equivalence, int *status);

/*
 * Writes what a run has put there since the last call, or for some milliseconds; false, after a
 * message, if it cannot. How many are there that were not written?
 */
bool dump_take(struct dumper *d, struct shared *s);
uint64_t dump_waiting(const struct shared *s);

/* The run is over: what it has put there, and nobody took, is missing. */
void dump_left(struct dumper *d, const struct shared *s);

/* Another process is explored from now on: what was written so far stays. */
void dump_process(struct dumper *d);

/* Removes what was written of this process: the exploration starts again. */
void dump_forget(struct dumper *d);

/* How many executions were written, how many were not for lack of time, and the exit status: 0, or that of the first error. */
uint64_t dump_count(const struct dumper *d);
uint64_t dump_missing(const struct dumper *d);
int dump_status(const struct dumper *d);

/* NULL is allowed. */
void dump_free(struct dumper *d);

#endif
