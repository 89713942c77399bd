/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stops.c - in which of their yields threads were stopped
 *
 * A yield is no event. Mostly the thread goes on at once, and it was as if there were none. Where others came first, what
 * they and the thread do without operations may come out in another way: which of several races is the first one, or what
 * a check of the program's own finds in a plain variable. So a recorded execution says where a thread went on behind a
 * yield that it was stopped in, and in which ones threads were when it ended. A replay stops them there, and nowhere else:
 * then all that the program does has the order that it had.
 *
 * What stands before an operation, and is part of it (struct op's peer is 0), is not recorded: nothing is in between. An
 * OP_PAUSE is an event, but one that a thread is stopped in at the end is not.
 *
 * Behind its last step a thread may yield again and again, and others would never come to what the record ends with: the
 * runtime says when it is to wait (YIELD_ASIDE).
 *
 * Cost: O(1) for each yield; a replay looks at each record once for each thread.
 */
#include "engine/stops.h"

#include <string.h>

#include "engine/engine.h"

static bool stays(const struct engine_step_record *s)
{
	return s->choice && (s->kind == OP_YIELD || s->kind == OP_PAUSE);
}

/* Threads that did not go on stand behind all that is to be repeated. */
void stops_init(struct engine *e)
{
	struct engine_config *c = &e->config;

	e->recorded = c->replay_len;
	while (c->replay_len && stays(&c->replay[c->replay_len - 1]))
		c->replay_len--;
}

/* The thread that did something last. */
static uint32_t last_to_move(const struct engine *e)
{
	if (e->nstops && e->stop[e->nstops - 1].at == e->nran)
		return e->stop[e->nstops - 1].tid;
	return e->nran ? e->ran[e->nran - 1].tid : 0;
}

void stops_end(struct engine *e, uint32_t tid, const struct op *op)
{
	if (!op->peer || (last_to_move(e) == tid && e->config.mode != ENGINE_REPLAY))
		return;
	must(e->nstops < e->graph.capacity);
	e->stop[e->nstops++] = (struct stop){ .tid = tid, .yield = op->peer, .at = e->nran };
}

/* What is recorded of the thread next, or NULL. */
static const struct engine_step_record *next_of(struct engine *e, uint32_t tid)
{
	size_t i = e->own_next[tid] < e->replay_at ? e->replay_at : e->own_next[tid];

	while (i < e->recorded && e->config.replay[i].tid != tid)
		i++;
	e->own_next[tid] = i;
	return i < e->recorded ? &e->config.replay[i] : NULL;
}

bool engine_stops_here(struct engine *e, uint32_t tid, uint32_t yield)
{
	const struct engine_step_record *s = next_of(e, tid);

	return s && s->kind == OP_YIELD && s->peer == yield;
}

bool engine_is_recorded(const struct engine *e)
{
	return is_recorded(e);
}

bool engine_has_repeated(struct engine *e, uint32_t tid, uint32_t yield)
{
	const struct engine_step_record *s = is_recorded(e) ? next_of(e, tid) : NULL;

	/* of a yield that it has left behind: in a trace that somebody has edited */
	return is_recorded(e) && (!s || (s->kind == OP_YIELD && s->peer < yield));
}

enum step_status stops_repeat(struct engine *e, uint32_t tid, const struct op *op,
			      struct op_result *r)
{
	*r = (struct op_result){ 0 };
	if (!op->peer || (op->fn != YIELD_ASIDE && !engine_stops_here(e, tid, op->peer)))
		return STEP_DONE;
	e->thread[tid].pending = *op;
	thread_becomes(e, tid, THREAD_WAITS);
	thread_set_add(&e->aside, tid);
	if (engine_next(e) != (int)tid)
		return e->wrong ? STEP_WRONG : STEP_WAIT;
	e->replay_at++;
	thread_set_remove(&e->aside, tid);
	thread_becomes(e, tid, THREAD_RUNS);
	stops_end(e, tid, op);
	return STEP_DONE;
}

void stops_describe(const struct stop *s, uint32_t index, struct engine_step_record *r)
{
	memset(r, 0, sizeof(*r));
	r->kind = OP_YIELD;
	r->tid = s->tid;
	r->index = index;
	r->rf_tid = -2;
	r->peer = s->yield;
}

bool stops_still(const struct engine *e, uint32_t tid, uint32_t index, struct engine_step_record *r)
{
	const struct op *op = &e->thread[tid].pending;
	struct stop s = { .tid = tid, .yield = op->peer };

	if (e->thread[tid].state != THREAD_WAITS ||
	    !((op->kind == OP_YIELD && op->peer) || op->kind == OP_PAUSE))
		return false;
	stops_describe(&s, index, r);
	r->kind = op->kind;
	r->choice = 1;
	return true;
}
