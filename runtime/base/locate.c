/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locate.c - where heddle's own files are, relative to the running command
 *
 * An installed heddle may be moved as a whole, so no absolute path is used: the folder of
 * /proc/self/exe stands for the configured bindir, and from it we go the way that leads from
 * bindir to the configured library or include folder. The build tree has the shape of an
 * installation with the default folders (bin, lib/heddle, include/heddle, share/man), which is
 * the second place to look; so the same commands work there without being installed.
 *
 * Callers: the commands, at start.
 */
#include "config.h"

#include "base/locate.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HEDDLE_BINDIR
#define HEDDLE_BINDIR     "/usr/local/bin"
#define HEDDLE_LIBDIR     "/usr/local/lib/heddle"
#define HEDDLE_INCLUDEDIR "/usr/local/include/heddle"
#define HEDDLE_MANDIR     "/usr/local/share/man"
#endif

/* The folder of the running executable, without a slash at its end. */
static int own_folder(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size);
	char *slash;

	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

/* How many leading characters, whole components only, the absolute paths a and b share. */
static size_t shared_prefix(const char *a, const char *b)
{
	size_t shared = 0, i;

	for (i = 0;; i++) {
		bool end_a = a[i] == '/' || !a[i], end_b = b[i] == '/' || !b[i];

		if (end_a && end_b)
			shared = i;
		if (!a[i] || a[i] != b[i])
			return shared;
	}
}

/* The way from folder `from` to folder `to`, as in "../lib/heddle". */
static int way(const char *from, const char *to, char *out, size_t size)
{
	size_t shared = shared_prefix(from, to), used = 0;
	const char *p;
	int n;

	for (p = from + shared; *p; p++) {
		if (*p != '/' || !p[1] || p[1] == '/')
			continue;
		if (used + 4 > size)
			return -ENAMETOOLONG;
		memcpy(out + used, "../", 4);
		used += 3;
	}
	to += shared;
	n = snprintf(out + used, size - used, "%s", *to == '/' ? to + 1 : to);
	return n < 0 || (size_t)n >= size - used ? -ENAMETOOLONG : 0;
}

static int try(const char *folder, const char *rest, const char *name, char *path, size_t size)
{
	char beside[PATH_MAX], clean[PATH_MAX];
	int n = snprintf(beside, sizeof(beside), "%s/%s", folder, rest);

	if (n < 0 || (size_t)n >= sizeof(beside))
		return -ENAMETOOLONG;
	if (!realpath(beside, clean))
		return -errno;
	n = snprintf(path, size, "%s%s%s", clean, *name ? "/" : "", name);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	return access(path, F_OK) ? -ENOENT : 0;
}

static int locate(const char *configured, const char *usual, const char *name, char *path,
		  size_t size)
{
	char folder[PATH_MAX], rest[PATH_MAX];
	int err = own_folder(folder, sizeof(folder));

	if (err)
		return err;
	err = way(HEDDLE_BINDIR, configured, rest, sizeof(rest));
	if (!err)
		err = try(folder, rest, name, path, size);
	return err ? try(folder, usual, name, path, size) : 0;
}

int locate_library(const char *name, char *path, size_t size)
{
	return locate(HEDDLE_LIBDIR, "../lib/heddle", name, path, size);
}

int locate_include(const char *name, char *path, size_t size)
{
	return locate(HEDDLE_INCLUDEDIR, "../include/heddle", name, path, size);
}

int locate_manual(const char *name, char *path, size_t size)
{
	return locate(HEDDLE_MANDIR, "../share/man", name, path, size);
}
