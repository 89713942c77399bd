/* SPDX-License-Identifier: BSD-2-Clause */
/* files.h - offsets of files */
#ifndef HEDDLE_PRELOAD_FILES_H
#define HEDDLE_PRELOAD_FILES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Offsets of the files that are open at the root point: noted, and put back. */

#pragma GCC visibility pop

#endif
