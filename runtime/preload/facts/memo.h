/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.h - may the engine make executions without the program (engine/run/memo.h)?
 *
 * It may as long as what each thread does is a matter of what its operations have read, and what it has read plainly in memory
 * that is known to be shared (race/memo_shared.h). Where threads pass on anything else the program runs each time, from there
 * on. (engine/memo.txt)
 */
#ifndef HEDDLE_PRELOAD_MEMO_H
#define HEDDLE_PRELOAD_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Is that watched for, in this execution? Else the following need not be called. */
extern bool memo_watched;
/* Has it to be known who looks into objects of the library: for that, or by values? (value.txt, M5) */
extern bool objects_watched;

/* Is the engine to make executions, if it can? */
bool memo_is_asked(void);
/* May it, as things stand, when an execution begins? */
bool memo_is_in_use(void);

/* All is done: says how much of it was made. */
void memo_note(void);
/* It does what is no matter of what it has read. */
void memo_give_up(const char *why);

#pragma GCC visibility pop

#endif
