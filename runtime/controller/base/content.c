/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * content.c - all that is in a file
 *
 * A regular file says how large it is, and is read in one piece; it may grow meanwhile. A pipe says nothing.
 */
#include "config.h"

#include "controller/base/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PIECE = 65536
};

/* Room for another piece; text is freed if there is none. */
static char *grow(char *text, size_t *room)
{
	char *grown;

	*room = text || *room < 2 ? *room * 2 + PIECE : *room + 1;
	grown = realloc(text, *room);
	if (!grown)
		free(text);
	return grown;
}

char *content_read(int fd, size_t *size)
{
	char *text = NULL;
	size_t room = 0;
	struct stat st;
	ssize_t n = 1;

	*size = 0;
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		room = (size_t)st.st_size + 1;
	while (n > 0) {
		if (!text || *size + 1 >= room)
			text = grow(text, &room);
		if (!text)
			return NULL;
		n = read(fd, text + *size, room - *size - 1);
		*size += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[*size] = 0;
	return text;
}

char *content_of(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	char *text = content_read(fd, size);

	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return text;
}
