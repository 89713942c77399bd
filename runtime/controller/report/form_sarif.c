/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * form_sarif.c - see forms.h
 *
 * SARIF 2.1.0: each kind of bug is a rule (3.49), each bug a result (3.27). Its location is where it shows, the other sides are related
 * locations (3.28), and the operations of each thread are a thread flow (3.37).
 */
#include "config.h"

#include "controller/base/json_text.h"
#include "controller/report/forms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] = "https://json.schemastore.org/sarif-2.1.0.json";

/* {"text": ...} */
static json_t *message(const char *s)
{
	return json_pack("{s:s}", "text", s);
}

/* RFC 3986: what is no unreserved character of a path has two digits. */
static json_t *uri_of(const char *file)
{
	size_t room = 3 * strlen(file) + sizeof("file://");
	char *uri = malloc(room), *to = uri;
	json_t *j;

	if (!uri)
		return NULL;
	if (*file == '/')
		to = stpcpy(to, "file://");
	for (const char *p = file; *p; p++)
		to += isalnum((unsigned char)*p) || strchr("/-._~+", *p)
			      ? sprintf(to, "%c", *p)
			      : sprintf(to, "%%%02X", (unsigned char)*p);
	*to = 0;
	j = json_string(uri);
	free(uri);
	return j;
}

/* Of anything with a file and a line; NULL without. */
static json_t *physical(const json_t *frame)
{
	const char *file = json_text_at(frame, "file");
	const json_int_t line = json_integer_value(json_object_get(frame, "line"));

	if (!*file || line <= 0)
		return NULL;
	return json_pack("{s:{s:o},s:{s:I}}", "artifactLocation", "uri", uri_of(file), "region",
			 "startLine", line);
}

static json_t *location(const json_t *frame, const char *words)
{
	json_t *at = physical(frame), *l = json_object();

	if (at)
		json_object_set_new(l, "physicalLocation", at);
	if (*json_text_at(frame, "function"))
		json_object_set_new(l, "logicalLocations",
				    json_pack("[{s:s,s:s}]", "fullyQualifiedName",
					      json_text_at(frame, "function"), "kind", "function"));
	if (words)
		json_object_set_new(l, "message", message(words));
	return l;
}

/* The innermost frame that has a line, or the innermost. */
static const json_t *place_of(const json_t *side)
{
	const json_t *stack = json_object_get(side, "stack"), *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		if (json_object_get(frame, "line"))
			return frame;
	}
	return json_array_get(stack, 0);
}

enum {
	SIDE_WORDS = 96
};

/* Which side of the bug it is. Returns out. */
static const char *words_of_side(const json_t *side, char out[SIDE_WORDS])
{
	const char *access = json_text_at(side, "access");

	snprintf(out, SIDE_WORDS, "thread T%d: %.60s",
		 (int)json_integer_value(json_object_get(side, "thread")),
		 *access ? access : json_text_at(side, "waits"));
	return out;
}

/* To an array of which no two elements may be the same (its schema: uniqueItems). Takes j. */
static void append_once(json_t *array, json_t *j)
{
	const json_t *other;
	size_t i;

	json_array_foreach(array, i, other)
	{
		if (json_equal(other, j)) {
			json_decref(j);
			return;
		}
	}
	json_array_append_new(array, j);
}

static void add_locations(json_t *result, const json_t *bug)
{
	json_t *locations = json_array(), *related = json_array();
	char words[SIDE_WORDS];
	const json_t *side;
	size_t i;

	json_array_foreach(json_object_get(bug, "sides"), i, side)
	{
		if (place_of(side))
			append_once(i ? related : locations,
				    location(place_of(side), words_of_side(side, words)));
	}
	json_object_set_new(result, "locations", locations);
	if (json_array_size(related))
		json_object_set_new(result, "relatedLocations", related);
	else
		json_decref(related);
}

static json_t *stack_of(const json_t *side)
{
	json_t *frames = json_array();
	char words[SIDE_WORDS];
	const json_t *frame;
	size_t i;

	json_array_foreach(json_object_get(side, "stack"), i, frame)
	{
		json_array_append_new(frames,
				      json_pack("{s:o}", "location", location(frame, NULL)));
	}
	return json_pack("{s:o,s:o}", "message", message(words_of_side(side, words)), "frames",
			 frames);
}

static void add_stacks(json_t *result, const json_t *bug)
{
	json_t *stacks = json_array();
	const json_t *side;
	size_t i;

	json_array_foreach(json_object_get(bug, "sides"), i, side)
	{
		if (json_array_size(json_object_get(side, "stack")))
			append_once(stacks, stack_of(side));
	}
	json_object_set_new(result, "stacks", stacks);
}

/* The flow of a thread, a new one if need be. */
static json_t *flow_of(json_t *flows, json_int_t thread)
{
	char id[32];
	json_t *flow;
	size_t i;

	snprintf(id, sizeof(id), "T%d", (int)thread);
	json_array_foreach(flows, i, flow)
	{
		if (!strcmp(json_text_at(flow, "id"), id))
			return flow;
	}
	flow = json_pack("{s:s,s:[]}", "id", id, "locations");
	json_array_append_new(flows, flow);
	return flow;
}

static void add_flows(json_t *result, const json_t *bug)
{
	json_t *flows = json_array();
	const json_t *step;
	size_t i;

	json_array_foreach(json_object_get(bug, "steps"), i, step)
	{
		json_t *flow = flow_of(flows, json_integer_value(json_object_get(step, "thread")));
		json_t *of = json_pack("{s:o,s:i}", "location",
				       location(step, json_text_at(step, "operation")),
				       "executionOrder", (int)i + 1);

		json_array_append_new(json_object_get(flow, "locations"), of);
	}
	if (json_array_size(flows))
		json_object_set_new(result, "codeFlows",
				    json_pack("[{s:o}]", "threadFlows", flows));
	else
		json_decref(flows);
}

/* What it is, and why. */
static json_t *words_of(const json_t *bug)
{
	char *words = NULL;
	size_t size = 0, i;
	FILE *f = open_memstream(&words, &size);
	const json_t *line;
	json_t *j;

	if (!f)
		return NULL;
	fputs(json_text_at(bug, "message"), f);
	if (*json_text_at(bug, "location"))
		fprintf(f, "\nLocation is %s.", json_text_at(bug, "location"));
	json_array_foreach(json_object_get(bug, "why"), i, line)
	{
		fprintf(f, "\n%s", json_string_value(line));
	}
	if (*json_text_at(bug, "trace"))
		fprintf(f, "\nReproduce it with: heddle replay %s", json_text_at(bug, "trace"));
	fclose(f);
	j = message(words);
	free(words);
	return j;
}

static json_t *result_of(const json_t *bug)
{
	json_t *r = json_pack("{s:s,s:s,s:o}", "ruleId", json_text_at(bug, "kind"), "level",
			      "error", "message", words_of(bug));
	char print[700];

	/* So that it is known again when lines have moved: by kind and function. */
	snprintf(print, sizeof(print), "%s %s", json_text_at(bug, "kind"),
		 strchr(json_text_at(bug, "site"), ' ') ? strchr(json_text_at(bug, "site"), ' ') + 1
							: json_text_at(bug, "site"));
	json_object_set_new(r, "partialFingerprints", json_pack("{s:s}", "heddle/v1", print));
	add_locations(r, bug);
	add_stacks(r, bug);
	add_flows(r, bug);
	return r;
}

/* A bug that the user suppresses is a result that its readers do not show (SARIF 2.1.0, 3.27.23 and 3.35). */
static json_t *suppressed_result(const json_t *bug)
{
	json_t *r = result_of(bug);
	char why[400];

	snprintf(why, sizeof(why), "suppressed by '%.300s' (--suppressions)",
		 json_text_at(bug, "by"));
	json_object_set_new(r, "suppressions",
			    json_pack("[{s:s,s:s}]", "kind", "external", "justification", why));
	return r;
}

/* Each kind of result once. */
static json_t *rules_of(const json_t *results)
{
	json_t *rules = json_array(), *seen = json_object();
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result)
	{
		const char *kind = json_text_at(result, "ruleId");

		if (json_object_get(seen, kind))
			continue;
		json_object_set_new(seen, kind, json_true());
		json_array_append_new(rules, json_pack("{s:s,s:o}", "id", kind, "shortDescription",
						       message(kind)));
	}
	json_decref(seen);
	return rules;
}

static json_t *invocation(const json_t *session)
{
	const int status = (int)json_integer_value(json_object_get(session, "exit_status"));
	json_t *j = json_pack("{s:b,s:i}", "executionSuccessful",
			      strcmp(json_text_at(session, "verdict"), "inconclusive") != 0,
			      "exitCode", status);

	if (*json_text_at(session, "reason"))
		json_object_set_new(j, "toolExecutionNotifications",
				    json_pack("[{s:s,s:o}]", "level", "warning", "message",
					      message(json_text_at(session, "reason"))));
	return j;
}

char *form_sarif(const json_t *session)
{
	const json_t *bugs = json_object_get(session, "bugs"), *bug;
	json_t *results = json_array(), *run, *j;
	size_t i;
	char *text;

	json_array_foreach(bugs, i, bug)
	{
		json_array_append_new(results, result_of(bug));
	}
	json_array_foreach(json_object_get(session, "suppressed"), i, bug)
	{
		json_array_append_new(results, suppressed_result(bug));
	}
	run = json_pack("{s:{s:{s:s,s:s,s:o}},s:[o],s:o,s:s}", "tool", "driver", "name", "heddle",
			"version", PACKAGE_VERSION, "rules", rules_of(results), "invocations",
			invocation(session), "results", results, "columnKind", "utf16CodeUnits");
	j = json_pack("{s:s,s:s,s:[o]}", "$schema", schema, "version", "2.1.0", "runs", run);
	text = j ? json_dumps(j, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII) : NULL;
	json_decref(j);
	return text;
}
