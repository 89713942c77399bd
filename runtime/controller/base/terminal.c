/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal.c - see terminal.h */
#include "config.h"

#include "controller/base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum {
	COLUMNS_DEFAULT = 80,
	COLUMNS_MOST = 1000
};

static size_t kept; /* columns of what terminal_keep() was told; 0: it was not */

size_t terminal_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	long n = text ? strtol(text, NULL, 10) : 0;
	struct winsize size;

	if (kept)
		return kept;
	if (n < 1 && fd >= 0 && !ioctl(fd, TIOCGWINSZ, &size))
		n = size.ws_col;
	return n < 1 ? COLUMNS_DEFAULT : n > COLUMNS_MOST ? COLUMNS_MOST : (size_t)n;
}

void terminal_keep(int fd)
{
	kept = terminal_columns(fd);
}

bool terminal_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
