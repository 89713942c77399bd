/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * around.c - the exploration begins with the recorded operations of another execution
 *
 * With config.replay it does not begin with nothing, but with these operations, each of which reads what it read there.
 * They stand first in each graph that is visited: nothing revisits their reads, deletes them, or does anything else in their
 * place. So exactly the executions are visited that have them as a cut, each once (explore.txt, N).
 *
 * They are inserted by one run, in the order in which they were recorded, and that run is over then: what comes next must be
 * a function of the graph alone, and where threads stand aside, and what is known of their rounds, is another thing
 * while operations are followed than when they are repeated.
 *
 * Threads have the ids that this exploration gives them. By modification order the writes among them branch over their
 * places as others do, so a run may begin with a part of the operations in the graph.
 *
 * Invariant: while around_follows(), the graph is what the first e->around.at of the operations make.
 * Cost: O(n) for n operations when the engine is set up; a question of its model for each read.
 * Callers: explore.c; engine.c and aside.c ask whether operations are followed.
 */
#include "engine/explore/around.h"

#include "engine/explore/explore.h"

enum {
	NO_STEP = UINT32_MAX
};

/* Steps without an event: where a thread was stopped, or ended the process. It does that by itself. */
static bool has_event(const struct engine_step_record *s)
{
	switch (s->kind) {
	case OP_YIELD:
	case OP_BLOCK:
	case OP_STUCK:
	case OP_EXIT:
		return false;
	case OP_PAUSE:
		return !s->choice; /* else the thread did not come out of it */
	default:
		return true;
	}
}

static bool reads_and_writes(const struct engine_step_record *s)
{
	return (s->flags & STEP_READ) && (s->flags & STEP_WROTE);
}

size_t around_bytes(const struct engine_config *c)
{
	return c->mode == ENGINE_EXPLORE ? c->replay_len * sizeof(struct around_step) + ARENA_SKEW
					 : 0;
}

/* Which of the operations wrote what the step reads; it comes before. NO_STEP: none. */
static uint32_t source_of(const struct engine *e, const struct engine_step_record *s,
			  const uint32_t *n)
{
	if (s->rf_tid < 0 || s->rf_tid >= HEDDLE_EXPLORED_THREADS || s->rf_index >= n[s->rf_tid])
		return NO_STEP;
	return e->step_at[s->rf_tid][s->rf_index];
}

void around_init(struct engine *e, struct arena *a)
{
	const struct engine_config *c = &e->config;
	uint32_t n[HEDDLE_MAX_THREADS] = { 0 };
	struct around *r = &e->around;

	r->step = arena_table(a, c->replay_len * sizeof(*r->step));
	for (size_t i = 0; i < c->replay_len && r->n < e->graph.capacity; i++) {
		const struct engine_step_record *s = &c->replay[i];

		if (!has_event(s))
			continue;
		r->step[r->n] = (struct around_step){ .record = (uint32_t)i,
						      .source = source_of(e, s, n),
						      .pos = r->fixed };
		if (s->tid < HEDDLE_EXPLORED_THREADS && s->index == n[s->tid])
			e->step_at[s->tid][n[s->tid]++] = r->n;
		r->fixed += 1 + reads_and_writes(s);
		r->n++;
	}
}

static const struct engine_step_record *record(const struct engine *e, uint32_t i)
{
	return &e->config.replay[e->around.step[i].record];
}

void around_begin(struct engine *e)
{
	struct around *r = &e->around;

	while (r->at && r->step[r->at - 1].pos >= e->graph.n)
		r->at--;
	while (r->at < r->n && r->step[r->at].pos < e->graph.n)
		r->at++;
	if (!around_follows(e))
		return;
	for (uint32_t t = 1; t < HEDDLE_MAX_THREADS; t++)
		r->tid_of[t] = NO_POS;
	for (uint32_t i = 0; i < r->at; i++)
		if (record(e, i)->kind == OP_CREATE && record(e, i)->peer < HEDDLE_MAX_THREADS)
			r->tid_of[record(e, i)->peer] = e->graph.ev[r->step[i].pos].peer;
}

static enum step_status astray(struct engine *e, uint32_t tid, const char *what,
			       const struct op *op)
{
	if (engine_strays(e, tid))
		return STEP_CUT;
	engine_wrong(e, tid, what, op);
	return STEP_WRONG;
}

int around_pick(struct engine *e)
{
	const struct engine_step_record *s = record(e, e->around.at);
	uint32_t tid = s->tid < HEDDLE_MAX_THREADS ? e->around.tid_of[s->tid] : NO_POS;

	if (tid < e->nthreads && e->thread[tid].state == THREAD_WAITS)
		return (int)tid;
	astray(e, tid < e->nthreads ? tid : 0, "is not there to make its next recorded step", NULL);
	return ENGINE_OVER;
}

/* The write that the next recorded read observes, or RF_NONE. */
static uint32_t recorded_write(const struct engine *e)
{
	const struct engine_step_record *s = record(e, e->around.at);
	uint32_t from = e->around.step[e->around.at].source;

	if (s->rf_tid == -1)
		return RF_INIT;
	if (from == NO_STEP)
		return RF_NONE;
	return e->around.step[from].pos + reads_and_writes(record(e, from));
}

/* Does the model let the read at pos, the latest event, observe that, and write as well if it has to? */
static bool is_candidate(struct engine *e, uint32_t pos, uint32_t write, uint32_t choice)
{
	struct graph *g = &e->graph;
	char *mark = arena_mark(&g->scratch);
	struct candidate *c = arena_take(&g->scratch, (g->n + 1) * sizeof(*c));
	bool unused, found = false;
	uint32_t n = run_candidates(e, pos, c, &unused);

	for (uint32_t i = 0; !found && i < n; i++) {
		found = c[i].write == write && !c[i].taken &&
			choice < graph_choices(g, &g->ev[pos], write);
		g->witness.promised = c[i].witness;
	}
	arena_reset(&g->scratch, mark);
	return found;
}

/* In modification order only some of the places that were chosen for writes let the read have its write. */
static enum step_status refuse_read(struct engine *e, uint32_t pos, const struct op *op)
{
	const uint32_t tid = e->graph.ev[pos].tid;

	if (e->graph.mo) {
		e->dead_end = true;
		return STEP_CUT;
	}
	graph_truncate(&e->graph, pos);
	return astray(e, tid, "cannot read what it read when it was recorded", op);
}

/* What is recorded is done: no value that its thread waited for counts any more. */
static enum step_status add_read(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct engine_step_record *s = record(e, e->around.at);
	uint32_t write = recorded_write(e), pos, part;
	struct graph *g = &e->graph;
	struct op done = *op;
	bool writes;

	done.await = 0;
	pos = run_add_read(e, tid, &done);
	g->ev[pos].written = g->locs[g->ev[pos].loc].initial;
	if (lock_slotted(e, op))
		g->ev[pos].slot = pos;
	if (write == RF_NONE || !is_candidate(e, pos, write, s->choice))
		return refuse_read(e, pos, op);
	writes = run_set_read(e, pos, write, s->choice) == GUARD_WRITES;
	if (writes != reads_and_writes(s))
		return refuse_read(e, pos, op);
	if (!writes)
		return STEP_DONE;
	part = run_add_write_part(e, pos);
	if (!g->mo || mo_place_rmw(e, part))
		return STEP_DONE;
	e->dead_end = true;
	return STEP_CUT;
}

static bool needs_another(unsigned kind)
{
	return kind == OP_JOIN || kind == OP_COND_WOKEN || kind == OP_BARRIER_PASS;
}

static enum step_status add_simple(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct engine_step_record *s = record(e, e->around.at);
	uint32_t pos;

	if (needs_another(op->kind) && !run_enabled(e, tid))
		return astray(e, tid, "waits for something that has not happened", op);
	if (op->kind == OP_CREATE && s->peer < HEDDLE_MAX_THREADS)
		e->around.tid_of[s->peer] = op->peer;
	pos = run_add_simple(e, tid, op);
	if (op->kind == OP_CHOOSE)
		run_choose(e, pos, s->choice < op->peer ? s->choice : 0);
	if (e->graph.mo && (e->graph.ev[pos].flags & EV_WRITE))
		must(mo_place(e, pos, NO_POS));
	return STEP_DONE;
}

enum step_status around_add(struct engine *e, uint32_t tid, const struct op *op)
{
	const struct engine_step_record *s = record(e, e->around.at);
	enum step_status status;

	if (s->kind != op->kind || s->size != op->size)
		return astray(e, tid, "does something else than recorded", op);
	must(e->graph.n == e->around.step[e->around.at].pos);
	status = op_reads(op) ? add_read(e, tid, op) : add_simple(e, tid, op);
	if (status != STEP_DONE)
		return status;
	e->around.at++;
	if (around_follows(e))
		return STEP_DONE;
	e->rerun = true;
	return STEP_CUT;
}
