/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.h - do threads that were stopped in loops stay there for ever? (wra; engine/alone.c)
 */
#ifndef HEDDLE_PRELOAD_ALONE_H
#define HEDDLE_PRELOAD_ALONE_H

#include "preload/await/arrival.h"

#pragma GCC visibility push(hidden)

enum alone {
	ALONE_LEAVES,  /* one may yet go on: another execution is about that */
	ALONE_STAYS,   /* each of them stays */
	ALONE_UNKNOWN, /* nobody knows */
};

/* After engine_end() said `unknown`, before the program is put back; by who is no fiber. */
enum alone alone_follow(void);

enum probe_end {
	PROBE_ARRIVES, /* at its next operation */
	PROBE_GOES_ON, /* it does something that others may see */
	PROBE_UNCLEAR, /* not all of what it does is told, or there is no room */
};

/*
 * While no fiber runs, called in the context *caller: makes that call of a hook again, for the fiber, on
 * the stack as it is, and goes on with *value to the next operation; NULL: stops at this one.
 * Plain writes go into the log, before they happen. *at, *entry: the operation, and the call of its hook.
 * (probe.c)
 */
enum probe_end probe_alone(struct fiber *f, struct context *caller, const struct entry *call,
			   const struct value *value, struct write_log *log, struct arrival *at,
			   struct entry *entry);

#pragma GCC visibility pop

#endif
