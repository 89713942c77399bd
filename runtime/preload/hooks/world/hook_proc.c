/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_proc.c - /proc/ID, where ID is what the program was told that it is
 *
 * Every name in a path below /proc that is an id of the program, or of one of its threads, becomes the id
 * that the kernel knows. What stat and status of the process say of ids is in proc_file.c;
 * what else is written in the files there stays as the kernel has it. The calls with paths are in hook_look.c
 * and hook_file.c.
 */
/*
 * intercepts: Processes
 *
 * internal pidfd_open clock_getcpuclockid - know ids of the program and its threads
 */
#include "preload/hooks/hook.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/touch.h"
#include "preload/facts/needs.h"
#include "preload/hooks/world/identity.h"
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
