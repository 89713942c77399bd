/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vain.h - threads that wait for an object, and cannot go on unless something is done to it
 *
 * Each choice of who moves next is one of those that can, and a hundred threads may wait for one lock. So who was asked in vain is not asked again
 * before there is an event of its object. And what a lock lets one thread do it lets all do that come with the same
 * operation: these are a crowd, of which one is asked when the object has changed.
 */
#ifndef HEDDLE_ENGINE_ONLINE_VAIN_H
#define HEDDLE_ENGINE_ONLINE_VAIN_H

#include "base/thread_set.h"
#include "wire/op.h"

enum {
	CROWDS = 8 /* at once; who finds no room is asked alone */
};

struct crowd {
	struct thread_set all; /* none: it is free */
	uint32_t loc;
	struct op op;
};

struct vain {
	struct thread_set now;
	uint32_t at[HEDDLE_MAX_THREADS]; /* the location, of those */
	struct crowd crowd[CROWDS];
	uint8_t in[HEDDLE_MAX_THREADS]; /* 1 + the crowd, or 0 */
};

void vain_begin(struct vain *v);

/* The thread cannot go on at the location. alike: nor can anybody who is there with the same operation. */
void vain_asked(struct vain *v, uint32_t tid, uint32_t loc, const struct op *op, bool alike);

/* Something was done to an object. O(1), unless somebody waits in vain: O(k) */
void vain_changes_at(struct vain *v, uint32_t loc);
static inline void vain_changes(struct vain *v, uint32_t loc)
{
	if (thread_set_any(&v->now))
		vain_changes_at(v, loc);
}

/* The thread comes to another operation, or does this one. */
static inline void vain_comes(struct vain *v, uint32_t tid)
{
	if (thread_set_any(&v->now))
		thread_set_remove(&v->now, tid);
	if (v->in[tid])
		thread_set_remove(&v->crowd[v->in[tid] - 1].all, tid);
	v->in[tid] = 0;
}

#endif
