/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrival.h - the state of a thread at one of its operations: compared, and hashed
 *
 * Internal to runtime/preload: probe.c and await.h.
 */
#ifndef HEDDLE_PRELOAD_ARRIVAL_H
#define HEDDLE_PRELOAD_ARRIVAL_H

#include "preload/await/await.h"

#pragma GCC visibility push(hidden)

enum {
	REGISTERS = 6,
	STACK_MAX = 8 << 20, /* bytes: of more nothing is known */
};

/* The program at one of its operations, or at a plain read. */
struct arrival {
	struct op op;
	uint64_t sp; /* of the program's frame; 0: no such frame (the thread's end) */
	uint64_t pc; /* where the call of the hook returns to */
	uint64_t reg[REGISTERS];
};

/* Notes where the calling fiber is, about to perform op. */
void arrive(struct arrival *at, const struct op *op);
/* At a look before a hook is called (interrupt.h): to where the program calls it. */
void arrival_of_program(struct arrival *at);
/*
 * Are these one operation, at one place? Elsewhere the state would be another one anyway, but whether it was saved there must not
 * matter.
 */
bool same_op(const struct op *a, const struct op *b);
/*
 * Does the fiber arrive with these registers, and this copy of its stack from at->sp up, but for what it
 * will never see?
 */
bool same_state(const struct fiber *f, const struct arrival *at, const uint64_t *reg,
		const char *stack);

/*
 * A hash of where the fiber arrives, and of what it has written on the way: the same for all that are the same. call: the
 * registers that its hook is given count as well; or NULL.
 */
void arrival_hash(const struct fiber *f, const struct arrival *at, const struct entry *call,
		  const struct write_log *wrote, uint64_t hash[2]);

#pragma GCC visibility pop

#endif
