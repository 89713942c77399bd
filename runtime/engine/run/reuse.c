/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reuse.c - ids of threads that were joined are used again
 *
 * A test program creates and joins two threads in each of its hundred tests, and ids are few
 * (clocks have an entry for each). So a thread that has created many
 * others gives the next one the id of one that it joined: its events follow, in po, those of the
 * thread that had the id before.
 *
 * That adds nothing to what is ordered: end, join, creation and start are hb edges, in
 * every model, so all that the first thread did happens before all that the second does anyway.
 *
 * Which id it is depends on the creator's own events only, as names have to: the thread joined last
 * whose id the creator has not given away since. Nobody else can give it away, since a thread is
 * joined once. The first REUSE_AFTER children of each thread have ids of their own, so that small
 * programs keep one id for each thread, and a mistaken use of a thread that was joined is
 * seen there.
 *
 * Cost: the events since that join, for each creation. Caller: engine.c.
 */
#include "engine/run/run.h"

enum {
	REUSE_AFTER = 16
};

uint32_t reuse_id(const struct engine *e, uint32_t parent)
{
	const struct graph *g = &e->graph;
	struct thread_set given = { 0 }; /* since then */

	if (!e->config.reuse_threads || e->thread[parent].created < REUSE_AFTER)
		return 0;
	for (uint32_t i = e->done[parent], pos; graph_back(g, parent, &i, &pos);) {
		const struct event *ev = &g->ev[pos];

		if (ev->kind == OP_CREATE)
			thread_set_add(&given, ev->peer);
		if (ev->kind != OP_JOIN || ev->fn)
			continue;
		if (!thread_set_has(&given, ev->peer))
			return ev->peer;
		thread_set_remove(&given, ev->peer);
	}
	return 0;
}
