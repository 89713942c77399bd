/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder.c - see folder.h
 *
 * A search may take hours, so it is known before it begins whether its traces can be written. One
 * that has none to write leaves no folder behind.
 *
 * Caller: session.c before a search, confirm.c before each trace (another heddle may have
 * removed the folder as its own).
 */
#include "config.h"

#include "controller/base/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the next part of the path ends that begins behind `at`. */
static size_t part_end(const char *path, size_t at)
{
	at += strspn(path + at, "/");
	return at + strcspn(path + at, "/");
}

/* Makes what the first n bytes name; 0 or -errno. */
static int make_part(struct folder *f, size_t n)
{
	char cut = f->path[n];
	int err;

	f->path[n] = 0;
	err = mkdir(f->path, 0777) ? errno : 0;
	f->path[n] = cut;
	return err == EEXIST ? 0 : -err;
}

static bool is_folder(struct folder *f, size_t n)
{
	char cut = f->path[n];
	struct stat st;
	bool is;

	f->path[n] = 0;
	is = !stat(f->path, &st) && S_ISDIR(st.st_mode);
	f->path[n] = cut;
	return is;
}

int folder_make(struct folder *f, const char *path)
{
	size_t size = strlen(path);
	int err = 0;

	memset(f, 0, sizeof(*f));
	if (size >= sizeof(f->path))
		return -ENAMETOOLONG;
	memcpy(f->path, path, size + 1);
	f->found = size;
	while (f->found && !is_folder(f, f->found)) {
		while (f->found && f->path[f->found - 1] == '/')
			f->found--;
		while (f->found && f->path[f->found - 1] != '/')
			f->found--;
	}
	for (size_t at = f->found; !err && at < size; at = part_end(path, at))
		err = make_part(f, part_end(path, at));
	if (!err && !is_folder(f, size))
		err = -ENOTDIR;
	if (!err && access(path, W_OK | X_OK))
		err = -errno;
	if (err)
		folder_release(f);
	return err;
}

void folder_release(struct folder *f)
{
	size_t n = strlen(f->path);

	while (n > f->found) {
		if (f->path[n - 1] != '/')
			rmdir(f->path); /* fails where something is in it */
		while (n > f->found && f->path[n - 1] != '/')
			n--;
		while (n > f->found && f->path[n - 1] == '/')
			n--;
		f->path[n] = 0;
	}
	memset(f, 0, sizeof(*f));
}
