/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_replay.c - heddle replay: one recorded execution again, exactly
 *
 * The trace names its program by an absolute path. It is shown with its arguments, and has to be
 * one that a trace may name (trust.c). It must be the very build that was recorded, and so must be
 * each library of it that takes part. The program's output is shown.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/quote.h"
#include "controller/base/status.h"
#include "controller/cmd/cmd.h"
#include "controller/describe/describe.h"
#include "controller/describe/describe_text.h"
#include "controller/describe/recorded.h"
#include "controller/report/report.h"
#include "controller/run/replay.h"
#include "controller/run/trust.h"
#include "controller/search/session.h"
#include "controller/verdict/confirm.h"
#include "controller/verdict/input.h"

/* ---- Environment ------------------------------------------------------------------------------ */

/* gdb is told each in a line of its own language. */
static bool gdb_can_set(const struct env_variable *v)
{
	return !strpbrk(v->name, " \t\n\r") &&
	       (!v->value || (!strpbrk(v->value, "\n\r") && *v->value != ' '));
}

static void shown_value(const char *value, char out[300])
{
	char quoted[256] = "";

	if (value)
		quote_word(quoted, sizeof(quoted), value);
	snprintf(out, 300, "%s%s", value ? "is " : "is not set", quoted);
}

/* Where libraries come from is for a program that another one started: libtool's are not installed. */
static bool may_set(const struct session *s, const struct trace *t, const struct env_variable *v)
{
	if (!strcmp(v->name, "LD_LIBRARY_PATH"))
		return t->folder && v->value && (s->options->trust || trust_folders(v->value));
	return trust_variable(v->name);
}

/*
 * The program finds what it found when it was recorded, where a trace may say that. Which variables
 * are others here is said: so much does not come from whoever replays.
 */
static void take_environment(const struct session *s, struct trace *t)
{
	for (size_t i = t->environment.n; i-- > 0;) {
		const struct env_variable *v = &t->environment.at[i];
		const char *here = getenv(v->name), *stays = NULL;
		char now[300], then[300];

		if ((!here && !v->value) || (here && v->value && !strcmp(here, v->value)))
			continue;
		if (!may_set(s, t, v))
			stays = ", which a trace may not set: it stays as it is here";
		else if (s->options->gdb && !gdb_can_set(v))
			stays = ", which gdb cannot set: it stays as it is here";
		shown_value(here, now);
		shown_value(v->value, then);
		if (!s->options->quiet)
			say("note: %s %s here, and %s in the trace%s", v->name, now, then,
			    stays ? stays : "; the program finds that");
		if (stays)
			variables_drop(&t->environment, i);
	}
}

/* ---- The program ------------------------------------------------------------------------------ */

/* What is about to run, as one would type it. */
static void show_command(const struct session *s, const struct trace *t, const char *path)
{
	const char *input = s->options->stdin_file ? s->options->stdin_file : t->stdin_file;
	bool other = strcmp(basename(t->arguments[0]), basename(s->program.path)) != 0;
	char command[8192] = "", file[PATH_MAX + 64] = "", name[PATH_MAX] = "";

	if (s->options->quiet)
		return;
	quote_word(command, sizeof(command), s->program.path);
	for (size_t i = 1; i < t->narguments; i++)
		quote_word(command, sizeof(command), t->arguments[i]);
	if (input)
		quote_word(file, sizeof(file), input);
	if (other)
		quote_word(name, sizeof(name), t->arguments[0]);
	say("'%s' runs: %s%s%s%s%s%s%s%s", path, command, input ? " <" : "", file,
	    other ? " (by the name " : "", name, other ? ")" : "", t->folder ? " in " : "",
	    t->folder ? t->folder : "");
}

static int check_trust(const struct session *s, const char *path)
{
	const char *lacks = trust_lacks(&s->program, ".");

	if (!lacks || s->options->trust || s->options->program)
		return 0;
	return fail(
		STATUS_CANNOT_RUN,
		"'%s' names a program that %s, '%s': a trace may have been made to do harm (heddle-replay(1), "
		"TRACES OF OTHERS); look at the command, then say --trust, or --program FILE",
		path, lacks, s->program.path);
}

static int check_folder(const struct session *s, const struct trace *t, const char *path)
{
	struct stat st;

	if (!t->folder)
		return 0;
	if (stat(t->folder, &st) || !S_ISDIR(st.st_mode))
		return fail(STATUS_CANNOT_RUN,
			    "'%s' was recorded in the folder '%s', which is not there any more",
			    path, t->folder);
	if (s->options->trust || trust_folder(t->folder))
		return 0;
	return fail(
		STATUS_CANNOT_RUN,
		"'%s' names a folder to run in that is not below the current one, '%s': look at "
		"the command, then say --trust",
		path, t->folder);
}

/* The program of the trace becomes the one that the user names. */
static int take_program(const struct session *s, struct trace *t)
{
	char **names[] = { &t->program, &t->modules.at[0].path };

	for (size_t i = 0; i < 2; i++) {
		char *path = strdup(s->program.path);

		if (!path)
			return fail(STATUS_INTERNAL, "out of memory");
		free(*names[i]);
		*names[i] = path;
	}
	return 0;
}

static int check_program(struct session *s, struct trace *t, const char *path)
{
	const char *named = s->options->program;
	int status = session_program(s, named ? named : t->program);

	if (!status)
		status = input_replay(s, t, path);
	if (!status)
		show_command(s, t, path);
	if (!status)
		status = check_trust(s, path);
	if (!status)
		status = check_folder(s, t, path);
	if (!status && named)
		status = take_program(s, t);
	if (status)
		return status;
	if (!strcmp(s->program.build_id, t->build_id))
		return 0;
	return fail(STATUS_CANNOT_RUN,
		    "'%s' was recorded with another build of '%s': its build-id is %s, that of the "
		    "program now is %s",
		    path, t->program, t->build_id, s->program.build_id);
}

static int open_trace(struct session *s, const char *path, struct trace *t)
{
	struct trace_reader r;
	int status = 0;

	if (!trace_open(&r, path, t)) {
		status = fail(STATUS_USAGE, "%s", r.error);
	} else {
		status = check_program(s, t, path);
		if (!status && !recorded_steps(&r, t))
			status = fail(STATUS_USAGE, "%s", r.error[0] ? r.error : "out of memory");
		if (!status)
			status = recorded_libraries(t, path);
	}
	trace_close(&r);
	return status;
}

/* The result of the replay becomes the session's. */
static int judge(struct session *s, struct trace *t, const char *path, pid_t pid)
{
	struct finding *again = NULL;
	struct reported *r;

	if (s->search.phase == PHASE_INTERNAL)
		return fail(STATUS_INTERNAL, "the runtime failed: %s", s->search.text);
	if (s->search.phase == PHASE_REFUSED) {
		describe_text(&s->search.modules, s->search.text, s->why, sizeof(s->why));
		return fail(STATUS_CANNOT_RUN, "cannot run '%s': %s", s->argv[0], s->why);
	}
	if (s->search.end == RUN_INTERRUPTED || s->search.end == RUN_TIMEOUT) {
		snprintf(s->why, sizeof(s->why), "%s",
			 s->search.end == RUN_TIMEOUT ? "the time limit was reached (--timeout)"
						      : "interrupted");
		s->verdict = VERDICT_INCONCLUSIVE;
		return STATUS_INCONCLUSIVE;
	}
	if (!replay_shows(t, &s->search, &again, s->why, sizeof(s->why))) {
		s->verdict = VERDICT_INCONCLUSIVE;
		return fail(
			STATUS_CANNOT_RUN,
			"the program behaves non-deterministically: replaying '%s' does not show its bug; "
			"%s",
			path, s->why);
	}
	s->bugs = calloc(1, sizeof(*s->bugs));
	if (!s->bugs)
		return fail(STATUS_INTERNAL, "out of memory");
	r = &s->bugs[0];
	s->nbugs = 1;
	r->bug = *again;
	r->bug.execution = t->bug.execution;
	memset(again, 0, sizeof(*again));
	r->modules = s->search.modules;
	memset(&s->search.modules, 0, sizeof(s->search.modules));
	r->pid = pid;
	r->confirmed = true;
	child_name(t->setting[SETTING_CHILD], r->child);
	snprintf(r->trace, sizeof(r->trace), "%s", path);
	reported_name(r);
	report_text(s, r);
	s->verdict = VERDICT_BUG;
	return STATUS_BUG;
}

/* ---- Where a debugger stops ------------------------------------------------------------------- */

/* Marks the step that the first n characters name, as in "1.2"; 0, or an exit status after a message. */
static int mark_event(struct trace *t, const char *name, size_t n, uint8_t flag)
{
	uint32_t tid, index, last = 0;
	bool there = false;
	int end = 0;
	char text[64];

	snprintf(text, sizeof(text), "%.*s", (int)n, name);
	if (n >= sizeof(text) ||
	    sscanf(text, "%" SCNu32 ".%" SCNu32 "%n", &tid, &index, &end) != 2 || (size_t)end != n)
		return fail(STATUS_USAGE,
			    "'%s' is no event: they are named like 1.2, by thread and number",
			    text);
	for (size_t i = 0; i < t->bug.nsteps; i++) {
		struct engine_step_record *r = &t->bug.steps[i].record;

		if (r->tid != tid || !step_happened(r))
			continue;
		there = true;
		last = r->index;
		if (r->index == index) {
			r->flags |= flag;
			return 0;
		}
	}
	if (!there)
		return fail(STATUS_USAGE,
			    "the trace has no event %s: thread T%u does nothing in it", text, tid);
	return fail(STATUS_USAGE, "the trace has no event %s: the last one of T%u is %u.%u", text,
		    tid, tid, last);
}

static int mark_events(struct trace *t, const char *names, uint8_t flag)
{
	int status = 0;

	while (!status && names) {
		size_t n = strcspn(names, ",");

		status = mark_event(t, names, n, flag);
		names = names[n] ? names + n + 1 : NULL;
	}
	return status;
}

static int replay(struct session *s, const struct options *o, struct trace *t)
{
	pid_t pid = 0;
	int gdb_status = 0;
	struct replay_how how = {
		.show_output = true,
		.gdb = o->gdb != 0,
		.gdb_args = o->argv + 1,
		.gdb_status = &gdb_status,
		.timeout_s = o->timeout_s,
		.watchdog_s = o->watchdog_s,
		.backend = o->backend != BACKEND_AUTO ? (uint32_t)o->backend : t->backend,
		.verbose = (uint32_t)o->verbose,
		.pid = &pid,
	};
	int status;

	if (o->gdb && s->stdin_fd >= 0)
		return fail(STATUS_USAGE,
			    "--stdin: '%s' is no file, and with --gdb the program needs "
			    "one",
			    o->stdin_file);
	/* gdb is told in a line of its own language. */
	if (o->gdb && t->stdin_file && strpbrk(t->stdin_file, "\n\r"))
		return fail(STATUS_USAGE,
			    "the name of the standard input has a line break in it, which "
			    "--gdb cannot have: name another file with --stdin");
	if (o->gdb && t->setting[SETTING_CHILD] >> 16)
		return fail(STATUS_USAGE, "the bug is in a child of a child, which --gdb cannot "
					  "follow: attach a debugger to it with gdb -p");
	status = mark_events(t, o->break_at, STEP_BREAK);
	if (!status)
		status = mark_events(t, o->until, STEP_BREAK_BEHIND);
	if (status)
		return status;
	take_environment(s, t);
	s->argv = t->arguments;
	s->model = t->model;
	s->equivalence = t->equivalence;
	s->seed = t->seed;
	status = replay_run(t, &s->program, &how, &s->search);
	if (status || o->gdb)
		return status ? status : gdb_status;
	s->status = judge(s, t, o->argv[0], pid);
	return session_end(s);
}

int cmd_replay(int argc, char **argv)
{
	struct options o;
	struct session s;
	struct trace t = { 0 };
	int status;

	if (!options_parse(&o, COMMAND_REPLAY, argc, argv, &status))
		return status;
	o.gdb |= o.break_at || o.until;
	if (o.argc != 1 && !(o.gdb && o.argc))
		return fail(STATUS_USAGE, "%s (see heddle replay --help)",
			    o.argc ? "more than one trace is named" : "no trace is named");
	status = session_init(&s, &o);
	if (!status)
		status = open_trace(&s, o.argv[0], &t);
	if (!status)
		status = replay(&s, &o, &t);
	session_release(&s);
	trace_release(&t);
	return status;
}
