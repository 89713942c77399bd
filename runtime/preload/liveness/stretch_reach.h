/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stretch_reach.h - the code of a function, and of those that it calls, is followed from one of its instructions on
 *
 *	reach_begin();
 *	if (reach_decode_at(pc, &offset, &start)) {
 *		reach_from(offset);
 *		reach_functions(start);
 *	}
 *
 * What it may do at worst is reach_now.worst then. Internal to stretch.c.
 */
#ifndef HEDDLE_PRELOAD_STRETCH_REACH_H
#define HEDDLE_PRELOAD_STRETCH_REACH_H

#include "preload/liveness/flow_code.h"
#include "preload/liveness/stretch.h"
#include "preload/liveness/stretch_memory.h"

#pragma GCC visibility push(hidden)

enum {
	REACH_FUNCTIONS = 256 /* that one place may lead to */
};

/* The function that was decoded last, and what is known before each of its instructions. */
extern struct flow_code reach_fn;
extern struct told *reach_told;

/* As stretch_ask() has it. */
extern bool reach_strict;
extern const struct taken *reach_resolved;

extern struct reach_now {
	uint64_t at
		[REACH_FUNCTIONS]; /* where code begins that is still to be followed, and has been */
	uint32_t n, done;
	enum stretch worst;
	bool mute; /* only the ways are looked for */
	bool open; /* places were met that are not watched */
	struct stretch_word word;
} reach_now;

/* Nothing was followed yet. */
void reach_begin(void);

/* Decodes the function that pc, a place behind its first byte, is in. From there on, if `rest`. */
bool reach_decode(uint64_t pc, bool rest);
/*
 * Decodes the function that pc is in, behind a call, or, where only a jump by a table leads there, from pc on: *offset is where pc is in what was decoded, *start
 * where the function begins. False: it is not understood.
 */
bool reach_decode_at(uint64_t pc, uint64_t *offset, uint64_t *start);

/* Follows the code of the function from one of its instructions on; true: it may return. */
bool reach_from(uint64_t offset);
/* What an instruction does, and where it leads: true if something is met with less announced than was known. */
bool reach_node(const struct node *node, uint64_t offset, bool *returns);
/* All that the functions do that were met in the one that begins there. */
void reach_functions(uint64_t start);

/* Of a call or a jump; 0: the code does not say. */
uint64_t reach_target_of(const struct insn *in);

/* Does the function, all of it, access those bytes of its frame where no hook announces that? (stretch_touches()) */
bool reach_touches(int64_t from, int64_t to, bool hidden);

#pragma GCC visibility pop

#endif
