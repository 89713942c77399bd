/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trust.h - which programs a trace may name without being asked for it, and which variables it may set
 */
#ifndef HEDDLE_CONTROLLER_TRUST_H
#define HEDDLE_CONTROLLER_TRUST_H

#include <stdbool.h>

#include "controller/elf/elf.h"

/*
 * Why a program is none that a replay in this folder may start because a trace names it: words to
 * stand behind "a program that"; NULL: it may be started.
 */
const char *trust_lacks(const struct program *p, const char *folder);

/*
 * May a trace set this variable of the environment? Not those that the loader and libc act on, and
 * ours.
 */
bool trust_variable(const char *name);

/* May a trace have its program run in this folder? In the current one, and below it. */
bool trust_folder(const char *path);
/* May libraries come from these folders, as LD_LIBRARY_PATH has them? The same, for each. */
bool trust_folders(const char *list);

#endif
