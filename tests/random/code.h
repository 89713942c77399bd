/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.h - a program as instructions, for the oracle
 *
 * Structured statements become jumps. What only concerns one thread (registers, branches, plain
 * variables under their mutex) runs at once behind each visible instruction, so that the
 * machines see atomics, fences, mutexes, the condition variable and the end of threads only.
 */
#ifndef TESTS_RANDOM_CODE_H
#define TESTS_RANDOM_CODE_H

#include "random/program.h"

enum {
	MAX_CELLS = MAX_LOCS + MAX_MUTEXES, /* mutexes are locations as well: 0 free, 1 taken */
	MAX_INSNS = 200
};

enum opcode {
	OP_LOAD,
	OP_STORE,
	OP_RMW,
	OP_CAS,
	OP_FENCE,
	OP_LOCK,
	OP_TRYLOCK,
	OP_UNLOCK,
	OP_WAIT,  /* begins to wait; an unlock follows */
	OP_WOKEN, /* until somebody signals */
	OP_SIGNAL,
	OP_BROADCAST,
	OP_END,
	/* what is local to a thread */
	OP_SET,
	OP_PLOAD,
	OP_PSTORE,
	OP_UNLESS, /* jumps to target unless cond */
	OP_JUMP
};

/* What becomes of a lock: insn.fn of OP_LOCK, OP_TRYLOCK and OP_UNLOCK. */
enum how {
	HOW_MUTEX, /* 0 free, 1 taken */
	HOW_READ,
	HOW_WRITE,
	HOW_ASK,   /* a writer will come: readers wait */
	HOW_ASKED, /* it comes */
	HOW_COUNT
};

struct insn {
	uint8_t op, cell, reg, reg2, order, order_fail, fn, target;
	struct operand arg, expected;
	struct cond cond;
};

struct code {
	int n;
	struct insn i[MAX_INSNS];
};

struct thread_state {
	uint8_t pc;
	bool done, waits;
	int8_t reg[MAX_REGS];
};

bool code_make(struct code *c, const struct program *p, int thread);

/* May it be taken when it is like this? And what it is then, or when it is freed. Values are at most 127. */
bool lock_passes(int how, int value);
int lock_taken(int how, int value);
int lock_freed(int how, int value);
/* What it is in the beginning. */
int lock_begins(const struct program *p, int mutex);

int operand_value(struct operand o, const int8_t *reg);
int rmw_value(int fn, int old, int arg);

/* Called before each access to a plain variable. */
struct plain_watch {
	void (*access)(void *arg, int variable, bool write);
	void *arg;
};

/* Runs what is local; false if there is no end of it. watch: NULL, nobody asks. */
bool code_local(const struct code *c, struct thread_state *t, int8_t *plain,
		const struct plain_watch *watch);

#endif
