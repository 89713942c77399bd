/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * html.c - an execution as one page that needs nothing else: page.css, page.js and the data of json.c
 *
 * Names come from the trace and from source files, which may be anybody's. Here they stand as text of elements, or in
 * quotes, escaped; or in the data, where `<`, `>` and `&` are written as JSON's \u003c and so on, so that nothing in
 * it ends the element or begins a comment. The page says that it loads nothing (Content-Security-Policy).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/markup.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/show/draw.h"
#include "controller/show/page.h"

enum {
	HTML_COLUMNS = 100 /* of the text that is there without JavaScript */
};

static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		const char *entity = markup_entity(*text);

		if (entity)
			fputs(entity, f);
		else
			fputc(*text, f);
	}
}

/* In JSON these three stand in strings only. */
static void put_data(FILE *f, const char *json)
{
	for (; *json; json++) {
		if (*json == '<' || *json == '>' || *json == '&')
			fprintf(f, "\\u%04x", (unsigned)*json);
		else
			fputc(*json, f);
	}
}

static void put_side(FILE *f, const struct model_side *s)
{
	char site[MODEL_TEXT];

	model_site_text(&s->site, site, sizeof(site));
	fputs("<li>", f);
	if (s->event != MODEL_NONE)
		fprintf(f, "<a href=\"#view\" data-event=\"%d\">", s->event);
	put_escaped(f, s->text);
	if (s->event != MODEL_NONE)
		fputs("</a>", f);
	if (site[0]) {
		fputs(": <code>", f);
		put_escaped(f, site);
		fputs("</code>", f);
	}
	fputs("</li>\n", f);
}

static void put_header(FILE *f, const struct model *m)
{
	const char *program = strrchr(m->trace->program, '/');
	char text[512];

	fputs("<header>\n<h1>", f);
	put_escaped(f, m->headline);
	fputs("</h1>\n", f);
	if (m->message[0]) {
		fputs("<p>", f);
		put_escaped(f, m->message);
		fputs("</p>\n", f);
	}
	fputs("<ul>\n", f);
	for (size_t i = 0; i < m->nsides; i++)
		put_side(f, &m->sides[i]);
	fputs("</ul>\n", f);
	for (size_t i = 0; i < m->why.n; i++) {
		fputs("<p class=\"why\">", f);
		put_escaped(f, m->why.line[i]);
		fputs("</p>\n", f);
	}
	snprintf(text, sizeof(text), "%s", program ? program + 1 : m->trace->program);
	text_sanitize(text, sizeof(text));
	fputs("<p class=\"facts\">", f);
	put_escaped(f, text);
	fprintf(f, " under %s; ", name_of(names_model, m->trace->model));
	if (m->mo == MO_NONE) {
		fputs("no modification order: ", f);
		put_escaped(f, m->mo_why);
	} else {
		fputs(m->mo == MO_RECORDED ? "modification order as executed"
					   : "a modification order that the model allows",
		      f);
	}
	fputs("; brings it back: <code>heddle replay ", f);
	snprintf(text, sizeof(text), "%s", m->path);
	text_sanitize(text, sizeof(text));
	put_escaped(f, text);
	fputs("</code></p>\n", f);
	if (m->first)
		fprintf(f, "<p class=\"note\">The first %zu events are left out (--last).</p>\n",
			m->first);
	if (m->note[0]) {
		fputs("<p class=\"note\">", f);
		put_escaped(f, m->note);
		fputs("</p>\n", f);
	}
	fputs("</header>\n", f);
}

/* For those who read without JavaScript. */
static void put_text(FILE *f, const struct model *m)
{
	struct text_style style = { .width = HTML_COLUMNS, .utf8 = true };
	char *text = NULL;
	size_t size = 0;
	FILE *own = open_memstream(&text, &size);

	if (!own)
		return;
	draw_text(own, m, &style);
	if (!fclose(own)) {
		fputs("<noscript><pre>", f);
		put_escaped(f, text);
		fputs("</pre></noscript>\n", f);
	}
	free(text);
}

bool draw_html(FILE *f, const struct model *m)
{
	json_t *j = model_json(m);
	char *data =
		j ? json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) : NULL;

	json_decref(j);
	if (!data)
		return false;
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	      f);
	put_escaped(f, m->headline);
	fprintf(f, " - heddle</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_css);
	put_header(f, m);
	put_text(f, m);
	fputs("<main id=\"view\"></main>\n<script type=\"application/json\" id=\"data\">", f);
	put_data(f, data);
	fprintf(f, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", page_js);
	free(data);
	return true;
}
