/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_filled.c - calls that fill memory of the program with what they are asked, as plain writes
 *
 * Only calls from instrumented code count. Nothing is written where they fail, and of a text no more than it is
 * long; so each is made with memory of ours.
 */
/*
 * intercepts: Memory
 *
 * checked getcwd realpath gethostname uname strerror_r __xpg_strerror_r swab - plain writes of what they tell, and
 *	reads of what they are given, when instrumented code calls them
 */
#include "preload/hooks/announce.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	ROOM = PATH_MAX
};

HEDDLE_HOOK char *getcwd(char *to, size_t size)
{
	const uint64_t pc = CALLER();
	char text[ROOM];

	if (!to || size > ROOM || !may_fill(to, size, pc))
		return REAL(getcwd)(to, size);
	if (!REAL(getcwd)(text, size))
		return NULL;
	fill(to, text, strlen(text) + 1, pc);
	return to;
}

/* By POSIX there is room for PATH_MAX, of which all that counts is what is written. */
HEDDLE_HOOK char *realpath(const char *restrict path, char *restrict to)
{
	const uint64_t pc = CALLER();
	char text[ROOM];

	if (path && seen(pc))
		reads_text(path, SIZE_MAX, pc);
	if (!to || !may_fill(to, 1, pc))
		return REAL(realpath)(path, to);
	if (!REAL(realpath)(path, text))
		return NULL;
	fill(to, text, strlen(text) + 1, pc);
	return to;
}

HEDDLE_HOOK int gethostname(char *to, size_t size)
{
	const uint64_t pc = CALLER();
	char text[ROOM] = "";
	int result;

	if (size > ROOM || !may_fill(to, size, pc))
		return REAL(gethostname)(to, size);
	result = REAL(gethostname)(text, size);
	if (!result)
		fill(to, text, strnlen(text, size - 1) + 1, pc);
	return result;
}

HEDDLE_HOOK int uname(struct utsname *to)
{
	const uint64_t pc = CALLER();
	struct utsname names = { .sysname = "" };
	int result;

	if (!may_fill(to, sizeof(names), pc))
		return REAL(uname)(to);
	result = REAL(uname)(&names);
	if (!result)
		fill(to, &names, sizeof(names), pc);
	return result;
}

/* GNU's, which may have the text elsewhere. */
HEDDLE_HOOK char *strerror_r(int error, char *to, size_t size)
{
	const uint64_t pc = CALLER();
	char text[ROOM], *told;

	if (!size || size > ROOM || !may_fill(to, size, pc))
		return REAL(strerror_r)(error, to, size);
	told = REAL(strerror_r)(error, text, size);
	if (told != text)
		return told;
	fill(to, text, strlen(text) + 1, pc);
	return to;
}

HEDDLE_HOOK int __xpg_strerror_r(int error, char *to, size_t size)
{
	const uint64_t pc = CALLER();
	char text[ROOM] = "";
	int result;

	if (!size || size > ROOM || !may_fill(to, size, pc))
		return REAL(__xpg_strerror_r)(error, to, size);
	result = REAL(__xpg_strerror_r)(error, text, size);
	fill(to, text, strnlen(text, size - 1) + 1, pc);
	return result;
}

HEDDLE_HOOK void swab(const void *restrict from, void *restrict to, ssize_t n)
{
	const uint64_t pc = CALLER();
	const size_t size = n < 0 ? 0 : (size_t)n & ~(size_t)1;

	if (size && seen(pc)) {
		reads(from, size, pc);
		writes(to, size, pc);
	}
	REAL(swab)(from, to, n);
}
