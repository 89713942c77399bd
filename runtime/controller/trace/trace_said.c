/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_said.c - reads what a trace has for the readers of its bug: what the program said, names, pointers, calls (wire/said.h)
 */
#include "config.h"

#include <string.h>

#include "controller/base/names.h"
#include "controller/trace/trace_steps.h"

static bool parse_code_or_none(struct steps_reader *s, char *text, struct place *p)
{
	if (!strcmp(text, "?"))
		return trace_place(s, text, p);
	return trace_code(s, text, p);
}

/* The rest of a line is free text. */
static bool parse_text(struct steps_reader *s, char *text, char *out, size_t size)
{
	if (!text || !trace_unescape(text) || strlen(text) >= size)
		return trace_wrong(s->r, "a bad escape, or a text that is too long");
	strcpy(out, text);
	return true;
}

/* says AFTER THREAD CODE TEXT */
static bool parse_says(struct steps_reader *s, char *text)
{
	char *after = trace_word(&text), *thread = trace_word(&text);
	char *code = trace_word(&text);
	uint64_t steps, tid;
	struct said_text *out;

	if (!code || !trace_number(after, 0, SHARED_STEPS, &steps) ||
	    !trace_number(thread, 0, HEDDLE_MAX_THREADS - 1, &tid))
		return trace_wrong(s->r,
				   "not what a thread says: steps before it, thread, code, text");
	if (s->t->bug.said.ntexts >= SAID_TEXTS)
		return trace_wrong(s->r, "more than %d texts", SAID_TEXTS);
	out = said_add_text(&s->t->bug.said);
	if (!out)
		return trace_wrong(s->r, "out of memory");
	out->after = steps;
	out->tid = (uint32_t)tid;
	return parse_code_or_none(s, code, &out->code) &&
	       parse_text(s, text, out->text, sizeof(out->text));
}

/* named SIZE LOCATION NAME */
static bool parse_named(struct steps_reader *s, char *text)
{
	char *size = trace_word(&text), *place = trace_word(&text);
	struct said_name *out;

	if (!place || s->t->bug.said.nnames >= SAID_NAMES)
		return trace_wrong(s->r, "not a name: size, location, name; or more than %d",
				   SAID_NAMES);
	out = said_add_name(&s->t->bug.said);
	if (!out)
		return trace_wrong(s->r, "out of memory");
	if (!trace_number(size, 0, UINT64_MAX, &out->size))
		return trace_wrong(s->r, "'%.64s' is not a size", size);
	return trace_place(s, place, &out->place) &&
	       parse_text(s, text, out->name, sizeof(out->name));
}

/* points VALUE LOCATION */
static bool parse_points(struct steps_reader *s, char *text)
{
	char *value = trace_word(&text), *place = trace_word(&text);
	struct said_pointer *out;

	if (!place || *text || s->t->bug.said.npointers >= SAID_POINTERS)
		return trace_wrong(s->r,
				   "not where a value points to: value, location; or more than %d",
				   SAID_POINTERS);
	out = said_add_pointer(&s->t->bug.said);
	if (!out)
		return trace_wrong(s->r, "out of memory");
	if (!trace_number(value, 0, UINT64_MAX, &out->value))
		return trace_wrong(s->r, "'%.64s' is not a value", value);
	return trace_place(s, place, &out->place) &&
	       (out->place.kind != PLACE_THREAD || trace_wrong(s->r, "a thread is no location"));
}

/* called STEP THREAD CODE */
static bool parse_called(struct steps_reader *s, char *text)
{
	char *step = trace_word(&text), *thread = trace_word(&text), *code = trace_word(&text);
	uint64_t tid;
	struct said_call *out;

	if (!code || *text || s->t->bug.said.ncalls >= SAID_CALLS)
		return trace_wrong(s->r, "not a call: step, thread, code; or more than %d",
				   SAID_CALLS);
	out = said_add_call(&s->t->bug.said);
	if (!out)
		return trace_wrong(s->r, "out of memory");
	if (!trace_number(step, 0, SHARED_STEPS, &out->step) ||
	    !trace_number(thread, 0, HEDDLE_MAX_THREADS - 1, &tid))
		return trace_wrong(s->r, "not a call: step, thread, code");
	out->tid = (uint32_t)tid;
	return trace_code(s, code, &out->code);
}

static const struct {
	const char *key;
	trace_line *parse;
} lines[] = {
	{ "says", parse_says },
	{ "named", parse_named },
	{ "points", parse_points },
	{ "called", parse_called },
};

trace_line *trace_said(const char *key)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strcmp(key, lines[i].key))
			return lines[i].parse;
	return NULL;
}
