/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leak.h - heap blocks that nothing points to when the program ends
 */
#ifndef HEDDLE_PRELOAD_LEAK_H
#define HEDDLE_PRELOAD_LEAK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/*
 * With --leaks: reports the first block that is lost, and does not return then. To be called
 * by the thread that ends the process, when nothing else can happen any more.
 */
void leak_check(void);

/* main has returned, to who is there on the stack: what lies below is gone. */
void leak_main_returns(uint64_t sp);

/* Meanwhile (AT_LEAKS()): the program can still get at what this points to. */
void leak_keep(uint64_t value);

#pragma GCC visibility pop

#endif
