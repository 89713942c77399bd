/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb.c - see gdb.h
 *
 * What gdb is to do is a file. The environment reaches the program through its commands, so that gdb has none
 * of it. gdb loads the helper (gdb/libheddle-rt.so-gdb.py) by itself, with the runtime; it shows where the
 * program has stopped. A gdb without Python stops inside the runtime, and the frame to look at is the
 * first one outside.
 */
#include "config.h"

#include "controller/run/gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/locate.h"
#include "controller/run/launch.h"

enum {
	SCRIPT_FD = 100
};

const char *gdb_command(void)
{
	const char *named = getenv("GDB");

	return named && *named ? named : "gdb";
}

static void write_environment(FILE *f, const struct launch *l, const char *const *ours)
{
	for (; *ours; ours++)
		fprintf(f, "set environment %s\n", *ours);
	for (size_t i = 0; l->environment && i < l->environment->n; i++) {
		const struct env_variable *v = &l->environment->at[i];

		if (v->value)
			fprintf(f, "set environment %s=%s\n", v->name, v->value);
		else
			fprintf(f, "unset environment %s\n", v->name);
	}
	fprintf(f, "set environment " SHARED_STDIN_ENV "=%s\n",
		l->stdin_file ? l->stdin_file : "/dev/null");
}

static void write_script(FILE *f, const struct launch *l, const char *const *ours,
			 const struct run *run)
{
	/* A fault is a matter of the runtime first, which stops then. */
	fputs("set startup-with-shell off\n"
	      "handle SIGSEGV SIGBUS SIGFPE SIGILL nostop noprint pass\n",
	      f);
	write_environment(f, l, ours);
	/* The runtime stops where the process makes the child that the trace is about. */
	if (run->shared->config.setting[SETTING_CHILD])
		fputs("set breakpoint pending on\ntbreak heddle_follow_child\nrun\n"
		      "set follow-fork-mode child\ncontinue\n",
		      f);
	else
		fputs("run\n", f);
	fputs("if $_isvoid($heddle_helped) && $_thread\n"
	      "while $pc >= ((unsigned long *)&heddle_runtime_text)[0] && "
	      "$pc < ((unsigned long *)&heddle_runtime_text)[1]\n"
	      "up-silently\n"
	      "end\n"
	      "frame\n"
	      "end\n",
	      f);
}

/* Its descriptor, or -1. */
static int script(const struct launch *l, const char *const *ours, const struct run *run)
{
	int fd = memfd_create("heddle-gdb", 0), high;
	FILE *f;

	/* The program inherits it, and its own descriptors are to have the numbers they had. */
	high = fd < 0 ? -1 : fcntl(fd, F_DUPFD, SCRIPT_FD);
	f = high < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return -1;
	write_script(f, l, ours, run);
	return fclose(f) ? -1 : high;
}

/* gdb loads a helper by itself only where it was told that it may. */
static char *safe_path(void)
{
	char path[PATH_MAX], *text = NULL;

	if (locate_library("libheddle-rt.so", path, sizeof(path)) ||
	    asprintf(&text, "add-auto-load-safe-path %s-gdb.py", path) < 0)
		return NULL;
	return text;
}

void gdb_exec(const struct launch *l, const char *const *ours, const struct run *run)
{
	int fd = script(l, ours, run);
	size_t args = 0, more = 0, n = 0;
	char path[64], *safe = safe_path();
	char **argv;

	while (l->argv[args])
		args++;
	while (l->gdb_args && l->gdb_args[more])
		more++;
	argv = calloc(args + more + 10, sizeof(*argv));
	if (!argv || !safe || fd < 0)
		_exit(127);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	argv[n++] = (char *)gdb_command();
	argv[n++] = "-q";
	argv[n++] = "-iex";
	argv[n++] = safe;
	argv[n++] = "-x";
	argv[n++] = path;
	for (size_t i = 0; i < more; i++)
		argv[n++] = l->gdb_args[i];
	argv[n++] = "--args";
	argv[n++] = (char *)l->program->path;
	for (size_t i = 1; i < args; i++)
		argv[n++] = l->argv[i];
	execvp(argv[0], argv);
}
