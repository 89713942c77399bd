/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locked.h - atomic instructions that an instrumented program still has
 *
 *	uint64_t at[4];
 *	size_t n = locked_find("/tmp/t", at, 4);
 *
 * Where heddle-cc compiles, atomics become calls. What is left is inline assembly, or of object files that it has
 * not compiled: heddle does not see it, and a race with what it orders may be none.
 */
#ifndef HEDDLE_CONTROLLER_LOCKED_H
#define HEDDLE_CONTROLLER_LOCKED_H

#include <stddef.h>
#include <stdint.h>

/*
 * The first max of these instructions in an ELF file, in the order of its symbols: offsets from the
 * load base to the byte behind each. Returns how many; 0 also when the file cannot be read or has no symbols.
 */
size_t locked_find(const char *path, uint64_t *offset, size_t max);

#endif
