/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.h - tso: the store buffers of a random execution
 *
 * A store enters its thread's buffer and leaves it, in order, at a time that is drawn; then it gets
 * its place in mo, the last. Read-modify-writes and sc fences wait until their thread's buffer is empty, and
 * so do sc stores (compilers make exchanges of them), the creation of a thread and its end: here they empty it
 * (online.txt, T).
 */
#ifndef HEDDLE_ENGINE_ONLINE_BUFFERS_H
#define HEDDLE_ENGINE_ONLINE_BUFFERS_H

#include "engine/online/moments.h"

struct buffers {
	struct moments *moments;
	uint32_t *store[HEDDLE_MAX_THREADS]; /* places of stores, oldest first */
	uint32_t from[HEDDLE_MAX_THREADS], to[HEDDLE_MAX_THREADS]; /* those that are still in it */
	uint64_t left[HEDDLE_MAX_THREADS]; /* when a store of the thread left it last */
	struct thread_set filled;          /* threads whose buffer is not empty */
	uint64_t *random;
};

size_t buffers_bytes(uint32_t capacity);
void buffers_init(struct buffers *b, struct moments *moments, struct arena *a, uint32_t capacity,
		  uint64_t *random);
void buffers_begin(struct buffers *b);

/* A write happens: the newest event of the graph, in its list. */
void buffers_store(struct buffers *b, uint32_t pos);
/* The thread goes on when its buffer is empty: what is in it leaves it. */
void buffers_empty(struct buffers *b, uint32_t tid);
/* The write, one that was in a buffer, leaves it, and those before it do. */
void buffers_reach(struct buffers *b, uint32_t write);
/* Some stores leave their buffers, drawn at random: none or more, one on average. */
void buffers_pass_time(struct buffers *b);
/* All stores leave; false: there were none. */
bool buffers_empty_all(struct buffers *b);

/* The thread's own youngest store to the location, or NO_POS. It has no label while it is in the buffer. */
uint32_t buffers_own(const struct buffers *b, uint32_t tid, uint32_t loc);

#endif
