/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.c - see maps.h */
#define _GNU_SOURCE 1
#include "preload/core/maps.h"

#include <fcntl.h>
#include <string.h>

#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

static uint64_t hex(const char **p)
{
	uint64_t n = 0;

	for (;; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			n = n * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n * 16 + (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

/* Up to its newline: start-end perms offset device inode path */
static struct maps_line parse(const char *at, const char *newline)
{
	struct maps_line line = { .newline = newline };

	line.start = hex(&at);
	at++;
	line.end = hex(&at);
	line.perms = at + 1;
	return line;
}

static uint64_t decimal(const char **p)
{
	uint64_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

struct maps_file maps_file(const struct maps_line *line)
{
	const char *at = line->perms + 5;
	struct maps_file f;

	f.offset = hex(&at);
	at++;
	f.device = hex(&at) << 32;
	at++;
	f.device |= hex(&at);
	at++;
	f.inode = decimal(&at);
	return f;
}

void maps_each(void (*take)(const struct maps_line *line, void *arg), void *arg)
{
	static char buf[1 << 16];
	FRESH(buf);
	int fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	long n;

	if (fd < 0)
		refuse("/proc/self/maps cannot be read (is /proc mounted?): mount it", NULL);
	while ((n = sys_read(fd, buf + have, sizeof(buf) - have)) > 0) {
		const char *at = buf, *newline;

		have += (size_t)n;
		while ((newline = memchr(at, '\n', (size_t)(buf + have - at)))) {
			const struct maps_line line = parse(at, newline);

			take(&line, arg);
			at = newline + 1;
		}
		have = (size_t)(buf + have - at);
		memmove(buf, at, have);
	}
	sys_close(fd);
}
