/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.c - see corpus.h
 */
#include "config.h"

#include "controller/search/corpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/content.h"
#include "controller/base/folder.h"
#include "controller/base/message.h"
#include "controller/base/output.h"
#include "controller/base/status.h"

static const char title[] = "heddle rf-fuzz 1";

static void file_name(const struct session *s, char *out, size_t size)
{
	const char *build = s->program.build_id[0] ? s->program.build_id : "unknown";

	snprintf(out, size, "rf-fuzz-%.16s.corpus", build);
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Up to sixteen digits; NULL: there is none. */
static const char *parse_name(const char *p, uint64_t *out)
{
	const char *from = p;

	for (*out = 0; p - from < 16 && hex_digit(*p) >= 0; p++)
		*out = *out << 4 | (unsigned)hex_digit(*p);
	return p == from ? NULL : p;
}

static const char *parse_pair(const char *p, struct corpus_pair *pair)
{
	if (*p != '+' && *p != '-')
		return NULL;
	pair->never = *p++ == '-';
	p = parse_name(p, &pair->write);
	return p && *p++ == ':' ? parse_name(p, &pair->read) : NULL;
}

/* False: it is no such line. */
static bool parse_line(const char *p, struct corpus_entry *e)
{
	for (e->n = 0; p && e->n < CORPUS_PAIRS; p++) {
		p = parse_pair(p, &e->pair[e->n]);
		if (!p)
			return false;
		e->n++;
		if (!*p)
			return true;
		if (*p != ' ')
			return false;
	}
	return false;
}

static void parse(char *text, struct corpus *c)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) && c->n < CORPUS_MOST)
		if (parse_line(line, &c->entry[c->n]))
			c->n++;
}

/* A mix has no folder made for it. */
static bool is_asked_for(const struct options *o)
{
	return o->command == COMMAND_TEST && (o->strategy == STRATEGY_RF_FUZZ ||
					      (o->strategy == STRATEGY_MIX && o->output_given));
}

bool corpus_load(struct session *s)
{
	char name[64], path[PATH_MAX + 64], *text;
	size_t size;

	if (!is_asked_for(s->options))
		return true;
	free(s->corpus);
	s->corpus = calloc(1, sizeof(*s->corpus));
	if (!s->corpus)
		return false;
	file_name(s, name, sizeof(name));
	snprintf(path, sizeof(path), "%s/%s", s->options->output_dir, name);
	text = content_of(path, &size);
	for (size_t i = 0; text && i < size; i++)
		if (!text[i])
			text[i] = '?';
	if (text && !strncmp(text, title, sizeof(title) - 1))
		parse(text, s->corpus);
	free(text);
	return true;
}

void corpus_tell(const struct session *s, struct corpus *out)
{
	if (s->corpus)
		*out = *s->corpus;
}

static bool has(const struct corpus *c, const struct corpus_entry *e)
{
	for (uint64_t i = 0; i < c->n; i++)
		if (c->entry[i].n == e->n &&
		    !memcmp(c->entry[i].pair, e->pair, e->n * sizeof(e->pair[0])))
			return true;
	return false;
}

bool corpus_join(struct corpus **into, const struct corpus *from)
{
	if (!from)
		return true;
	if (!*into)
		*into = calloc(1, sizeof(**into));
	if (!*into)
		return false;
	for (uint64_t i = 0; i < from->n && (*into)->n < CORPUS_MOST; i++)
		if (!has(*into, &from->entry[i]))
			(*into)->entry[(*into)->n++] = from->entry[i];
	return true;
}

/* The whole file; NULL: out of memory. */
static char *print(const struct corpus *c, size_t *size)
{
	char *text = NULL;
	FILE *m = open_memstream(&text, size);

	if (!m)
		return NULL;
	fprintf(m, "%s\n", title);
	for (uint64_t i = 0; i < c->n; i++)
		for (uint64_t k = 0; k < c->entry[i].n; k++) {
			const struct corpus_pair *p = &c->entry[i].pair[k];

			fprintf(m, "%c%" PRIx64 ":%" PRIx64 "%c", p->never ? '-' : '+', p->write,
				p->read, k + 1 < c->entry[i].n ? ' ' : '\n');
		}
	return fclose(m) ? NULL : text;
}

int corpus_store(struct session *s)
{
	const struct corpus *found = s->search.corpus;
	const char *dir = s->options->output_dir;
	struct folder folder; /* which stays, with the file in it */
	char name[64], *text;
	size_t size = 0;
	int err;

	if (!s->corpus || !found || !found->n)
		return 0;
	text = print(found, &size);
	file_name(s, name, sizeof(name));
	err = text ? folder_make(&folder, dir) : -ENOMEM;
	if (!err)
		err = output_replace(dir, name, text, size);
	free(text);
	return err ? fail(STATUS_INTERNAL, "cannot write the corpus '%s/%s': %s", dir, name,
			  strerror(-err))
		   : 0;
}
