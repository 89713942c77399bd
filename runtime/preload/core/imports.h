/* SPDX-License-Identifier: BSD-2-Clause */
/* imports.h - which functions the program can call by name */
#ifndef HEDDLE_PRELOAD_IMPORTS_H
#define HEDDLE_PRELOAD_IMPORTS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Can the program, or a library of it, call this function by name? */
bool program_imports(const char *name);
/* Can this one of them? */
struct dl_phdr_info;
bool module_imports(const struct dl_phdr_info *info, const char *name);

#pragma GCC visibility pop

#endif
