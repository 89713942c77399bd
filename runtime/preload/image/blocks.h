/* SPDX-License-Identifier: BSD-2-Clause */
/* blocks.h - stacks and borrowed thread-local storage of the threads */
#ifndef HEDDLE_PRELOAD_BLOCKS_H
#define HEDDLE_PRELOAD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/shared.h"

struct fiber;

#pragma GCC visibility push(hidden)

/* Gives fiber tid a stack and a borrowed TLS block, unless it has them. */
void block_prepare(uint32_t tid, size_t stack_size);
/* The stack beside its block, which must be large enough, is to end where one of this size does. */
void block_stack_of(struct fiber *f, size_t size);
/* Makes a block as a fresh thread finds it. */
void block_restore(struct fiber *f);
/* A fault at addr: true if it was the first write to a block, which may go on. */
bool blocks_fault(uint64_t addr);
/* An execution is over: from now on blocks are protected until they are written to. */
void blocks_guard(void);
/*
 * May main's block be protected until it is written to, as those of other threads are? Makes the
 * kernel write there no more.
 */
bool blocks_keep_main(void);
/* Makes all blocks fresh, and ends their protection: executions run in children from now on. */
void blocks_release(void);
/* From now on none is protected, and each is restored for every thread. */
void blocks_open_all(void);
/* The threads that were seen, and the stacks that they asked for: the fork back end makes their blocks in the
 * parent next time. */
struct blocks_seen {
	uint32_t threads;                        /* highest thread id */
	uint64_t stack_size[HEDDLE_MAX_THREADS]; /* the most that each asked for; 0: nothing */
};
extern struct blocks_seen *blocks_seen;
/* Thread tid exists, and asked for a stack of that size (or 0). */
void block_seen(uint32_t tid, size_t stack_size);

#pragma GCC visibility pop

#endif
