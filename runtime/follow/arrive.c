/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrive.c - a program begins: is it one to be explored?
 *
 * Before its main(), so whoever has started it, and how: a shell, make, libc's system(), a program that
 * calls the kernel itself. What is instrumented, or has libraries that are, goes to heddle, in the same process:
 * it has the parent, the folder, the descriptors and the environment that the program was given
 * (controller/search/followed.c). All else goes on as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "follow/follow.h"
#include "wire/follow.h"

enum {
	MOST_ARGUMENTS = 1 << 20
};

/* Whoever is instrumented has it: by libheddle-native.so, or by a runtime of ThreadSanitizer. */
extern void __tsan_init(void) __attribute__((weak));

static bool is_heddle(const char *heddle)
{
	struct stat own, its;

	return !stat("/proc/self/exe", &own) && !stat(heddle, &its) && own.st_dev == its.st_dev &&
	       own.st_ino == its.st_ino;
}

/* --follow: all, none, or what the program's name or path is like. */
static bool is_wanted(const char *file)
{
	const char *base = strrchr(file, '/');
	char path[PATH_MAX], wanted[PATH_MAX];
	ssize_t n = session_path(FOLLOW_WANTED, path, sizeof(path))
			    ? readlink(path, wanted, sizeof(wanted) - 1)
			    : -1;

	if (n < 0)
		return false;
	wanted[n] = 0;
	if (!strcmp(wanted, "all") || !strcmp(wanted, "none"))
		return *wanted == 'a';
	return !fnmatch(wanted, file, 0) || !fnmatch(wanted, base ? base + 1 : file, 0);
}

/* The variable that brought us here goes; the session stays, for heddle. */
static void leave_preload(void)
{
	char *value = getenv("LD_PRELOAD"), *at, *rest;
	size_t n = strlen(inherited.library);

	at = value ? strstr(value, inherited.library) : NULL;
	if (!at)
		return;
	rest = at + n + (at[n] == ':' || at[n] == ' ');
	memmove(at, rest, strlen(rest) + 1);
	if (!*value)
		unsetenv("LD_PRELOAD");
}

static void become_heddle(const char *heddle, const char *file, int argc, char **argv)
{
	char **all;

	if (argc < 1 || argc > MOST_ARGUMENTS)
		return;
	all = __builtin_alloca(((size_t)argc + 4) * sizeof(*all));
	all[0] = (char *)heddle;
	all[1] = FOLLOW_COMMAND;
	all[2] = (char *)file;
	memcpy(&all[3], argv, ((size_t)argc + 1) * sizeof(*all));
	leave_preload();
	following = false; /* heddle finds the session, and not us */
	execv(heddle, all);
	following = true;
}

static void arrive_as(const char *heddle, int argc, char **argv)
{
	char file[PATH_MAX];

	own_file(file, sizeof(file));
	if (!&__tsan_init) {
		note("ran", file, NULL);
	} else if (!is_wanted(file)) {
		note("unwanted", file, NULL);
	} else {
		become_heddle(heddle, file, argc, argv);
		note("unseen", file, "heddle could not be started");
	}
}

__attribute__((constructor)) static void arrive(int argc, char **argv)
{
	static char session[PATH_MAX], library[PATH_MAX];
	const char *value = getenv(FOLLOW_ENV);
	char heddle[PATH_MAX];
	Dl_info own;

	if (!value || strlen(value) >= sizeof(session) || !dladdr(&following, &own))
		return;
	memcpy(session, value, strlen(value) + 1);
	snprintf(library, sizeof(library), "%s", own.dli_fname);
	inherited = (struct successor){ .library = library, .session = session };
	if (!session_path(FOLLOW_HEDDLE, heddle, sizeof(heddle)) || access(heddle, X_OK))
		return; /* the session is over */
	if (is_heddle(heddle)) {
		/* Somebody runs it in his own name: then the program is his. */
		own_file(heddle, sizeof(heddle));
		note("ran", heddle, NULL);
		leave_preload();
		unsetenv(FOLLOW_ENV);
		return;
	}
	following = true;
	arrive_as(heddle, argc, argv);
}
