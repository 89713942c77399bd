/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entered.h - threads that are in a library at the same time, of which nobody sees what it does
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_ENTERED_H
#define HEDDLE_PRELOAD_ENTERED_H

#include <stdbool.h>
#include <stdint.h>

struct dl_phdr_info;
struct module_code;

enum {
	ENTERED_MODULES = 16 /* that are watched; of more, threads count as having met there */
};

#pragma GCC visibility push(hidden)

/* A module that is not instrumented: at the root point, or loaded by the running thread, which may have been in it. */
void entered_watch(const struct dl_phdr_info *info, const char *name);
/* The running thread may be in such a module, or load one; if so, its next operation says so. */
extern bool entered_is_in;
void entered_leaves(void);
/* Who else is to know, unless NULL. */
struct entered_also {
	/* The running thread comes into a module, by number. */
	void (*enters)(uint32_t module, const struct module_code *code);
	void (*leaves)(void);
};
extern const struct entered_also *entered_also;
/* Somebody has written to the code of a module, and may go on to while that can be executed, or not any more. */
void entered_changes(uint32_t module, bool goes_on);
/* A fault at pc, which is no address that was read or written: true if a thread came into a module, and may go on. */
bool entered_fault(uint64_t pc);

#pragma GCC visibility pop

#endif
