/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memo.h - may the engine make executions without the program (engine/run/memo.h)?
 *
 * It may as long as what each thread does is a matter of what its operations have read, and plain accesses race with nothing.
 * So whatever threads pass on otherwise, in any execution, is watched for here: memory that one of them has written
 * plainly and another one accesses, in the same execution or not; atomic locations that are accessed plainly as well, or are in memory
 * that a thread has allocated. Then the program runs each time, from there on. (engine/memo.txt)
 */
#ifndef HEDDLE_PRELOAD_MEMO_H
#define HEDDLE_PRELOAD_MEMO_H

#include "wire/op.h"
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Is that watched for, in this execution? Else the following need not be called. */
extern bool memo_watched;

/* Is the engine to make executions, if it can? */
bool memo_is_asked(void);
/* May it, as things stand, when an execution begins? */
bool memo_is_in_use(void);

/* The calling thread does that. */
void memo_plain(uint64_t addr, uint64_t size, bool is_write);
void memo_op(const struct op *op);
/* All is done: says how much of it was made, where notes are. */
void memo_note(void);
/* It does what is no matter of what it has read. */
void memo_give_up(const char *why);

#pragma GCC visibility pop

#endif
