/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_fortify.c - what -D_FORTIFY_SOURCE makes of strcpy() and its like, as plain accesses
 *
 * heddle-cc takes that option away; programs that were built otherwise have these calls. As in
 * hook_string.c. One that writes more than there is room for is ended by libc before it does.
 */
/*
 * intercepts: Memory
 *
 * checked __strcpy_chk __stpcpy_chk __strncpy_chk __stpncpy_chk __strcat_chk __strncat_chk
 *	__mempcpy_chk __explicit_bzero_chk - plain reads and writes like those of the functions without
 *	a check, when instrumented code calls them
 */
#include "preload/hooks/announce.h"

/* Up to n bytes of the string at `from` (SIZE_MAX: all), filled up to that, to where there is that room. */
static void copies(const char *to, const char *from, size_t n, size_t room, uint64_t pc)
{
	size_t written;

	if (!seen(pc))
		return;
	written = n > PTRDIFF_MAX ? strlen(from) + 1 : n;
	if (written > room)
		return;
	reads_text(from, n, pc);
	writes(to, written, pc);
}

/* Likewise, with a 0, behind the string at `to`. */
static void appends(const char *to, const char *from, size_t n, size_t room, uint64_t pc)
{
	size_t length, more;

	if (!seen(pc))
		return;
	length = strnlen(to, room);
	more = n > PTRDIFF_MAX ? strlen(from) : strnlen(from, n);
	if (length + more >= room)
		return;
	reads(to, length + 1, pc);
	reads_text(from, n, pc);
	writes(to + length, more + 1, pc);
}

#define WHOLE(name)                                                     \
	char *name(char *to, const char *from, size_t room);            \
	HEDDLE_HOOK char *name(char *to, const char *from, size_t room) \
	{                                                               \
		copies(to, from, SIZE_MAX, room, CALLER());             \
		return REAL(name)(to, from, room);                      \
	}
WHOLE(__strcpy_chk)
WHOLE(__stpcpy_chk)

#define PART(name)                                                                \
	char *name(char *to, const char *from, size_t n, size_t room);            \
	HEDDLE_HOOK char *name(char *to, const char *from, size_t n, size_t room) \
	{                                                                         \
		copies(to, from, n, room, CALLER());                              \
		return REAL(name)(to, from, n, room);                             \
	}
PART(__strncpy_chk)
PART(__stpncpy_chk)

char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);

HEDDLE_HOOK char *__strcat_chk(char *to, const char *from, size_t room)
{
	appends(to, from, SIZE_MAX, room, CALLER());
	return REAL(__strcat_chk)(to, from, room);
}

HEDDLE_HOOK char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	appends(to, from, n, room, CALLER());
	return REAL(__strncat_chk)(to, from, n, room);
}

HEDDLE_HOOK void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	uint64_t pc = CALLER();

	if (seen(pc) && n <= room) {
		reads(from, n, pc);
		writes(to, n, pc);
	}
	return REAL(__mempcpy_chk)(to, from, n, room);
}

HEDDLE_HOOK void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	uint64_t pc = CALLER();

	if (seen(pc) && n <= room)
		writes(to, n, pc);
	REAL(__explicit_bzero_chk)(to, n, room);
}
