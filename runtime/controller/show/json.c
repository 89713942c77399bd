/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.c - an execution as JSON, with all that is known of it: the fields are those of heddle-formats(5)
 *
 * Events are named as in reports, "1.2"; in edges and clocks they are numbers, those of their place among the events.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/json_text.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/options/options.h"
#include "controller/show/draw.h"

enum {
	JSON_SHAPE = 1 /* grows when fields mean something else */
};

static void set_text(json_t *j, const char *key, const char *text)
{
	if (text && text[0])
		json_object_set_new(j, key, json_text(text));
}

static void set_number(json_t *j, const char *key, uint64_t n)
{
	json_object_set_new(j, key, json_integer((json_int_t)n));
}

static void set_site(json_t *j, const struct model_site *s)
{
	if (s->line) {
		set_text(j, "file", s->file);
		set_number(j, "line", (uint64_t)s->line);
	}
	set_text(j, "path", s->source ? s->source->shown : NULL);
	set_text(j, "function", s->function);
	set_text(j, "code", s->code);
	set_text(j, "source", model_source(s));
}

/* ---- Events --------------------------------------------------------------------------------- */

static void set_step(const struct model *m, json_t *j, const struct model_event *e)
{
	const struct engine_step_record *r = &e->step->record;
	char value[40];

	set_text(j, "operation", name_of(names_op, r->kind));
	if (r->order != ORDER_NA || r->kind == OP_LOAD || r->kind == OP_STORE)
		set_text(j, "order", name_of(names_order, r->order));
	set_text(j, "location", e->location);
	if (r->size)
		set_number(j, "size", r->size);
	if (r->flags & STEP_READ || r->kind == OP_CHOOSE) {
		trace_value(r->value, value);
		set_text(j, "read", value);
		set_text(j, "read_points_to", e->read_points_to);
	}
	if (r->flags & STEP_WROTE) {
		trace_value(r->stored, value);
		set_text(j, "wrote", value);
		set_text(j, "wrote_points_to", e->wrote_points_to);
	}
	if (e->initial)
		set_text(j, "from", "init");
	else if (e->from != MODEL_NONE)
		set_text(j, "from", m->events[e->from].name);
	if (e->from != MODEL_NONE)
		json_object_set_new(j, "synchronises", json_boolean(e->synchronises));
	if (r->kind == OP_CREATE || r->kind == OP_JOIN)
		set_number(j, "peer", r->peer);
	if (r->choice)
		set_number(j, "choice", r->choice);
}

/* Of each lane the last event that is this one or happens before it, -1 for none. */
static json_t *clock_json(const struct model *m, size_t i)
{
	json_t *j = json_array();

	for (size_t l = 0; l < m->nlanes; l++)
		json_array_append_new(j, json_integer((json_int_t)m->clock[i * m->nlanes + l] - 1));
	return j;
}

static json_t *event_json(const struct model *m, size_t i)
{
	static const char *const kinds[] = { "operation", "access", "says", "fails", "waits" };
	const struct model_event *e = &m->events[i];
	json_t *j = json_object();

	set_text(j, "name", e->name);
	set_text(j, "kind", kinds[e->kind]);
	set_number(j, "thread", e->tid);
	set_number(j, "lane", model_lane(m, e));
	set_text(j, "text", e->text);
	if (e->step)
		set_step(m, j, e);
	set_site(j, &e->site);
	if (e->is_side)
		json_object_set_new(j, "bug", json_true());
	json_object_set_new(j, "clock", clock_json(m, i));
	return j;
}

/* ---- The rest ------------------------------------------------------------------------------- */

static json_t *bug_json(const struct model *m)
{
	json_t *j = json_object(), *sides = json_array(), *why = json_array();

	set_text(j, "kind", name_of(names_bug, m->trace->bug.kind));
	set_text(j, "headline", m->headline);
	set_text(j, "message", m->message);
	for (size_t i = 0; i < m->nsides; i++) {
		const struct model_side *s = &m->sides[i];
		json_t *side = json_object();

		set_text(side, "text", s->text);
		set_number(side, "thread", s->tid);
		set_site(side, &s->site);
		json_object_set_new(side, "event",
				    s->event == MODEL_NONE ? json_null() : json_integer(s->event));
		json_array_append_new(sides, side);
	}
	json_object_set_new(j, "sides", sides);
	for (size_t i = 0; i < m->why.n; i++)
		json_array_append_new(why, json_text(m->why.line[i]));
	json_object_set_new(j, "why", why);
	return j;
}

static json_t *threads_json(const struct model *m)
{
	json_t *j = json_array();

	for (size_t l = 0; l < m->nlanes; l++) {
		json_t *t = json_object();

		set_number(t, "thread", m->lanes[l].tid);
		set_text(t, "name", m->lanes[l].name);
		set_text(t, "title", m->lanes[l].title);
		set_text(t, "function", m->lanes[l].function);
		set_text(t, "created", m->lanes[l].created);
		json_array_append_new(j, t);
	}
	return j;
}

static json_t *edges_json(const struct model *m)
{
	json_t *j = json_object();

	for (int k = 0; k < EDGE_KINDS; k++) {
		json_t *list = json_array();

		for (size_t i = 0; i < m->edges[k].n; i++) {
			const struct model_edge *e = &m->edges[k].at[i];

			if (e->from >= (int)m->first && e->to >= (int)m->first)
				json_array_append_new(list, json_pack("[ii]", e->from, e->to));
		}
		json_object_set_new(j, edge_names[k], list);
	}
	return j;
}

/* The excerpts in which events are: [number, text] for each line. */
static json_t *files_json(const struct model *m)
{
	json_t *j = json_array();

	for (size_t i = 0; i < m->sources->n; i++) {
		const struct source *s = m->sources->at[i];
		json_t *file, *lines = json_array();

		for (int n = 1; n <= s->nlines; n++)
			if (source_shows(s, n))
				json_array_append_new(lines, json_pack("[is]", n, s->line[n - 1]));
		file = json_object();
		set_text(file, "path", s->shown);
		json_object_set_new(file, "lines", lines);
		json_array_append_new(j, file);
	}
	return j;
}

static char *clean_copy(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		text_sanitize(copy, strlen(copy) + 1);
	return copy;
}

static void set_clean(json_t *j, const char *key, const char *text)
{
	char *copy = clean_copy(text);

	if (copy)
		json_object_set_new(j, key, json_string(copy));
	free(copy);
}

json_t *model_json(const struct model *m)
{
	const struct trace *t = m->trace;
	json_t *j = json_object(), *events = json_array(), *arguments = json_array();

	set_text(j, "heddle", PACKAGE_VERSION);
	set_text(j, "command", "show");
	set_number(j, "shape", JSON_SHAPE);
	set_clean(j, "trace", m->path);
	set_clean(j, "program", t->program);
	set_text(j, "build_id", t->build_id);
	for (size_t i = 0; i < t->narguments; i++) {
		char *copy = clean_copy(t->arguments[i]);

		if (copy)
			json_array_append_new(arguments, json_string(copy));
		free(copy);
	}
	json_object_set_new(j, "arguments", arguments);
	set_text(j, "found_by", name_of(command_names, t->command));
	set_text(j, "model", name_of(names_model, t->model));
	json_object_set_new(j, "bug", bug_json(m));
	json_object_set_new(j, "threads", threads_json(m));
	set_number(j, "first", m->first);
	for (size_t i = m->first; i < m->nevents; i++)
		json_array_append_new(events, event_json(m, i));
	json_object_set_new(j, "events", events);
	json_object_set_new(j, "edges", edges_json(m));
	set_text(j, "modification_order", mo_names[m->mo]);
	set_text(j, "modification_order_why", m->mo == MO_NONE ? m->mo_why : NULL);
	json_object_set_new(j, "files", files_json(m));
	set_text(j, "note", m->note);
	return j;
}

bool draw_json(FILE *f, const struct model *m)
{
	json_t *j = model_json(m);
	bool ok = j && !json_dumpf(j, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);

	fputc('\n', f);
	json_decref(j);
	return ok;
}
