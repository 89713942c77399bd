/* SPDX-License-Identifier: BSD-2-Clause */
/* fini.h - does the end of a module do anything? */
#ifndef HEDDLE_PRELOAD_FINI_H
#define HEDDLE_PRELOAD_FINI_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Does the end of some module do more than the compiler's start files ask for? */
bool modules_have_endings(void);

#pragma GCC visibility pop

#endif
