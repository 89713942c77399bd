/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - lines of the program's source files, where these are there
 */
#ifndef HEDDLE_CONTROLLER_SHOW_SOURCE_H
#define HEDDLE_CONTROLLER_SHOW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "controller/elf/symbolize.h"

struct source {
	char *path;       /* as in the debug information */
	char *shown;      /* shortened, and to be printed as it is */
	char *text;       /* of the file */
	char **line;      /* line[0] is line 1; tabs are blanks */
	const char **raw; /* where it begins in text */
	int nlines;
	bool newer;   /* than the program: lines may have moved */
	bool *wanted; /* of each line: an event is at it */
};

struct source_list {
	struct source **at;
	size_t n;
	bool hidden;  /* none may be shown */
	time_t built; /* when the program was */
};

/* The file of a frame, if it has that line, which is wanted then; NULL: it has not, or cannot be read. */
const struct source *source_of(struct source_list *l, const struct frame *f);
/* Without the blanks before it; NULL: there is no such line. */
const char *source_line(const struct source *s, int line);
/* How many characters stand before a column (in bytes, from 1) of source_line(). */
size_t source_column(const struct source *s, int line, int column);
/* Has it that line, or is one close to it wanted, so that this one is part of the excerpt? */
bool source_shows(const struct source *s, int line);
void sources_release(struct source_list *l);

#endif
