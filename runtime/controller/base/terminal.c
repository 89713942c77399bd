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

size_t terminal_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	long n = text ? strtol(text, NULL, 10) : 0;
	struct winsize size;

	if (n < 1 && fd >= 0 && !ioctl(fd, TIOCGWINSZ, &size))
		n = size.ws_col;
	return n < 1 ? COLUMNS_DEFAULT : n > COLUMNS_MOST ? COLUMNS_MOST : (size_t)n;
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
