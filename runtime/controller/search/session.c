/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session.c - what every command does first, and how it lets go of all that it had
 *
 * The output files are opened, the program is found and checked, the model is known. What it does last is in session_end.c.
 */
#include "config.h"

#include "controller/search/session.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/names.h"
#include "controller/base/status.h"
#include "controller/report/dump.h"
#include "controller/search/follow.h"
#include "controller/verdict/confirm.h"
#include "controller/verdict/input.h"
#include "controller/verdict/suppress.h"
#include "engine/engine.h"

static bool on_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(2) && term && strcmp(term, "dumb") != 0;
}

enum progress_how session_progress(const struct options *o)
{
	if (o->quiet || o->progress == WHEN_NEVER)
		return PROGRESS_NONE;
	if (o->progress == WHEN_ALWAYS || on_terminal())
		return PROGRESS_LINE;
	return PROGRESS_PLAIN;
}

static int open_results(struct session *s)
{
	for (int i = 0; i < RESULT_FORMS; i++) {
		const char *path = s->options->result[i];

		if (!path)
			continue;
		s->result_fd[i] = strcmp(path, "-")
					  ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
					  : fcntl(1, F_DUPFD_CLOEXEC, 3);
		if (s->result_fd[i] < 0)
			return fail(STATUS_INTERNAL, "cannot write '%s': %s", path,
				    strerror(errno));
	}
	return 0;
}

int session_init(struct session *s, const struct options *o)
{
	int status;

	memset(s, 0, sizeof(*s));
	s->options = o;
	s->stdin_fd = -1;
	for (int i = 0; i < RESULT_FORMS; i++)
		s->result_fd[i] = -1;
	s->model = (uint32_t)o->model;
	s->equivalence = (uint32_t)o->equivalence;
	s->seed = o->seed;
	message_color(o->color == WHEN_ALWAYS ||
		      (o->color == WHEN_AUTO && on_terminal() && !getenv("NO_COLOR")));
	status = input_init(s);
	return status ? status : open_results(s);
}

void session_release(struct session *s)
{
	for (size_t i = 0; i < s->nbugs; i++)
		reported_release(&s->bugs[i]);
	free(s->bugs);
	for (size_t i = 0; i < s->nsuppressed; i++) {
		finding_release(&s->suppressed[i].bug);
		json_decref(s->suppressed[i].json);
	}
	free(s->suppressed);
	suppressions_free(s->suppressions);
	free(s->around_own.facts);
	loaded_release(&s->around_own.modules);
	finding_release(&s->around_own.bug);
	free(s->corpus);
	free(s->children);
	for (size_t i = 0; i < s->nfollowed; i++) {
		free(s->followed[i].file);
		free(s->followed[i].name);
		json_decref(s->followed[i].json);
	}
	free(s->followed);
	follow_release(s);
	result_release(&s->search);
	input_release(s);
	folder_release(&s->output);
	dump_free(s->dumper);
	s->dumper = NULL;
	for (int i = 0; i < RESULT_FORMS; i++) {
		if (s->result_fd[i] >= 0)
			close(s->result_fd[i]);
		s->result_fd[i] = -1;
	}
}

int session_program(struct session *s, const char *name)
{
	char why[ELF_REASON];

	if (program_inspect(&s->program, name, why, sizeof(why)))
		return 0;
	return fail(STATUS_CANNOT_RUN, "%s", why);
}

/* ---- Which models there are ----------------------------------------------------------------- */

static bool available(uint32_t mode, uint32_t model, uint32_t equivalence)
{
	struct engine_config config = { .mode = mode, .model = model, .equivalence = equivalence };
	struct engine *e;

	/* Where it is, there is no room for it. */
	return engine_init(&e, NULL, 0, &config) != -ENOTSUP;
}

static int not_there(const char *what, const char *const *names, uint32_t asked, const bool *there)
{
	char list[256] = "";
	size_t n = 0;

	for (size_t i = 0; names[i] && n < sizeof(list); i++) {
		if (there[i])
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      names[i]);
	}
	return fail(STATUS_USAGE, "%s '%s' is not available yet; available: %s", what,
		    name_of(names, asked), list);
}

int session_model(const struct session *s)
{
	uint32_t mode = s->options->command == COMMAND_TEST ? ENGINE_ONLINE : ENGINE_EXPLORE;
	bool models[MODEL_COUNT], equivalences[EQUIV_VALUE + 1];

	if (available(mode, s->model, s->equivalence))
		return 0;
	for (uint32_t m = 0; m < MODEL_COUNT; m++)
		models[m] = available(mode, m, EQUIV_RF);
	if (!models[s->model])
		return not_there("model", names_model, s->model, models);
	for (uint32_t e = 0; e <= EQUIV_VALUE; e++)
		equivalences[e] = available(mode, s->model, e);
	return not_there("equivalence", names_equivalence, s->equivalence, equivalences);
}

/* The usual folder is made when there is a trace for it. */
static int make_output(struct session *s)
{
	const char *path = s->options->output_dir;
	int err = s->options->output_given ? folder_make(&s->output, path) : 0;

	return err ? fail(STATUS_INTERNAL, "--output-dir: cannot write to the folder '%s': %s",
			  path, strerror(-err))
		   : 0;
}

/* A script has no executions of its own, but may run tests. */
static int find_program(struct session *s, const char *name)
{
	char why[ELF_REASON];

	if (program_inspect(&s->program, name, why, sizeof(why)) || s->program.script)
		return 0;
	return fail(STATUS_CANNOT_RUN, "%s", why);
}

int session_prepare(struct session *s, const struct options *o)
{
	int status = session_init(s, o);

	if (status)
		return status;
	if (!o->argc)
		return fail(STATUS_USAGE, "no program is named (see heddle %s --help)",
			    command_names[o->command]);
	status = session_model(s);
	if (status)
		return status;
	s->argv = o->argv;
	status = find_program(s, o->file ? o->file : o->argv[0]);
	if (!status && o->suppressions)
		s->suppressions = suppressions_read(o->suppressions, &status);
	if (!status)
		status = make_output(s);
	if (!status && o->dump_dir)
		s->dumper = dump_new(o->dump_dir, name_of(names_model, s->model),
				     name_of(names_equivalence, s->equivalence), &status);
	return status;
}
