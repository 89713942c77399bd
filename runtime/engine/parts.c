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

enum wholeness engine_is_whole(struct engine *e)
{
	return e->graph.parts ? judge(e, e->graph.count) : PARTS_WHOLE;
}

enum wholeness engine_thread_is_whole(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	uint32_t cut[HEDDLE_MAX_THREADS], n = e->done[tid];

	if (!g->parts || !n || whole_repeats(g, tid, n))
		return PARTS_WHOLE;
	memcpy(cut, graph_porf(g, g->at[tid][n - 1]), g->nthreads * sizeof(*cut));
	return judge(e, cut);
}
