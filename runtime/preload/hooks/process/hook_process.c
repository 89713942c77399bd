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
 * refused fork __fork _Fork vfork __vfork - once there are threads. A child made before that is explored
 *	like a program of its own
 * refused system popen _IO_popen posix_spawn posix_spawnp - once there are threads. A program that
 *	is started before that is explored there
 * refused daemon - once there are threads. The child that goes on is one of fork()
 * refused clone __clone - create threads with pthread_create()
 * refused execl execle execlp execv execve execvp execvpe fexecve - run the program that
 *	would be executed under heddle instead. In a child it is explored there
 */
#include "preload/hooks/hook.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/core/active.h"
#include "preload/core/kin_end.h"
#include "preload/core/refuse.h"
#include "preload/hooks/io/channel.h"
#include "preload/hooks/process/depart.h"
#include "preload/hooks/thread/run.h"
#include "preload/loop/children.h"

/* The program may have made no thread itself. */
static void refuse_outset(const char *call)
{
	switch (spawn_outset()) {
	case OUTSET_THREAD:
		return;
	case OUTSET_TIMER:
		refuse("the program calls ", call,
		       " after it set a timer that tells a descriptor (timerfd) or calls a function "
		       "(SIGEV_THREAD), which heddle rings in a thread: set the timer after that call",
		       NULL);
	case OUTSET_CHOICE:
		refuse("the program calls ", call,
		       " after heddle_choose(), with which its executions begin: "
		       "choose after that call",
		       NULL);
	case OUTSET_ASKED:
		refuse("the program calls ", call,
		       " after heddle_root(), with which its executions begin: "
		       "call that later, or not at all",
		       NULL);
	case OUTSET_LOOP:
		refuse("the program calls ", call,
		       " after its only thread had read the same in a loop, which heddle explores "
		       "like threads: test the code without that call",
		       NULL);
	}
}

static void about_to_make(const char *call)
{
	sockets_before_fork();
	channels_before_fork();
	if (!init_active() || !(rooted || current))
		return;
	depart();
	refuse_outset(call);
	refuse("the program calls ", call,
	       " after it created a thread, which heddle cannot explore: test the code without it",
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

static void to_null(void)
{
	int fd = REAL(open)("/dev/null", O_RDWR);

	for (int to = 0; fd >= 0 && to <= 2; to++)
		REAL(dup2)(fd, to);
	if (fd > 2)
		REAL(close)(fd);
}

/* libc's calls a fork() of its own, that is no hook. */
HEDDLE_HOOK int daemon(int stay, int keep)
{
	pid_t pid;

	about_to_make("daemon()");
	pid = children_fork(REAL(fork));
	if (pid > 0)
		_exit(0);
	if (pid < 0 || setsid() < 0)
		return -1;
	if (!stay && chdir("/"))
		return -1;
	if (!keep)
		to_null();
	return 0;
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

/* Programs that libc starts find what is in environ. There are no other threads that could look at it. */
#define IN_ENVIRONMENT(call)                  \
	({                                    \
		char **before_ = environ;     \
		__typeof__(call) result_;     \
		environ = DEPARTING(environ); \
		result_ = call;               \
		environ = before_;            \
		result_;                      \
	})

static void about_to_start(const char *call, const char *program)
{
	depart();
	if (init_active() && (rooted || current))
		refuse_outset(call);
	if (init_active() && (rooted || current))
		refuse("the program calls ", call, ", for ", program ? program : "?",
		       ", after it created a thread, which heddle cannot explore: test the code "
		       "without it",
		       NULL);
	sockets_before_fork();
	channels_before_fork();
}

HEDDLE_HOOK int system(const char *command)
{
	about_to_start("system()", command);
	return IN_ENVIRONMENT(REAL(system)(command));
}

HEDDLE_HOOK FILE *popen(const char *command, const char *mode)
{
	about_to_start("popen()", command);
	return IN_ENVIRONMENT(REAL(popen)(command, mode));
}

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
		about_to_start(#name "()", path);                                                \
		error = REAL(name)(&made, path, actions, attr, argv, DEPARTING(envp));           \
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

static void about_to_become(const char *call, const char *program)
{
	depart();
	if (init_active())
		refuse("the program replaces itself with ", call, ", by ", program ? program : "?",
		       ": run that program under heddle instead", NULL);
	kin_end_execs();
}

/* What exec returned: it failed. */
static int goes_on(int result)
{
	kin_end_stays();
	return result;
}

HEDDLE_HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	about_to_become("execve()", path);
	return goes_on(REAL(execve)(path, argv, DEPARTING(envp)));
}

HEDDLE_HOOK int execv(const char *path, char *const argv[])
{
	about_to_become("execv()", path);
	return goes_on(REAL(execve)(path, argv, DEPARTING(environ)));
}

HEDDLE_HOOK int execvp(const char *file, char *const argv[])
{
	about_to_become("execvp()", file);
	return goes_on(REAL(execvpe)(file, argv, DEPARTING(environ)));
}

HEDDLE_HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	about_to_become("execvpe()", file);
	return goes_on(REAL(execvpe)(file, argv, DEPARTING(envp)));
}

HEDDLE_HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	about_to_become("fexecve()", argv[0]);
	return goes_on(REAL(fexecve)(fd, argv, DEPARTING(envp)));
}

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

	about_to_become("execl()", path);
	va_start(ap, arg);
	collect(arg, ap, argv);
	va_end(ap);
	return goes_on(REAL(execve)(path, argv, DEPARTING(environ)));
}

HEDDLE_HOOK int execlp(const char *file, const char *arg, ...)
{
	char *argv[MAX_ARGS];
	va_list ap;

	about_to_become("execlp()", file);
	va_start(ap, arg);
	collect(arg, ap, argv);
	va_end(ap);
	return goes_on(REAL(execvpe)(file, argv, DEPARTING(environ)));
}

HEDDLE_HOOK int execle(const char *path, const char *arg, ...)
{
	char *argv[MAX_ARGS];
	char **envp;
	va_list ap;

	about_to_become("execle()", path);
	va_start(ap, arg);
	collect(arg, ap, argv);
	envp = va_arg(ap, char **);
	va_end(ap);
	return goes_on(REAL(execve)(path, argv, DEPARTING(envp)));
}

/* ---- By other names -------------------------------------------------------------------------------- */

ALSO_CALLED(__clone, clone);
ALSO_CALLED(__fork, fork);
ALSO_CALLED(__vfork, vfork);
ALSO_CALLED(_IO_popen, popen);
