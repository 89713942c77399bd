/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dot.c - an execution for graphviz: a cluster for each thread, edges in a colour for each kind
 *
 * hb is left out: po and sw together give all of it.
 */
#include "config.h"

#include <string.h>

#include "controller/show/draw.h"

enum {
	DOT_SITE = 48, /* characters of a place: names of C++ can be any length */
	MOST_WORDS =
		150 /* edges with their kind beside them: for dot each is a node, and it needs minutes for a thousand */
};

struct look {
	enum edge_kind kind;
	const char *word, *color, *called, *attributes; /* called: the colour */
};

static const struct look looks[] = {
	{ EDGE_PO, NULL, "#888888", NULL, "weight=20" },
	{ EDGE_RF, "rf", "#1a7f37", "green", "constraint=false" },
	{ EDGE_MO, "mo", "#b35900", "brown", "constraint=false, style=dashed" },
	{ EDGE_FR, "fr", "#b3261e", "red", "constraint=false, style=dashed" },
	{ EDGE_SW, "sw", "#1f5fbf", "blue", "penwidth=2, constraint=false" },
};

/* In a string in quotes: graphviz takes backslashes, and HTML's entities, for what they stand for. */
static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		if (*text == '&')
			fputs("&amp;", f);
		else
			fputc(*text, f);
	}
}

/* Behind so many characters, in place: they leave room for the dots. */
static void cut(char *text, size_t most)
{
	for (; *text; text++) {
		if (((unsigned char)*text & 0xc0) == 0x80 || most--)
			continue;
		strcpy(text, text[1] && text[2] && text[3] ? "..." : "");
		return;
	}
}

static void put_node(FILE *f, const struct model *m, size_t i)
{
	const struct model_event *e = &m->events[i];
	const char *source = model_source(&e->site);
	char site[MODEL_TEXT];

	model_site_text(&e->site, site, sizeof(site));
	cut(site, DOT_SITE);
	fprintf(f, "\t\te%zu [label=\"", i);
	put_escaped(f, e->name);
	fputs(e->kind == EVENT_STEP ? " " : ": ", f);
	put_escaped(f, e->text);
	if (site[0]) {
		fputs("\\n", f);
		put_escaped(f, site);
	}
	fputs("\", tooltip=\"", f);
	put_escaped(f, source ? source : e->name);
	fprintf(f, "\"%s];\n",
		e->kind == EVENT_SAYS   ? ", style=dashed"
		: e->kind != EVENT_STEP ? ", color=\"#b3261e\", fontcolor=\"#b3261e\", penwidth=2"
		: e->is_side            ? ", color=\"#b3261e\", penwidth=2"
					: "");
}

static void put_lane(FILE *f, const struct model *m, size_t l, bool boxed)
{
	const struct model_lane *lane = &m->lanes[l];

	fprintf(f, "\tsubgraph %s_%zu {\n\t\tlabel=\"", boxed ? "cluster" : "lane", l);
	put_escaped(f, lane->title);
	if (lane->function[0]) {
		fputs(" ", f);
		put_escaped(f, lane->function);
	}
	fputs("\";\n\t\tcolor=\"#bbbbbb\";\n", f);
	for (size_t i = m->first; i < m->nevents; i++)
		if (model_lane(m, &m->events[i]) == l)
			put_node(f, m, i);
	fputs("\t}\n", f);
}

static bool is_shown(const struct model *m, const struct model_edge *e)
{
	return e->from >= (int)m->first;
}

static size_t count_edges(const struct model *m, const struct look *look)
{
	const struct model_edges *e = &m->edges[look->kind];
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += is_shown(m, &e->at[i]);
	return n;
}

/* A create, a lock or the like is sw alone; where a read synchronises with what it reads, one arrow says both. */
static void put_edges(FILE *f, const struct model *m, const struct look *look, bool worded)
{
	const struct model_edges *e = &m->edges[look->kind];

	for (size_t i = 0; i < e->n; i++) {
		if (!is_shown(m, &e->at[i]))
			continue;
		fprintf(f, "\te%d -> e%d [color=\"%s\", ", e->at[i].from, e->at[i].to, look->color);
		if (look->word && worded)
			fprintf(f, "fontcolor=\"%s\", label=%s, ", look->color, look->word);
		else if (look->word)
			fprintf(f, "tooltip=%s, ", look->word);
		fprintf(f, "%s];\n", look->attributes);
	}
}

/* What the colours of arrows without words mean. */
static void put_legend(FILE *f, const struct model *m)
{
	const char *between = "\\narrows: ";

	for (size_t k = 0; k < sizeof(looks) / sizeof(looks[0]); k++) {
		if (!looks[k].word || !count_edges(m, &looks[k]))
			continue;
		fprintf(f, "%s%s %s", between, looks[k].word, looks[k].called);
		between = ", ";
	}
}

void draw_dot_lanes(FILE *f, const struct model *m, bool boxed)
{
	size_t words = 0;

	for (size_t k = 0; k < sizeof(looks) / sizeof(looks[0]); k++)
		words += looks[k].word ? count_edges(m, &looks[k]) : 0;
	fputs("digraph execution {\n\tgraph [labelloc=t, fontname=\"sans-serif\", label=\"", f);
	put_escaped(f, m->headline);
	if (words > MOST_WORDS)
		put_legend(f, m);
	fputs("\"];\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=11];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	      f);
	for (size_t l = 0; l < m->nlanes; l++)
		put_lane(f, m, l, boxed);
	for (size_t k = 0; k < sizeof(looks) / sizeof(looks[0]); k++)
		put_edges(f, m, &looks[k], words <= MOST_WORDS);
	fputs("}\n", f);
}

void draw_dot(FILE *f, const struct model *m)
{
	draw_dot_lanes(f, m, true);
}
