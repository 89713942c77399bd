/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * folder.h - the folder that output goes to, with all above it
 *
 *	struct folder f;
 *	int err = folder_make(&f, "a/b");
 *	...
 *	folder_release(&f);
 */
#ifndef HEDDLE_CONTROLLER_FOLDER_H
#define HEDDLE_CONTROLLER_FOLDER_H

#include <limits.h>
#include <stddef.h>

struct folder {
	char path[PATH_MAX];
	size_t found; /* length of the part that was there already */
};

/*
 * Makes the folder and those above it that are missing, and asks whether files can be written
 * there; 0 or -errno.
 */
int folder_make(struct folder *f, const char *path);

/* Removes those that were made, where nothing is in them. Of one that was zeroed: does nothing. */
void folder_release(struct folder *f);

#endif
