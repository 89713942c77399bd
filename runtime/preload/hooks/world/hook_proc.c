/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_proc.c - /proc/ID, where ID is what the program was told that it is
 *
 * Every name in a path below /proc that is an id of the program, or of one of its threads, becomes the id
 * that the kernel knows. What stat and status of the process say of ids is in proc_file.c;
 * what else is written in the files there stays as the kernel has it. Here are the calls that do nothing but look;
 * those that open files are in hook_file.c.
 */
/*
 * intercepts: Processes
 *
 * internal access stat stat64 lstat lstat64 readlink opendir pidfd_open clock_getcpuclockid - know ids of
 *	the program and its threads, also in paths below /proc
 */
#include "preload/hooks/hook.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/refuse.h"
#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/hooks/world/identity.h"
#include "preload/hooks/world/proc_file.h"
#include "preload/hooks/world/proc_path.h"

#define PROC "/proc/"

/* Reads a name that is a number, up to a slash or the end: its end, or NULL. */
static const char *number(const char *at, long *n)
{
	for (*n = 0; *at >= '0' && *at <= '9' && *n < 1l << 30; at++)
		*n = *n * 10 + (*at - '0');
	return *at && *at != '/' ? NULL : at;
}

/* Puts the name that begins at from behind to: where the next one begins, or NULL at the end. */
static const char *take_name(struct text *to, const char *from)
{
	const char *end = strchrnul(from, '/');
	char name[2] = "";
	pid_t real;
	long n;

	if (end > from && number(from, &n) && (real = identity_real((pid_t)n)) != n) {
		text_int(to, real);
	} else {
		for (; from < end; from++) {
			name[0] = *from;
			text_str(to, name);
		}
	}
	if (!*end)
		return NULL;
	text_str(to, "/");
	return end + 1;
}

const char *proc_path(const char *path, struct proc_path *room)
{
	char copy[sizeof(room->text)] = "";
	struct text t = text_in(room->text, sizeof(room->text));
	const char *at = copy + strlen(PROC);

	copy_safely(copy, path, strlen(PROC));
	if (strcmp(copy, PROC))
		return path;
	copy_safely(copy, path, sizeof(copy));
	if (!memchr(copy, 0, sizeof(copy)))
		return path;
	text_str(&t, PROC);
	while (at)
		at = take_name(&t, at);
	return room->text;
}

#define LOOKS(type, name, params, ...)                                  \
	HEDDLE_HOOK type name params                                    \
	{                                                               \
		struct proc_path room;                                  \
                                                                        \
		return REAL(name)(proc_path(path, &room), __VA_ARGS__); \
	}

LOOKS(int, access, (const char *path, int mode), mode)
LOOKS(int, stat, (const char *restrict path, struct stat *restrict to), to)
LOOKS(int, stat64, (const char *restrict path, struct stat64 *restrict to), to)
LOOKS(int, lstat, (const char *restrict path, struct stat *restrict to), to)
LOOKS(int, lstat64, (const char *restrict path, struct stat64 *restrict to), to)

/* Where the links /proc/self and /proc/thread-self lead to, as the program knows it; false: it is neither. */
static bool proc_link(const char *path, struct text *to)
{
	static const char process[] = "/proc/self", thread[] = "/proc/thread-self";
	char copy[sizeof(thread) + 1] = "";

	copy_safely(copy, path, sizeof(copy));
	if (strcmp(copy, process) != 0 && strcmp(copy, thread) != 0)
		return false;
	text_int(to, getpid());
	if (!strcmp(copy, thread)) {
		text_str(to, "/task/");
		text_int(to, gettid());
	}
	return true;
}

HEDDLE_HOOK ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
	char buf[64];
	struct text t = text_in(buf, sizeof(buf));
	struct proc_path room;
	size_t n;

	if (!proc_link(path, &t))
		return REAL(readlink)(proc_path(path, &room), to, size);
	n = strlen(buf) < size ? strlen(buf) : size;
	if (!n || !memory_writable(to, n))
		return REAL(readlink)(path, to, size);
	memcpy(to, buf, n);
	return (ssize_t)n;
}

HEDDLE_HOOK DIR *opendir(const char *path)
{
	struct proc_path room;

	if (under_engine())
		needs_fork_for("opens a directory", path);
	path = proc_path(path, &room);
	if (under_engine() && proc_lists_threads(path) && proc_threads() > 1)
		refuse("the program lists its threads in /proc/self/task while others may run, which "
		       "heddle cannot show: let it know by other means, pthread_join() say",
		       NULL);
	return REAL(opendir)(path);
}

/* ---- Processes by their ids ------------------------------------------------------------------- */

int pidfd_open(pid_t id, unsigned flags);
HEDDLE_HOOK int pidfd_open(pid_t id, unsigned flags)
{
	if (under_engine())
		needs_fork("opens a descriptor of a process");
	return (int)REAL(syscall)(SYS_pidfd_open, identity_real(id), flags);
}

/* The program's own clock must not depend on what the kernel calls it. */
HEDDLE_HOOK int clock_getcpuclockid(pid_t id, clockid_t *clock)
{
	return REAL(clock_getcpuclockid)(id == getpid() ? 0 : identity_real(id), clock);
}
