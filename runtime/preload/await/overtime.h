/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overtime.h - probes that do not come to an end
 *
 * Internal to runtime/preload: probe.c.
 *
 * A probe gives a thread a value that it may never read where it is, and what the code makes of that may take hours: who
 * waits for its turn, for longer the more come before it, is told that minus one thousand do. So a probe that computes
 * for a tenth of a second, without an operation, is ended, as one of which it is not known where it leads. No values are
 * tried out at that place any more (FACT_OVERTIME, for which the search starts again, so that it is the same for all
 * workers): threads that wait there go round, and stop where they are back. What is run again with a value that was read is
 * ended as well, and counts as another way.
 *
 * Cost: two system calls in each execution that has a probe.
 */
#ifndef HEDDLE_PRELOAD_OVERTIME_H
#define HEDDLE_PRELOAD_OVERTIME_H

#pragma GCC visibility push(hidden)

/*
 * There will be probes. What libc keeps of a signal's action is memory that a probe must leave as it was (unseen.h), so this
 * comes before it is looked at.
 */
void overtime_prepare(void);

/* A probe begins. `cut` ends it, called by a signal handler while it is in code of the program; it does not return. */
void overtime_watch(void (*cut)(void));

#pragma GCC visibility pop

#endif
