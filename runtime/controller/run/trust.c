/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trust.c - which programs a trace may name without being asked for it
 *
 * A trace says which program to start with which arguments, and is a file that people send to each
 * other: /bin/sh -c would do anything. So by itself it may name only what its reader has built for
 * heddle: a program below the current folder, all links followed, that heddle-cc made. That is no
 * proof. A program that came along with the trace is run like any other
 * (heddle-replay(1), TRACES OF OTHERS).
 *
 * Likewise the folder that it runs in, and those that its libraries come from.
 *
 * With the environment it is the same: LD_PRELOAD makes any program do anything. Of variables that
 * only the program itself looks at, its reader is told.
 *
 * Callers: cmd_replay.c, which asks for --trust; report_text.c, which says how to replay.
 */
#include "config.h"

#include "controller/run/trust.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/base/names.h"

static bool is_below(const char *folder, const char *path)
{
	char here[PATH_MAX];
	size_t n;

	if (!realpath(folder, here))
		return false;
	n = strlen(here);
	n -= here[n - 1] == '/'; /* the root itself */
	return !strncmp(path, here, n) && path[n] == '/';
}

bool trust_folder(const char *path)
{
	char clean[PATH_MAX], here[PATH_MAX];
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && realpath(path, clean) &&
	       realpath(".", here) && (!strcmp(clean, here) || is_below(here, clean));
}

bool trust_folders(const char *list)
{
	char one[PATH_MAX];

	for (;;) {
		size_t n = strcspn(list, ":");

		if (!n || n >= sizeof(one))
			return false; /* an empty one is the current folder, whichever that is then */
		memcpy(one, list, n);
		one[n] = 0;
		if (one[0] != '/' || !trust_folder(one))
			return false;
		if (!list[n])
			return true;
		list += n + 1;
	}
}

const char *trust_lacks(const struct program *p, const char *folder)
{
	if (!is_below(folder, p->path))
		return "is not below the current folder";
	if (p->built != BUILT_BY_HEDDLE)
		return "heddle-cc did not build";
	return NULL;
}

bool trust_variable(const char *name)
{
	static const char *const begin[] = { "LD_", "HEDDLE_", "MALLOC_", NULL };
	/* Those that glibc takes from programs with other privileges (unsecvars.h). */
	static const char *const guarded[] = {
		"GCONV_PATH",  "GETCONF_DIR",      "GLIBC_TUNABLES", "HOSTALIASES",
		"LOCALDOMAIN", "LOCPATH",          "NIS_PATH",       "NLSPATH",
		"RES_OPTIONS", "RESOLV_HOST_CONF", "TZDIR",          NULL,
	};

	for (size_t i = 0; begin[i]; i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return false;
	return name_find(guarded, name) < 0;
}
