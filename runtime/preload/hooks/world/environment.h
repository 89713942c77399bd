/* SPDX-License-Identifier: BSD-2-Clause */
/* environment.h - which environment variables the program looks at */
#ifndef HEDDLE_PRELOAD_ENVIRONMENT_H
#define HEDDLE_PRELOAD_ENVIRONMENT_H

#pragma GCC visibility push(hidden)

/* What the program does next depends on this variable. Noted in a replay, for the trace. */
void environment_note(const char *name);

#pragma GCC visibility pop

#endif
