/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - the program's code as it was loaded, for those who read it: breakpoints may stand in it (access/bare_traps.c) */
#ifndef HEDDLE_PRELOAD_CODE_H
#define HEDDLE_PRELOAD_CODE_H

#include <stdint.h>
#include <string.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

enum {
	CODE_ROOM = 16 /* bytes: more than an instruction has */
};

/* Puts into a copy of n bytes of code what was there before breakpoints; NULL: there are none. */
extern void (*code_restores)(uint8_t *copy, uint64_t at, uint64_t n);

/* The code at `at`, of which *left bytes may be looked at: where it is, or for one instruction in room. */
static inline const uint8_t *code_at(uint64_t at, uint64_t *left, uint8_t room[CODE_ROOM])
{
	if (!unlikely(code_restores))
		return (const uint8_t *)at;
	if (*left > CODE_ROOM)
		*left = CODE_ROOM;
	memcpy(room, (const void *)at, *left);
	code_restores(room, at, *left);
	return room;
}

#pragma GCC visibility pop

#endif
