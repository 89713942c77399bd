/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hook_directory.c - what threads read from one directory, as plain accesses
 *
 * POSIX lets readdir() be unsafe for threads that use one stream: the entry that it returns is overwritten by a later call.
 * So whoever moves the stream writes to it, and to the entry. How far it has come is the kernel's to know, too.
 */
/*
 * intercepts: Files and descriptors
 *
 * checked readdir readdir64 rewinddir seekdir - plain writes of the stream and of the entry, when instrumented code calls them
 * checked telldir - a plain read of the stream, when instrumented code calls it
 */
#include "preload/hooks/announce.h"

#include <dirent.h>

static void moves(DIR *d, uint64_t pc)
{
	note_hidden_state();
	if (seen(pc))
		writes(d, 1, pc);
}

#define READ(name, type)                                    \
	HEDDLE_HOOK struct type *name(DIR *d)               \
	{                                                   \
		uint64_t pc = CALLER();                     \
		struct type *entry;                         \
                                                            \
		moves(d, pc);                               \
		entry = REAL(name)(d);                      \
		if (entry && seen(pc))                      \
			writes(entry, entry->d_reclen, pc); \
		return entry;                               \
	}
READ(readdir, dirent)
READ(readdir64, dirent64)

HEDDLE_HOOK void rewinddir(DIR *d)
{
	moves(d, CALLER());
	REAL(rewinddir)(d);
}

HEDDLE_HOOK void seekdir(DIR *d, long place)
{
	moves(d, CALLER());
	REAL(seekdir)(d, place);
}

HEDDLE_HOOK long telldir(DIR *d)
{
	uint64_t pc = CALLER();

	note_hidden_state();
	if (seen(pc))
		reads(d, 1, pc);
	return REAL(telldir)(d);
}
