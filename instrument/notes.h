/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * notes.h - where inline assembly lies, in what compilers hand to assemblers
 *
 * What inline assembly does to memory is no call of a hook, and an instruction of it looks like those of the compiler. But
 * the compiler's output says which is which: inline assembly stands between #APP and #NO_APP. Around each
 * there come two labels, and a note (elf(5), SHT_NOTE) has how far they are from it, so that the runtime finds them in whatever is loaded
 * (runtime/preload/code/inline_code.c). The code stays what it was.
 *
 * Only in functions that the compiler has begun: assembly beside them has functions of its own, which are called, not inlined.
 * In a group (an inline function of C++) the note is a member of it, and goes where that goes.
 */
#ifndef HEDDLE_INSTRUMENT_NOTES_H
#define HEDDLE_INSTRUMENT_NOTES_H

#include <stdio.h>

struct text {
	char *at;
	size_t size;
};

/* All of a file; at NULL: it cannot be read, and errno says why. */
struct text notes_read(FILE *f);
/* The same text, with notes. */
void notes_put(FILE *out, const struct text *in);

#endif
