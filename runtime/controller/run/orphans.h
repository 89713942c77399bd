/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orphans.h - processes that the program has made and left behind
 *
 *	orphans_adopt();
 *	... runs of the program ...
 *	while (orphans_look(&o, over, ctx) && ...)
 *		...
 *	orphans_end();
 *
 * A process whose parent has ended becomes ours (PR_SET_CHILD_SUBREAPER), whatever group and session it is in by
 * then: so none is missed, be it a daemon, one that was forked twice, or one that the program does not wait for.
 * What was our child before the first run is none of them. Not for several threads.
 */
#ifndef HEDDLE_CONTROLLER_ORPHANS_H
#define HEDDLE_CONTROLLER_ORPHANS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct orphans {
	size_t n; /* how many there are, with those that were waited for just now */
	unsigned long
		stamp; /* another number when any of them, or of those that they made, did something */
	bool explores;  /* a heddle is among them (followed.h) */
	pid_t first;    /* one of them, */
	char name[256]; /* and its command line */
};

/* From now on they are ours. The first call notes which children we have already. */
void orphans_adopt(void);
/* They are not any more: this process is about to be another program. */
void orphans_disown(void);

/*
 * Which are there now? Those that have ended are waited for; over() is told of each before that, with the kernel's flags
 * (wire/kin.h). True when there are some, or were: what such a one made last may only be seen by the next look.
 */
bool orphans_look(struct orphans *o, void (*over)(void *ctx, pid_t pid, unsigned long flags),
		  void *ctx);

/* Kills them all, with those that they made. */
void orphans_end(void);

/* Does a process have a child? */
bool has_children(pid_t pid);
/* How long it has run, in the kernel's ticks. */
unsigned long ticks_of(pid_t pid);

#endif
