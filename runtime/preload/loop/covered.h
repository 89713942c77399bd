/* SPDX-License-Identifier: BSD-2-Clause */
/* covered.h - what a session of random testing has seen (wire/coverage.h) */
#ifndef HEDDLE_PRELOAD_COVERED_H
#define HEDDLE_PRELOAD_COVERED_H

#include "wire/search.h"

#pragma GCC visibility push(hidden)

/* The execution ended like this, and counts. */
void covered_note(enum engine_ending ending);
/* The same of an execution that had a guide (engine/online/guide.h). */
void guided_note(enum engine_ending ending);
/* The search starts again. */
void covered_forget(void);

#pragma GCC visibility pop

#endif
