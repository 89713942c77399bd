/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turns.h - runs the threads of an execution in an order that respects what each event needs
 *
 * Each thread goes on for as long as what its next event needs has come. A thread that has to
 * wait hangs on the list of the thread it waits for; the thread that an event frees goes on
 * next, so that an order close to the recorded one comes out.
 *
 * Cost: O(n) calls of missing(), each thread's at most once more than it has events and waits.
 */
#ifndef HEDDLE_OFFLINE_TURNS_H
#define HEDDLE_OFFLINE_TURNS_H

#include "offline/execution.h"

/*
 * What event e, the next of its thread, has to wait for, or EX_NONE; at: the next event of each
 * thread.
 */
typedef uint32_t turns_missing(const void *self, const uint32_t *at, uint32_t e);

/* Threads that wait for another, or may go on. */
struct turns {
	uint32_t *ready, nready;
	uint32_t *head, *next; /* threads that wait for each thread */
	uint32_t *wait;        /* of each thread that waits: the event */
};

void turns_init(struct turns *r, const struct execution *x, uint32_t *at);
void turns_release(struct turns *r);

/* Thread t stops before event e of its own, for `missing` unless that is EX_NONE. */
void turns_stop(struct turns *r, const struct execution *x, uint32_t t, uint32_t e,
		uint32_t missing);

/*
 * The events in order, and how many came: fewer than n if there is a cycle. at[k] is filled. To
 * be inlined with the missing() of the caller.
 */
static inline uint32_t turns_run(const struct execution *x, turns_missing *missing,
				 const void *self, uint32_t *at, uint32_t *order)
{
	struct turns r;
	uint32_t done = 0;

	turns_init(&r, x, at);
	while (r.nready) {
		uint32_t t = r.ready[--r.nready], m = EX_NONE, e = at[t];

		for (; e < x->first[t + 1]; at[t] = ++e) {
			m = missing(self, at, e);
			if (m != EX_NONE)
				break;
			order[done++] = e;
		}
		turns_stop(&r, x, t, e, e < x->first[t + 1] ? m : EX_NONE);
	}
	turns_release(&r);
	return done;
}

/*
 * Of the threads that are not at their end, some that wait for each other in a circle: their
 * numbers, each waiting for the one before it, to be freed; *n: how many.
 */
uint32_t *turns_circle(const struct execution *x, turns_missing *missing, const void *self,
		       const uint32_t *at, uint32_t *n);

#endif
