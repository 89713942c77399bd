/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compiler.h - which compiler the wrapper stands for
 */
#ifndef HEDDLE_INSTRUMENT_COMPILER_H
#define HEDDLE_INSTRUMENT_COMPILER_H

enum compiler_family {
	COMPILER_GCC,
	COMPILER_CLANG
};

enum {
	COMPILER_WORDS = 32
};

struct compiler {
	enum compiler_family family;
	char *word[COMPILER_WORDS]; /* the command and its own arguments, NULL at the end */
	int words;
};

/*
 * Finds the real compiler for a wrapper called `self` (argv[0]). Returns 0, or -1 after it
 * has written to stderr why there is none.
 */
int compiler_choose(struct compiler *compiler, const char *self);

#endif
