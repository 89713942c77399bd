/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf.h - is this file a program heddle can run, and which build is it?
 *
 *	struct program p;
 *	char why[ELF_REASON];
 *
 *	if (!program_inspect(&p, "./t", why, sizeof(why)))
 *		return fail(STATUS_CANNOT_RUN, "%s", why);
 */
#ifndef HEDDLE_CONTROLLER_ELF_H
#define HEDDLE_CONTROLLER_ELF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	BUILD_ID_TEXT = 2 * 32 + 8, /* the longest one, with its prefix and final 0 */
	ELF_REASON = PATH_MAX + 512,
};

enum built {
	BUILT_PLAIN,     /* nothing in it is instrumented */
	BUILT_WITH_TSAN, /* with -fsanitize=thread, by gcc or clang */
	BUILT_BY_HEDDLE, /* with heddle-cc */
};

struct program {
	char path[PATH_MAX];          /* absolute, links resolved */
	char build_id[BUILD_ID_TEXT]; /* hexadecimal, or "xxh3:..." of the whole file */
	enum built built;             /* the program itself; its libraries may differ */
	bool script;                  /* it is none, and can only start programs */
	bool wants_libtsan;           /* a ThreadSanitizer runtime is one of its libraries */
};

/*
 * Finds the program (along PATH when name has no slash, as a shell does) and checks that it
 * can be run under heddle. False: why holds one line, the reason and the cure.
 */
bool program_inspect(struct program *p, const char *name, char *why, size_t size);

/*
 * The build-id of any ELF file, or a hash of its content when it has none. False when the
 * file cannot be read.
 */
bool build_id_of_file(const char *path, char id[BUILD_ID_TEXT]);

/* Is it an ELF file that is loaded where it says (linked with -no-pie), so that its addresses are no offsets? */
bool elf_is_fixed(const char *path);

/* Writes len bytes (at most 32) as hexadecimal digits. */
void build_id_text(const unsigned char *bytes, size_t len, char id[BUILD_ID_TEXT]);

#endif
