/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proc_file.c - /proc/self/stat and /proc/self/status
 *
 * They name ids that the program is told other ones for (hook_identity.c), and count kernel threads, of which heddle has
 * its own. So the program is given a file with what it would find without heddle: its own ids, and as many threads
 * as the caller cannot know to have ended: which have, is not for the order to say in which they are run. Other files there, of single threads say, are the kernel's.
 */
#include "preload/hooks/hook.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/graph/guard.h"
#include "preload/core/active.h"
#include "preload/core/sys.h"
#include "preload/core/text.h"
#include "preload/core/touch.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/proc_file.h"

#define PROC "/proc/"

enum {
	ROOM = 8192,
	/* Fields of stat that are ids, from 1 (proc(5)), and the number of threads. */
	STAT_PARENT = 4,
	STAT_GROUP = 5,
	STAT_SESSION = 6,
	STAT_FOREGROUND = 8,
	STAT_THREADS = 20
};

enum kind {
	NO_FILE,
	STAT,
	STATUS
};

/* Is it one of the process itself? */
static enum kind kind_of(const char *path)
{
	char own[32];
	struct text t = text_in(own, sizeof(own));
	const char *at = path + strlen(PROC);

	text_int(&t, REAL(getpid)());
	if (!strncmp(at, "self/", 5))
		at += 5;
	else if (!strncmp(at, own, strlen(own)) && at[strlen(own)] == '/')
		at += strlen(own) + 1;
	else
		return NO_FILE;
	return !strcmp(at, "stat") ? STAT : !strcmp(at, "status") ? STATUS : NO_FILE;
}

int proc_threads(void)
{
	uint32_t given[HEDDLE_MAX_THREADS];
	struct thread_set alive;

	if (!under_engine())
		return 1;
	values_give_up();
	alive = engine_known_threads(engine, current->tid, given);
	thread_set_add(&alive, current->tid);
	return (int)thread_set_count(&alive);
}

/* Reads a number, and moves to what is behind it. */
static int64_t number(const char **at)
{
	bool minus = **at == '-';
	int64_t n = 0;

	for (*at += minus; **at >= '0' && **at <= '9'; ++*at)
		n = n * 10 + (**at - '0');
	return minus ? -n : n;
}

static void put_until(struct text *to, const char **from, const char *end)
{
	char one[2] = "";

	while (*from < end && **from) {
		one[0] = *(*from)++;
		text_str(to, one);
	}
}

/* "id (name) state parent ...": the name may hold anything. */
static void tell_stat(struct text *to, const char *from)
{
	const char *name = strchr(from, '('), *behind = strrchr(from, ')');

	if (!name || !behind)
		return;
	text_int(to, getpid());
	from = name - 1;
	put_until(to, &from, behind + 1);
	for (int field = 3; *from; field++) {
		put_until(to, &from, from + 1);
		if (field == STAT_PARENT || field == STAT_GROUP || field == STAT_SESSION ||
		    field == STAT_FOREGROUND) {
			text_int(to, identity_shown((pid_t)number(&from)));
		} else if (field == STAT_THREADS) {
			number(&from);
			text_int(to, proc_threads());
		}
		put_until(to, &from, strchrnul(from, ' '));
	}
}

static bool is_id(const char *line)
{
	static const char *const names[] = { "Tgid:\t",  "Pid:\t",    "PPid:\t", "NStgid:\t",
					     "NSpid:\t", "NSpgid:\t", "NSsid:\t" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(line, names[i], strlen(names[i])))
			return true;
	return false;
}

static void tell_status(struct text *to, const char *from)
{
	while (*from) {
		const char *end = strchrnul(from, '\n');
		bool id = is_id(from), count = !strncmp(from, "Threads:\t", 9);

		if (id || count) {
			put_until(to, &from, strchrnul(from, '\t') + 1);
			if (id)
				text_int(to, identity_shown((pid_t)number(&from)));
			else if (number(&from))
				text_int(to, proc_threads());
		}
		put_until(to, &from, end + 1);
	}
}

/* What the kernel says; false when that cannot be had. */
static bool read_all(const char *path, char *out)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC);
	long n = 0, all = 0;

	if (fd < 0)
		return false;
	while (all < ROOM - 1 && (n = sys_read(fd, out + all, (size_t)(ROOM - 1 - all))) > 0)
		all += n;
	sys_close(fd);
	out[all] = 0;
	return n == 0;
}

int proc_file(const char *path, int flags)
{
	char found[ROOM], told[ROOM + 256];
	struct text t = text_in(told, sizeof(told));
	char copy[64] = "";
	enum kind kind;
	int fd;

	if (!init_active() || (flags & O_ACCMODE) != O_RDONLY || flags & O_PATH)
		return -1;
	copy_safely(copy, path, strlen(PROC)); /* it may be wild: that is the kernel's to say */
	if (strcmp(copy, PROC) != 0)
		return -1;
	copy_safely(copy, path, sizeof(copy) - 1);
	kind = kind_of(copy);

	if (kind == NO_FILE || !read_all(copy, found))
		return -1;
	if (kind == STAT)
		tell_stat(&t, found);
	else
		tell_status(&t, found);
	fd = (int)sys3(SYS_memfd_create, (long)"stat", flags & O_CLOEXEC ? MFD_CLOEXEC : 0, 0);
	if (fd < 0)
		return -1;
	sys3(SYS_write, fd, (long)told, t.at - told);
	sys3(SYS_lseek, fd, 0, SEEK_SET);
	return fd;
}
