/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locate.h - where heddle's own files are, relative to the running command
 *
 *	char path[PATH_MAX];
 *
 *	if (locate_library("libheddle-rt.so", path, sizeof(path)) < 0)
 *		complain that the installation is damaged;
 *
 * Used by the commands (heddle, heddle-cc), never inside the program under test.
 */
#ifndef HEDDLE_BASE_LOCATE_H
#define HEDDLE_BASE_LOCATE_H

#include <stddef.h>

/*
 * Stores the absolute path of a file or folder of heddle's library folder (lib/heddle) in
 * path, or of the folder itself when name is "". Returns 0, -ENOENT when there is none,
 * -ENAMETOOLONG when it does not fit. Thread-safe.
 */
int locate_library(const char *name, char *path, size_t size);

/* The same for the folder that holds heddle.h (include/heddle), name "" or "heddle.h". */
int locate_include(const char *name, char *path, size_t size);

/* The same for that of manual pages (share/man), name "man1/heddle.1". */
int locate_manual(const char *name, char *path, size_t size);

#endif
