/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - where threads that were stopped in loops may come to, from operation to operation
 *
 * Internal to runtime/preload: alone.c and together.c. When nothing else can move, by who is no fiber. A node is a state of
 * a thread at an operation. Each step is a probe (probe.c), in memory as it is at the end of the execution with what the
 * thread has written on its way to the node, and is undone.
 *
 * Bounds: WALK_NODES, the room for their stacks, and a write log each. Beyond them nothing is known.
 */
#ifndef HEDDLE_PRELOAD_WALK_H
#define HEDDLE_PRELOAD_WALK_H

#include "preload/await/alone.h"
#include "preload/await/arrival.h"

enum {
	WALK_NODES = 256
};

/* What tells nodes apart beside the state of the thread. */
struct walk_mark {
	uint64_t open;                      /* what it has added where it goes round (together.c) */
	uint32_t knows[HEDDLE_MAX_THREADS]; /* a clock: what it knows of (alone.c) */
};

struct walk_node {
	struct fiber *fiber;
	struct arrival at;
	struct entry call;
	char *stack;            /* from call.sp up */
	struct write_log holds; /* what memory holds there, and did not at the end: its `old` */
	struct walk_mark mark;
};

enum walk_end {
	WALK_ARRIVES, /* at a node */
	WALK_LEAVES,  /* it does something that others may see */
	WALK_UNKNOWN, /* not all of what it does is told, or there is no room */
};

#pragma GCC visibility push(hidden)

/* May the operation be one of a round that does nothing? Else its thread has got out. */
bool walk_may_be_silent(const struct op *op);
/* Forgets all nodes. */
void walk_begin(void);
/* How many there are; they stay where they are. */
uint32_t walk_nodes(void);
const struct walk_node *walk_node(uint32_t node);
/* The node of a fiber where it was stopped, at an operation that it has not performed. */
enum walk_end walk_enter(struct fiber *f, const struct walk_mark *mark, uint32_t *node);
/* One step, with the value that the operation of the node reads; mark: of the node that it comes to. */
enum walk_end walk_step(uint32_t from, struct value value, const struct walk_mark *mark,
			uint32_t *to);

#pragma GCC visibility pop

#endif
