/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * asks.h - instructions of the program that ask the processor for the time, or for a random number
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ASKS_H
#define HEDDLE_PRELOAD_ASKS_H

#pragma GCC visibility push(hidden)

/* Before main(), once: the program is given what heddle has for them, from now on. */
void asks_init(void);

#pragma GCC visibility pop

#endif
