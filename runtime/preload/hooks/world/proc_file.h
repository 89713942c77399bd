/* SPDX-License-Identifier: BSD-2-Clause */
/* proc_file.h - what files of the program in /proc say of its ids, threads and their names */
#ifndef HEDDLE_PRELOAD_PROC_FILE_H
#define HEDDLE_PRELOAD_PROC_FILE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/*
 * A descriptor of what the file is to hold, if the path is one of those that are opened to be read; -1:
 * it is none. real: the same as proc_path() has it. flags: O_CLOEXEC or not.
 */
int proc_file(const char *path, const char *real, int flags);

/* Is this, as proc_path() has it, the folder of the program's threads? The kernel has one there for all of them. */
bool proc_lists_threads(const char *path);

/* The threads of which the caller does not know (po u rf) that they have ended, with itself. */
int proc_threads(void);

#pragma GCC visibility pop

#endif
