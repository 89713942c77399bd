/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow.h - what the files of libheddle-follow.so know of each other
 *
 * This library is in programs that are not explored: make, shells, whatever runs tests. It must not
 * disturb them. It keeps errno, takes no memory, and writes nothing but the session's log.
 */
#ifndef HEDDLE_FOLLOW_FOLLOW_H
#define HEDDLE_FOLLOW_FOLLOW_H

#include <stdbool.h>

#include "wire/successor.h"

#pragma GCC visibility push(hidden)

/* Is there a session? Not in heddle itself, and not where somebody took the variable away. */
extern bool following;
/* What programs that this one starts are to find. */
extern struct successor inherited;

/* Appends a record (wire/follow.h) about a file; text may be NULL. */
void note(const char *verb, const char *file, const char *text);

/* The path of a file of the session's folder; false when it is too long. */
bool session_path(const char *name, char *path, unsigned long size);

/* The file of the program that this process runs; "?" if that cannot be told. */
void own_file(char *path, unsigned long size);

/* Why nothing can be loaded into the program, or NULL: it can, or there is none. */
const char *unseen(const char *file);

#pragma GCC visibility pop

#endif
