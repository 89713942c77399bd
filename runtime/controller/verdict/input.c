/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input.c - what the program is given as standard input
 *
 * Each execution reads it from its beginning, in processes of several workers and in replays, so
 * it has to be a file. What comes through a pipe (--stdin=-) is read to its end first, into memory
 * that every process can open. Its trace then has a copy beside it, bug-0.stdin, that goes where the
 * trace goes.
 *
 * A trace that somebody else made is not to have a device or a pipe opened, which can do something
 * or wait for ever: by itself it may name files only.
 *
 * Caller: session.c, confirm.c, cmd_replay.c.
 */
#include "config.h"

#include "controller/verdict/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/message.h"
#include "controller/base/output.h"
#include "controller/base/status.h"

enum {
	AT_ONCE = 64 << 10,
	MOST = 1 << 30 /* bytes that come through a pipe */
};

/* ---- --stdin --------------------------------------------------------------------------------- */

/* All that comes from a descriptor; 0 or an errno. */
static int read_all(int from, int to)
{
	char *piece = malloc(AT_ONCE);
	size_t all = 0;
	int err = piece ? 0 : ENOMEM;

	while (!err) {
		ssize_t n = read(from, piece, AT_ONCE);

		if (!n)
			break;
		if (n < 0 && errno != EINTR)
			err = errno;
		all += n > 0 ? (size_t)n : 0;
		if (all > MOST)
			err = EFBIG;
		if (n > 0 && !err)
			err = -output_write(to, piece, (size_t)n);
	}
	free(piece);
	return err;
}

static int take_stream(struct session *s, int from)
{
	int err;

	s->stdin_fd = memfd_create("heddle-stdin", MFD_CLOEXEC);
	err = s->stdin_fd < 0 ? errno : read_all(from, s->stdin_fd);
	if (err)
		return fail(STATUS_USAGE, "--stdin: cannot read '%s': %s", s->options->stdin_file,
			    strerror(err));
	snprintf(s->stdin_file, sizeof(s->stdin_file), "/proc/self/fd/%d", s->stdin_fd);
	return 0;
}

int input_init(struct session *s)
{
	const char *name = s->options->stdin_file;
	int fd, status = 0;
	struct stat st;

	if (!name)
		return 0;
	if (!strcmp(name, "-"))
		return take_stream(s, 0);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(STATUS_USAGE, "--stdin: cannot read '%s': %s", name, strerror(errno));
	if (!fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		status = take_stream(s, fd);
	else if (S_ISDIR(st.st_mode) || !realpath(name, s->stdin_file))
		status = fail(STATUS_USAGE, "--stdin: cannot read '%s': %s", name,
			      strerror(S_ISDIR(st.st_mode) ? EISDIR : errno));
	close(fd);
	return status;
}

void input_release(struct session *s)
{
	if (s->stdin_fd >= 0)
		close(s->stdin_fd);
	s->stdin_fd = -1;
}

/* ---- Traces ---------------------------------------------------------------------------------- */

char *input_recorded(struct session *s)
{
	static char beside[] = INPUT_BESIDE;

	return s->stdin_fd >= 0 ? beside : s->stdin_file[0] ? s->stdin_file : NULL;
}

int input_keep(const struct session *s, const char *folder, const char *name)
{
	char file[64];
	struct stat st;
	void *text;
	int err;

	if (s->stdin_fd < 0)
		return 0;
	if (fstat(s->stdin_fd, &st))
		return -errno;
	text = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, s->stdin_fd, 0)
			  : NULL;
	if (text == MAP_FAILED)
		return -errno;
	snprintf(file, sizeof(file), "%s.stdin", name);
	err = output_replace(folder, file, text, (size_t)st.st_size);
	if (text)
		munmap(text, (size_t)st.st_size);
	return err;
}

/* "x.stdin" for the trace "x.hdt" or "x"; NULL when memory is short. */
static char *beside(const char *trace)
{
	size_t n = strlen(trace);
	char *path = NULL;

	if (n > 4 && !strcmp(trace + n - 4, ".hdt"))
		n -= 4;
	return asprintf(&path, "%.*s.stdin", (int)n, trace) < 0 ? NULL : path;
}

static int check_named(const struct session *s, const char *path, const char *trace)
{
	struct stat st;

	if (stat(path, &st))
		return fail(
			STATUS_CANNOT_RUN,
			"cannot read '%s', the standard input that '%s' was recorded with: %s; name "
			"another file with --stdin",
			path, trace, strerror(errno));
	if (S_ISREG(st.st_mode) || !strcmp(path, "/dev/null") || s->options->trust)
		return 0;
	return fail(
		STATUS_CANNOT_RUN,
		"'%s' names '%s' as standard input, which is not a regular file: say --trust, or "
		"name a file with --stdin",
		trace, path);
}

int input_replay(const struct session *s, struct trace *t, const char *trace)
{
	char *path;

	if (!s->stdin_file[0] && !t->stdin_file)
		return 0;
	if (s->stdin_file[0])
		path = strdup(s->stdin_file);
	else if (!strcmp(t->stdin_file, INPUT_BESIDE))
		path = beside(trace);
	else
		path = strdup(t->stdin_file);
	if (!path)
		return fail(STATUS_INTERNAL, "out of memory");
	free(t->stdin_file);
	t->stdin_file = path;
	return s->stdin_file[0] ? 0 : check_named(s, path, trace);
}
