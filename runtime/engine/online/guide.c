/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guide.c - see guide.h
 */
#include "engine/online/guide.h"

#include <string.h>

#include "engine/online/online.h"
#include "engine/run/run.h"

enum {
	IN_A_ROW = 100 /* then another thread has its turn: this one may wait for it */
};

static struct guide *guide_of(const struct engine *e)
{
	return &e->online->guide;
}

void guide_init(struct guide *g, const struct engine_config *config)
{
	g->step = config->replay;
	g->n = config->replay ? config->replay_len : 0;
}

/* Threads have the numbers that they have in the guide, also if they are created in another order. */
static void name_threads(struct engine *e, const struct guide *g)
{
	uint32_t created[HEDDLE_MAX_THREADS] = { 0 };

	for (size_t i = 0; i < g->n; i++) {
		const struct engine_step_record *s = &g->step[i];

		if (s->kind != OP_CREATE || s->tid >= HEDDLE_MAX_THREADS ||
		    s->peer >= HEDDLE_MAX_THREADS || s->peer < e->nthreads)
			continue;
		for (uint32_t t = e->nthreads; t < s->peer;
		     t++) /* nobody's, for all that is known */
			e->name[t] = (struct thread_name){ .parent = 0, .rank = UINT32_MAX - t };
		e->name[s->peer] =
			(struct thread_name){ .parent = s->tid, .rank = created[s->tid]++ };
		e->nthreads = s->peer + 1;
	}
	graph_widen(&e->graph, e->nthreads);
}

void guide_begin(struct engine *e)
{
	struct guide *g = guide_of(e);

	name_threads(e, g);
	g->at = 0;
	memset(g->done, 0, sizeof(g->done));
	memset(g->looked, 0, sizeof(g->looked));
	g->row = 0;
	g->calm = e->run - e->first_run == 1;
	g->strayed = false;
}

/* Where a thread was stopped in a yield, or in a pause at the end: no operation (engine/stops.h). */
static bool is_stop(const struct engine_step_record *s)
{
	return s->kind == OP_YIELD || (s->kind == OP_PAUSE && s->choice);
}

static bool is_end(const struct engine_step_record *s)
{
	return s->kind == OP_EXIT || s->kind == OP_BLOCK || s->kind == OP_STUCK || is_stop(s);
}

static bool can_move(struct engine *e, uint32_t tid)
{
	return tid < e->nthreads && e->thread[tid].state == THREAD_WAITS && !is_aside(e, tid) &&
	       online_able(e, tid);
}

/* The thread of the first step that is to come and can; those that cannot are left out. */
static int pick_guided(struct engine *e, struct guide *g)
{
	for (; g->at < g->n; g->at++) {
		const struct engine_step_record *s = &g->step[g->at];

		if (is_end(s) || s->tid >= HEDDLE_MAX_THREADS || s->index < g->done[s->tid])
			continue;
		if (can_move(e, s->tid))
			return (int)s->tid;
		g->strayed = true;
	}
	return ENGINE_OVER;
}

/* The thread that moved last, or the next one that can. */
static int pick_calm(struct engine *e, struct guide *g)
{
	const uint32_t moved = e->online->choices.moved == NO_POS ? 0 : e->online->choices.moved;

	for (uint32_t i = g->row >= IN_A_ROW; i <= e->nthreads; i++) {
		uint32_t tid = (moved + i) % e->nthreads;

		if (!can_move(e, tid))
			continue;
		g->row = tid == moved ? g->row + 1 : 0;
		return (int)tid;
	}
	return ENGINE_OVER;
}

int guide_pick(struct engine *e)
{
	struct guide *g = guide_of(e);
	int tid = pick_guided(e, g);

	return tid == ENGINE_OVER && g->calm ? pick_calm(e, g) : tid;
}

/* The step that the thread's next operation is in the guide, or NULL. */
static const struct engine_step_record *next_of(struct guide *g, uint32_t tid)
{
	size_t i = g->looked[tid];

	while (i < g->n &&
	       (g->step[i].tid != tid || g->step[i].index < g->done[tid] || is_stop(&g->step[i])))
		i++;
	g->looked[tid] = i;
	return i < g->n && g->step[i].index == g->done[tid] ? &g->step[i] : NULL;
}

/* The place of the write that the step observes, in this execution; RF_NONE: it has not happened. */
static uint32_t named_write(const struct engine *e, const struct guide *g,
			    const struct engine_step_record *s)
{
	const struct event *ev;
	uint32_t pos;

	if (s->rf_tid == -1)
		return RF_INIT;
	if (s->rf_tid < 0 || s->rf_tid >= HEDDLE_MAX_THREADS || s->rf_index >= g->done[s->rf_tid])
		return RF_NONE;
	pos = e->step_at[s->rf_tid][s->rf_index];
	ev = &e->graph.ev[pos];
	/* A step that reads and writes stands for both its events. */
	if ((ev->flags & EV_EXCLUSIVE) && !(ev->flags & EV_WRITE) &&
	    ev->index + 1 < e->graph.count[ev->tid])
		pos = e->graph.at[ev->tid][ev->index + 1];
	return e->graph.ev[pos].flags & EV_WRITE ? pos : RF_NONE;
}

enum guide_read guide_read(const struct engine *e, const struct event *read, uint32_t *write)
{
	struct guide *g = guide_of(e);
	const struct engine_step_record *s = next_of(g, read->tid);

	if (!s || s->kind != read->kind || !(s->flags & STEP_READ))
		return g->at < g->n || g->calm ? GUIDE_NEWEST : GUIDE_FREE;
	if (s->flags & STEP_NEWEST)
		return GUIDE_NEWEST;
	*write = named_write(e, g, s);
	return *write == RF_NONE ? GUIDE_NEWEST : GUIDE_NAMED;
}

bool guide_choice(const struct engine *e, uint32_t tid, uint32_t n, uint32_t *choice)
{
	const struct engine_step_record *s = next_of(guide_of(e), tid);

	if (!s || s->choice >= n)
		return false;
	*choice = s->choice;
	return true;
}

bool guide_is_calm(const struct engine *e)
{
	return guide_is(guide_of(e)) && guide_of(e)->calm;
}

/* Is the event what the step says? */
static bool is_like(const struct engine *e, const struct guide *g,
		    const struct engine_step_record *s, const struct event *ev)
{
	if (s->kind != ev->kind || s->size != ev->size)
		return false;
	if ((ev->flags & EV_READ) && (s->choice != ev->choice || ev->rf != named_write(e, g, s)))
		return false;
	return ev->kind != OP_CHOOSE || s->choice == ev->choice;
}

void guide_happened(struct engine *e, uint32_t tid, uint32_t pos)
{
	struct guide *g = guide_of(e);
	const struct engine_step_record *s = next_of(g, tid);

	if (g->at < g->n && (!s || s != &g->step[g->at] || !is_like(e, g, s, &e->graph.ev[pos])))
		g->strayed = true;
	e->step_at[tid][g->done[tid]++] = pos;
}

bool guide_followed(struct engine *e)
{
	struct guide *g = guide_of(e);

	while (g->at < g->n &&
	       (is_end(&g->step[g->at]) || g->step[g->at].index < g->done[g->step[g->at].tid]))
		g->at++;
	return !g->strayed && g->at == g->n;
}
