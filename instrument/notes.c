/* SPDX-License-Identifier: BSD-2-Clause */
/* notes.c - see notes.h */
#include "notes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text notes_read(FILE *f)
{
	struct text t = { NULL, 0 };
	size_t room = 0, n;
	char *more;

	do {
		if (t.size == room) {
			room = room ? 2 * room : 1 << 16;
			more = realloc(t.at, room);
			if (!more)
				break;
			t.at = more;
		}
		n = fread(t.at + t.size, 1, room - t.size, f);
		t.size += n;
	} while (n);
	if (t.size == room || ferror(f)) {
		free(t.at);
		t.at = NULL;
	}
	return t;
}

static bool is_line(const char *line, size_t n, const char *word)
{
	while (n && (*line == ' ' || *line == '\t')) {
		line++;
		n--;
	}
	return n >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* Is there something to assemble? */
static bool says_something(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\n')
			return line[i] != '#';
	return false;
}

static void put_note(FILE *out, unsigned number)
{
	fprintf(out,
		".Lheddle_asm_end%u:\n"
		"\t.pushsection .note.heddle,\"a?\",@note\n"
		"\t.balign 4\n"
		"\t.long 7, 8, 1\n"
		"\t.asciz \"heddle\"\n"
		"\t.byte 0\n"
		"\t.long .Lheddle_asm%u-.\n"
		"\t.long .Lheddle_asm_end%u-.\n"
		"\t.popsection\n",
		number, number, number);
}

void notes_put(FILE *out, const struct text *in)
{
	bool in_function = false, in_asm = false, noted = false;
	const char *line = in->at, *end = in->at + in->size;
	unsigned number = 0;
	size_t n;

	for (; line < end; line += n) {
		const char *last = memchr(line, '\n', (size_t)(end - line));

		n = last ? (size_t)(last - line) + 1 : (size_t)(end - line);
		if (is_line(line, n, "#APP")) {
			in_asm = true;
		} else if (is_line(line, n, "#NO_APP")) {
			if (noted)
				put_note(out, number++);
			in_asm = noted = false;
		} else if (!in_asm && is_line(line, n, ".cfi_startproc")) {
			in_function = true;
		} else if (!in_asm && is_line(line, n, ".cfi_endproc")) {
			in_function = false;
		} else if (in_asm && in_function && !noted && says_something(line, n)) {
			fprintf(out, ".Lheddle_asm%u:\n", number);
			noted = true;
		}
		fwrite(line, 1, n, out);
	}
	if (noted)
		put_note(out, number);
}
