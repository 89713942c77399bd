/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * buffers.c - see buffers.h
 */
#include "engine/online/buffers.h"

#include <string.h>

#include "base/prng.h"
#include "engine/run/sets.h"

size_t buffers_bytes(uint32_t capacity)
{
	return ((size_t)capacity * sizeof(uint32_t) + ARENA_SKEW) * HEDDLE_MAX_THREADS;
}

void buffers_init(struct buffers *b, struct moments *moments, struct arena *a, uint32_t capacity,
		  uint64_t *random)
{
	b->moments = moments;
	b->random = random;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS; t++)
		b->store[t] = arena_table(a, capacity * sizeof(uint32_t));
}

void buffers_begin(struct buffers *b)
{
	memset(b->from, 0, sizeof(b->from));
	memset(b->to, 0, sizeof(b->to));
	memset(b->left, 0, sizeof(b->left));
	b->filled = (struct thread_set){ 0 };
}

void buffers_store(struct buffers *b, uint32_t pos)
{
	uint32_t tid = b->moments->mo->g->ev[pos].tid;

	b->store[tid][b->to[tid]++] = pos;
	thread_set_add(&b->filled, tid);
}

static void leave(struct buffers *b, uint32_t tid)
{
	uint32_t write = b->store[tid][b->from[tid]++];

	mod_place(b->moments->mo, write,
		  b->moments->mo->g->locs[b->moments->mo->g->ev[write].loc].mo_last);
	moments_write(b->moments, write);
	b->left[tid] = b->moments->now;
	if (b->from[tid] != b->to[tid])
		return;
	b->from[tid] = b->to[tid] = 0;
	thread_set_remove(&b->filled, tid);
}

void buffers_empty(struct buffers *b, uint32_t tid)
{
	while (thread_set_has(&b->filled, tid))
		leave(b, tid);
	moments_since(b->moments, tid, b->left[tid]);
}

void buffers_pass_time(struct buffers *b)
{
	while (thread_set_any(&b->filled) && prng_below(b->random, 3))
		leave(b, set_draw(&b->filled, b->random));
}

void buffers_reach(struct buffers *b, uint32_t write)
{
	uint32_t tid = b->moments->mo->g->ev[write].tid;

	while (thread_set_has(&b->filled, tid) && !b->moments->mo->of[write].label)
		leave(b, tid);
}

bool buffers_empty_all(struct buffers *b)
{
	bool any = thread_set_any(&b->filled);

	while (thread_set_any(&b->filled))
		leave(b, thread_set_first(&b->filled));
	return any;
}

uint32_t buffers_own(const struct buffers *b, uint32_t tid, uint32_t loc)
{
	uint32_t last = mod_last(b->moments->mo, loc, tid);

	return last == NO_POS ? NO_POS : b->moments->mo->of[last].last_write;
}
