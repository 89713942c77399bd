/* SPDX-License-Identifier: BSD-2-Clause */
/* excerpt.c - see excerpt.h */
#include "config.h"

#include "controller/report/excerpt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/columns.h"
#include "controller/base/message.h"
#include "controller/base/terminal.h"

enum {
	EXCERPT_LEFT = 14, /* columns before the text */
	EXCERPT_LEAST = 40 /* columns of it; what is narrower is taken for this */
};

/* What of a line is shown. */
struct part {
	size_t first, n; /* characters */
	const char *cut; /* what stands for those before, and for those behind */
};

static const char *before_it(const struct part *p)
{
	return p->first ? p->cut : "";
}

/* So that the mark is in it, below the character `mark`, with what it means behind it. */
static struct part part_of(const char *line, size_t mark)
{
	size_t all = text_columns(line), room = terminal_columns(STDERR_FILENO), wide;
	struct part p = { .n = all, .cut = terminal_utf8() ? "…" : "..." };

	room = room > EXCERPT_LEFT + EXCERPT_LEAST ? room - EXCERPT_LEFT : EXCERPT_LEAST;
	if (all <= room)
		return p;
	wide = text_columns(p.cut);
	if (mark >= room / 2) {
		p.first = mark - room / 2;
		p.n = all - p.first;
		room -= wide;
	}
	if (p.n > room)
		p.n = room - wide;
	return p;
}

bool excerpt_print(struct source_list *sources, const struct frame *f)
{
	const struct source *s = source_of(sources, f);
	const char *line = s && !s->newer ? source_line(s, f->line) : NULL, *from;
	size_t mark;
	struct part p;

	if (!line || !*line)
		return false;
	mark = source_column(s, f->line, f->column);
	p = part_of(line, f->column ? mark : 0);
	from = line + text_bytes(line, p.first);
	fprintf(stderr, "      %s%5d | %s%.*s%s%s\n", color_faint(), f->line, before_it(&p),
		(int)text_bytes(from, p.n), from, from[text_bytes(from, p.n)] ? p.cut : "",
		color_end());
	mark = mark - p.first + text_columns(before_it(&p));
	if (f->column && mark < text_columns(line))
		fprintf(stderr, "      %s%5s | %*s%s\n", color_faint(), "", (int)mark + 1, "^",
			color_end());
	return true;
}
