/* SPDX-License-Identifier: BSD-2-Clause */
/* refuse.h - the end of the process: what heddle cannot do, and what went wrong in it */
#ifndef HEDDLE_PRELOAD_REFUSE_H
#define HEDDLE_PRELOAD_REFUSE_H

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/*
 * The program did what heddle cannot run: PHASE_REFUSED with one line that names what and
 * the cure, and the process ends. The pieces are strings, ended by NULL.
 */
heddle_noreturn void refuse(const char *piece, ...) __attribute__((sentinel));
/*
 * As refuse(), in a process that the program has made. Its parent, if that is still the given process, ends,
 * too, once that is told: whoever waits for the parent is not to wonder what killed it.
 */
heddle_noreturn void refuse_with(long parent, const char *piece, ...) __attribute__((sentinel));
/* The kernel has no room for what the runtime maps. */
heddle_noreturn void refuse_for_room(void);
/* PHASE_NONDET and PHASE_INTERNAL likewise. */
heddle_noreturn void nondeterminism(const char *piece, ...) __attribute__((sentinel));
heddle_noreturn void internal_error(const char *piece, ...) __attribute__((sentinel));

/*
 * The calling process is a child, of whose shared mapping only this may be left soon. If it refuses then, that is told there,
 * and the process that heddle started ends, and with it all that it made.
 */
void refuse_by(struct children *family);

#pragma GCC visibility pop

#endif
