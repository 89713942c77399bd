/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * depart.c - a program starts another one
 *
 * What it starts is found by arrive.c there, as long as the environment says so. Here that is put back where
 * the program made another one (env -i), and those are noted that nothing arrives in.
 *
 * The calls here may stand between vfork() and exec.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow/follow.h"
#include "wire/follow.h"

#define HOOK __attribute__((visibility("default")))

#define REAL(name)                                                          \
	({                                                                  \
		static __typeof__(&name) real_;                             \
		if (!real_)                                                 \
			real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		real_;                                                      \
	})

/* envp with what followers need, in the caller's frame. */
#define FOLLOWED(envp)                                                                         \
	(following ? successor_environment(envp, &inherited,                                   \
					   __builtin_alloca(successor_size(envp, &inherited))) \
		   : (char **)(envp))

/* Has the program taken out what those that it starts are to find? */
static bool is_gone(void)
{
	const char *libraries = getenv("LD_PRELOAD"), *session = getenv(FOLLOW_ENV);

	return following && (!libraries || !strstr(libraries, inherited.library) || !session ||
			     strcmp(session, inherited.session));
}

static void look_at(const char *file)
{
	const char *why = following && file ? unseen(file) : NULL;

	if (why)
		note("unseen", file, why);
}

/* The same for a name that is looked for along PATH. */
static void look_for(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (!name || strchr(name, '/')) {
		look_at(name);
		return;
	}
	while (path && *path) {
		size_t n = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (!access(file, X_OK)) {
			look_at(file);
			return;
		}
		path += n + (path[n] == ':');
	}
}

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	look_at(path);
	return REAL(execve)(path, argv, FOLLOWED(envp));
}

HOOK int execv(const char *path, char *const argv[])
{
	look_at(path);
	return REAL(execve)(path, argv, FOLLOWED(environ));
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	look_for(file);
	return REAL(execvpe)(file, argv, FOLLOWED(envp));
}

HOOK int execvp(const char *file, char *const argv[])
{
	look_for(file);
	return REAL(execvpe)(file, argv, FOLLOWED(environ));
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	char file[64];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	look_at(file);
	return REAL(fexecve)(fd, argv, FOLLOWED(envp));
}

HOOK int posix_spawn(pid_t *restrict pid, const char *restrict path,
		     const posix_spawn_file_actions_t *restrict actions,
		     const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		     char *const envp[restrict])
{
	look_at(path);
	return REAL(posix_spawn)(pid, path, actions, attr, argv, FOLLOWED(envp));
}

HOOK int posix_spawnp(pid_t *restrict pid, const char *restrict file,
		      const posix_spawn_file_actions_t *restrict actions,
		      const posix_spawnattr_t *restrict attr, char *const argv[restrict],
		      char *const envp[restrict])
{
	look_for(file);
	return REAL(posix_spawnp)(pid, file, actions, attr, argv, FOLLOWED(envp));
}

/* Programs that libc starts find what is in environ. */
#define IN_ENVIRONMENT(call)                 \
	({                                   \
		char **before_ = environ;    \
		__typeof__(call) result_;    \
		environ = FOLLOWED(environ); \
		result_ = call;              \
		environ = before_;           \
		result_;                     \
	})

HOOK int system(const char *command)
{
	return is_gone() ? IN_ENVIRONMENT(REAL(system)(command)) : REAL(system)(command);
}

HOOK FILE *popen(const char *command, const char *mode)
{
	return is_gone() ? IN_ENVIRONMENT(REAL(popen)(command, mode)) : REAL(popen)(command, mode);
}

/* ---- Arguments one by one ----------------------------------------------------------------------- */

/* How many follow the first, with the final NULL. */
static size_t count(const char *first, va_list ap)
{
	size_t n = 0;

	while (first) {
		first = va_arg(ap, char *);
		n++;
	}
	return n;
}

static void collect(const char *first, va_list ap, char **argv)
{
	*argv++ = (char *)(uintptr_t)first;
	while (first)
		*argv++ = (char *)(uintptr_t)(first = va_arg(ap, char *));
}

/* argv, made of the arguments behind `arg`, in the caller's frame. */
#define VECTOR(argv, ap, arg)                                                  \
	do {                                                                   \
		va_start(ap, arg);                                             \
		argv = __builtin_alloca((count(arg, ap) + 1) * sizeof(*argv)); \
		va_end(ap);                                                    \
		va_start(ap, arg);                                             \
		collect(arg, ap, argv);                                        \
	} while (0)

HOOK int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list ap;

	VECTOR(argv, ap, arg);
	va_end(ap);
	return execv(path, argv);
}

HOOK int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list ap;

	VECTOR(argv, ap, arg);
	va_end(ap);
	return execvp(file, argv);
}

HOOK int execle(const char *path, const char *arg, ...)
{
	char **argv, **envp;
	va_list ap;

	VECTOR(argv, ap, arg);
	envp = va_arg(ap, char **);
	va_end(ap);
	return execve(path, argv, envp);
}
