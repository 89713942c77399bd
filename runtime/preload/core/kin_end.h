/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin_end.h - what becomes of processes that fork() has made (wire/kin.h)
 *
 * A process that runs alone may call the kernel by an instruction of its own, and so become another program that
 * nobody explores. That is found out when somebody waits for its end, and refused.
 */
#ifndef HEDDLE_PRELOAD_KIN_END_H
#define HEDDLE_PRELOAD_KIN_END_H

#include <stdbool.h>
#include <sys/types.h>

#include "wire/kin.h"

#pragma GCC visibility push(hidden)

/* Is there a family? Not in a process without heddle. */
bool kin_end_known(void);

/* The calling process is a child that runs alone, and its end matters. */
void kin_end_enter(void);
/* Has it entered? */
bool kin_end_entered(void);

/* A program is about to be started by a call that is known. */
void kin_end_departs(void);

/* The process is about to be another program; that failed; it is about to end. */
void kin_end_execs(void);
void kin_end_stays(void);
void kin_end_says(void);

/* Did it say that it is another program by now? */
bool kin_end_execed(pid_t pid);

/* A child has ended, and is about to be waited for. Refuses one that became another program unseen. */
void kin_end_look(pid_t zombie);

#pragma GCC visibility pop

#endif
