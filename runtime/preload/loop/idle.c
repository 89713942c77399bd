/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle.c - see idle.h
 *
 * Sleeps of the program take no time under heddle, so who sleeps in the kernel waits there.
 */
#include "preload/loop/idle.h"

#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/sys.h"
#include "preload/core/text.h"

enum {
	LOOK_MS = 200,
	LOOKS = 10,
	ROOM = 1024
};

/* A file of a process in /proc, as a string; how long it is. */
static size_t read_file(pid_t pid, const char *name, char out[ROOM])
{
	char path[64];
	struct text t = text_in(path, sizeof(path));
	long n = -1;
	int fd;

	text_str(&t, "/proc/");
	text_int(&t, pid);
	text_str(&t, name);
	fd = sys_open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = sys_read(fd, out, ROOM - 1);
		sys_close(fd);
	}
	n = n < 0 ? 0 : n;
	out[n] = 0;
	return (size_t)n;
}

static bool has_children(pid_t pid)
{
	char name[48], list[ROOM];
	struct text t = text_in(name, sizeof(name));

	text_str(&t, "/task/");
	text_int(&t, pid);
	text_str(&t, "/children");
	return read_file(pid, name, list) != 0;
}

/* Of what it does, and has used of a processor: behind the name, which is the last thing in parentheses. */
static bool sleeps(const char *stat)
{
	const char *name = strrchr(stat, ')');

	return name && name[1] == ' ' && name[2] == 'S';
}

bool idle_watch(pid_t pid, bool (*is_over)(void))
{
	struct pollfd p = { .fd = (int)sys3(SYS_pidfd_open, pid, 0, 0), .events = POLLIN };
	char before[ROOM] = "", now[ROOM];
	int looks = 0;

	/* Before Linux 5.3 nobody looks. */
	while (p.fd >= 0 && looks < LOOKS && !sys3(SYS_poll, (long)&p, 1, LOOK_MS) && !is_over()) {
		read_file(pid, "/stat", now);
		looks = sleeps(now) && !strcmp(now, before) && !has_children(pid) ? looks + 1 : 0;
		memcpy(before, now, sizeof(before));
	}
	if (p.fd >= 0)
		sys_close(p.fd);
	return looks == LOOKS;
}
