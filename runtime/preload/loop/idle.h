/* SPDX-License-Identifier: BSD-2-Clause */
/* idle.h - does a process wait for what others do? */
#ifndef HEDDLE_PRELOAD_IDLE_H
#define HEDDLE_PRELOAD_IDLE_H

#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/*
 * Looks at a child now and then, until it ends or is_over() says so (false). True: it has slept in the kernel for two
 * seconds, and has no child of its own that it may wait for.
 */
bool idle_watch(pid_t pid, bool (*is_over)(void));

#pragma GCC visibility pop

#endif
