/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - accesses that are events of several locations, as others may ask about them (model/whole.h) */
#include <string.h>

#include "engine/engine.h"
#include "engine/model/whole.h"
#include "engine/run/state.h"

/*
 * That a thread may pass an await is asked of the parts alone. So it would be thought to pass where it
 * does so in no execution, and that it waits for ever would not be found.
 */
static enum wholeness judge(struct engine *e, const uint32_t *cut)
{
	enum wholeness found = whole_judge(e->model, &e->graph, cut, NULL, 0);

	if (found != PARTS_WHOLE && e->awaits && e->graph.any_waits)
		e->restart |= RESTART_AWAITS;
	return found;
}

/* Is there no need to ask, but for one that somebody has edited? */
static bool made_whole(const struct engine *e)
{
	return e->config.parts_in_order && e->config.mode != ENGINE_EXPLORE;
}

enum wholeness engine_is_whole(struct engine *e)
{
	if (!e->graph.parts)
		return PARTS_WHOLE;
	if (!made_whole(e))
		return judge(e, e->graph.count);
	return e->graph.given_back || whole_in_order(&e->graph) ? PARTS_WHOLE : PARTS_UNKNOWN;
}

void engine_parts_in_order(struct engine *e)
{
	e->config.parts_in_order = true;
}

enum wholeness engine_thread_is_whole(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	uint32_t cut[HEDDLE_MAX_THREADS], n = e->done[tid];

	if (!g->parts || !n || made_whole(e) || whole_repeats(g, tid, n))
		return PARTS_WHOLE;
	memcpy(cut, graph_porf(g, g->at[tid][n - 1]), g->nthreads * sizeof(*cut));
	return judge(e, cut);
}
