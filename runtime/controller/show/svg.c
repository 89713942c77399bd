/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * svg.c - an execution as a picture, which graphviz's dot makes
 *
 * dot reads a file without a name, and writes another one: whatever it does, nothing half done comes to be shown.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/status.h"
#include "controller/show/draw.h"

/* *failed: dot has said that it cannot. quiet: it is not heard. */
static int run_dot(FILE *in, FILE *out, bool quiet, bool *failed)
{
	char *argv[] = { (char[]){ "dot" }, (char[]){ "-Tsvg" }, NULL };
	posix_spawn_file_actions_t actions;
	int err, status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(in), 0);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
	if (quiet)
		posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err == ENOENT)
		return fail(STATUS_CANNOT_RUN,
			    "svg is made by graphviz's dot, which is not there: install the "
			    "package graphviz, or say --format=html");
	if (err)
		return fail(STATUS_CANNOT_RUN, "cannot run dot: %s", strerror(err));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(STATUS_INTERNAL, "dot cannot be waited for: %s",
				    strerror(errno));
	*failed = !WIFEXITED(status) || WEXITSTATUS(status);
	return 0;
}

static bool copy(FILE *to, FILE *from)
{
	char buffer[1 << 14];
	size_t n;

	rewind(from);
	while ((n = fread(buffer, 1, sizeof(buffer), from)))
		fwrite(buffer, 1, n, to);
	return !ferror(from);
}

static int picture(FILE *f, const struct model *m, bool boxed, bool *failed)
{
	FILE *in = tmpfile(), *out = tmpfile();
	int status = 0;

	if (in && out) {
		draw_dot_lanes(in, m, boxed);
		status = fflush(in) || fseek(in, 0, SEEK_SET) ? STATUS_INTERNAL : 0;
	}
	if (!in || !out || status)
		status =
			fail(STATUS_INTERNAL, "cannot write a temporary file: %s", strerror(errno));
	if (!status)
		status = run_dot(in, out, boxed, failed);
	if (!status && !*failed && !copy(f, out))
		status = fail(STATUS_INTERNAL, "cannot read what dot wrote");
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return status;
}

/* dot cannot place clusters with many edges between them, of many threads ("trouble in init_rank"): without boxes it can. */
int draw_svg(FILE *f, const struct model *m)
{
	bool failed = false;
	int status = picture(f, m, true, &failed);

	if (!status && failed)
		status = picture(f, m, false, &failed);
	if (!status && failed)
		return fail(STATUS_CANNOT_RUN,
			    "dot failed: there is no picture (say --format=html)");
	return status;
}
