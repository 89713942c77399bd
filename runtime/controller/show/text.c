/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.c - an execution as text: a line for each event, a lane for each thread, the source beside
 *
 *	  #  T0 T1
 *	  1  ●     0.0 create T1                     publish.c:28 pthread_create(&t, ...
 *	  2  │  ●  1.0 start  sw 0.0                 publish.c:17 static void *receiver(...
 *
 * What an event is goes on in the next line where it is too long; the source is cut.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/columns.h"
#include "controller/base/message.h"
#include "controller/show/draw.h"

enum {
	TEXT_LEAST = 40,        /* columns; what is narrower is taken for this */
	TEXT_SOURCE_LEAST = 16, /* with less room there is no source */
	TEXT_ORDER = 40         /* writes of a modification order; JSON has all */
};

struct text {
	FILE *f;
	const struct model *m;
	const struct text_style *style;
	int digits;        /* of the numbers of events; 0: they have none */
	const bool *in;    /* which are shown; NULL: all behind the first */
	size_t lane;       /* columns of one */
	bool lanes;        /* there is room for them */
	size_t indent;     /* blanks before lanes */
	size_t left;       /* columns before what an event is */
	size_t what;       /* columns of that */
	size_t source;     /* and of the source, 0: none */
	int *first, *last; /* events of each lane, MODEL_NONE */
	size_t *sw;        /* of each event: the first of its edges in `into`, by event */
	int *into;
};

/* ---- Columns -------------------------------------------------------------------------------- */

static void put_blanks(FILE *f, size_t n)
{
	while (n--)
		fputc(' ', f);
}

static void put_cut(const struct text *t, const char *text, size_t n)
{
	const char *mark = t->style->utf8 ? "…" : "...";
	size_t room = n > text_columns(mark) ? n - text_columns(mark) : 0;

	if (text_columns(text) <= n)
		fputs(text, t->f);
	else
		fprintf(t->f, "%.*s%s", (int)text_bytes(text, room), text, mark);
}

static const char *faint(const struct text *t)
{
	return t->style->color ? "\033[2m" : "";
}

static const char *alarm(const struct text *t)
{
	return t->style->color ? "\033[1;31m" : "";
}

static const char *plain(const struct text *t)
{
	return t->style->color ? "\033[0m" : "";
}

/* ---- Lanes ---------------------------------------------------------------------------------- */

static const char *mark_of(const struct text *t, const struct model_event *e)
{
	if (e->kind == EVENT_ACCESS)
		return t->style->utf8 ? "○" : "o";
	if (e->kind == EVENT_SAYS)
		return t->style->utf8 ? "›" : ">";
	if (e->kind == EVENT_FAILS)
		return t->style->utf8 ? "✗" : "X";
	if (e->kind == EVENT_WAITS)
		return t->style->utf8 ? "◌" : "?";
	return t->style->utf8 ? "●" : "*";
}

/* Behind the event's mark a lane goes on as a line, from its first event to its last. */
static void put_lanes(const struct text *t, size_t i, bool mark)
{
	const struct model *m = t->m;
	const struct model_event *e = &m->events[i];

	for (size_t l = 0; t->lanes && l < m->nlanes; l++) {
		bool own = l == model_lane(m, e);
		bool lives = t->first[l] <= (int)i && (int)i < t->last[l] + (mark && own);

		if (own && mark)
			fputs(mark_of(t, e), t->f);
		else
			fputs(!lives ? " " : t->style->utf8 ? "│" : "|", t->f);
		put_blanks(t->f, t->lane - 1);
	}
}

/* Between two events: lanes that were there before the second one, and go on. */
static void put_passing(const struct text *t, size_t i)
{
	for (size_t l = 0; t->lanes && l < t->m->nlanes; l++) {
		bool lives = t->first[l] < (int)i && (int)i <= t->last[l];

		fputs(!lives ? " " : t->style->utf8 ? "│" : "|", t->f);
		put_blanks(t->f, t->lane - 1);
	}
}

/* ---- Events --------------------------------------------------------------------------------- */

/* What it is, and which events of other threads happen before it. */
static void event_text(const struct text *t, size_t i, char *out, size_t size)
{
	const struct model *m = t->m;
	const struct model_event *e = &m->events[i];
	bool far = e->from != MODEL_NONE && m->events[e->from].tid != e->tid;
	size_t n = (size_t)snprintf(out, size, "%s%s%s", e->name,
				    e->kind == EVENT_STEP ? " " : ": ", e->text);

	if (far && !e->synchronises && t->sw[i] == t->sw[i + 1] && n < size)
		n += (size_t)snprintf(out + n, size - n, ", no sw");
	for (size_t k = t->sw[i]; k < t->sw[i + 1] && n < size; k++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", k == t->sw[i] ? ", sw " : " ",
				      m->events[t->into[k]].name);
}

static void put_source(const struct text *t, const struct model_event *e)
{
	const char *line = model_source(&e->site);
	char text[1200], site[MODEL_TEXT];

	if (e->site.line && line)
		snprintf(text, sizeof(text), "%s:%d %s", e->site.file, e->site.line, line);
	else {
		model_site_text(&e->site, site, sizeof(site));
		snprintf(text, sizeof(text), "%s", site);
	}
	if (!text[0])
		return;
	fputs(faint(t), t->f);
	put_cut(t, text, t->source);
	fputs(plain(t), t->f);
}

static void put_event(const struct text *t, size_t i)
{
	const struct model_event *e = &t->m->events[i];
	bool first = true, bug = e->kind != EVENT_STEP;
	char text[MODEL_TEXT + 400];

	event_text(t, i, text, sizeof(text));
	for (const char *p = text; *p || first; first = false) {
		size_t n = text_fitting(p, t->what), used = text_columns(p) - text_columns(p + n);

		if (first && t->digits)
			fprintf(t->f, "%*zu  ", t->digits, i + 1);
		else
			put_blanks(t->f, t->indent);
		put_lanes(t, i, first);
		if (!t->lanes)
			fprintf(t->f, "%-6s", first ? t->m->lanes[model_lane(t->m, e)].name : "");
		fprintf(t->f, "%s%.*s%s", bug ? alarm(t) : "", (int)n, p, bug ? plain(t) : "");
		if (first && t->source && (e->site.line || e->site.code[0])) {
			put_blanks(t->f, t->what - used + 2);
			put_source(t, e);
		}
		fputc('\n', t->f);
		p += n;
		p += strspn(p, " ");
	}
}

/* ---- Before and behind them ----------------------------------------------------------------- */

static void put_wrapped(const struct text *t, const char *text, size_t indent)
{
	text_wrapped(t->f, text, indent, t->style->width);
}

static void put_head(const struct text *t)
{
	const struct model *m = t->m;
	char text[2 * MODEL_TEXT + 8], site[MODEL_TEXT];

	fputs(alarm(t), t->f);
	put_wrapped(t, m->headline, 0);
	fputs(plain(t), t->f);
	put_wrapped(t, m->message, 2);
	for (size_t i = 0; i < m->nsides; i++) {
		const struct model_side *s = &m->sides[i];

		model_site_text(&s->site, site, sizeof(site));
		snprintf(text, sizeof(text), "%s%s%s", s->text, site[0] ? ": " : "", site);
		put_wrapped(t, text, 2);
	}
	for (size_t i = 0; i < m->why.n; i++)
		put_wrapped(t, m->why.line[i], 2);
	if (m->note[0])
		put_wrapped(t, m->note, 2);
	fputc('\n', t->f);
}

static void put_names(const struct text *t)
{
	put_blanks(t->f, t->indent);
	for (size_t l = 0; t->lanes && l < t->m->nlanes; l++)
		fprintf(t->f, "%-*s", (int)t->lane, t->m->lanes[l].name);
	fprintf(t->f, "%sevents%s\n", faint(t), plain(t));
}

/* Those that are shown. Where others were left out, that is said. */
static void put_events(const struct text *t)
{
	size_t out = t->m->first;

	put_names(t);
	for (size_t i = t->m->first; i < t->m->nevents; i++) {
		if (t->in && !t->in[i]) {
			out++;
			continue;
		}
		if (out) {
			put_blanks(t->f, t->indent);
			put_passing(t, i);
			fprintf(t->f, "%s(%zu %s)%s\n", faint(t), out,
				!t->in     ? "before"
				: out == 1 ? "other"
					   : "others",
				plain(t));
		}
		out = 0;
		put_event(t, i);
	}
}

/* "x: 0.1 < 1.2", of the writes that are shown; a long order is cut. */
static void put_order(const struct text *t, int first, const int *next, bool *any)
{
	const struct model *m = t->m;
	char line[MODEL_TEXT + TEXT_ORDER * (MODEL_NAME + 4)];
	size_t n = (size_t)snprintf(line, sizeof(line), "%s:", m->events[first].location), k = 0;

	for (int e = first; e != MODEL_NONE; e = next[e]) {
		if (e < (int)m->first || k++ >= TEXT_ORDER)
			continue;
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s %s", k == 1 ? "" : " <",
				      m->events[e].name);
	}
	if (k > TEXT_ORDER)
		snprintf(line + n, sizeof(line) - n, " ... (%zu more)", k - TEXT_ORDER);
	if (!k)
		return;
	if (!*any)
		fprintf(t->f, "\nModification order%s:\n",
			m->mo == MO_RECORDED ? "" : ", one that the model allows");
	*any = true;
	put_wrapped(t, line, 2);
}

/* The writes of each location that has more than one, in their order. */
static void put_orders(const struct text *t)
{
	const struct model *m = t->m;
	const struct model_edges *mo = &m->edges[EDGE_MO];
	int *next = malloc((m->nevents + 1) * sizeof(*next));
	bool *behind = calloc(m->nevents + 1, sizeof(*behind)), any = false;

	for (size_t i = 0; next && i < m->nevents; i++)
		next[i] = MODEL_NONE;
	for (size_t k = 0; next && behind && k < mo->n; k++) {
		next[mo->at[k].from] = mo->at[k].to;
		behind[mo->at[k].to] = true;
	}
	for (size_t i = 0; next && behind && i < m->nevents; i++)
		if (!behind[i] && next[i] != MODEL_NONE)
			put_order(t, (int)i, next, &any);
	if (m->mo == MO_NONE)
		fprintf(t->f, "\nNo modification order: %s\n", m->mo_why);
	free(next);
	free(behind);
}

static void put_foot(const struct text *t)
{
	put_orders(t);
	fputc('\n', t->f);
	put_wrapped(t,
		    "from: the write that is read. sw: what happens before the event, and before "
		    "nothing that its thread did earlier; no sw: what is read does not happen "
		    "before the read.",
		    0);
}

/* ---- All ------------------------------------------------------------------------------------ */

/* Edges of sw by the event that they lead to. */
static bool index_sw(struct text *t)
{
	const struct model *m = t->m;
	const struct model_edges *sw = &m->edges[EDGE_SW];

	t->sw = calloc(m->nevents + 2, sizeof(*t->sw));
	t->into = calloc(sw->n + 1, sizeof(*t->into));
	if (!t->sw || !t->into)
		return false;
	for (size_t k = 0; k < sw->n; k++)
		t->sw[sw->at[k].to + 2]++;
	for (size_t i = 1; i < m->nevents + 2; i++)
		t->sw[i] += t->sw[i - 1];
	for (size_t k = 0; k < sw->n; k++)
		t->into[t->sw[sw->at[k].to + 1]++] = sw->at[k].from;
	return true;
}

static bool span_lanes(struct text *t)
{
	const struct model *m = t->m;

	t->first = calloc(m->nlanes + 1, sizeof(*t->first));
	t->last = calloc(m->nlanes + 1, sizeof(*t->last));
	if (!t->first || !t->last)
		return false;
	for (size_t l = 0; l < m->nlanes; l++) {
		t->first[l] = (int)m->nevents;
		t->last[l] = MODEL_NONE;
	}
	for (size_t i = 0; i < m->nevents; i++) {
		size_t l = model_lane(m, &m->events[i]);

		t->first[l] = t->last[l] == MODEL_NONE ? (int)i : t->first[l];
		t->last[l] = (int)i;
	}
	return true;
}

static void lay_out(struct text *t)
{
	const struct model *m = t->m;
	size_t width = t->style->width, name = 0, rest;

	if (!t->in) {
		t->digits = snprintf(NULL, 0, "%zu", m->nevents) + 1;
		t->indent = (size_t)t->digits + 2;
	}
	for (size_t l = 0; l < m->nlanes; l++)
		name = name < strlen(m->lanes[l].name) ? strlen(m->lanes[l].name) : name;
	t->lane = name + 1;
	t->lanes = m->nlanes * t->lane <= width / 3;
	t->left = t->indent + (t->lanes ? m->nlanes * t->lane : 6);
	rest = width - t->left;
	t->source = rest * 2 / 5;
	if (t->source < TEXT_SOURCE_LEAST)
		t->source = 0;
	t->what = rest - (t->source ? t->source + 2 : 0);
}

static struct text_style wide_enough(const struct text_style *style)
{
	struct text_style own = *style;

	if (own.width < TEXT_LEAST)
		own.width = TEXT_LEAST;
	return own;
}

static void draw(struct text *t)
{
	lay_out(t);
	if (index_sw(t) && span_lanes(t)) {
		if (!t->in)
			put_head(t);
		put_events(t);
		if (!t->in)
			put_foot(t);
	}
	free(t->sw);
	free(t->into);
	free(t->first);
	free(t->last);
}

void draw_text(FILE *f, const struct model *m, const struct text_style *style)
{
	struct text_style own = wide_enough(style);
	struct text t = { .f = f, .m = m, .style = &own };

	draw(&t);
}

void draw_some(FILE *f, const struct model *m, const struct text_style *style, const bool *in)
{
	struct text_style own = wide_enough(style);
	struct text t = { .f = f, .m = m, .style = &own, .in = in, .indent = 4 };

	draw(&t);
}
