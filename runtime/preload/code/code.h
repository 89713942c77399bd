/* SPDX-License-Identifier: BSD-2-Clause */
/* code.h - the program's code as it was loaded, for those who read it: breakpoints may stand in it (access/bare_traps.c, hooks/world/asks.c, liveness/taken.c) */
#ifndef HEDDLE_PRELOAD_CODE_H
#define HEDDLE_PRELOAD_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

enum {
	CODE_ROOM = 16 /* bytes: more than an instruction has */
};

struct breakpoint {
	uint64_t at;
	uint8_t byte; /* that was there */
};

/* Those that somebody sets: n records of so many bytes by ascending addresses, each of which begins with its breakpoint. */
struct breakpoints {
	const void *record;
	uint32_t n, size;
};

/* How many of them are before the address. O(log n) */
uint32_t breakpoints_before(const struct breakpoints *b, uint64_t at);

/* From now on. The records stay where they are; whoever sets more of them says so in what this returns. */
struct breakpoints *code_add(struct breakpoints b);

/* Puts one in, for good: hlt, which gives SIGSEGV. Where the system does not allow it, the code stays as it is. */
void code_halt(uint64_t at);

/* Takes one of these out, so that the instruction, which is next, happens: to fault, and then it is put back. */
void code_lift(const struct breakpoint *b);
extern uint64_t code_lifted; /* its address, or 0 */
void code_put_back(void);

/* Somebody puts them in and takes them out all the time: who makes code writable leaves it so. */
extern bool code_is_written;

/* Is there any? Then: puts into a copy of n bytes of code what was there before. */
extern bool code_is_broken;
void code_restore(uint8_t *copy, uint64_t at, uint64_t n);
/* May one stand there? */
bool code_is_broken_at(uint64_t at);

/* The code at `at`, of which *left bytes may be looked at: where it is, or for one instruction in room. */
static inline const uint8_t *code_at(uint64_t at, uint64_t *left, uint8_t room[CODE_ROOM])
{
	if (!unlikely(code_is_broken))
		return (const uint8_t *)at;
	if (*left > CODE_ROOM)
		*left = CODE_ROOM;
	memcpy(room, (const void *)at, *left);
	code_restore(room, at, *left);
	return room;
}

#pragma GCC visibility pop

#endif
