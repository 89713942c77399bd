/* SPDX-License-Identifier: BSD-2-Clause */
/* own_process.h - what would stop the runtime in its own process, by number as well (hook_own.c) */
#ifndef HEDDLE_PRELOAD_OWN_PROCESS_H
#define HEDDLE_PRELOAD_OWN_PROCESS_H

#pragma GCC visibility push(hidden)

/* Under heddle these end the program, and say why. */
void own_process_traced(void);
void own_process_filtered(void);

#pragma GCC visibility pop

#endif
