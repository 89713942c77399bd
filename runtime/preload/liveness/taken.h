/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * taken.h - where calls and jumps led whose target is not in the code
 *
 * A virtual function, or one that is called by a pointer, may be any for all that the code says, and so may what a function jumps to
 * at its end. But it is one, and whoever watches the place knows which: in front of the instruction stands a breakpoint, and the handler of
 * the signal does what the instruction would have done. So of a stretch of code that a thread has behind it (stretch.h) it is known where all such calls
 * led, and that those were not reached of which nothing is noted.
 *
 * Cost: a signal, some us, for each call at a place that is watched, in stretches that are new; nothing as long as none is.
 *
 * Internal to runtime/preload: untold.c, stretch.c, stretch_reach.c and signal.c.
 */
#ifndef HEDDLE_PRELOAD_TAKEN_H
#define HEDDLE_PRELOAD_TAKEN_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

enum {
	TAKEN_MOST = 16
};

/* Where a thread went since taken_forget(), each place and target once. */
struct taken {
	uint64_t hash; /* of all of that; not 0 */
	uint32_t n;
	bool more; /* than there is room for */
	struct {
		uint64_t site, to;
	} at[TAKEN_MOST];
};

/* The calling thread begins another stretch; looks: it will be asked where it went. */
void taken_forget(bool looks);
/* Where it went in this one; NULL: that is not known. Valid until it goes on. */
const struct taken *taken_since(void);

/* Is the instruction there watched, since the execution began? */
bool taken_is_watched(uint64_t site);
/* It is to be, if it can be: from the next execution on. */
void taken_watch(uint64_t site);
/* Will the next execution watch more than this one does? */
bool taken_is_news(void);

/* SIGTRAP: true if it is one of these, and the thread goes on as *uc says. */
bool taken_trap(ucontext_t *uc);

#pragma GCC visibility pop

#endif
