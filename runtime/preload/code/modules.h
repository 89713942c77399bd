/* SPDX-License-Identifier: BSD-2-Clause */
/* modules.h - which file an address was loaded from */
#ifndef HEDDLE_PRELOAD_MODULES_H
#define HEDDLE_PRELOAD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct late_modules;

#pragma GCC visibility push(hidden)

/* Those that are there now. */
void modules_fill(void);
/* The program loads others, from now on: they are looked for when an address is in none that is known. */
void modules_load(void);
/* The root point lies in a call that loads or unloads a library: how it goes on there changes what ld.so keeps. */
extern bool modules_root_in_loader;
/* Has it, in this execution? */
bool modules_loading(void);
/* What those are called (wire/late.h). */
extern struct late_modules *modules_late;
/* Takes those that were loaded since modules_fill(). */
void modules_look(void);
/* An instrumented part of the program was initialised. */
extern bool tsan_seen;
/* Index of the module that addr lies in, or -1. */
int module_of(uint64_t addr);
/* Is it loaded? One that executions load may not be. */
bool module_is_there(uint32_t module);
/* Has a module thread-local variables, apart from those of libc and the C++ library? */
bool modules_have_tls(void);
/* Did a module ask for stacks that can be executed? */
bool modules_run_stacks(void);
/* Does [start, end) hold what ld.so knows of a module? Then it mapped that for itself. */
bool modules_list_in(uint64_t start, uint64_t end);
/* Is a file of that name, without folders, one of the system's, or ours? */
bool module_is_of_system(const char *name);
/* True when pc lies in the runtime itself. */
bool in_runtime(uint64_t pc);
/* The writable segments of the runtime: [*start, *end) covers them. */
void runtime_data(uint64_t *start, uint64_t *end);
/* Does the address lie in a part of a module that is never written to? */
bool module_constant(uint64_t addr);
/* instrumented.c: looks which modules are instrumented. */
void memory_modules(void);
/* The same before the root point, in a constructor of one: only if others were loaded since the last call. */
void memory_modules_early(void);
/* Is the code at pc in one of them? */
bool memory_from_program(uint64_t pc);

#pragma GCC visibility pop

#endif
