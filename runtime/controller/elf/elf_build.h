/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_build.h - how a program was built, from what its loader will read
 *
 *	struct elf_build b;
 *
 *	elf_build(&b, elf);
 *	if (b.defines_tsan)
 *		...
 */
#ifndef HEDDLE_CONTROLLER_ELF_BUILD_H
#define HEDDLE_CONTROLLER_ELF_BUILD_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_build {
	size_t imports;              /* names that other files are to define */
	bool starts_with_libc;       /* it imports __libc_start_main() */
	bool uses_tsan;              /* it calls __tsan_*() */
	bool defines_tsan;           /* and has them in itself */
	bool defines_locks;          /* it has pthread_mutex_lock() in itself */
	bool needs_native;           /* it was linked with heddle's library */
	bool needs_tsan;             /* it was linked with a ThreadSanitizer that is a library */
	const char *other_sanitizer; /* another one that it has in itself, or is linked with */
};

/*
 * Fills *b, for a dynamically linked program. Works without section headers, which the loader
 * does not look at either. What cannot be read counts as not there.
 */
void elf_build(struct elf_build *b, Elf *elf);

#endif
