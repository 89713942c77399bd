/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * confirm.c - a bug is reported only when a fresh process shows it again
 *
 * The bug goes the way it will go for the user: it is written as a trace, the text is read
 * back, and a new process replays that. So a confirmed bug has a trace that works. A bug that
 * does not come back means that something besides the schedule and the values of reads
 * decides what the program does.
 */
#include "config.h"

#include "controller/verdict/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "controller/base/folder.h"
#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/describe/describe.h"
#include "controller/describe/recorded.h"
#include "controller/run/replay.h"
#include "controller/run/trust.h"
#include "controller/verdict/input.h"

enum {
	OUTPUT_KEPT = 64 << 10 /* bytes */
};

void reported_release(struct reported *r)
{
	finding_release(&r->bug);
	loaded_release(&r->modules);
	free(r->output);
}

/* Where own code called the library that created a thread: that is the place of the operation, for people. */
static void name_calls(struct scene *scene, struct reported *r)
{
	for (size_t i = 0; i < r->bug.said.ncalls; i++) {
		struct said_call *call = &r->bug.said.call[i];
		struct side at = { .frames = call->frames };
		struct engine_step_record *step;
		uint64_t pc;

		if (!said_calls(call, &r->bug))
			continue;
		step = &r->bug.steps[call->step].record;
		memcpy(at.frame, call->frame, sizeof(call->frame));
		pc = site_of(scene, &at);
		if (!pc || pc == step->pc)
			continue;
		step->pc = pc;
		call->code = place_of_code(&r->modules, pc);
	}
}

/* Is a place called by that function, and not by one that is inlined there? */
static bool is_called(struct scene *scene, uint64_t pc, const struct frame *function)
{
	struct frame shown;
	char name[256];

	describe_frame(scene, pc, &shown, name, sizeof(name));
	return shown.function && function->function &&
	       !strcmp(shown.function, function->function) && frame_is_own(scene, &shown);
}

/* A place in the outermost own function of a side's stack, behind the thread's start; 0: none is called by that. */
static uint64_t outermost_own(struct scene *scene, const struct side *side, const struct finding *f,
			      size_t start)
{
	struct stack_line lines[SHARED_MAX_FRAMES];
	size_t n = describe_stack(scene, side->frame, side->frames, lines, SHARED_MAX_FRAMES);

	while (n > 0 && !(lines[n - 1].frame.line && frame_is_own(scene, &lines[n - 1].frame)))
		n--;
	if (!n || is_called(scene, lines[n - 1].pc, &lines[n - 1].frame))
		return n ? lines[n - 1].pc : 0;
	for (size_t i = start + 1; i < f->nsteps; i++) {
		const struct engine_step_record *r = &f->steps[i].record;

		if (r->tid == side->thread && r->pc && is_called(scene, r->pc, &lines[n - 1].frame))
			return r->pc;
	}
	return 0;
}

/* A thread that a library starts begins, for people, in the own function that the library calls. */
static void name_starts(struct scene *scene, struct reported *r)
{
	for (uint32_t i = 0; i < r->bug.nsides; i++) {
		const struct side *side = &r->bug.sides[i];
		size_t k = r->bug.nsteps; /* the last one, should several threads have had the id */
		struct frame f;
		char name[256];
		struct engine_step_record *start;
		struct said_call *call;
		uint64_t pc;

		while (k-- > 0 && (r->bug.steps[k].record.kind != OP_START ||
				   r->bug.steps[k].record.tid != side->thread))
			;
		start = k < r->bug.nsteps ? &r->bug.steps[k].record : NULL;
		if (!start)
			continue;
		describe_frame(scene, start->pc + 1, &f, name, sizeof(name));
		pc = frame_is_own(scene, &f) ? 0 : outermost_own(scene, side, &r->bug, k);
		call = pc && r->bug.said.ncalls < SAID_CALLS ? said_add_call(&r->bug.said) : NULL;
		if (!call)
			continue;
		start->pc = pc -
			    1; /* where it is looked at is the next one: a function's own address */
		*call = (struct said_call){ .step = k,
					    .tid = start->tid,
					    .code = place_of_code(&r->modules, start->pc) };
	}
}

void reported_name(struct reported *r)
{
	struct scene scene;

	if (!r->bug.nsides || !scene_init(&scene, &r->modules))
		return;
	name_calls(&scene, r);
	name_starts(&scene, r);
	for (uint32_t i = 0; i < r->bug.nsides; i++) {
		struct side *side = &r->bug.sides[i];
		const uint64_t pc = site_of(&scene, side);

		if (pc && pc != side->pc)
			side->own = place_of_code(&r->modules, pc);
		if (!i) {
			describe_site(&scene, pc, "", r->site, sizeof(r->site));
			describe_site(&scene, pc, "in ", r->summary, sizeof(r->summary));
		}
	}
	scene_release(&scene);
}

void finding_sites(const struct finding *f, const struct loaded_list *modules, char *out,
		   size_t size)
{
	size_t most = f->kind == BUG_DATA_RACE ? 2 : 1, n = 0;
	char site[256];
	struct scene scene;

	out[0] = 0;
	if (!scene_init(&scene, modules))
		return;
	for (size_t i = 0; i < f->nsides && i < most && n < size; i++) {
		describe_site(&scene, site_of(&scene, &f->sides[i]), "", site, sizeof(site));
		if (site[0])
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " and " : ", ", site);
	}
	scene_release(&scene);
}

/* ---- What the program read of its environment ------------------------------------------------- */

/* Of those that a replay looked at, the values that it was given, which are ours. */
static bool read_libraries(const struct session *s, struct variable_list *out)
{
	const char *value = s->folder ? getenv("LD_LIBRARY_PATH") : NULL;

	return !value || variables_add(out, "LD_LIBRARY_PATH", value);
}

static bool read_environment(const struct result *replay, struct variable_list *out)
{
	bool ok = true;

	for (const char *name = replay->variables; ok && name && *name; name += strlen(name) + 1)
		if (variable_name_ok(name, strlen(name)) && trust_variable(name) &&
		    !variables_find(out, name))
			ok = variables_add(out, name, getenv(name));
	return ok;
}

/* ---- The trace ------------------------------------------------------------------------------- */

/* The trace of a finding; everything in it is borrowed. */
static void borrow_trace(struct session *s, const struct finding *f,
			 const struct variable_list *environment, struct trace *t)
{
	size_t n = 0;

	while (s->argv[n])
		n++;
	*t = (struct trace){
		.program = s->program.path,
		.arguments = (char **)s->argv,
		.narguments = n,
		.command = s->options->command,
		.model = s->model,
		.equivalence = f->guided ? EQUIV_RF : s->equivalence,
		.backend = s->search.backend,
		.seed = s->seed,
		.folder = s->folder,
		.stdin_file = input_recorded(s),
		.environment = *environment,
		.modules = s->search.modules,
		.facts = s->search.facts,
		.bug = *f,
	};
	memcpy(t->setting, s->options->setting, sizeof(t->setting));
	t->setting[SETTING_CHILD] = s->child;
	t->setting[SETTING_EXPECTED] = s->expected;
	t->setting[SETTING_BEHIND] = f->behind;
	strcpy(t->build_id, s->program.build_id);
}

/* The trace as text; NULL when memory is short. */
static char *trace_text(struct session *s, const struct finding *f,
			const struct variable_list *environment, size_t *size)
{
	struct trace_symbols symbols;
	struct scene scene;
	struct trace t;
	char *text = NULL;
	FILE *m = open_memstream(&text, size);
	int err = -ENOMEM;

	if (!m)
		return NULL;
	borrow_trace(s, f, environment, &t);
	if (scene_init(&scene, &s->search.modules)) {
		symbols = scene_trace_symbols(&scene);
		err = trace_write(m, &t, &symbols);
	}
	scene_release(&scene);
	if (fclose(m) || err) {
		free(text);
		return NULL;
	}
	return text;
}

/* Reads it back as `heddle replay` will; the release of *t is the caller's. */
static bool read_back(const char *text, size_t size, struct trace *t, char *error,
		      size_t error_size)
{
	struct trace_reader r;
	bool ok = trace_open_text(&r, "trace", text, size, t) && recorded_steps(&r, t);

	if (!ok)
		snprintf(error, error_size, "%s", r.error);
	trace_close(&r);
	return ok;
}

/* Traces of a bug: that of the execution as it was found, and of a smaller one. */
#define FOUND   ""
#define SMALLER ".min"

static void store_trace(struct session *s, const char *name, size_t number, const char *suffix,
			const char *text, size_t size, struct reported *out)
{
	const char *dir = s->options->output_dir;
	struct folder folder; /* which may be removed again by another heddle that has no traces */
	char kept[48], file[64];
	int err;

	snprintf(kept, sizeof(kept), "%s-%zu%s", name, number, suffix);
	snprintf(file, sizeof(file), "%s.hdt", kept);
	if ((size_t)snprintf(out->trace, sizeof(out->trace), "%s/%s", dir, file) >=
	    sizeof(out->trace))
		err = -ENAMETOOLONG;
	else
		err = folder_make(&folder, dir);
	if (!err)
		err = output_replace(dir, file, text, size);
	if (!err)
		err = input_keep(s, dir, kept);
	if (!err)
		return;
	s->status = fail(STATUS_INTERNAL, "cannot write the trace '%s': %s", out->trace,
			 strerror(-err));
	out->trace[0] = 0;
}

/* Moves the replay's finding and its modules into *out. */
static void adopt(struct result *res, struct finding *from, const struct finding *original,
		  struct reported *out)
{
	out->bug = *from;
	out->bug.execution = original->execution;
	out->bug.seed = original->seed;
	out->bug.strategy = original->strategy;
	out->bug.times = original->times;
	out->bug.behind = original->behind;
	memset(from, 0, sizeof(*from));
	out->modules = res->modules;
	memset(&res->modules, 0, sizeof(res->modules));
	out->confirmed = true;
}

/*
 * Programs that fail by their own judgement say why, so what they write is part of the report:
 * messages of test frameworks, of the C++ library when an exception is not caught.
 */
static bool explains_itself(const struct finding *f)
{
	return f->kind == BUG_EXIT_CODE || f->kind == BUG_ABORT;
}

/* The end of what was written to the file; NULL: nothing, or it cannot be told. */
static char *output_of(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END), from = size > OUTPUT_KEPT ? size - OUTPUT_KEPT : 0;
	char *text = size > 0 ? malloc((size_t)(size - from) + 1) : NULL;
	ssize_t n = text ? pread(fd, text, (size_t)(size - from), from) : -1;

	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	for (ssize_t i = 0; i < n; i++) {
		if (!text[i])
			text[i] = '?';
	}
	return text;
}

/* The race that a replay has met, if not that of the finding. */
struct other {
	bool is; /* of the same later access */
	struct side side;
	char message[SHARED_TEXT];
};

static void note_other(struct other *other, const struct finding *f, const struct finding *again)
{
	other->is = again && finding_same_access(f, again);
	if (!other->is)
		return;
	other->side = again->sides[1];
	memcpy(other->message, again->message, sizeof(other->message));
}

static enum confirmation replay_text(struct session *s, const struct finding *f, const char *text,
				     size_t size, struct variable_list *environment,
				     struct reported *out, struct other *other)
{
	struct replay_how how = {
		.watchdog_s = s->options->watchdog_s,
		.backend = s->search.backend,
		.verbose = (uint32_t)s->options->verbose,
		.pid = &out->pid,
	};
	int fd = explains_itself(f) ? memfd_create("heddle-output", MFD_CLOEXEC) : -1;
	struct finding *again = NULL;
	struct result res = { 0 };
	struct trace t;
	char error[1024];
	enum confirmation c = CONFIRM_FAILED;

	if (fd > 2 && !fcntl(fd, F_SETFL, O_APPEND)) {
		how.show_output = true;
		how.output_fd = fd;
	}
	if (!read_back(text, size, &t, error, sizeof(error))) {
		c = CONFIRM_DAMAGED;
		if (!s->search.damaged && !f->signal) {
			c = CONFIRM_FAILED;
			s->status = fail(STATUS_INTERNAL, "a trace cannot be read back: %s", error);
		}
	} else {
		int status = input_replay(s, &t, "");

		if (!status)
			status = replay_run(&t, &s->program, &how, &res);

		if (status) {
			s->status = status;
		} else if (res.end == RUN_INTERRUPTED && !res.nfindings) {
			snprintf(s->why, sizeof(s->why),
				 "interrupted while a bug was being confirmed");
			s->status = STATUS_INCONCLUSIVE;
		} else if (replay_shows(&t, &res, &again, s->why, sizeof(s->why))) {
			adopt(&res, again, f, out);
			out->output = how.output_fd ? output_of(fd) : NULL;
			c = CONFIRM_SAME;
		} else {
			c = s->search.damaged ? CONFIRM_DAMAGED : CONFIRM_DIFFERENT;
			note_other(other, f, again);
		}
	}
	if (!read_environment(&res, environment) || !read_libraries(s, environment)) {
		c = CONFIRM_FAILED;
		s->status = fail(STATUS_INTERNAL, "out of memory");
	}
	if (fd >= 0)
		close(fd);
	result_release(&res);
	trace_release(&t);
	return c;
}

/* The sides of f, with where its replay was in own code: a trace has no stacks. NULL when memory is short. */
static struct side *sides_with_own(const struct finding *f, const struct finding *again)
{
	struct side *sides = calloc(f->nsides + 1, sizeof(*sides));

	for (uint32_t i = 0; sides && i < f->nsides; i++) {
		sides[i] = f->sides[i];
		if (i < again->nsides)
			sides[i].own = again->sides[i].own;
	}
	return sides;
}

/* Is what the replay says of values true of those of f as well? Its addresses may be others, where they are drawn. */
static bool same_values(const struct finding *f, const struct finding *again)
{
	if (f->nsteps != again->nsteps)
		return false;
	for (size_t i = 0; i < f->nsteps; i++) {
		const struct engine_step_record *a = &f->steps[i].record,
						*b = &again->steps[i].record;

		if (a->size == 8 &&
		    (!value_eq(a->value, b->value) || !value_eq(a->stored, b->stored)))
			return false;
	}
	return true;
}

/* The trace goes to its file with what its replay has shown that it depends on, and what the program said. */
static void store(struct session *s, const struct finding *f, const char *name, size_t number,
		  const char *suffix, const struct variable_list *environment, struct reported *out)
{
	struct finding with = *f;
	size_t size = 0;
	char *text;

	with.said = out->bug.said;
	with.said.npointers = same_values(f, &out->bug) ? with.said.npointers : 0;
	with.sides = sides_with_own(f, &out->bug);
	text = with.sides ? trace_text(s, &with, environment, &size) : NULL;
	free(with.sides);
	if (text)
		store_trace(s, name, number, suffix, text, size, out);
	else
		s->status = fail(STATUS_INTERNAL, "out of memory");
	free(text);
}

/* A smaller one is of an earlier run in the same folder. */
static void forget_smaller(const struct reported *r)
{
	char path[PATH_MAX + sizeof(SMALLER)];
	size_t end = strlen(r->trace);

	if (end < strlen(".hdt"))
		return;
	snprintf(path, sizeof(path), "%.*s%s.hdt", (int)(end - strlen(".hdt")), r->trace, SMALLER);
	unlink(path);
}

/* Replays the trace of a finding. */
static enum confirmation replay_finding(struct session *s, const struct finding *f,
					struct variable_list *environment, struct reported *out,
					struct other *other)
{
	enum confirmation c;
	size_t size = 0;
	char *text = trace_text(s, f, environment, &size);

	if (!text) {
		s->status = fail(STATUS_INTERNAL, "out of memory");
		return CONFIRM_FAILED;
	}
	c = replay_text(s, f, text, size, environment, out, other);
	free(text);
	return c;
}

/*
 * An access may race with earlier ones of several threads. The search has named one of them; where a replay, which
 * watches the location, names another, that is the bug.
 */
static enum confirmation replay_other(struct session *s, struct finding *f,
				      struct variable_list *environment, struct reported *out,
				      struct other *other)
{
	f->sides[1] = other->side;
	memcpy(f->message, other->message, sizeof(f->message));
	return replay_finding(s, f, environment, out, other);
}

enum confirmation confirm(struct session *s, struct finding *f, size_t number, struct reported *out)
{
	struct variable_list environment = { .at = NULL };
	struct other other = { .is = false };
	enum confirmation c;

	memset(out, 0, sizeof(*out));
	memcpy(out->child, s->child_name, sizeof(out->child));
	c = replay_finding(s, f, &environment, out, &other);
	if (c == CONFIRM_DIFFERENT && other.is)
		c = replay_other(s, f, &environment, out, &other);
	if (c == CONFIRM_SAME) {
		reported_name(out);
		store(s, f, "bug", number, FOUND, &environment, out);
		forget_smaller(out);
	} else if (c == CONFIRM_DIFFERENT) {
		store(s, f, "unconfirmed", number, FOUND, &environment, out);
	}
	variables_release(&environment);
	return c;
}

bool confirm_trace(struct session *s, const struct finding *f, struct trace *t)
{
	struct variable_list environment = { .at = NULL };
	char error[1024];
	size_t size = 0;
	char *text = trace_text(s, f, &environment, &size);
	bool ok = false;

	if (text) {
		ok = read_back(text, size, t, error, sizeof(error)) && !input_replay(s, t, "");
		if (!ok)
			trace_release(t);
	}
	free(text);
	return ok;
}

bool confirm_all_races(struct session *s, const struct finding *f, uint32_t way, double seconds,
		       struct result *out)
{
	struct replay_how how = {
		.timeout_s = seconds,
		.watchdog_s = s->options->watchdog_s,
		.backend = s->search.backend,
		.way = way,
	};
	struct trace t;
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!confirm_trace(s, f, &t))
		return false;
	ok = !replay_run(&t, &s->program, &how, out);
	trace_release(&t);
	return ok;
}

bool confirm_smaller(struct session *s, struct finding *f, size_t number, struct reported *out)
{
	/* Nobody has seen the one that an exploration came across first. */
	const char *suffix = s->options->command == COMMAND_EXPLORE ? FOUND : SMALLER;
	struct variable_list environment = { .at = NULL };
	struct other other = { .is = false };
	char why[sizeof(s->why)];
	const int status = s->status;
	bool same;

	memset(out, 0, sizeof(*out));
	memcpy(why, s->why, sizeof(why));
	same = replay_finding(s, f, &environment, out, &other) == CONFIRM_SAME;
	if (same) {
		reported_name(out);
		store(s, f, "bug", number, suffix, &environment, out);
	} else { /* nobody has asked for it */
		memcpy(s->why, why, sizeof(why));
		s->status = status;
	}
	variables_release(&environment);
	return same && out->trace[0];
}
