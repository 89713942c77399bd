/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * follow_settle.c - what came of programs that were started becomes part of the session
 *
 * Each heddle that explored one has left its result as JSON, and its messages as text. The verdict is the
 * worst of all. "No bug" says that all was looked at; so what was not, and might have a bug, is a reason
 * for "inconclusive":
 *
 *	- a program that --follow does not ask for, and one that nothing can be loaded into;
 *	- one with threads that is not instrumented, unless it started others: that is a tool;
 *	- one whose exploration did not come to its end;
 *	- a tool that ran nothing that could be explored, or failed without a bug that explains it.
 *
 * How has a program to end? With status 0, unless whoever started it made do with another one, as with
 * children of fork (children.c): then the program that the user named exits with 0, or with another one
 * because of a bug that was found. That is only taken for an answer where the status is the same in all
 * executions (followed.c).
 */
#include "config.h"

#include "controller/search/follow.h"

#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/report/report.h"
#include "controller/search/search.h"
#include "wire/follow.h"

struct settling {
	struct session *s;
	struct follow_log log;
	bool contented; /* the program exited with 0 */
	int status;     /* the worst of those without a bug */
	char why[900];  /* the first reason */
	size_t reasons;
};

/* ---- Reasons ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void reason(struct settling *x, int status,
							 const char *format, ...)
{
	char text[900];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (status > x->status || !x->reasons)
		memcpy(x->why, text, sizeof(text));
	if (status > x->status)
		x->status = status;
	x->reasons++;
}

/* A reason that is about no line of the table: it has one of its own. */
#define SAY_REASON(x, ...)                                   \
	do {                                                 \
		if (!(x)->s->options->quiet)                 \
			say("note: " __VA_ARGS__);           \
		reason(x, STATUS_INCONCLUSIVE, __VA_ARGS__); \
	} while (0)

static const char *base(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* Has the process started another program? */
static bool is_tool(const struct settling *x, int pid)
{
	for (size_t i = 0; i < x->log.n; i++) {
		const struct follow_record *r = &x->log.at[i];

		if (r->parent == pid && (r->verb == FOLLOW_RAN || r->verb == FOLLOW_BEGUN ||
					 r->verb == FOLLOW_UNWANTED))
			return true;
	}
	return false;
}

/* It was said already that it is not explored. */
static bool is_unwanted(const struct settling *x, int pid)
{
	for (size_t i = 0; i < x->log.n; i++)
		if (x->log.at[i].verb == FOLLOW_UNWANTED && x->log.at[i].pid == pid)
			return true;
	return false;
}

static void look_at_others(struct settling *x)
{
	for (size_t i = 0; i < x->log.n; i++) {
		const struct follow_record *r = &x->log.at[i];

		if (r->repeated)
			continue;
		if (r->verb == FOLLOW_UNWANTED)
			SAY_REASON(x, "'%s' was started and not explored (--follow=%s)", r->file,
				   x->s->options->follow);
		else if (r->verb == FOLLOW_UNSEEN)
			SAY_REASON(x, "'%s' was started and not looked into: %s", r->file, r->text);
		else if (r->verb == FOLLOW_THREADS && r->pid != x->s->follow->top &&
			 !is_tool(x, r->pid) && !is_unwanted(x, r->pid))
			SAY_REASON(
				x,
				"'%s' was started, has threads, and was not explored, since it is not "
				"instrumented (build it with heddle-cc)",
				r->file);
	}
}

/* ---- Programs that were explored ---------------------------------------------------------------- */

void followed_counts(struct followed *f)
{
	json_t *verdict = json_object_get(f->json, "verdict");
	const char *why = json_string_value(json_object_get(f->json, "reason"));

	f->executions = (uint64_t)json_integer_value(json_object_get(f->json, "executions"));
	f->blocked = (uint64_t)json_integer_value(json_object_get(f->json, "blocked"));
	f->events = (uint64_t)json_integer_value(json_object_get(f->json, "events"));
	f->nbugs = json_array_size(json_object_get(f->json, "bugs"));
	f->verdict = json_is_string(verdict) ? json_string_value(verdict) : "inconclusive";
	if (why)
		snprintf(f->why, sizeof(f->why), "%s", why);
}

/* What it said; NULL: nothing that can be read. */
static FILE *open_text(const struct settling *x, const struct followed *f)
{
	char name[32], path[PATH_MAX];

	snprintf(name, sizeof(name), "%u.text", f->number);
	follow_path(x->s->follow, name, path);
	return fopen(path, "re");
}

/* What a line says that is an error (fail()), or NULL. The processes of a suite have the colours of the first one. */
static const char *error_in(const char *line)
{
	char colored[48];
	const char *const marks[] = { colored, "heddle: error: " };

	snprintf(colored, sizeof(colored), "heddle: %serror:%s ", color_alarm(), color_end());
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(line, marks[i], strlen(marks[i])))
			return line + strlen(marks[i]);
	return NULL;
}

void followed_error(struct followed *f, FILE *said)
{
	char line[1024];

	rewind(said);
	while (fgets(line, sizeof(line), said)) {
		const char *error = error_in(line);

		line[strcspn(line, "\n")] = 0;
		if (error) /* the last one */
			snprintf(f->why, sizeof(f->why), "%s", error);
	}
}

void followed_show(FILE *said)
{
	char line[4096];

	rewind(said);
	while (fgets(line, sizeof(line), said))
		fputs(line, stderr);
}

static void take_error(const struct settling *x, struct followed *f)
{
	FILE *m = open_text(x, f);

	if (!m)
		return;
	followed_error(f, m);
	fclose(m);
}

static json_t *load_result(const struct settling *x, const struct followed *f, const char *ending)
{
	char name[64], path[PATH_MAX];

	snprintf(name, sizeof(name), "%u%s.json", f->number, ending);
	follow_path(x->s->follow, name, path);
	return json_load_file(path, 0, NULL);
}

static void take_result(const struct settling *x, struct followed *f)
{
	f->verdict = "inconclusive";
	f->json = load_result(x, f, "");
	if (f->json)
		followed_counts(f);
	if (f->status < 0)
		snprintf(f->why, sizeof(f->why), "%s",
			 x->s->search.end == RUN_INTERRUPTED ? "interrupted"
			 : x->s->search.end == RUN_TIMEOUT
				 ? "there was no time left for it (--timeout)"
				 : "it was killed while it was explored, or left behind (had it a "
				   "limit on time?)");
	else if (f->status && !f->nbugs && !f->why[0])
		take_error(x, f);
}

static bool add(struct settling *x, const struct follow_record *r)
{
	struct session *s = x->s;
	struct followed *grown = realloc(s->followed, (s->nfollowed + 1) * sizeof(*grown)), *f;

	if (!grown)
		return false;
	s->followed = grown;
	f = &grown[s->nfollowed];
	*f = (struct followed){ .number = r->number, .from = r->from, .pid = r->pid, .status = -1 };
	f->file = strdup(r->file);
	f->name = strdup(r->text);
	s->nfollowed++;
	return f->file && f->name;
}

/* See followed.c. */
static void end(struct session *s, const struct follow_record *r)
{
	for (size_t i = 0; i < s->nfollowed; i++) {
		struct followed *f = &s->followed[i];
		int told = 0, cut;

		if (f->number != r->number ||
		    sscanf(r->text, FOLLOW_END, &f->status, &f->expected, &told, &cut) != 4)
			continue;
		f->told = told;
	}
}

static bool gather(struct settling *x)
{
	for (size_t i = 0; i < x->log.n; i++) {
		const struct follow_record *r = &x->log.at[i];

		if (r->verb == FOLLOW_BEGUN && !add(x, r))
			return false;
		if (r->verb == FOLLOW_ENDED)
			end(x->s, r);
	}
	for (size_t i = 0; i < x->s->nfollowed; i++)
		take_result(x, &x->s->followed[i]);
	return true;
}

/* Has one a bug that is no status? */
static bool has_bug(const struct session *s)
{
	size_t n = s->nbugs;

	for (size_t i = 0; i < s->nfollowed; i++)
		n += s->followed[i].expected ? 0 : s->followed[i].nbugs;
	return n > 0;
}

/* Whoever started it knows whether it was to end as it did. What counts is the search that asked for that. */
static void excuse(const struct settling *x, struct followed *f)
{
	json_t *again = load_result(x, f, FOLLOW_AGAIN);
	json_t *bugs = json_object_get(f->json, "bugs");
	const char *trace = json_string_value(json_object_get(json_array_get(bugs, 0), "trace"));

	if (trace)
		unlink(trace);
	if (!again)
		return;
	json_decref(f->json);
	f->json = again;
	followed_counts(f);
	f->status = STATUS_OK;
	if ((uint64_t)f->expected == x->s->options->skip_exitcode && !strcmp(f->verdict, "ok"))
		f->verdict = SKIPPED;
}

static void show_report(const struct settling *x, struct followed *f)
{
	FILE *m = f->told ? NULL : open_text(x, f);

	if (!m)
		return;
	followed_show(m);
	fclose(m);
}

static void add_up(struct settling *x)
{
	bool explained = x->contented || has_bug(x->s);
	struct result *t = &x->s->search;

	for (size_t i = 0; i < x->s->nfollowed; i++) {
		struct followed *f = &x->s->followed[i];

		if (f->expected && explained)
			excuse(x, f);
		t->executions += f->executions;
		t->blocked += f->blocked;
		t->events += f->events;
		if (f->nbugs)
			show_report(x, f);
		else if (f->status)
			reason(x, f->status < 0 ? STATUS_INCONCLUSIVE : f->status, "%s: %s",
			       f->name, f->why);
	}
}

/* ---- The whole ------------------------------------------------------------------------------------ */

/* How the tool itself fared. */
static void look_at_harness(struct settling *x)
{
	const struct session *s = x->s;
	int w = s->follow->top_status;

	if (s->search.end == RUN_INTERRUPTED)
		reason(x, STATUS_INCONCLUSIVE, "interrupted");
	else if (s->search.end == RUN_TIMEOUT)
		reason(x, STATUS_INCONCLUSIVE, "the time limit of %g s was reached (--timeout)",
		       s->options->timeout_s);
	else if (s->search.end == RUN_HUNG)
		reason(x, STATUS_INCONCLUSIVE, "'%s' did nothing for %g s (--watchdog)", s->argv[0],
		       s->options->watchdog_s);
	else if (WIFSIGNALED(w))
		reason(x, STATUS_INCONCLUSIVE, "'%s' died of SIG%s", s->argv[0],
		       sigabbrev_np(WTERMSIG(w)));
	else if (WEXITSTATUS(w) && !session_bugs(s))
		reason(x, STATUS_INCONCLUSIVE,
		       "'%s' ended with status %d, and no bug explains that", s->argv[0],
		       WEXITSTATUS(w));
	if (s->search.left[0] && s->search.end == RUN_OVER)
		SAY_REASON(x, "%s", s->search.left);
	if (!s->nfollowed && !x->reasons)
		reason(x, STATUS_INCONCLUSIVE,
		       "'%s' is not instrumented, and it started no program that is: build those with "
		       "heddle-cc",
		       s->argv[0]);
}

static void judge(struct settling *x)
{
	struct session *s = x->s;

	if (session_bugs(s) > s->nbugs) {
		s->verdict = VERDICT_BUG;
		if (s->status < STATUS_INTERNAL)
			s->status = STATUS_BUG;
	} else if (!s->nbugs && x->status > s->status) {
		s->verdict = VERDICT_INCONCLUSIVE;
		s->status = x->status;
		snprintf(s->why, sizeof(s->why), "%s", x->why);
		if (x->reasons > 1)
			snprintf(s->why + strlen(s->why), sizeof(s->why) - strlen(s->why),
				 " (and %zu more reason%s)", x->reasons - 1,
				 x->reasons == 2 ? "" : "s");
	}
}

/* What ran and is no concern of the verdict, so that nobody takes it for explored: names, once each. */
static void say_tools(const struct settling *x)
{
	char list[200] = "";
	size_t n = 0, used = 0;

	for (size_t i = 0; i < x->log.n; i++) {
		const struct follow_record *r = &x->log.at[i];
		bool top = r->pid == x->s->follow->top;

		if (r->verb != FOLLOW_RAN || r->repeated || top)
			continue;
		n++;
		if (used + strlen(base(r->file)) + 3 < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", base(r->file));
		else
			used = sizeof(list);
	}
	if (n && !x->s->options->quiet)
		say("note: not instrumented, so %s as %s: %s%s", n == 1 ? "this ran" : "these ran",
		    n == 1 ? "it is" : "they are", list, used >= sizeof(list) ? ", ..." : "");
}

void follow_settle(struct session *s)
{
	struct settling x = { .s = s };
	char path[PATH_MAX];
	bool ok;

	if (!s->follow || s->follow->number || (!s->follow->folder[0] && !s->follow->failed))
		return;
	if (s->follow->failed)
		SAY_REASON(
			&x,
			"the program started others, which are not explored, since heddle has no "
			"folder for what it finds: name one that can be written to in TMPDIR");
	x.contented = s->harness ? !s->follow->top_status && s->search.end == RUN_OVER
				 : s->search.phase == PHASE_DONE && !s->search.nfindings;
	follow_path(s->follow, FOLLOW_LOG, path);
	ok = !s->follow->folder[0] || (follow_log_read(path, &x.log) && gather(&x));
	if (ok && x.log.n) {
		add_up(&x);
		look_at_others(&x);
	}
	if (ok && s->harness)
		look_at_harness(&x);
	if (ok)
		judge(&x);
	if (ok && !s->options->quiet && follow_explains(s) && search_left_alone(s))
		say("note: the program ended with a failure status, which may be that of a program that "
		    "it started: other executions of its own were not searched");
	if (x.log.n) {
		say_tools(&x);
		report_followed(s);
	}
	if (!ok) {
		s->verdict = VERDICT_INCONCLUSIVE;
		s->status = fail(STATUS_INTERNAL, "out of memory");
	}
	follow_log_release(&x.log);
}
