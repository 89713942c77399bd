/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_process.c - fork, exec and their kin
 *
 * Before the root point a program may start others. A child made by fork() lets go of all
 * that is heddle's (init_detach()): it keeps its heap, since its blocks lie there, and runs
 * alone; unless it is the one to be explored (children.c). Once there are threads, all of this is
 * refused.
 */
/*
 * intercepts: Processes
 *
 * refused fork _Fork vfork - once there are threads. A child made before that is explored
 *	like a program of its own
 * refused system popen posix_spawn posix_spawnp - once there are threads
 * refused clone - create threads with pthread_create()
 * refused execl execle execlp execv execve execvp execvpe fexecve - run the program that
 *	would be executed under heddle instead
 */
#include "preload/hooks/hook.h"

#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/refuse.h"
#include "preload/hooks/io/channel.h"
#include "preload/loop/children.h"

static void about_to_make(const char *call)
{
	sockets_before_fork();
	channels_before_fork();
	if (init_active() && (rooted || current))
		refuse("the program calls ", call,
		       " after it created a thread, which heddle cannot explore: test the code "
		       "without it",
		       NULL);
}

HEDDLE_HOOK pid_t fork(void)
{
	about_to_make("fork()");
	return children_fork(REAL(fork));
}

pid_t _Fork(void);
HEDDLE_HOOK pid_t _Fork(void)
{
	about_to_make("_Fork()");
	return children_fork(REAL(_Fork));
}

/* POSIX allows vfork() to be fork(). */
HEDDLE_HOOK pid_t vfork(void)
{
	about_to_make("vfork()");
	return children_fork(REAL(fork));
}

HEDDLE_HOOK int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	pid_t *parent, *child;
	va_list ap;
	void *tls;

	if (init_active())
		refuse("the program calls clone(): create threads with pthread_create()", NULL);
	va_start(ap, arg);
	parent = va_arg(ap, pid_t *);
	tls = va_arg(ap, void *);
	child = va_arg(ap, pid_t *);
	va_end(ap);
	return REAL(clone)(fn, stack, flags, arg, parent, tls, child);
}

#define REFUSED(type, name, params, args)  \
	HEDDLE_HOOK type name params       \
	{                                  \
		about_to_make(#name "()"); \
		return REAL(name) args;    \
	}

REFUSED(int, system, (const char *command), (command))
REFUSED(FILE *, popen, (const char *command, const char *mode), (command, mode))
/* As the two of them are made. */
#define SPAWN(name)                                                                              \
	HEDDLE_HOOK int name(pid_t *restrict pid, const char *restrict path,                     \
			     const posix_spawn_file_actions_t *restrict actions,                 \
			     const posix_spawnattr_t *restrict attr, char *const argv[restrict], \
			     char *const envp[restrict])                                         \
	{                                                                                        \
		int error;                                                                       \
		pid_t made = 0;                                                                  \
                                                                                                 \
		about_to_make(#name "()");                                                       \
		error = REAL(name)(&made, path, actions, attr, argv, envp);                      \
		if (error)                                                                       \
			return error;                                                            \
		kin_spawned(made);                                                               \
		if (pid)                                                                         \
			*pid = made;                                                             \
		return 0;                                                                        \
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* ---- exec: the program would be gone ---------------------------------------------------------- */

static void refuse_exec(const char *call)
{
	if (init_active())
		refuse("the program replaces itself with ", call,
		       ": run the program that it starts under heddle instead", NULL);
	if (kin_is_child())
		kin_execs();
}

#define EXEC(name, params, args)         \
	HEDDLE_HOOK int name params      \
	{                                \
		refuse_exec(#name "()"); \
		return REAL(name) args;  \
	}

EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))

enum {
	MAX_ARGS = 1024
};

/* The arguments of execl() as a vector; ap stands behind the first. */
static void collect(const char *first, va_list ap, char **argv)
{
	int n = 0;

	argv[n++] = (char *)(uintptr_t)first;
	while (argv[n - 1] && n < MAX_ARGS - 1)
		argv[n++] = va_arg(ap, char *);
	argv[n] = NULL;
}

HEDDLE_HOOK int execl(const char *path, const char *arg, ...)
{
	char *argv[MAX_ARGS];
	va_list ap;

	refuse_exec("execl()");
	va_start(ap, arg);
	collect(arg, ap, argv);
	va_end(ap);
	return REAL(execv)(path, argv);
}

HEDDLE_HOOK int execlp(const char *file, const char *arg, ...)
{
	char *argv[MAX_ARGS];
	va_list ap;

	refuse_exec("execlp()");
	va_start(ap, arg);
	collect(arg, ap, argv);
	va_end(ap);
	return REAL(execvp)(file, argv);
}

HEDDLE_HOOK int execle(const char *path, const char *arg, ...)
{
	char *argv[MAX_ARGS];
	char **envp;
	va_list ap;

	refuse_exec("execle()");
	va_start(ap, arg);
	collect(arg, ap, argv);
	envp = va_arg(ap, char **);
	va_end(ap);
	return REAL(execve)(path, argv, envp);
}
