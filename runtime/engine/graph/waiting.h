/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waiting.h - sets of threads as values: who waits at a condition variable, who sleeps on a futex
 *
 * The state of such an object is one value, as that of any other (wire/op.h): a word with a bit for
 * each thread that waits, and one for those that a requeue has just moved. It is so as long as all
 * of them are among the first 64 threads. Any other state is written down in a table of the graph, and
 * the value is its number there (hi: WAITING_WIDE). A state has one number, so that two
 * values are the same state exactly if they are equal.
 *
 * The table is emptied with the graph. The exploration, which follows no more than 64 threads, never
 * writes to it; so a value that goes from one engine to another means the same in both.
 */
#ifndef HEDDLE_ENGINE_WAITING_H
#define HEDDLE_ENGINE_WAITING_H

#include "base/arena.h"
#include "base/thread_set.h"
#include "engine/graph/guard.h"

struct waiting {
	struct thread_set set, moved;
};

/* Those that a word has no room for. */
struct wide_states {
	struct wide_state {
		struct waiting is;
		uint32_t slot; /* where the table has it */
	} * state;             /* capacity of them, the first one is no state */
	uint32_t n;
	uint32_t *table, bits; /* base/table.h: numbers */
};

#define WAITING_WIDE UINT64_MAX

size_t waiting_bytes(uint32_t capacity);
void waiting_init(struct wide_states *w, struct arena *a, uint32_t capacity);
/* Forgets all states that were written down. */
void waiting_clear(struct wide_states *w);

struct waiting waiting_of(const struct wide_states *w, struct value v);
struct value waiting_value(struct wide_states *w, const struct waiting *is);

/* True for the operations on condition variables that change who waits. */
bool waiting_kind(unsigned kind);
/* As guard_apply(), of such an operation; written NULL: nobody wants to know. */
enum guard waiting_apply(struct wide_states *w, const struct guard_op *op, struct value read,
			 struct value *written);

#endif
