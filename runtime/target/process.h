/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - the ends of the program
 *
 * Internal to runtime/target.
 */
#ifndef HEDDLE_TARGET_PROCESS_H
#define HEDDLE_TARGET_PROCESS_H

#pragma GCC visibility push(hidden)

/* Registers our exit handlers, before anybody else registers one. */
void process_init(void);

#pragma GCC visibility pop

#endif
