/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch.h - the code between two operations of a thread: is all that it does told?
 *
 * Internal to runtime/target: await.c and await_ask.c.
 */
#ifndef HEDDLE_TARGET_STRETCH_H
#define HEDDLE_TARGET_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The worst that it may do. */
enum stretch {
	STRETCH_TOLD,   /* what it reads and writes but its own frames is announced */
	STRETCH_UNSEEN, /* it may read and write memory that nobody announces */
	STRETCH_HIDDEN  /* it may change what is not in memory: it may ask the kernel */
};

/*
 * What may a thread do from pc on, where a hook of an operation returns to with this stack pointer,
 * until its next operation, whatever it reads? A function of the code and of the return addresses on
 * the stack. Cost: code is looked at once for each pc, some 10 us for 100 instructions.
 */
enum stretch stretch_from(uint64_t pc, uint64_t sp);

/* stretch_hook.c: what is known of a function of libheddle-rt.so, or of another library, by its name. */
enum hook_class {
	HOOK_OTHER,     /* nothing */
	HOOK_OPERATION, /* it is one, always */
	HOOK_TELLS,     /* all that it does is an operation, announced, or noted as hidden state */
	HOOK_CALLS,     /* likewise, and calls functions of the program */
	HOOK_THROWS     /* likewise, a function of the C++ library */
};
enum hook_class stretch_hook(const char *name);

#pragma GCC visibility pop

#endif
