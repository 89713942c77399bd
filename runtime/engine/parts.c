/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - accesses that are events of several locations, as others may ask about them (model/whole.h) */
#include <string.h>

#include "engine/engine.h"
#include "engine/model/whole.h"
#include "engine/run/state.h"

enum wholeness engine_is_whole(struct engine *e)
{
	struct graph *g = &e->graph;

	return g->parts ? whole_judge(e->model, g, g->count, NULL, 0) : PARTS_WHOLE;
}

enum wholeness engine_thread_is_whole(struct engine *e, uint32_t tid)
{
	struct graph *g = &e->graph;
	uint32_t cut[HEDDLE_MAX_THREADS], n = e->done[tid];

	if (!g->parts || !n || whole_repeats(g, tid, n))
		return PARTS_WHOLE;
	memcpy(cut, graph_porf(g, g->at[tid][n - 1]), g->nthreads * sizeof(*cut));
	return whole_judge(e->model, g, cut, NULL, 0);
}
