/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opnames.h - the words for operations and orders, in traces and reports, and for a debugger
 *
 * Tables end with NULL and are indexed by the enum they name.
 */
#ifndef HEDDLE_WIRE_OPNAMES_H
#define HEDDLE_WIRE_OPNAMES_H

#pragma GCC visibility push(hidden)

extern const char *const names_op[];    /* enum op_kind */
extern const char *const names_order[]; /* enum mem_order */

#pragma GCC visibility pop

#endif
