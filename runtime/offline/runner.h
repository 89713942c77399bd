/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner.h - runs the threads of an execution in an order that respects what each event needs
 *
 * Each thread goes on for as long as what its next event needs has come. A thread that has to
 * wait hangs on the list of the thread it waits for; the thread that an event frees goes on
 * next, so that an order close to the recorded one comes out.
 *
 * Cost: O(n) calls of missing(), each thread's at most once more than it has events and waits.
 */
#ifndef HEDDLE_OFFLINE_RUNNER_H
#define HEDDLE_OFFLINE_RUNNER_H

#include "offline/execution.h"

/*
 * What event e, the next of its thread, has to wait for, or EX_NONE; at: the next event of each
 * thread.
 */
typedef uint32_t runner_missing(const void *self, const uint32_t *at, uint32_t e);

/* Threads that wait for another, or may go on. */
struct runner {
	uint32_t *ready, nready;
	uint32_t *head, *next; /* threads that wait for each thread */
	uint32_t *wait;        /* of each thread that waits: the event */
};

void runner_init(struct runner *r, const struct execution *x, uint32_t *at);
void runner_release(struct runner *r);

/* Thread t stops before event e of its own, for `missing` unless that is EX_NONE. */
void runner_stop(struct runner *r, const struct execution *x, uint32_t t, uint32_t e,
		 uint32_t missing);

/*
 * The events in order, and how many came: fewer than n if there is a cycle. at[k] is filled. To
 * be inlined with the missing() of the caller.
 */
static inline uint32_t runner_run(const struct execution *x, runner_missing *missing,
				  const void *self, uint32_t *at, uint32_t *order)
{
	struct runner r;
	uint32_t done = 0;

	runner_init(&r, x, at);
	while (r.nready) {
		uint32_t t = r.ready[--r.nready], m = EX_NONE, e = at[t];

		for (; e < x->first[t + 1]; at[t] = ++e) {
			m = missing(self, at, e);
			if (m != EX_NONE)
				break;
			order[done++] = e;
		}
		runner_stop(&r, x, t, e, e < x->first[t + 1] ? m : EX_NONE);
	}
	runner_release(&r);
	return done;
}

/*
 * Of the threads that are not at their end, some that wait for each other in a circle: their
 * numbers, each waiting for the one before it, to be freed; *n: how many.
 */
uint32_t *runner_circle(const struct execution *x, runner_missing *missing, const void *self,
			const uint32_t *at, uint32_t *n);

#endif
