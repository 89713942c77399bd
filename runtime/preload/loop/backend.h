/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backend.h - how the program is brought back to the root point
 *
 *	rollback	copies the image back inside the process
 *	fork		runs each execution in a child of the process at the root point
 *
 * run() begins with the program in any state, runs one execution (driver_execution()) from
 * the root point, and leaves what is to follow in `state`. Called on the driver's stack.
 */
#ifndef HEDDLE_PRELOAD_BACKEND_H
#define HEDDLE_PRELOAD_BACKEND_H

#include <stdbool.h>

#include "wire/shared.h"

#pragma GCC visibility push(hidden)

struct backend_ops {
	enum backend id;
	void (*run)(void);
};

/*
 * backend_split is an inexpensive fork for programs that map nothing. To the user it is one, too: a
 * replay by fork does the same.
 */
extern const struct backend_ops backend_rollback, backend_fork, backend_split;

/* Will it do for this program, as far as is known at the root point? */
bool split_possible(void);
/* Executions go on by another back end. */
void split_over(void);
/* Waits for the child that ran an execution, and notes a bug if it did not come to its end. */
void child_wait(long child);

#pragma GCC visibility pop

#endif
