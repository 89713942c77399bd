/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.c - lines of the program's source files, where these are there
 *
 * The names are from debug information, which may be anybody's: only regular files of some size are read, and of a
 * program that its reader may not have built none at all (cmd_show.c), since what is shown is sent to others.
 */
#include "config.h"

#include "controller/show/source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/base/content.h"
#include "controller/base/message.h"
#include "controller/elf/symbolize.h"

enum {
	SOURCE_MOST = 16 << 20, /* bytes of a file */
	SOURCE_TAB = 8,
	SOURCE_WIDEST = 400, /* of a line; what is longer is cut */
	SOURCE_AROUND = 5    /* lines shown before and behind one that is wanted */
};

/* A line as it is printed. NULL: memory is short. */
static char *clean(const char *from, size_t n)
{
	char out[SOURCE_WIDEST + 1];
	size_t k = 0;

	if (n && from[n - 1] == '\r')
		n--;
	for (size_t i = 0; i < n && k < SOURCE_WIDEST; i++) {
		if (from[i] != '\t') {
			out[k++] = from[i] ? from[i] : ' ';
			continue;
		}
		do
			out[k++] = ' ';
		while (k % SOURCE_TAB && k < SOURCE_WIDEST);
	}
	out[k] = 0;
	text_sanitize(out, sizeof(out));
	return strdup(out);
}

static bool split(struct source *s, const char *text, size_t size)
{
	size_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	s->line = calloc(lines, sizeof(*s->line));
	s->wanted = calloc(lines, sizeof(*s->wanted));
	s->raw = calloc(lines, sizeof(*s->raw));
	if (!s->line || !s->wanted || !s->raw)
		return false;
	for (const char *p = text, *end = text + size; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));

		stop = stop ? stop : end;
		s->line[s->nlines] = clean(p, (size_t)(stop - p));
		if (!s->line[s->nlines])
			return false;
		s->raw[s->nlines] = p;
		s->nlines++;
		p = stop + 1;
	}
	return true;
}

static void read_lines(struct source *s, time_t built)
{
	struct stat st;
	size_t size;

	if (stat(s->path, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MOST)
		return;
	s->text = content_of(s->path, &size);
	if (s->text && !split(s, s->text, size))
		s->nlines = 0;
	s->newer = s->text && st.st_mtime > built;
}

static void release(struct source *s)
{
	for (int i = 0; i < s->nlines; i++)
		free(s->line[i]);
	free(s->line);
	free(s->raw);
	free(s->text);
	free(s->wanted);
	free(s->path);
	free(s->shown);
	free(s);
}

static struct source *add(struct source_list *l, const char *path)
{
	struct source **grown = realloc(l->at, (l->n + 1) * sizeof(*grown));
	struct source *s = calloc(1, sizeof(*s));

	if (grown)
		l->at = grown;
	if (s) {
		s->path = strdup(path);
		s->shown = strdup(path_short(path));
	}
	if (!grown || !s || !s->path || !s->shown) {
		if (s)
			release(s);
		return NULL;
	}
	text_sanitize(s->shown, strlen(s->shown) + 1);
	read_lines(s, l->built);
	return l->at[l->n++] = s;
}

/* False: it is longer than any, or nobody knows from where it is. */
static bool whole_path(const struct frame *f, char path[PATH_MAX])
{
	int n;

	if (!f->file || (f->file[0] != '/' && (!f->folder || f->folder[0] != '/')))
		return false;
	n = snprintf(path, PATH_MAX, "%s%s%s", f->file[0] == '/' ? "" : f->folder,
		     f->file[0] == '/' ? "" : "/", f->file);
	return n < PATH_MAX;
}

const struct source *source_of(struct source_list *l, const struct frame *f)
{
	struct source *s = NULL;
	char path[PATH_MAX];

	if (l->hidden || f->line < 1 || !whole_path(f, path))
		return NULL;
	for (size_t i = 0; i < l->n && !s; i++)
		if (!strcmp(l->at[i]->path, path))
			s = l->at[i];
	s = s ? s : add(l, path);
	if (!s || f->line > s->nlines)
		return NULL;
	s->wanted[f->line - 1] = true;
	return s;
}

const char *source_line(const struct source *s, int line)
{
	const char *text = line >= 1 && line <= s->nlines ? s->line[line - 1] : NULL;

	return text ? text + strspn(text, " ") : NULL;
}

size_t source_column(const struct source *s, int line, int column)
{
	size_t at = 0, blanks = 0;
	bool begun = false;

	if (line < 1 || line > s->nlines)
		return 0;
	for (const char *p = s->raw[line - 1]; column > 1 && *p && *p != '\n'; p++, column--) {
		if (*p == '\t')
			at += SOURCE_TAB - at % SOURCE_TAB;
		else
			at += ((unsigned char)*p & 0xc0) != 0x80;
		begun |= *p != '\t' && *p != ' ';
		blanks = begun ? blanks : at;
	}
	return at - blanks;
}

bool source_shows(const struct source *s, int line)
{
	for (int near = line - SOURCE_AROUND; near <= line + SOURCE_AROUND; near++)
		if (near >= 1 && near <= s->nlines && s->wanted[near - 1])
			return line >= 1 && line <= s->nlines;
	return false;
}

void sources_release(struct source_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		release(l->at[i]);
	free(l->at);
	l->at = NULL;
	l->n = 0;
}
