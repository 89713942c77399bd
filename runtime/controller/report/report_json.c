/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_json.c - the machine-readable result (heddle-formats(5), JSON)
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

#include "controller/base/json_text.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/options/strategies.h"
#include "controller/report/forms.h"
#include "controller/report/json_bug.h"
#include "controller/report/report.h"
#include "controller/report/report_coverage.h"
#include "controller/run/estimate.h"

const char *verdict_name(const struct session *s)
{
	static const char *const names[] = { "ok", "bug", "inconclusive" };

	return s->skipped ? SKIPPED : names[s->verdict];
}

int outcome_status(const struct session *s)
{
	if (s->skipped)
		return (int)s->options->skip_exitcode;
	return s->status == STATUS_BUG ? (int)s->options->error_exitcode : s->status;
}

static json_t *child_json(const struct child_result *c)
{
	json_t *j = json_object();

	json_object_set_new(j, "child", json_text(c->name));
	json_object_set_new(j, "verdict", json_text(c->verdict));
	json_object_set_new(j, "executions", json_integer((json_int_t)c->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)c->blocked));
	json_object_set_new(j, "bugs", json_integer((json_int_t)c->nbugs));
	json_object_set_new(j, "expected_status", json_integer(c->expected));
	if (c->why[0])
		json_object_set_new(j, "reason", json_text(c->why));
	return j;
}

/* A program that was started, with what its own heddle says of it. */
static json_t *followed_json(const struct followed *f)
{
	static const char *const same[] = { "program", "children", "seconds", NULL };
	json_t *j = json_object();

	json_object_set_new(j, "child", json_text(f->name));
	json_object_set_new(j, "file", json_text(f->file));
	json_object_set_new(j, "verdict", json_text(f->verdict));
	json_object_set_new(j, "executions", json_integer((json_int_t)f->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)f->blocked));
	json_object_set_new(j, "bugs", json_integer((json_int_t)f->nbugs));
	json_object_set_new(j, "expected_status", json_integer(f->expected));
	for (size_t i = 0; same[i]; i++)
		if (json_object_get(f->json, same[i]))
			json_object_set(j, same[i], json_object_get(f->json, same[i]));
	if (f->why[0])
		json_object_set_new(j, "reason", json_text(f->why));
	return j;
}

/* Its bugs of that key are among all others. */
static void followed_bugs(const struct followed *f, const char *key, json_t *bugs)
{
	json_t *of = json_object_get(f->json, key), *bug;
	size_t i;

	json_array_foreach(of, i, bug)
	{
		const char *child = json_string_value(json_object_get(bug, "child"));
		char name[512];

		snprintf(name, sizeof(name), "%s%s%s", f->name, child ? ": child " : "",
			 child ? child : "");
		json_object_set_new(bug, "child", json_text(name));
		json_array_append(bugs, bug);
	}
}

/* What the search by values asked itself. */
static json_t *values_json(const uint64_t *count)
{
	json_t *j = json_object();

	json_object_set_new(j, "steps", json_integer((json_int_t)count[VALUES_STEPS]));
	json_object_set_new(j, "states", json_integer((json_int_t)count[VALUES_STATES]));
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
	json_object_set_new(j, "strategy", json_text(name));
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
		json_object_set_new(j, "trace", json_text(a->name));
	json_object_set_new(j, "operations", json_integer((json_int_t)a->from));
	json_object_set_new(j, "of", json_integer((json_int_t)a->of));
	json_object_set_new(
		j, "executions",
		json_integer((json_int_t)(drawn ? a->executions : s->search.executions)));
	json_object_set_new(j, "blocked",
			    json_integer((json_int_t)(drawn ? a->blocked : s->search.blocked)));
	return j;
}

static json_t *suppressed_json(const struct suppressed *h)
{
	static const char *const same[] = { "child", "sides", "location", "why", NULL };
	json_t *j = json_object();

	json_object_set_new(j, "by", json_text(h->by));
	json_object_set_new(j, "kind", json_text(name_of(names_bug, h->kind)));
	json_object_set_new(j, "message", json_text(h->bug.message));
	json_object_set_new(j, "site", json_text(h->site));
	json_object_set_new(j, "times", json_integer((json_int_t)h->bug.times));
	for (size_t i = 0; same[i]; i++)
		if (json_object_get(h->json, same[i]))
			json_object_set(j, same[i], json_object_get(h->json, same[i]));
	return j;
}

/* How many executions there are, as far as that was asked. */
static void set_estimate(json_t *j, const struct engine_estimate *from)
{
	struct estimate x;
	json_t *out;

	if (!estimate_known(from, &x))
		return;
	out = json_object();
	json_object_set_new(out, "executions", json_real(x.complete));
	json_object_set_new(out, "blocked", json_real(x.blocked));
	json_object_set_new(out, "standard_error", json_real(x.error));
	json_object_set_new(out, "descents", json_real(x.descents));
	json_object_set_new(out, "runs", json_real(from->runs));
	json_object_set_new(j, "estimate", out);
}

static json_t *session_json(const struct session *s)
{
	const struct result *r = &s->search;
	json_t *j = json_object(), *program = json_array(), *bugs = json_array(),
	       *suppressed = json_array();
	double all = (double)(r->executions + r->blocked);

	for (size_t i = 0; s->argv[i]; i++)
		json_array_append_new(program, json_text(s->argv[i]));
	for (size_t i = 0; i < s->nbugs; i++)
		json_array_append_new(bugs, json_bug(s, &s->bugs[i]));
	json_object_set_new(j, "heddle", json_text(PACKAGE_VERSION));
	json_object_set_new(j, "command", json_text(command_names[s->options->command]));
	json_object_set_new(j, "program", program);
	json_object_set_new(j, "model", json_text(name_of(names_model, s->model)));
	json_object_set_new(j, "equivalence",
			    json_text(name_of(names_equivalence, s->equivalence)));
	json_object_set_new(j, "verdict", json_text(verdict_name(s)));
	json_object_set_new(j, "executions", json_integer((json_int_t)r->executions));
	json_object_set_new(j, "blocked", json_integer((json_int_t)r->blocked));
	json_object_set_new(j, "events", json_integer((json_int_t)r->events));
	json_object_set_new(j, "bugs", bugs);
	for (size_t i = 0; i < s->nsuppressed; i++)
		json_array_append_new(suppressed, suppressed_json(&s->suppressed[i]));
	json_object_set_new(j, "suppressed", suppressed);
	for (size_t i = 0; i < s->nfollowed; i++) {
		followed_bugs(&s->followed[i], "bugs", bugs);
		followed_bugs(&s->followed[i], "suppressed", suppressed);
	}
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
	set_estimate(j, &r->estimate);
	json_object_set_new(j, "cut", json_integer((json_int_t)r->cut));
	json_object_set_new(j, "restarts", json_integer((json_int_t)r->restarts));
	json_object_set_new(j, "ended", ledger_json(&r->ledger));
	if (r->values[VALUES_ASKED])
		json_object_set_new(j, "values", values_json(r->values));
	json_object_set_new(
		j, "instrumented",
		json_boolean(s->program.built != BUILT_PLAIN || (r->rooted && !r->uninstrumented)));
	json_object_set_new(j, "backend", json_text(name_of(names_backend, r->backend)));
	if (s->options->command == COMMAND_TEST)
		drawn_json(s, j);
	if (s->around.trace)
		json_object_set_new(j, "around", around_json(s));
	if (r->coverage)
		json_object_set_new(j, "coverage", coverage_json(s));
	if (s->why[0])
		json_object_set_new(j, "reason", json_text(s->why));
	json_object_set_new(j, "exit_status", json_integer(outcome_status(s)));
	return j;
}

/* In ASCII it shows on a terminal as it is, whatever a program is called or wrote. */
static char *form_json(const json_t *j)
{
	return json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII |
				     JSON_REAL_PRECISION(9));
}

static int write_form(int fd, const char *path, char *(*form)(const json_t *j), const json_t *j)
{
	char *written = form(j);
	int err = 0;

	if (!written)
		return -ENOMEM;
	/* `-` is ours to add to, not to empty; EINVAL: not a regular file. */
	if (strcmp(path, "-") && ftruncate(fd, 0) && errno != EINVAL)
		err = -errno;
	if (!err)
		err = output_write(fd, written, strlen(written));
	if (!err)
		err = output_write(fd, "\n", 1);
	free(written);
	return err;
}

int report_forms(const struct session *s, const char **path)
{
	static char *(*const forms[RESULT_FORMS])(const json_t *j) = {
		[RESULT_JSON] = form_json,
		[RESULT_SARIF] = form_sarif,
		[RESULT_JUNIT] = form_junit,
	};
	json_t *j = NULL;
	int err = 0;

	for (int i = 0; i < RESULT_FORMS && !err; i++) {
		if (s->result_fd[i] < 0)
			continue;
		if (!j)
			j = session_json(s);
		*path = s->options->result[i];
		err = write_form(s->result_fd[i], *path, forms[i], j);
	}
	json_decref(j);
	return err;
}
