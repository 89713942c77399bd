/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_code.h - which instructions of the program access memory, or call the kernel, and no hook announces it
 *
 * Internal to runtime/preload.
 */
#ifndef HEDDLE_PRELOAD_BARE_CODE_H
#define HEDDLE_PRELOAD_BARE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/code.h"

#pragma GCC visibility push(hidden)

/* One such instruction. */
struct bare {
	struct breakpoint here;
	bool calls; /* the kernel */
	bool out;   /* no breakpoint stands there now: bare_traps.c */
};

/* Tells each of them, in instrumented modules, by ascending addresses. */
void bare_find(void (*tell)(const struct bare *found));

/* The access of one of them: registers as ucontext_t has them. */
struct bare_access {
	uint64_t addr;
	uint64_t size; /* 0: it is none */
	bool is_write;
};
struct bare_access bare_access_at(uint64_t at, const int64_t *gregs);

#pragma GCC visibility pop

#endif
