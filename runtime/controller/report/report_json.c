/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_json.c - the machine-readable result (heddle(1), OUTPUT)
 *
 * A stable contract: fields are added, never renamed or removed.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/options/strategies.h"
#include "controller/report/report.h"
#include "controller/report/report_coverage.h"
#include "controller/report/why.h"

const char *verdict_name(const struct session *s)
{
	static const char *const names[] = { "ok", "bug", "inconclusive" };

	return names[s->verdict];
}

/* Untrusted text may not be UTF-8, which JSON must be. */
static json_t *text(const char *s)
{
	json_t *j = json_string(s);
	char *copy;

	if (j || !(copy = strdup(s)))
		return j;
	for (char *p = copy; *p; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	j = json_string(copy);
	free(copy);
	return j;
}

static json_t *size_json(const struct trace_size *size)
{
	json_t *j = json_object();

	json_object_set_new(j, "switches", json_integer((json_int_t)size->switches));
	json_object_set_new(j, "old_reads", json_integer((json_int_t)size->old_reads));
	json_object_set_new(j, "operations", json_integer((json_int_t)size->operations));
	return j;
}

static json_t *shorter_json(const struct shorter *s)
{
	json_t *j = json_object();

	json_object_set_new(j, "trace", s->trace[0] ? text(s->trace) : json_null());
	json_object_set_new(j, "before", size_json(&s->before));
	json_object_set_new(j, "after", size_json(&s->after));
	json_object_set_new(j, "tried", json_integer((json_int_t)s->tried));
	return j;
}

static json_t *inflection_json(const struct inflection *p)
{
	const uint64_t well = p->before.ended + p->before.cut;
	json_t *j = json_object();
	char event[32];

	snprintf(event, sizeof(event), "%u.%u", p->step.record.tid, p->step.record.index);
	json_object_set_new(j, "event", text(event));
	json_object_set_new(j, "operation", json_integer((json_int_t)p->at));
	json_object_set_new(j, "operations", json_integer((json_int_t)p->of));
	json_object_set_new(j, "sampled", json_integer((json_int_t)p->behind.failed));
	json_object_set_new(j, "sampled_before",
			    json_integer((json_int_t)(p->before.failed + well)));
	json_object_set_new(j, "well_before", json_integer((json_int_t)well));
	return j;
}

static json_t *why_json(const struct session *s, const struct reported *r)
{
	json_t *lines = json_array();
	struct scene scene;
	struct why why;

	if (!scene_init(&scene, &r->modules))
		return lines;
	why_of(&why, &scene, (enum engine_model)s->model, &r->bug);
	for (size_t i = 0; i < why.n; i++)
		json_array_append_new(lines, text(why.line[i]));
	why_release(&why);
	scene_release(&scene);
	return lines;
}

static json_t *bug_json(const struct session *s, const struct reported *r)
{
	json_t *b = json_object();

	json_object_set_new(b, "kind", text(name_of(names_bug, r->bug.kind)));
	json_object_set_new(b, "message", text(r->bug.message));
	json_object_set_new(b, "thread", json_integer(r->bug.nsides ? r->bug.sides[0].thread : 0));
	json_object_set_new(b, "site", text(r->site));
	json_object_set_new(b, "trace", r->trace[0] ? text(r->trace) : json_null());
	json_object_set_new(b, "execution", json_integer((json_int_t)r->bug.execution));
	if (s->options->command == COMMAND_TEST)
		json_object_set_new(b, "strategy", text(name_of(names_strategy, r->bug.strategy)));
	if (r->bug.times)
		json_object_set_new(b, "times", json_integer((json_int_t)r->bug.times));
	if (r->shorter.tried)
		json_object_set_new(b, "minimised", shorter_json(&r->shorter));
	if (r->inflection.at)
		json_object_set_new(b, "inflection", inflection_json(&r->inflection));
	if (r->child[0])
		json_object_set_new(b, "child", text(r->child));
	if (r->output)
		json_object_set_new(b, "output", text(r->output));
	json_object_set_new(b, "why", why_json(s, r));
	return b;
}

static json_t *child_json(const struct child_result *c)
{
	json_t *j = json_object();

	json_object_set_new(j, "child", text(c->name));
	json_object_set_new(j, "verdict", text(c->verdict));
	json_object_set_new(j, "executions", json_integer((json_int_t)c->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)c->blocked));
	json_object_set_new(j, "bugs", json_integer((json_int_t)c->nbugs));
	json_object_set_new(j, "expected_status", json_integer(c->expected));
	if (c->why[0])
		json_object_set_new(j, "reason", text(c->why));
	return j;
}

/* A program that was started, with what its own heddle says of it. */
static json_t *followed_json(const struct followed *f)
{
	static const char *const same[] = { "program", "children", "seconds", NULL };
	json_t *j = json_object();

	json_object_set_new(j, "child", text(f->name));
	json_object_set_new(j, "file", text(f->file));
	json_object_set_new(j, "verdict", text(f->verdict));
	json_object_set_new(j, "executions", json_integer((json_int_t)f->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)f->blocked));
	json_object_set_new(j, "bugs", json_integer((json_int_t)f->nbugs));
	json_object_set_new(j, "expected_status", json_integer(f->expected));
	for (size_t i = 0; same[i]; i++)
		if (json_object_get(f->json, same[i]))
			json_object_set(j, same[i], json_object_get(f->json, same[i]));
	if (f->why[0])
		json_object_set_new(j, "reason", text(f->why));
	return j;
}

/* Its bugs are among all others. */
static void followed_bugs(const struct followed *f, json_t *bugs)
{
	json_t *of = json_object_get(f->json, "bugs"), *bug;
	size_t i;

	json_array_foreach(of, i, bug)
	{
		const char *child = json_string_value(json_object_get(bug, "child"));
		char name[512];

		snprintf(name, sizeof(name), "%s%s%s", f->name, child ? ": child " : "",
			 child ? child : "");
		json_object_set_new(bug, "child", text(name));
		json_array_append(bugs, bug);
	}
}

/* What the search by values asked itself. */
static json_t *values_json(const uint64_t *count)
{
	json_t *j = json_object();

	json_object_set_new(j, "steps", json_integer((json_int_t)count[VALUES_STEPS]));
	json_object_set_new(j, "asked", json_integer((json_int_t)count[VALUES_ASKED]));
	json_object_set_new(j, "direct", json_integer((json_int_t)count[VALUES_DIRECT]));
	json_object_set_new(j, "excluded", json_integer((json_int_t)count[VALUES_EXCLUDED]));
	json_object_set_new(j, "searched", json_integer((json_int_t)count[VALUES_SEARCHED]));
	json_object_set_new(j, "found", json_integer((json_int_t)count[VALUES_FOUND]));
	json_object_set_new(j, "seconds", json_real((double)count[VALUES_NS] / 1e9));
	return j;
}

static json_t *ledger_json(const struct ledger *l)
{
	json_t *j = json_object();

	json_object_set_new(j, "begun", json_integer((json_int_t)l->begun));
	for (unsigned i = 0; i < LEDGER_ENDS; i++)
		json_object_set_new(j, ledger_ends[i], json_integer((json_int_t)l->ended[i]));
	return j;
}

/* How the executions were chosen, and how many by each strategy. */
static void drawn_json(const struct session *s, json_t *j)
{
	json_t *drawn = json_object();
	char name[STRATEGY_NAME];

	strategy_text(s->options->strategy, s->options->depth, name, sizeof(name));
	json_object_set_new(j, "seed", json_integer((json_int_t)s->seed));
	json_object_set_new(j, "strategy", text(name));
	for (unsigned i = 0; i < STRATEGY_COUNT; i++)
		if (s->search.drawn[i])
			json_object_set_new(drawn, names_strategy[i],
					    json_integer((json_int_t)s->search.drawn[i]));
	json_object_set_new(j, "drawn", drawn);
}

/* What was explored begins like that. */
static json_t *around_json(const struct session *s)
{
	const struct around *a = &s->around;
	const bool drawn = s->options->command == COMMAND_TEST;
	json_t *j = json_object();

	if (a->name)
		json_object_set_new(j, "trace", text(a->name));
	json_object_set_new(j, "operations", json_integer((json_int_t)a->from));
	json_object_set_new(j, "of", json_integer((json_int_t)a->of));
	json_object_set_new(
		j, "executions",
		json_integer((json_int_t)(drawn ? a->executions : s->search.executions)));
	json_object_set_new(j, "blocked",
			    json_integer((json_int_t)(drawn ? a->blocked : s->search.blocked)));
	return j;
}

static json_t *session_json(const struct session *s)
{
	const struct result *r = &s->search;
	json_t *j = json_object(), *program = json_array(), *bugs = json_array();
	double all = (double)(r->executions + r->blocked);

	for (size_t i = 0; s->argv[i]; i++)
		json_array_append_new(program, text(s->argv[i]));
	for (size_t i = 0; i < s->nbugs; i++)
		json_array_append_new(bugs, bug_json(s, &s->bugs[i]));
	json_object_set_new(j, "heddle", text(PACKAGE_VERSION));
	json_object_set_new(j, "command", text(command_names[s->options->command]));
	json_object_set_new(j, "program", program);
	json_object_set_new(j, "model", text(name_of(names_model, s->model)));
	json_object_set_new(j, "equivalence", text(name_of(names_equivalence, s->equivalence)));
	json_object_set_new(j, "verdict", text(verdict_name(s)));
	json_object_set_new(j, "executions", json_integer((json_int_t)r->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)r->blocked));
	json_object_set_new(j, "events", json_integer((json_int_t)r->events));
	json_object_set_new(j, "bugs", bugs);
	for (size_t i = 0; i < s->nfollowed; i++)
		followed_bugs(&s->followed[i], bugs);
	if (s->nchildren || s->nfollowed) {
		json_t *children = json_array();

		for (size_t i = 0; i < s->nchildren; i++)
			json_array_append_new(children, child_json(&s->children[i]));
		for (size_t i = 0; i < s->nfollowed; i++)
			json_array_append_new(children, followed_json(&s->followed[i]));
		json_object_set_new(j, "children", children);
	}
	json_object_set_new(j, "seconds", json_real(r->seconds));
	json_object_set_new(j, "executions_per_second",
			    json_integer(r->seconds > 0 ? (json_int_t)(all / r->seconds) : 0));
	json_object_set_new(j, "peak_rss_kib", json_integer(r->peak_rss_kib));
	json_object_set_new(j, "jobs", json_integer((json_int_t)s->options->jobs));
	json_object_set_new(j, "workers_lost", json_integer(r->lost));
	json_object_set_new(j, "wasted", json_integer((json_int_t)r->wasted));
	json_object_set_new(j, "cut", json_integer((json_int_t)r->cut));
	json_object_set_new(j, "restarts", json_integer((json_int_t)r->restarts));
	json_object_set_new(j, "ended", ledger_json(&r->ledger));
	if (r->values[VALUES_ASKED])
		json_object_set_new(j, "values", values_json(r->values));
	json_object_set_new(
		j, "instrumented",
		json_boolean(s->program.built != BUILT_PLAIN || (r->rooted && !r->uninstrumented)));
	json_object_set_new(j, "backend", text(name_of(names_backend, r->backend)));
	if (s->options->command == COMMAND_TEST)
		drawn_json(s, j);
	if (s->around.trace)
		json_object_set_new(j, "around", around_json(s));
	if (r->coverage)
		json_object_set_new(j, "coverage", coverage_json(s));
	if (s->why[0])
		json_object_set_new(j, "reason", text(s->why));
	json_object_set_new(j, "exit_status",
			    json_integer(s->status == STATUS_BUG
						 ? (json_int_t)s->options->error_exitcode
						 : s->status));
	return j;
}

int report_json(const struct session *s)
{
	json_t *j;
	char *line;
	int err;

	if (s->json_fd < 0)
		return 0;
	j = session_json(s);
	/* In ASCII it shows on a terminal as it is, whatever a program is called or wrote. */
	line = json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII |
				     JSON_REAL_PRECISION(9));
	json_decref(j);
	if (!line)
		return -ENOMEM;
	/* `-` is ours to add to, not to empty; EINVAL: not a regular file. */
	if (strcmp(s->options->json, "-") && ftruncate(s->json_fd, 0) && errno != EINVAL)
		err = -errno;
	else
		err = output_write(s->json_fd, line, strlen(line));
	if (!err)
		err = output_write(s->json_fd, "\n", 1);
	free(line);
	return err;
}
