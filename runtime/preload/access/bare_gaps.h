/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_gaps.h - code of a module that the unwinder has no entry for, and the ways into it
 *
 * Internal to runtime/preload. Of one module at a time.
 */
#ifndef HEDDLE_PRELOAD_BARE_GAPS_H
#define HEDDLE_PRELOAD_BARE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/insn.h"
#include "preload/code/functions.h"

#pragma GCC visibility push(hidden)

/* From now on, of this module. O(its dynamic symbols) */
void gaps_of(const struct module_code *c);

/* Does code begin there, of which nobody knows what it accesses? Entries of a procedure linkage table only go on elsewhere. O(log n) */
bool gaps_have(uint64_t at);

/* The first function from an address on, by its dynamic symbol, that lies in a gap; UINT64_MAX: none. */
uint64_t gaps_symbol(uint64_t from);

/*
 * Addresses in gaps that the module takes, so that it may call what is there, or hand them out: from an instruction, and from the bytes of a function.
 * known: all of its instructions were; else each byte may begin one, also a call or jump, if they are not told otherwise (none_calls).
 */
void gaps_look_at_insn(uint64_t at, const struct insn *in);
void gaps_look_at(uint64_t start, uint64_t end, bool known, bool none_calls);
/* The first of them, those of its data and of symbols without a type with them; 0: none. It may be code, or data. */
uint64_t gaps_taken(void);

#pragma GCC visibility pop

#endif
