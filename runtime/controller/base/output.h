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
 * Makes a file that holds text. flags: how open() is to find the path, O_EXCL or O_TRUNC. What
 * could not be written whole is removed again. 0 or -errno.
 */
int output_file(const char *path, int flags, const char *text, size_t size);

#endif
