/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - the ends of the program
 *
 * Internal to runtime/target.
 */
#ifndef HEDDLE_TARGET_PROCESS_H
#define HEDDLE_TARGET_PROCESS_H

#include "target/perform.h"

#pragma GCC visibility push(hidden)

/* main returned status; pc: a place in it. */
heddle_noreturn void end_of_main(int status, uint64_t pc);

/* Registers our exit handlers, before anybody else registers one. */
void process_init(void);

#pragma GCC visibility pop

#endif
