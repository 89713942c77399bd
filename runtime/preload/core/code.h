/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - the program's code as it was loaded, for those who read it: breakpoints may stand in it (access/bare_traps.c, hooks/world/asks.c) */
#ifndef HEDDLE_PRELOAD_CODE_H
#define HEDDLE_PRELOAD_CODE_H

#include <stdint.h>
#include <string.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

enum {
	CODE_ROOM = 16 /* bytes: more than an instruction has */
};

/* Puts into a copy of n bytes of code what was there before some breakpoints. */
typedef void code_restore(uint8_t *copy, uint64_t at, uint64_t n);

/* Of whoever has set breakpoints; the first is NULL as long as nobody has. */
enum {
	CODE_BREAKERS = 2
};
extern code_restore *code_restores[CODE_BREAKERS];
/* From now on. */
void code_add(code_restore *restore);

/* The code at `at`, of which *left bytes may be looked at: where it is, or for one instruction in room. */
static inline const uint8_t *code_at(uint64_t at, uint64_t *left, uint8_t room[CODE_ROOM])
{
	if (!unlikely(code_restores[0]))
		return (const uint8_t *)at;
	if (*left > CODE_ROOM)
		*left = CODE_ROOM;
	memcpy(room, (const void *)at, *left);
	for (unsigned i = 0; i < CODE_BREAKERS && code_restores[i]; i++)
		code_restores[i](room, at, *left);
	return room;
}

#pragma GCC visibility pop

#endif
