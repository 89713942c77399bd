/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * form_junit.c - see forms.h
 *
 * The elements that all readers know: testsuites, testsuite, testcase, failure, error (an inconclusive result), system-out.
 */
#include "config.h"

#include "controller/base/json_text.h"
#include "controller/base/markup.h"
#include "controller/report/forms.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters that XML cannot have at all (XML 1.0, Section 2.2) are left out. */
static void put(FILE *f, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		const char *entity = c == '\n' ? "&#10;" : markup_entity(*text);

		if (entity)
			fputs(entity, f);
		else if (c >= ' ' && c != 0x7f)
			fputc(c, f);
	}
}

static void put_attribute(FILE *f, const char *name, const char *value)
{
	fprintf(f, " %s=\"", name);
	put(f, value);
	fputc('"', f);
}

static void put_lines(FILE *f, const json_t *lines)
{
	const json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		put(f, json_string_value(line));
		fputc('\n', f);
	}
}

static void put_side(FILE *f, const json_t *side)
{
	const json_t *frame;
	size_t i;

	fprintf(f, "thread T%d: ", (int)json_integer_value(json_object_get(side, "thread")));
	put(f, *json_text_at(side, "access") ? json_text_at(side, "access")
					     : json_text_at(side, "waits"));
	fputc('\n', f);
	json_array_foreach(json_object_get(side, "stack"), i, frame)
	{
		fprintf(f, "  #%zu ", i);
		put(f, json_text_at(frame, "function"));
		fputc(' ', f);
		put(f, json_text_at(frame, "file"));
		fprintf(f, ":%d\n", (int)json_integer_value(json_object_get(frame, "line")));
	}
}

static void put_bug(FILE *f, const json_t *bug)
{
	const json_t *side;
	char headline[800];
	size_t i;

	snprintf(headline, sizeof(headline), "%s %s", json_text_at(bug, "kind"),
		 json_text_at(bug, "site"));
	fputs("   <failure", f);
	put_attribute(f, "type", json_text_at(bug, "kind"));
	put_attribute(f, "message", headline);
	fputc('>', f);
	put(f, json_text_at(bug, "message"));
	fputc('\n', f);
	json_array_foreach(json_object_get(bug, "sides"), i, side)
	{
		put_side(f, side);
	}
	put_lines(f, json_object_get(bug, "why"));
	if (*json_text_at(bug, "trace")) {
		fputs("heddle replay ", f);
		put(f, json_text_at(bug, "trace"));
		fputc('\n', f);
	}
	fputs("</failure>\n", f);
}

/* The program with its arguments. */
static char *name_of_test(const json_t *session)
{
	char *name = NULL;
	size_t size = 0, i;
	FILE *f = open_memstream(&name, &size);
	const json_t *word;

	if (!f)
		return NULL;
	json_array_foreach(json_object_get(session, "program"), i, word)
	{
		fprintf(f, "%s%s", i ? " " : "", json_string_value(word));
	}
	fclose(f);
	return name;
}

static void put_test(FILE *f, const json_t *session)
{
	const json_t *bugs = json_object_get(session, "bugs"), *bug;
	const char *verdict = json_text_at(session, "verdict");
	char *name = name_of_test(session), class[64];
	size_t i;

	snprintf(class, sizeof(class), "heddle.%.20s.%.20s", json_text_at(session, "command"),
		 json_text_at(session, "model"));
	fputs("  <testcase", f);
	put_attribute(f, "classname", class);
	put_attribute(f, "name", name ? name : "");
	fprintf(f, " time=\"%.3f\">\n", json_real_value(json_object_get(session, "seconds")));
	free(name);
	json_array_foreach(bugs, i, bug)
	{
		put_bug(f, bug);
	}
	if (!strcmp(verdict, "inconclusive")) {
		fputs("   <error type=\"inconclusive\"", f);
		put_attribute(f, "message", json_text_at(session, "reason"));
		fputs("/>\n", f);
	}
	fprintf(f, "   <system-out>%lld complete executions</system-out>\n  </testcase>\n",
		(long long)json_integer_value(json_object_get(session, "executions")));
}

char *form_junit(const json_t *session)
{
	const bool bug = !strcmp(json_text_at(session, "verdict"), "bug"),
		   unsure = !strcmp(json_text_at(session, "verdict"), "inconclusive");
	const double seconds = json_real_value(json_object_get(session, "seconds"));
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"heddle\" tests=\"1\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n"
		" <testsuite name=\"heddle\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"%.3f\">\n",
		bug, unsure, seconds, bug, unsure, seconds);
	put_test(f, session);
	fputs(" </testsuite>\n</testsuites>", f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
