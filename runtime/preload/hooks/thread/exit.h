/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exit.h - the ends of the program
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_EXIT_H
#define HEDDLE_PRELOAD_EXIT_H

#include "preload/step/perform.h"

#pragma GCC visibility push(hidden)

/* Writes out what streams hold, in a replay, when nothing moves any more; hooks/io sets it. */
extern void (*show_streams)(void);
/* The calling thread is about to run the handlers, and end the process: one thread does at a time; hooks/libc sets it. */
extern void (*wait_for_who_exits)(uint64_t pc);

/* main returned status; pc: a place in it. Called by who has called main. */
heddle_noreturn void end_of_main(int status, uint64_t pc);
/* The process ends with this status, and runs nothing more. */
heddle_noreturn void exit_now(int status, uint64_t pc);

/* The calling thread has created another one. */
void process_thread_created(void);
/* The calling thread has run its destructors, and is about to end: if it is the last one, the process does. */
void process_thread_ends(void);
/* No thread is left, and nothing was to be run at the end. */
void process_over(void);

/* Registers our exit handlers, before anybody else registers one. */
void process_init(void);

#pragma GCC visibility pop

#endif
