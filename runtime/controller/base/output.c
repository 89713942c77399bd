/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.c - text to files, all of it or an error
 *
 * A trace, an execution or a result that lacks its end would be taken for damaged, or for less
 * than there was. So writing goes on after a short write or a signal, and close() is asked as well,
 * since some file systems only then say that the disk is full.
 *
 * Folders of output may be those of others, /tmp say. So no file there is opened that somebody else
 * made, and no link is followed: O_EXCL. What --json names is the user's choice, and opened as it
 * is (session.c).
 *
 * Caller: what writes traces, executions and JSON; each says in its own words what went wrong.
 */
#include "config.h"

#include "controller/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int output_write(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int new_file(int folder, const char *name, const char *text, size_t size)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int err;

	if (fd < 0)
		return -errno;
	err = output_write(fd, text, size);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlinkat(folder, name, 0);
	return err;
}

int output_new(const char *path, const char *text, size_t size)
{
	return new_file(AT_FDCWD, path, text, size);
}

int output_replace(const char *folder, const char *name, const char *text, size_t size)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	char beside[NAME_MAX + 1];

	if (at < 0)
		return -errno;
	if ((size_t)snprintf(beside, sizeof(beside), "%s.new", name) >= sizeof(beside)) {
		close(at);
		return -ENAMETOOLONG;
	}
	unlinkat(at, beside, 0); /* of a heddle that was killed */
	err = new_file(at, beside, text, size);
	if (!err && renameat(at, beside, at, name)) {
		err = -errno;
		unlinkat(at, beside, 0);
	}
	close(at);
	return err;
}
