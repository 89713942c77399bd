/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * alone.c - follows threads that were stopped in loops, when nothing else can move (wra)
 *
 * Without an order of all writes there is no last one: a thread that looks again and again may find
 * this write now and that one then, of all that nothing it knows of came after, and be in
 * another state for each. So it is followed through all of that. A node is a state that it may come to at an
 * operation, with what it knows of then (a clock: it only grows). It waits for ever if it can come
 * to a node from which no way leads out of the loop, to an operation that others may see. If a way
 * leads out from all of them, it goes on in another execution. (explore.txt, S6)
 *
 * Bounds: those of walk.h, and STEPS. Beyond them nothing is known.
 *
 * Cost: a probe for each node and value. Only at the end of executions that end in such loops.
 */
#include "preload/await/alone.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/await/silent.h"
#include "preload/await/walk.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/image/unseen.h"

enum {
	STEPS = 2048,
	SOURCES = 64,
};

static struct {
	struct {
		uint16_t from, to;
	} step[STEPS];
	uint32_t steps;
	bool leaves[WALK_NODES]; /* some way leads out */
	bool unknown;
} ways;
KEPT(ways);

/* One step from a node, with that value; mark: what the thread knows of then. */
static void step(uint32_t from, struct value value, const struct walk_mark *mark)
{
	uint32_t to, before = walk_nodes();

	switch (ways.steps == STEPS ? WALK_UNKNOWN : walk_step(from, value, mark, &to)) {
	case WALK_LEAVES:
		ways.leaves[from] = true;
		break;
	case WALK_UNKNOWN:
		ways.unknown = true;
		break;
	case WALK_ARRIVES:
		if (to == before)
			ways.leaves[to] = false;
		ways.step[ways.steps].from = (uint16_t)from;
		ways.step[ways.steps++].to = (uint16_t)to;
		break;
	}
}

/* All that the operation of the node may read. */
static void follow_reads(uint32_t node)
{
	static struct engine_source source[SOURCES];
	FRESH(source);
	const struct walk_node *n = walk_node(node);
	const struct op *op = &n->at.op;
	uint32_t count = engine_alone_reads(engine, op, n->mark.knows, source, SOURCES);

	ways.unknown |= count > SOURCES;
	for (uint32_t i = 0; i < count && i < SOURCES; i++) {
		struct walk_mark mark = n->mark;

		if (stores_with(op, source[i].value)) {
			/* Taken by another one? Then it may read that one's write, and what that leads to decides. */
			ways.leaves[node] = true;
			break;
		}
		for (uint32_t t = 0; source[i].knows && t < engine_threads(engine); t++)
			if (source[i].knows[t] > mark.knows[t])
				mark.knows[t] = source[i].knows[t];
		step(node, source[i].value, &mark);
	}
}

static void follow_node(uint32_t node)
{
	const struct walk_node *n = walk_node(node);

	switch (n->at.op.kind) {
	case OP_LOAD:
	case OP_CAS:
	case OP_RMW:
		follow_reads(node);
		break;
	case OP_FENCE:
	case OP_PAUSE:
	case OP_YIELD:
		step(node, value_of(0), &n->mark);
		break;
	case OP_CHOOSE:
		for (uint32_t i = 0; i < n->at.op.peer; i++)
			step(node, value_of(i), &n->mark);
		break;
	default:
		ways.unknown = true; /* a lock: whether it is free is not followed */
	}
}

/* Can the thread come to a node from which no way leads out? */
static bool stays(void)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < ways.steps; i++) {
			bool *from = &ways.leaves[ways.step[i].from];

			if (*from || !ways.leaves[ways.step[i].to])
				continue;
			*from = more = true;
		}
	}
	for (uint32_t i = 0; i < walk_nodes(); i++)
		if (!ways.leaves[i])
			return true;
	return false;
}

static enum alone follow_fiber(struct fiber *f)
{
	struct walk_mark mark = { 0 };
	uint32_t node;
	struct op op;

	if (engine_waiting(engine, f->self.tid, &op) && op.kind == OP_STUCK &&
	    !walk_may_be_silent(&await_of_fiber(f)->before))
		return ALONE_LEAVES;
	walk_begin();
	ways.steps = 0;
	ways.unknown = ways.leaves[0] = false;
	memcpy(mark.knows, engine_porf(engine, f->self.tid),
	       engine_threads(engine) * sizeof(mark.knows[0]));
	switch (walk_enter(f, &mark, &node)) {
	case WALK_LEAVES:
		return ALONE_LEAVES;
	case WALK_UNKNOWN:
		return ALONE_UNKNOWN;
	case WALK_ARRIVES:
		break;
	}
	for (uint32_t i = 0; i < walk_nodes() && !ways.unknown; i++)
		follow_node(i);
	return ways.unknown ? ALONE_UNKNOWN : stays() ? ALONE_STAYS : ALONE_LEAVES;
}

enum alone alone_follow(void)
{
	bool unknown = false;

	if (!await_tries_out() || unseen_partly)
		return ALONE_UNKNOWN;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		if (!fibers[t].alive || !engine_is_alone(engine, t))
			continue;
		switch (follow_fiber(&fibers[t])) {
		case ALONE_LEAVES:
			return ALONE_LEAVES;
		case ALONE_UNKNOWN:
			unknown = true;
			break;
		case ALONE_STAYS:
			break;
		}
	}
	return unknown ? ALONE_UNKNOWN : ALONE_STAYS;
}
