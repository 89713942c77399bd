/* SPDX-License-Identifier: BSD-2-Clause */
/* signals.h - a fault is a bug of the program, not the end of heddle */
#ifndef HEDDLE_PRELOAD_SIGNALS_H
#define HEDDLE_PRELOAD_SIGNALS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

void signals_init(void);
void signals_restore(void); /* as they were before */

#pragma GCC visibility pop

#endif
