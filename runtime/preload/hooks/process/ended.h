/* SPDX-License-Identifier: BSD-2-Clause */
/* ended.h - children that had ended when the first thread was created */
#ifndef HEDDLE_PRELOAD_ENDED_H
#define HEDDLE_PRELOAD_ENDED_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#pragma GCC visibility push(hidden)

/* Are there children that the program has not waited for? */
bool ended_matters(void);
/*
 * As waitid() for the end of a child, under the engine, and its return value. Refuses where that is
 * the end of one that may still run.
 */
int ended_wait(idtype_t type, id_t which, siginfo_t *info, int options, struct rusage *usage);

#pragma GCC visibility pop

#endif
