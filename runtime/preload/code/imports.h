/* SPDX-License-Identifier: BSD-2-Clause */
/* imports.h - which functions the program can call by name, and which a module has */
#ifndef HEDDLE_PRELOAD_IMPORTS_H
#define HEDDLE_PRELOAD_IMPORTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Can the program, or a library of it, call this function by name? */
bool program_imports(const char *name);
/* Can this one of them? */
struct dl_phdr_info;
bool module_imports(const struct dl_phdr_info *info, const char *name);
/* It has looked for the function by dlsym(). */
void program_asked(const char *name);
/* What a module has by this name (a function may be one that chooses another: IFUNC); NULL: nothing. */
void *module_defines(const struct dl_phdr_info *info, const char *name);
/* The symbols of a module by which others can find what it has, and how many; some are undefined. NULL: it has none. */
const ElfW(Sym) * module_symbols(uint64_t base, const ElfW(Dyn) * dynamic, uint32_t *n);
/* Does the address lie in the module? */
bool module_has(const struct dl_phdr_info *info, uint64_t addr);

#pragma GCC visibility pop

#endif
