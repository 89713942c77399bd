/* SPDX-License-Identifier: BSD-2-Clause */
/* excerpt.c - see excerpt.h */
#include "config.h"

#include "controller/report/excerpt.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/message.h"

enum {
	EXCERPT_WIDEST = 160 /* characters; of a longer line nobody finds the mark */
};

bool excerpt_print(struct source_list *sources, const struct frame *f)
{
	const struct source *s = source_of(sources, f);
	const char *line = s && !s->newer ? source_line(s, f->line) : NULL;
	size_t before;

	if (!line || !*line || strlen(line) > EXCERPT_WIDEST)
		return false;
	before = source_column(s, f->line, f->column);
	fprintf(stderr, "      %s%5d | %s%s\n", color_faint(), f->line, line, color_end());
	if (f->column && before < strlen(line))
		fprintf(stderr, "      %s%5s | %*s%s\n", color_faint(), "", (int)before + 1, "^",
			color_end());
	return true;
}
