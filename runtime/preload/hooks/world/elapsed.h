/* SPDX-License-Identifier: BSD-2-Clause */
/* elapsed.h - how much virtual time has passed for a thread, by what it did and what it knows of (elapsed.c) */
#ifndef HEDDLE_PRELOAD_ELAPSED_H
#define HEDDLE_PRELOAD_ELAPSED_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* In nanoseconds since the program began, for the calling thread; not in a probe. */
uint64_t elapsed_ns(void);
/* At least that much has passed for the calling thread. */
void elapsed_until(uint64_t ns);

#pragma GCC visibility pop

#endif
