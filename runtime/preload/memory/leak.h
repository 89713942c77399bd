/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leak.h - heap blocks that nothing points to when the program ends
 */
#ifndef HEDDLE_PRELOAD_LEAK_H
#define HEDDLE_PRELOAD_LEAK_H

#pragma GCC visibility push(hidden)

/*
 * With --leaks: reports the first block that is lost, and does not return then. To be called
 * by the thread that ends the process, when nothing else can happen any more.
 */
void leak_check(void);

#pragma GCC visibility pop

#endif
