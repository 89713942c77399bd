/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * busy.h - is it the program that does nothing, or the runtime that thinks?
 */
#ifndef HEDDLE_CONTROLLER_BUSY_H
#define HEDDLE_CONTROLLER_BUSY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * True when the process, or a child of it (fork back end), is executing code of heddle's
 * runtime: a decision that takes long, not a program that hangs. False also when that cannot
 * be found out. Stops the process for a few milliseconds.
 */
bool runtime_is_busy(pid_t pid);

#endif
