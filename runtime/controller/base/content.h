/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * content.h - all that is in a file
 */
#ifndef HEDDLE_CONTROLLER_CONTENT_H
#define HEDDLE_CONTROLLER_CONTENT_H

#include <stddef.h>

/*
 * What comes from a descriptor until its end, with a zero behind; *size is without that. For the caller to
 * free. NULL with errno, also where fd is negative and errno says why.
 */
char *content_read(int fd, size_t *size);

/* The same of a file by its name. */
char *content_of(const char *path, size_t *size);

#endif
