/* SPDX-License-Identifier: BSD-2-Clause */
/* note.c - the session: its folder, and its log */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow/follow.h"
#include "wire/follow.h"

bool following;
struct successor inherited;

bool session_path(const char *name, char *path, unsigned long size)
{
	int n = (int)strcspn(inherited.session, ":");

	return (unsigned long)snprintf(path, size, "%.*s/%s", n, inherited.session, name) < size;
}

void own_file(char *path, unsigned long size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	path[n > 0 ? n : 0] = 0;
	if (n <= 0)
		snprintf(path, size, "?");
}

/* A record is one line, its fields end with tabs. */
static void one_line(const char *from, char *to, size_t size)
{
	size_t n = 0;

	for (; *from && n + 1 < size; from++)
		to[n++] = (unsigned char)*from < ' ' ? '?' : *from;
	to[n] = 0;
}

void note(const char *verb, const char *file, const char *text)
{
	const char *number = strrchr(inherited.session, ':');
	char path[4096], name[4096], line[FOLLOW_LINE];
	int fd = -1, before = errno, n;

	one_line(file, name, sizeof(name));
	n = snprintf(line, sizeof(line), FOLLOW_RECORD, verb,
		     number ? (unsigned)strtoul(number + 1, NULL, 10) : 0, (int)getpid(),
		     (int)getppid(), 0u, name, text ? text : "");
	if (session_path(FOLLOW_LOG, path, sizeof(path)))
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd >= 0 && n > 0 && write(fd, line, (size_t)n) < 0)
		n = 0; /* nobody could be told */
	if (fd >= 0)
		close(fd);
	errno = before;
}
