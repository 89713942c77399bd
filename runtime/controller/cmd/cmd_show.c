/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_show.c - heddle show: a recorded execution, for people to look at
 *
 * Nothing is run: the trace is read, and of its program, which must be the very build that was recorded, the names and
 * lines. Lines of source files are shown only of a program that a replay might start (trust.h): a trace and a program
 * made to do harm would else put any file of their reader's into a page that is then sent on.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/output.h"
#include "controller/base/status.h"
#include "controller/base/terminal.h"
#include "controller/cmd/cmd.h"
#include "controller/describe/recorded.h"
#include "controller/options/options.h"
#include "controller/run/trust.h"
#include "controller/show/draw.h"
#include "offline/execution.h"

enum {
	LAST_OF_PICTURES = 1000
};

/* ---- What is asked for ------------------------------------------------------------------------ */

static bool is_stdout(const struct options *o)
{
	return !o->output || !strcmp(o->output, "-");
}

static uint64_t format_of(const struct options *o)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;
	int i = dot ? name_find(names_format, dot + 1) : -1;

	return o->format_given || i < 0 ? o->format : (uint64_t)i;
}

static size_t last_of(const struct options *o, uint64_t format)
{
	bool picture = format != FORMAT_TEXT && format != FORMAT_JSON;

	return o->last_given ? (size_t)o->last : picture ? LAST_OF_PICTURES : 0;
}

static bool has_color(const struct options *o)
{
	const char *none = getenv("NO_COLOR");

	if (o->color != WHEN_AUTO)
		return o->color == WHEN_ALWAYS;
	return is_stdout(o) && isatty(STDOUT_FILENO) && !(none && *none);
}

/* ---- The trace and its program ---------------------------------------------------------------- */

static int take_program(const struct options *o, struct trace *t, const struct program *p)
{
	char *path;

	if (!o->program)
		return 0;
	path = strdup(p->path);
	if (!path)
		return fail(STATUS_INTERNAL, "out of memory");
	free(t->modules.at[0].path);
	t->modules.at[0].path = path;
	return 0;
}

static int check_program(const struct options *o, struct trace *t, struct source_list *sources)
{
	struct program p;
	struct stat st;
	char why[ELF_REASON];
	const char *lacks;

	if (!program_inspect(&p, o->program ? o->program : t->program, why, sizeof(why)))
		return fail(STATUS_CANNOT_RUN, "%s", why);
	if (strcmp(p.build_id, t->build_id) != 0)
		return fail(
			STATUS_CANNOT_RUN,
			"'%s' was recorded with another build of '%s': its build-id is %s, that of the "
			"program now is %s",
			o->argv[0], t->program, t->build_id, p.build_id);
	sources->built = stat(p.path, &st) ? 0 : st.st_mtime;
	lacks = o->trust || o->program ? NULL : trust_lacks(&p, ".");
	sources->hidden = lacks;
	if (lacks && !o->quiet)
		say("note: no source is shown, since '%s' names a program that %s, '%s'; --trust "
		    "shows it",
		    o->argv[0], lacks, p.path);
	return take_program(o, t, &p);
}

static int open_trace(const struct options *o, struct trace *t, struct source_list *sources)
{
	struct trace_reader r;
	int status = 0;

	if (!trace_open(&r, o->argv[0], t)) {
		status = fail(STATUS_USAGE, "%s", r.error);
	} else {
		status = check_program(o, t, sources);
		if (!status && !recorded_steps(&r, t))
			status = fail(STATUS_USAGE, "%s", r.error[0] ? r.error : "out of memory");
		if (!status)
			status = recorded_libraries(t, o->argv[0]);
	}
	trace_close(&r);
	return status;
}

/* ---- What is shown ---------------------------------------------------------------------------- */

static int draw(FILE *f, const struct options *o, uint64_t format, const struct model *m)
{
	struct text_style style = { terminal_columns(is_stdout(o) ? STDOUT_FILENO : -1),
				    terminal_utf8(), has_color(o) };
	bool ok = true;

	switch (format) {
	case FORMAT_TEXT:
		draw_text(f, m, &style);
		break;
	case FORMAT_DOT:
		draw_dot(f, m);
		break;
	case FORMAT_SVG:
		return draw_svg(f, m);
	case FORMAT_HTML:
		ok = draw_html(f, m);
		break;
	default:
		ok = draw_json(f, m);
	}
	return ok ? 0 : fail(STATUS_INTERNAL, "out of memory");
}

/* What the user names is opened as it is; a file that was there is made shorter only behind what was written. */
static int write_out(const struct options *o, const char *text, size_t size)
{
	const char *name = is_stdout(o) ? "standard output" : o->output;
	int fd = is_stdout(o) ? STDOUT_FILENO
			      : open(o->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	int err = fd < 0 ? -errno : output_write(fd, text, size);

	if (!err && !is_stdout(o) && ftruncate(fd, (off_t)size) && errno != EINVAL)
		err = -errno;
	if (fd >= 0 && !is_stdout(o) && close(fd) && !err)
		err = -errno;
	return err ? fail(STATUS_INTERNAL, "cannot write '%s': %s", name, strerror(-err)) : 0;
}

static int show(const struct options *o, const struct trace *t, struct source_list *sources)
{
	uint64_t format = format_of(o);
	char *text = NULL, why[1024];
	size_t size = 0;
	struct model m;
	int status;
	FILE *f;

	if (model_init(&m, t, o->argv[0], sources, last_of(o, format), why, sizeof(why))) {
		model_why(&m);
		f = open_memstream(&text, &size);
		status = f ? draw(f, o, format, &m) : fail(STATUS_INTERNAL, "out of memory");
		if (f && fclose(f) && !status)
			status = fail(STATUS_INTERNAL, "out of memory");
		if (!status)
			status = write_out(o, text, size);
		free(text);
	} else {
		status = fail(STATUS_USAGE, "%s", why);
	}
	model_release(&m);
	return status;
}

static void exhausted(void)
{
	fail(STATUS_INTERNAL, "the execution needs more memory than there is");
	_exit(STATUS_INTERNAL);
}

int cmd_show(int argc, char **argv)
{
	struct source_list sources = { .at = NULL };
	struct trace t = { 0 };
	struct options o;
	int status;

	if (!options_parse(&o, COMMAND_SHOW, argc, argv, &status))
		return status;
	if (o.argc != 1)
		return fail(STATUS_USAGE, "%s (see heddle show --help)",
			    o.argc ? "more than one trace is named" : "no trace is named");
	offline_exhausted = exhausted;
	status = open_trace(&o, &t, &sources);
	if (!status) {
		model_addresses(&t);
		status = show(&o, &t, &sources);
	}
	sources_release(&sources);
	trace_release(&t);
	return status;
}
