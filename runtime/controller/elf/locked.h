/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locked.h - atomic instructions, and system calls, that an instrumented program has in machine code of its own
 *
 *	uint64_t at[4];
 *	size_t n = locked_find("/tmp/t", at, 4);
 *
 * Where heddle-cc compiles, atomics become calls. What is left is inline assembly, or of object files that it has
 * not compiled: heddle does not see it, and a race with what it orders may be none.
 */
#ifndef HEDDLE_CONTROLLER_LOCKED_H
#define HEDDLE_CONTROLLER_LOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The first max of these instructions in an ELF file, in the order of its symbols: offsets from the
 * load base to the byte behind each. Returns how many; 0 also when the file cannot be read or has no symbols.
 */
size_t locked_find(const char *path, uint64_t *offset, size_t max);

/* A function with code that does something which heddle does not see. */
struct untold_code {
	char function[128];
	bool system_call; /* it has the instruction for that; else an atomic one */
};

/*
 * The first such function of an ELF file; of atomic instructions only if asked for. With `foreign`, a file in which
 * nothing is instrumented has none. False: there is none, as far as the file can be read and has symbols.
 */
bool untold_find(const char *path, bool atomics, bool foreign, struct untold_code *out);

/*
 * The name of a source file that was linked into an instrumented ELF file and is not instrumented itself, by the local
 * symbols that compilers leave of each; false: there is none, as far as there are such symbols.
 */
bool untold_source(const char *path, char *name, size_t size);

#endif
