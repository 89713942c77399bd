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
#ifndef HEDDLE_TARGET_BACKEND_H
#define HEDDLE_TARGET_BACKEND_H

#include "wire/shared.h"

#pragma GCC visibility push(hidden)

struct backend_ops {
	enum backend id;
	void (*run)(void);
};

extern const struct backend_ops backend_rollback, backend_fork;

#pragma GCC visibility pop

#endif
