/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_code.h - which instructions of the program and its libraries access memory, or call the kernel, and no hook announces it
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_BARE_CODE_H
#define HEDDLE_PRELOAD_BARE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/code/code.h"
#include "preload/code/functions.h"

#pragma GCC visibility push(hidden)

/* One such instruction. */
struct bare {
	struct breakpoint here;
	uint8_t length;
	bool calls;   /* the kernel */
	bool whole;   /* all its rounds are seen before the first one */
	bool unknown; /* it, or the function that begins with it, or where it leads, accesses memory, and nobody knows where */
};

/*
 * Tells each of them, in instrumented modules, by ascending addresses; but one that is unknown may come behind others of its function, and is
 * told in their place. Returns where code may be of which nobody knows who comes there, and when; 0: nowhere.
 */
uint64_t bare_find(void (*tell)(const struct bare *found));
/* In a module that is not instrumented. */
uint64_t bare_find_in(const struct module_code *c, void (*tell)(const struct bare *found));

enum {
	BARE_ACCESSES = 2 /* of one instruction, at most */
};

/* What one of them accesses: registers as ucontext_t has them. size 0: it does not. */
struct bare_access {
	uint64_t addr;
	uint64_t size;
	bool is_write;
};
void bare_accesses_at(uint64_t at, const int64_t *gregs, struct bare_access a[BARE_ACCESSES]);

#pragma GCC visibility pop

#endif
