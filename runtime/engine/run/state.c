/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.c - an engine with nothing explored, and a run that goes wrong
 */
#include "engine/run/state.h"

#include <stdio.h>
#include <string.h>

#include "engine/run/memo.h"
#include "engine/run/run.h"

void engine_empty(struct engine *e)
{
	graph_clear(&e->graph);
	e->nwork = e->work_base = e->nframes = 0;
	e->fresh = 1;
	e->first_asks = NO_LOC;
	e->forced = e->late = NO_POS;
	e->await_ready = 0;
	e->rerun = false;
	e->looking = e->look_again = false;
	e->first = true;
}

void engine_anew(struct engine *e)
{
	engine_empty(e);
	graph_ask_cells(&e->graph);
	await_clear(e);
	if (e->memo)
		memo_anew(e);
	memset(&e->stats, 0, sizeof(e->stats));
	e->first_run = e->run; /* random executions are drawn by their numbers */
}

/* How many operations the thread has finished in this run. */
static uint32_t finished(const struct engine *e, uint32_t tid)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->nran; i++)
		n += e->ran[i].tid == tid;
	return n;
}

void engine_wrong(struct engine *e, uint32_t tid, const char *what, const struct op *op)
{
	e->wrong = true;
	if (op)
		snprintf(e->error, sizeof(e->error),
			 "thread %u, operation %u: %s (%s of %u bytes at %#llx)", tid,
			 finished(e, tid), what,
			 op->kind < OP_KINDS ? op_kind_name(op->kind) : "an unknown operation",
			 op->size, (unsigned long long)op->addr);
	else
		snprintf(e->error, sizeof(e->error), "thread %u, operation %u: %s", tid,
			 finished(e, tid), what);
}

bool engine_strays(struct engine *e, uint32_t tid)
{
	if (!e->config.strays || e->config.mode != ENGINE_EXPLORE)
		return false;
	e->stats.strayed += !e->dead_end && !e->finishing;
	e->dead_end = e->stray = true;
	e->astray = tid;
	return true;
}
