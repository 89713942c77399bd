/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.h - text to files, all of it or an error
 */
#ifndef HEDDLE_CONTROLLER_OUTPUT_H
#define HEDDLE_CONTROLLER_OUTPUT_H

#include <stddef.h>

/* Writes all of text to fd, however often that takes; 0 or -errno. */
int output_write(int fd, const char *text, size_t size);

/*
 * Makes a file that holds text, where there is none, and no link either. What could not be written
 * whole is removed again. 0 or -errno.
 */
int output_new(const char *path, const char *text, size_t size);

/*
 * Makes a file of that name in a folder, in place of one or of a link: first beside it, then
 * renamed, so that it is whole or not there at all. 0 or -errno.
 */
int output_replace(const char *folder, const char *name, const char *text, size_t size);

#endif
