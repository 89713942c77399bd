/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.c - how starting processes, and waiting for them, fails
 *
 * Once there are threads, or at all where the program would be gone, these calls are refused.
 *
 * ways fork: ; not EAGAIN ENOMEM (limits of the system)
 * ways _Fork: ; not EAGAIN ENOMEM (likewise)
 * ways vfork: ; not EAGAIN ENOMEM (likewise)
 * ways daemon: ; not EAGAIN ENOMEM (likewise)
 * ways clone: ; not EAGAIN EINVAL ENOMEM (refused)
 * ways execl: ; not E2BIG EACCES ENOENT ENOEXEC (refused, as are those that follow)
 * ways execle: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways execlp: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways execv: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways execve: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways execvp: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways execvpe: ; not E2BIG EACCES ENOENT ENOEXEC (refused)
 * ways fexecve: ; not EINVAL ENOSYS (refused)
 * ways popen: EINVAL
 * ways posix_spawn: ENOENT
 * ways posix_spawnp: ENOENT
 * ways system: 127
 * ways wait: ECHILD; not EINTR (children have ended when they are waited for)
 * ways wait3: ECHILD
 * ways wait4: ECHILD EINVAL
 * ways waitid: ECHILD EINVAL
 * ways waitpid: ECHILD EINVAL ESRCH
 *
 * case fork_refused: refused calls fork()
 * case _Fork_refused: refused calls _Fork()
 * case vfork_refused: refused calls vfork()
 * case daemon_refused: refused calls daemon()
 * case clone_refused: refused calls clone()
 * case execl_refused: refused with execl()
 * case execle_refused: refused with execle()
 * case execlp_refused: refused with execlp()
 * case execv_refused: refused with execv()
 * case execve_refused: refused with execve()
 * case execvp_refused: refused with execvp()
 * case execvpe_refused: refused with execvpe()
 * case fexecve_refused: refused with fexecve()
 * case popen_refused: refused calls popen()
 * case posix_spawn_refused: refused calls posix_spawn()
 * case posix_spawnp_refused: refused calls posix_spawnp()
 * case system_refused: refused calls system()
 * case popen_EINVAL: ok 1
 * case posix_spawn_ENOENT: ok 1
 * case posix_spawnp_ENOENT: ok 1
 * case system_127: ok 1
 * case wait_ECHILD: ok 1
 * case wait3_ECHILD: ok 1
 * case wait4_ECHILD: ok 1
 * case wait4_EINVAL: ok 1
 * case waitid_ECHILD: ok 1
 * case waitid_EINVAL: ok 1
 * case waitpid_ECHILD: ok 1
 * case waitpid_EINVAL: ok 1
 * case waitpid_ESRCH: ok 1
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/fails.h"

#define NOWHERE "no-such-folder/program"

static char *argv[] = { "program", NULL }, *envp[] = { NULL };

/* A case whose statement is a thread's. */
#define REFUSED(name, statement)                  \
	static void *name##_in_thread(void *arg_) \
	{                                         \
		if (statement)                    \
			return NULL;              \
		return arg_;                      \
	}                                         \
	static void name##_refused(void)          \
	{                                         \
		THREADS(1, name##_in_thread);     \
	}

static int run(void *arg)
{
	return arg != NULL;
}

static char stack[4096];
static pid_t child;

pid_t _Fork(void);
REFUSED(fork, fork())
REFUSED(_Fork, _Fork())
REFUSED(vfork, vfork())
REFUSED(daemon, daemon(1, 1))
REFUSED(clone, clone(run, stack + sizeof(stack), 0, NULL))
REFUSED(execl, execl(NOWHERE, "program", NULL))
REFUSED(execle, execle(NOWHERE, "program", NULL, envp))
REFUSED(execlp, execlp(NOWHERE, "program", NULL))
REFUSED(execv, execv(NOWHERE, argv))
REFUSED(execve, execve(NOWHERE, argv, envp))
REFUSED(execvp, execvp(NOWHERE, argv))
REFUSED(execvpe, execvpe(NOWHERE, argv, envp))
REFUSED(fexecve, fexecve(0, argv, envp))
REFUSED(popen, popen("true", "r"))
REFUSED(posix_spawn, posix_spawn(&child, NOWHERE, NULL, NULL, argv, envp))
REFUSED(posix_spawnp, posix_spawnp(&child, NOWHERE, NULL, NULL, argv, envp))
REFUSED(system, system("true"))

/* ---- Before there are threads ---- */

static void *nothing(void *arg)
{
	return arg;
}

static void popen_EINVAL(void)
{
	NONE(EINVAL, popen("true", "q"));
	THREADS(1, nothing);
}

static void posix_spawn_ENOENT(void)
{
	GIVES(ENOENT, posix_spawn(&child, NOWHERE, NULL, NULL, argv, envp));
	THREADS(1, nothing);
}

static void posix_spawnp_ENOENT(void)
{
	GIVES(ENOENT, posix_spawnp(&child, "no-such-program", NULL, NULL, argv, envp));
	THREADS(1, nothing);
}

static void system_127(void)
{
	int status = system("no-such-program 2>/dev/null");

	assert(WIFEXITED(status) && WEXITSTATUS(status) == 127);
	THREADS(1, nothing);
}

/* ---- Waiting ---- */

EACH_FAILS(wait_ECHILD, ECHILD, wait(NULL))
EACH_FAILS(wait3_ECHILD, ECHILD, wait3(NULL, WNOHANG, NULL))
EACH_FAILS(wait4_EINVAL, EINVAL, wait4(-1, NULL, 0x10000, NULL))
EACH_FAILS(waitpid_EINVAL, EINVAL, waitpid(-1, NULL, 0x10000))
EACH_FAILS(waitpid_ESRCH, ESRCH, waitpid(INT_MIN, NULL, 0))

IN_EACH(wait4_ECHILD)
{
	struct rusage usage;

	FAILS(ECHILD, wait4(getpid(), NULL, 0, &usage));
	FAILS(ECHILD, wait4(-1, NULL, WNOHANG, &usage));
	return arg;
}

IN_EACH(waitid_ECHILD)
{
	siginfo_t info;

	FAILS(ECHILD, waitid(P_ALL, 0, &info, WEXITED));
	FAILS(ECHILD, waitid(P_PID, (id_t)getpid(), NULL, WEXITED | WNOHANG));
	return arg;
}

IN_EACH(waitid_EINVAL)
{
	siginfo_t info;

	FAILS(EINVAL, waitid(77, 0, &info, WEXITED));
	FAILS(EINVAL, waitid(P_ALL, 0, &info, 0));
	FAILS(EINVAL, waitid(P_ALL, 0, &info, WEXITED | 0x10000));
	FAILS(EINVAL, waitid(P_PID, 0, &info, WEXITED));
	return arg;
}

IN_EACH(waitpid_ECHILD)
{
	int status = 77;

	FAILS(ECHILD, waitpid(-1, &status, 0));
	FAILS(ECHILD, waitpid(getpid(), &status, WNOHANG));
	FAILS(ECHILD, waitpid(INT_MAX, &status, 0));
	assert(status == 77);
	return arg;
}

CASES(CASE(fork_refused), CASE(_Fork_refused), CASE(vfork_refused), CASE(daemon_refused),
      CASE(clone_refused), CASE(execl_refused), CASE(execle_refused), CASE(execlp_refused),
      CASE(execv_refused), CASE(execve_refused), CASE(execvp_refused), CASE(execvpe_refused),
      CASE(fexecve_refused), CASE(popen_refused), CASE(posix_spawn_refused),
      CASE(posix_spawnp_refused), CASE(system_refused), CASE(popen_EINVAL),
      CASE(posix_spawn_ENOENT), CASE(posix_spawnp_ENOENT), CASE(system_127), CASE(wait_ECHILD),
      CASE(wait3_ECHILD), CASE(wait4_ECHILD), CASE(wait4_EINVAL), CASE(waitid_ECHILD),
      CASE(waitid_EINVAL), CASE(waitpid_ECHILD), CASE(waitpid_EINVAL), CASE(waitpid_ESRCH))
