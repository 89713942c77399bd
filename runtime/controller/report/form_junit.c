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
#include "controller/report/outcome.h"

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

/* ---- Tests -------------------------------------------------------------------------------------- */

/* Is that one of the programs that were searched for themselves, and no child of the first one? */
static bool is_program(const json_t *child)
{
	return json_object_get(child, "file") != NULL;
}

/* Whose bug that is: the program's of that name, or a child's of it; NULL: of none of the programs of `children`. */
static const json_t *owner(const json_t *children, const json_t *bug)
{
	const char *name = json_text_at(bug, "child");
	const json_t *child;
	size_t i;

	json_array_foreach(children, i, child)
	{
		const char *of = json_text_at(child, "child");
		size_t n = strlen(of);

		if (is_program(child) && !strncmp(name, of, n) &&
		    (!name[n] || !strncmp(name + n, ": child ", 8)))
			return child;
	}
	return NULL;
}

struct junit {
	FILE *f;
	const json_t *session, *children, *bugs;
	unsigned tests, failures, errors, skipped;
};

/* The program with its arguments. */
static void put_name(FILE *f, const json_t *session)
{
	const json_t *word;
	size_t i;

	fputs(" name=\"", f);
	json_array_foreach(json_object_get(session, "program"), i, word)
	{
		if (i)
			fputc(' ', f);
		put(f, json_string_value(word));
	}
	fputc('"', f);
}

/* child: NULL: what is of none of them. */
static void put_test(struct junit *j, const json_t *child)
{
	const json_t *of = child ? child : j->session, *bug;
	char class[64];
	bool failed = false;
	size_t i;

	snprintf(class, sizeof(class), "heddle.%.20s.%.20s", json_text_at(j->session, "command"),
		 json_text_at(j->session, "model"));
	fputs("  <testcase", j->f);
	put_attribute(j->f, "classname", class);
	if (child)
		put_attribute(j->f, "name", json_text_at(child, "child"));
	else
		put_name(j->f, j->session);
	fprintf(j->f, " time=\"%.3f\">\n", json_real_value(json_object_get(of, "seconds")));
	json_array_foreach(j->bugs, i, bug)
	{
		if (owner(j->children, bug) != child)
			continue;
		failed = true;
		put_bug(j->f, bug);
	}
	j->tests++;
	j->failures += failed;
	if (!strcmp(json_text_at(of, "verdict"), "inconclusive")) {
		j->errors++;
		fputs("   <error type=\"inconclusive\"", j->f);
		put_attribute(j->f, "message", json_text_at(of, "reason"));
		fputs("/>\n", j->f);
	}
	if (!strcmp(json_text_at(of, "verdict"), SKIPPED)) {
		j->skipped++;
		fputs("   <skipped message=\"it exits with the status of tests that are skipped\"/>\n",
		      j->f);
	}
	fprintf(j->f, "   <system-out>%lld complete executions</system-out>\n  </testcase>\n",
		(long long)json_integer_value(json_object_get(of, "executions")));
}

/* Has what ran the programs something to say that none of them says? */
static bool has_own(const struct junit *j)
{
	const json_t *child, *bug;
	bool programs = false, said = false;
	size_t i;

	json_array_foreach(j->children, i, child)
	{
		programs |= is_program(child);
		said |= is_program(child) &&
			!strcmp(json_text_at(child, "verdict"), "inconclusive");
	}
	json_array_foreach(j->bugs, i, bug)
	{
		if (!owner(j->children, bug))
			return true;
	}
	return !programs || json_is_true(json_object_get(j->session, "instrumented")) ||
	       (!said && !strcmp(json_text_at(j->session, "verdict"), "inconclusive"));
}

static char *put_tests(struct junit *j)
{
	const json_t *child;
	char *text = NULL;
	size_t size = 0, i;

	j->f = open_memstream(&text, &size);
	if (!j->f)
		return NULL;
	if (has_own(j))
		put_test(j, NULL);
	json_array_foreach(j->children, i, child)
	{
		if (is_program(child))
			put_test(j, child);
	}
	if (fclose(j->f)) {
		free(text);
		return NULL;
	}
	return text;
}

char *form_junit(const json_t *session)
{
	const double seconds = json_real_value(json_object_get(session, "seconds"));
	struct junit j = { .session = session,
			   .children = json_object_get(session, "children"),
			   .bugs = json_object_get(session, "bugs") };
	char *tests = put_tests(&j), *text = NULL;

	if (tests &&
	    asprintf(
		    &text,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<testsuites name=\"heddle\" tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.3f\">\n"
		    " <testsuite name=\"heddle\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n"
		    "%s </testsuite>\n</testsuites>",
		    j.tests, j.failures, j.errors, seconds, j.tests, j.failures, j.errors,
		    j.skipped, seconds, tests) < 0)
		text = NULL;
	free(tests);
	return text;
}
