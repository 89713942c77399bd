/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_followed.c - a table of the programs that were explored because others started them
 *
 *	heddle: programs that 'make' started:
 *	heddle:   tests/t1     no bug in 4 executions, which is all of them
 *	heddle:   tests/t2     data race, t2.c:20 worker (heddle replay heddle-out/t2/bug-0.hdt)
 *	heddle:   tests/t3     inconclusive: ...
 *
 * and of those of a suite:
 *
 *	heddle:   program   verdict       executions  seconds
 *	heddle:   tests/t1  no bug                 4     0.01
 *	heddle:   tests/t2  bug                    3     0.02  data race, t2.c:20 worker (heddle replay heddle-out/t2/bug-0.hdt)
 */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/report/report.h"

enum {
	WIDEST = 48, /* of names, for the others to begin in one column */
	SHORT = 60   /* of messages */
};

static const char *text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "";
}

/* As it is called from the folder that we are in. */
static const char *from_here(const char *path)
{
	static char here[PATH_MAX];
	size_t n = getcwd(here, sizeof(here)) ? strlen(here) : 0;

	return n && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* What it is, shortly: races have long messages. */
static const char *title(const json_t *bug)
{
	const char *message = text_of(bug, "message");
	int kind = name_find(names_bug, text_of(bug, "kind"));

	return strlen(message) <= SHORT || kind < 0 ? message : bug_title((unsigned)kind);
}

/* A bug, and how to see it again. */
static void bug_text(const json_t *bug, char *out, size_t size)
{
	const char *trace = text_of(bug, "trace"), *site = text_of(bug, "site");

	snprintf(out, size, "%s%s%s%s%s%s", title(bug), *site ? ", " : "", site,
		 *trace ? " (heddle replay " : "", from_here(trace), *trace ? ")" : "");
}

/* A line for each bug, of which the first begins with `first`, the others with as many blanks. */
static void say_bugs(const struct followed *f, const char *first, int width)
{
	json_t *bugs = json_object_get(f->json, "bugs"), *bug;
	size_t i;

	json_array_foreach(bugs, i, bug)
	{
		char what[PATH_MAX + 512];

		bug_text(bug, what, sizeof(what));
		say("  %-*s  %s", width, i ? "" : first, what);
	}
}

static void say_one(const struct session *s, const struct followed *f, int width)
{
	char more[64] = "", how[64] = "";

	if (f->nbugs) {
		say_bugs(f, f->name, width);
		return;
	}
	if (f->status) {
		say("  %-*s  inconclusive: %s", width, f->name, f->why);
		return;
	}
	if (!strcmp(f->verdict, SKIPPED)) {
		say("  %-*s  skipped: it exits with status %d", width, f->name, f->expected);
		return;
	}
	if (f->blocked)
		snprintf(more, sizeof(more), " and %llu blocked", (unsigned long long)f->blocked);
	if (f->expected)
		snprintf(how, sizeof(how), "; it exits with status %d", f->expected);
	say("  %-*s  no bug in %llu execution%s%s%s%s", width, f->name,
	    (unsigned long long)f->executions, f->executions == 1 ? "" : "s", more,
	    s->options->command == COMMAND_TEST ? "" : ", which is all of them", how);
}

/* Of the column of names. */
static size_t width_of(const struct session *s)
{
	size_t width = 0;

	for (size_t i = 0; i < s->nfollowed; i++) {
		size_t n = strlen(s->followed[i].name);

		width = n > width && n <= WIDEST ? n : width;
	}
	return width;
}

/* One of a suite: names, numbers, and what is to be said of them. */
static void say_row(const struct followed *f, int width)
{
	const bool skipped = !strcmp(f->verdict, SKIPPED);
	const char *verdict = f->nbugs    ? "bug"
			      : f->status ? "inconclusive"
			      : skipped   ? SKIPPED
					  : "no bug";
	const char *color = f->nbugs ? color_alarm() : f->status ? color_warning() : "";
	const json_t *bugs = json_object_get(f->json, "bugs"), *bug;
	char name[WIDEST + 512], word[32], rest[PATH_MAX + 1024], what[PATH_MAX + 512];
	int indent;
	size_t i;

	snprintf(name, sizeof(name), "  %-*s  ", width, f->name);
	snprintf(word, sizeof(word), "%-12s", verdict);
	snprintf(rest, sizeof(rest), "  %10llu  %7.2f%s%s", (unsigned long long)f->executions,
		 json_number_value(json_object_get(f->json, "seconds")), f->status ? "  " : "",
		 f->status && !f->nbugs ? f->why : "");
	if (!f->nbugs)
		say_colored(name, color, word, rest);
	indent = (int)(strlen(name) + strlen(word) + strlen(rest));
	json_array_foreach(bugs, i, bug)
	{
		bug_text(bug, what, sizeof(what));
		if (i) {
			say("%*s%s", indent, "", what);
			continue;
		}
		snprintf(rest + strlen(rest), sizeof(rest) - strlen(rest), "%s", what);
		say_colored(name, color, word, rest);
	}
}

void report_suite(const struct session *s)
{
	const int least = (int)strlen("program");
	int width = (int)width_of(s);

	if (s->options->quiet)
		return;
	width = width > least ? width : least;
	say("%zu program%s:", s->nfollowed, s->nfollowed == 1 ? "" : "s");
	say("  %-*s  %-12s  %10s  %7s", width, "program", "verdict", "executions", "seconds");
	for (size_t i = 0; i < s->nfollowed; i++)
		say_row(&s->followed[i], width);
}

void report_followed(const struct session *s)
{
	size_t width = width_of(s);

	if (s->options->quiet || !s->nfollowed)
		return;
	say("programs that '%s' started:", s->argv[0]);
	for (size_t i = 0; i < s->nfollowed; i++)
		say_one(s, &s->followed[i], (int)width);
}
