/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * as.c - the assembler, as gcc finds it behind -B: puts in notes where inline assembly lies (notes.h)
 *
 * The text is handed to the assembler as a file without name: nothing is left behind, whatever happens. Its own lines
 * are named by what the compiler says of them (# 12 "file.c").
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "notes.h"

static void fail(const char *what)
{
	fprintf(stderr, "heddle-cc: as: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The file to be assembled, or 0. */
static int find_input(int argc, char *argv[])
{
	for (int i = argc - 1; i > 0; i--) {
		const char *dot = strrchr(argv[i], '.');

		if (!strcmp(argv[i], "-") || (dot && (!strcmp(dot, ".s") || !strcmp(dot, ".S")) &&
					      strcmp(argv[i - 1], "-o") && argv[i][0] != '-'))
			return i;
	}
	return 0;
}

int main(int argc, char *argv[])
{
	static char name[64];
	int input = find_input(argc, argv), fd;
	struct text text = { NULL, 0 };
	bool piped = input && !strcmp(argv[input], "-");
	FILE *f = piped ? stdin : input ? fopen(argv[input], "r") : NULL;

	if (f) { /* else the assembler says what is wrong */
		text = notes_read(f);
		if (!text.at)
			fail(argv[input]);
	}
	if (text.size && (piped || memmem(text.at, text.size, "#APP", 4))) {
		fd = memfd_create("heddle-as", 0);
		f = fd < 0 ? NULL : fdopen(dup(fd), "w");
		if (!f)
			fail("memfd_create");
		notes_put(f, &text);
		if (fclose(f))
			fail("memfd_create");
		lseek(fd, 0, SEEK_SET);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		argv[input] = name;
	}
	argv[0] = (char *)"as";
	execvp(argv[0], argv);
	fail("cannot run as");
	return 1;
}
