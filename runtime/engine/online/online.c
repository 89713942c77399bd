/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * online.c - the operations of a random execution; see online.h
 */
#include "engine/online/online.h"

#include <string.h>

#include "base/prng.h"
#include "engine/online/draw.h"
#include "engine/online/enter.h"
#include "engine/online/give_back.h"
#include "engine/run/peeked.h"

static const enum online_way ways[MODEL_COUNT] = {
	[MODEL_SC] = WAY_MEMORY,   [MODEL_TSO] = WAY_BUFFERS,      [MODEL_SRA] = WAY_APPEND,
	[MODEL_RA] = WAY_COHERENT, [MODEL_RELAXED] = WAY_COHERENT, [MODEL_RC20] = WAY_COHERENT,
	[MODEL_RC11] = WAY_RC11,   [MODEL_WRA] = WAY_WEAK,
};

size_t online_bytes(uint32_t capacity)
{
	return sizeof(struct online) + mod_bytes(capacity) + sc_order_bytes(capacity) +
	       buffers_bytes(capacity) + giving_bytes(capacity) + choices_bytes();
}

void online_init(struct engine *e, struct arena *a, uint32_t capacity)
{
	struct online *on = arena_take(a, sizeof(*on));

	e->online = on;
	on->way = ways[e->config.model];
	guide_init(&on->guide, &e->config);
	on->moments.mo = &on->mo;
	mod_init(&on->mo, &e->graph, a, capacity);
	sc_order_init(&on->sc, &on->mo, a, capacity, &e->random);
	buffers_init(&on->buffers, &on->moments, a, capacity, &e->random);
	giving_init(e, a, capacity);
	choices_init(&on->choices, e, a);
}

/* Executions that are over, since the session began. */
static uint64_t counted(const struct engine *e)
{
	const struct engine_stats *s = &e->stats;

	return s->executions + s->blocked + s->failed + s->cut;
}

void online_restart(struct engine *e)
{
	struct online *on = e->online;

	giving_begin(e);
	choices_begin(&on->choices, !counted(e));
	polling_begin(&on->polling, e->random);
	sc_order_begin(&on->sc);
	buffers_begin(&on->buffers);
	on->moments.now = 0;
	memset(on->moments.since, 0, sizeof(on->moments.since));
	vain_begin(&on->vain);
	on->unsure = (struct thread_set){ 0 };
	memset(on->newest, 0xff, sizeof(on->newest));
	on->midway = false;
	on->exit = EXIT_NONE;
	on->at_once = on->way != WAY_BUFFERS && on->way != WAY_WEAK && !guide_is(&on->guide) &&
		      !e->config.parts_in_order;
}

/* ---- What can happen ---------------------------------------------------------------------------------- */

static bool may_wait(unsigned kind)
{
	return kind == OP_COND_WOKEN || kind == OP_BARRIER_PASS || guard_may_block(kind);
}

static bool passes(struct engine *e, uint32_t tid)
{
	const struct op *op = &e->thread[tid].pending;

	return run_enabled(e, tid) && (!guard_may_block(op->kind) || draw_possible(e, tid, op));
}

/* Of an operation that may have to wait, or is no access to memory. */
static bool passes_now(struct engine *e, uint32_t tid)
{
	struct online *on = e->online;
	const struct op *op = &e->thread[tid].pending;

	if (!may_wait(op->kind) || on->way == WAY_BUFFERS || op->size)
		return passes(e, tid);
	if (thread_set_has(&on->vain.now, tid)) {
#ifdef HEDDLE_CHECKS
		must(!passes(e, tid));
#endif
		return false;
	}
	if (passes(e, tid))
		return true;
	vain_asked(&on->vain, tid, graph_location(&e->graph, op->addr, op->size), op,
		   draw_goes_by_value(e, op->kind));
	return false;
}

static bool can_happen(struct engine *e, uint32_t tid)
{
	const struct thread *th = &e->thread[tid];

	/* The first thread is one that waits for others all the time, in most programs. */
	if (th->pending.kind == OP_JOIN && e->thread[th->pending.peer].state != THREAD_ENDED)
		return false;
	if (th->pending.kind > OP_FENCE || th->pending.await)
		return passes_now(e, tid);
	return th->state == THREAD_WAITS && !is_aside(e, tid) &&
	       e->done[tid] >= e->graph.count[tid];
}

bool online_is_able(struct engine *e, uint32_t tid)
{
	return e->thread[tid].off || can_happen(e, tid);
}

bool online_is_off(struct engine *e, uint32_t tid)
{
	return !can_happen(e, tid);
}

void online_yields(struct engine *e, uint32_t tid)
{
	struct polling *p = &e->online->polling;

	if (p->goes_on == tid)
		e->picked = tid;
	else
		polling_yields(p, &e->graph, tid);
}

bool online_wait(struct engine *e)
{
	return e->online->way == WAY_BUFFERS && buffers_empty_all(&e->online->buffers);
}

/* ---- What happens ---------------------------------------------------------------------------------------- */

/* The event at pos is in the graph, with its clocks. */
static void enter(struct online *on, uint32_t pos, struct sc_place place)
{
	const struct event *ev = &on->mo.g->ev[pos];

	if (ev->loc != NO_LOC && !ev->size)
		vain_changes(&on->vain, ev->loc);
	if (ev->loc != NO_LOC && !(ev->flags & EV_WRITE)) {
		enter_read(on, ev, pos, place);
		return;
	}
	on->mo.listed[pos] = 0;
	if (online_looks_at_floors(on))
		mod_learned(&on->mo, pos);
	if (ev->loc != NO_LOC)
		enter_write(on, ev, pos, place);
	else if (on->way == WAY_RC11)
		sc_order_enter(&on->sc, pos, place);
}

static uint32_t draw_choice(struct engine *e, uint32_t tid, uint32_t n)
{
	uint32_t choice;

	if (n == 1)
		return 0;
	if (guide_is(&e->online->guide) && guide_choice(e, tid, n, &choice))
		return choice;
	return prng_below(&e->random, n);
}

static void read_happens(struct engine *e, uint32_t tid, const struct op *op)
{
	struct online *on = e->online;
	struct drawing d;
	uint32_t pos, choice;
	const struct event *read = run_peek(e, tid, op);
	bool found = draw_read(e, read, &d);
	enum guard guard;

	must(found);
	choice = draw_choice(e, tid, graph_choices(&e->graph, read, d.write));
	guard = graph_guard(&e->graph, read, d.write, choice, NULL);
	pos = run_add_peeked_read(e, d.write, choice, guard);
	enter(on, pos, d.place);
	if (guard != GUARD_WRITES) {
		learn_moment(on, tid, d.write);
		return;
	}
	if (on->way == WAY_BUFFERS)
		buffers_empty(&on->buffers, tid);
	pos = run_append_write_part(e, pos);
	enter(on, pos, d.place);
	write_reaches_memory(on, pos, d.write);
}

static void write_happens(struct engine *e, uint32_t tid, const struct op *op)
{
	struct online *on = e->online;
	struct drawing d = { 0 };
	uint32_t pos;
	const struct event *write = run_peek(e, tid, op);

	if (on->way != WAY_BUFFERS)
		draw_write(e, write, &d);
	pos = run_add_peeked_write(e, op);
	enter(on, pos, d.place);
	if (on->way != WAY_BUFFERS) {
		write_reaches_memory(on, pos, d.write);
		return;
	}
	buffers_store(&on->buffers, pos);
	if (op->order == ORDER_SC || on->choices.chooser->memory == MEMORY_LAST ||
	    online_in_order(e, write->loc))
		buffers_empty(&on->buffers, tid);
}

static bool writes_only(unsigned kind)
{
	return kind == OP_STORE || kind == OP_UNLOCK || kind == OP_ONCE_DONE;
}

static uint32_t choose(struct engine *e, uint32_t tid, const struct op *op)
{
	uint32_t choice;

	if (guide_is(&e->online->guide) && guide_choice(e, tid, op->peer, &choice))
		return choice;
	return run_draw_choice(e, op);
}

static void other_happens(struct engine *e, uint32_t tid, const struct op *op)
{
	struct online *on = e->online;
	struct sc_place place = { .behind = NO_POS };
	uint32_t pos;

	if (on->way == WAY_BUFFERS && ((op->kind == OP_FENCE && op->order == ORDER_SC) ||
				       op->kind == OP_CREATE || op->kind == OP_END))
		buffers_empty(&on->buffers, tid);
	pos = run_add_simple(e, tid, op);
	if (on->way == WAY_RC11 && is_sc_fence(&e->graph.ev[pos]))
		place = e->config.parts_in_order ? (struct sc_place){ .behind = on->sc.last }
						 : sc_order_draw_fence(&on->sc, pos);
	enter(on, pos, place);
	giving_notes(&on->giving, op->kind, pos);
	if (e->graph.ev[pos].rf < RF_NONE)
		moments_since(&on->moments, tid, moment_of(&on->moments, e->graph.ev[pos].rf));
	on->mo.of[pos].moment = on->moments.since[tid];
	if (op->kind == OP_CHOOSE)
		run_choose(e, pos, choose(e, tid, op));
}

/* By a guide: a store that it wants to be read has reached memory; no other has to. */
static void pass_guided(struct engine *e, uint32_t tid, const struct op *op)
{
	struct online *on = e->online;
	uint32_t write;

	if (!op_reads(op) || guide_read(e, run_peek(e, tid, op), &write) != GUIDE_NAMED) {
		buffers_pass_time(&on->buffers);
		return;
	}
	if (!guide_is_calm(e))
		buffers_pass_time(&on->buffers);
	if (write != RF_INIT && e->graph.ev[write].tid != tid)
		buffers_reach(&on->buffers, write);
}

void online_happens(struct engine *e, uint32_t tid, const struct op *op)
{
	const bool guided = guide_is(&e->online->guide);
	const bool buffers = e->online->way == WAY_BUFFERS && !online_joins(e, op);

	if (buffers && guided)
		pass_guided(e, tid, op);
	if (op_reads(op))
		read_happens(e, tid, op);
	else if (writes_only(op->kind))
		write_happens(e, tid, op);
	else
		other_happens(e, tid, op);
	/* Now, not when the next one happens: who waits for a store may be the next, or nobody else is (T4). */
	if (buffers && !guided)
		buffers_pass_time(&e->online->buffers);
}
