/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.c - text to files, all of it or an error
 *
 * A trace, an execution or a result that lacks its end would be taken for damaged, or for less
 * than there was. So writing goes on after a short write or a signal, and close() is asked as well,
 * since some file systems only then say that the disk is full.
 *
 * Caller: what writes traces, executions and JSON; each says in its own words what went wrong.
 */
#include "config.h"

#include "controller/base/output.h"

#include <errno.h>
#include <fcntl.h>
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

int output_file(const char *path, int flags, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666), err;

	if (fd < 0)
		return -errno;
	err = output_write(fd, text, size);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(path);
	return err;
}
