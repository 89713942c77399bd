/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * members.h - parts of variables by the names that their types give them
 *
 *	struct members *m = members_new(libdw_load());
 *
 *	if (members_path(m, mod, addr, out, sizeof(out)))
 *		puts(out); // ".head", "[2].next", "[2].bits+0x1"
 *
 * From the DWARF of the module. One that its module has no DWARF of is not known. Cost: all units of a module are looked through at the first
 * question about it.
 */
#ifndef HEDDLE_CONTROLLER_MEMBERS_H
#define HEDDLE_CONTROLLER_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/elf/libdw.h"

struct members;

/* NULL when memory is short. dw and the modules must live as long. */
struct members *members_new(const struct libdw *dw);
void members_free(struct members *m);

/*
 * What stands behind the name of the variable that an address lies in, "" for all of it or for what has no parts; names that begin as those of
 * a library's own do (_M_, __) end it. False: the variable is not known.
 */
bool members_path(struct members *m, Dwfl_Module *mod, uint64_t addr, char *out, size_t size);

#endif
