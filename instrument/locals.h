/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locals.h - accesses to local variables that others know of
 */
#ifndef HEDDLE_INSTRUMENT_LOCALS_H
#define HEDDLE_INSTRUMENT_LOCALS_H

#include <stdbool.h>

/*
 * Copies a file of bitcode that no pass has worked on to output, changed so that the pass of the compiler clang (a path)
 * which announces accesses announces those to all of each local variable whose address gets out of its function.
 * *assembly: may there be inline assembly?
 * False when that cannot be done.
 */
bool locals_show(const char *clang, const char *bitcode, const char *output, bool *assembly);

#endif
