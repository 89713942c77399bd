/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moments.h - sc, tso, sra: when things happened, as far as anybody can tell
 *
 * Writes reach memory one after the other (tso: when they leave their buffers), each at a moment of its
 * own. A read need not happen when it is executed: it may have happened at any moment since its
 * thread was last seen to do something, since nobody can tell. So of each thread the earliest moment at
 * which its next event can happen is kept, and a read observes what memory held at any moment since (online.txt, M).
 */
#ifndef HEDDLE_ENGINE_ONLINE_MOMENTS_H
#define HEDDLE_ENGINE_ONLINE_MOMENTS_H

#include "engine/online/modification.h"

struct moments {
	struct modification *mo;
	uint64_t now;
	uint64_t since[HEDDLE_MAX_THREADS]; /* the earliest moment of the thread's next event */
};

static inline uint64_t moment_of(const struct moments *m, uint32_t pos)
{
	return pos == RF_INIT ? 0 : m->mo->of[pos].moment;
}

/* The thread knows of what happened by then. */
static inline void moments_since(struct moments *m, uint32_t tid, uint64_t moment)
{
	if (m->since[tid] < moment)
		m->since[tid] = moment;
}

/* A write reaches memory. */
static inline void moments_write(struct moments *m, uint32_t pos)
{
	m->mo->of[pos].moment = ++m->now;
}

#endif
