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
 * Each step is a probe (probe.c), in memory as it is at the end of the execution with what the
 * thread has written on its way to the node, and is undone.
 *
 * Bounds: NODES, STEPS, the room for stacks, and a write log each. Beyond them nothing is known.
 *
 * Cost: a probe for each node and value. Only at the end of executions that end in such loops.
 */
#include "preload/await/alone.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/await/silent.h"
#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/image/unseen.h"

enum {
	NODES = 256,
	STEPS = 2048,
	SOURCES = 64,
	STACKS = 16 << 20, /* bytes, of all nodes */
	BELOW_SP = 1024,
};

struct node {
	struct arrival at;
	struct entry call;
	char *stack;            /* from call.sp up */
	struct write_log holds; /* what memory holds there, and did not at the end: its `old` */
	uint32_t knows[HEDDLE_MAX_THREADS];
	bool leaves; /* some way leads out */
};

static struct {
	struct fiber *fiber;
	struct context caller;
	struct node *node; /* NODES of them */
	uint32_t nodes, steps;
	struct {
		uint16_t from, to;
	} step[STEPS];
	char *stacks, *here; /* here: the fiber's own */
	uint64_t used;
	bool unknown;
} walk;
KEPT(walk);

/* What memory holds in the places of the log; with from == NULL it is taken from memory itself. */
static void hold(struct write_log *holds, const struct write_log *log)
{
	holds->n = holds->used = 0;
	for (uint32_t i = 0; i < log->n; i++) {
		uint64_t addr = log->write[i].addr, size = log->write[i].size;
		uint32_t k = 0;

		while (k < holds->n &&
		       (holds->write[k].addr != addr || holds->write[k].size < size))
			k++;
		if (!log->write[i].shows && k == holds->n)
			log_add(holds, addr, size); /* there is room, since there was in the log */
	}
}

/* Leaves out what is as it was at the end. */
static void forget_unchanged(struct write_log *holds)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < holds->n; i++)
		if (memcmp((void *)holds->write[i].addr, holds->old + holds->write[i].at,
			   holds->write[i].size))
			holds->write[n++] = holds->write[i];
	holds->n = n;
}

static char held_byte(const struct write_log *holds, uint64_t addr)
{
	for (uint32_t i = 0; i < holds->n; i++)
		if (addr >= holds->write[i].addr &&
		    addr < holds->write[i].addr + holds->write[i].size)
			return holds->old[holds->write[i].at + (addr - holds->write[i].addr)];
	return *(const char *)addr;
}

/* Does b hold all that a does? */
static bool holds_as(const struct write_log *a, const struct write_log *b)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < a->write[i].size; k++)
			if (held_byte(b, a->write[i].addr + k) != a->old[a->write[i].at + k])
				return false;
	return true;
}

static bool is_node(const struct node *n, const struct arrival *at, const struct write_log *holds,
		    const uint32_t *knows)
{
	return same_op(&n->at.op, &at->op) && n->at.sp == at->sp && n->at.pc == at->pc &&
	       !memcmp(n->knows, knows, sizeof(n->knows)) && holds_as(&n->holds, holds) &&
	       holds_as(holds, &n->holds) &&
	       same_state(walk.fiber, at, n->at.reg, n->stack + sizeof(at->pc));
}

/* The fiber stands at the operation: which node is that? NODES if there is no room. */
static uint32_t find_node(const struct arrival *at, const struct entry *call,
			  const struct write_log *holds, const uint32_t *knows)
{
	uint64_t size = walk.fiber->stack_high - call->sp;
	uint32_t i = 0;
	struct node *n;

	while (i < walk.nodes && !is_node(&walk.node[i], at, holds, knows))
		i++;
	if (i < walk.nodes)
		return i;
	if (i == NODES || size > STACKS - walk.used)
		return NODES;
	n = &walk.node[walk.nodes++];
	n->at = *at;
	n->call = *call;
	n->stack = walk.stacks + walk.used;
	walk.used += (size + 15) & ~15ul;
	memcpy(n->stack, (void *)call->sp, size);
	n->holds = *holds;
	memcpy(n->knows, knows, sizeof(n->knows));
	n->leaves = false;
	return i;
}

/* May the operation be one of a round that does nothing? Else its thread has got out. */
static bool may_be_silent(const struct op *op)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_CAS:
	case OP_RMW:
	case OP_FENCE:
	case OP_PAUSE:
	case OP_YIELD:
	case OP_TRYLOCK:
	case OP_SEM_TRYWAIT:
	case OP_TRYRDLOCK:
	case OP_TRYWRLOCK:
		return true;
	case OP_CHOOSE:
		return op->fn;
	default:
		return false;
	}
}

/* One step from a node, with that value; knows: what the thread knows of then. */
static void step(uint32_t from, struct value value, const uint32_t *knows)
{
	static struct write_log log, holds;
	FRESH(holds);
	FRESH(log);
	struct node *n = &walk.node[from];
	struct arrival at;
	struct entry call;
	enum probe_end end;
	uint32_t to;

	log.n = log.used = 0;
	for (uint32_t i = 0; i < n->holds.n; i++) {
		uint64_t addr = n->holds.write[i].addr, size = n->holds.write[i].size;

		if (!log_add(&log, addr, size)) {
			walk.unknown = true;
			break;
		}
		memcpy((void *)addr, n->holds.old + n->holds.write[i].at, size);
	}
	memcpy((void *)n->call.sp, n->stack, walk.fiber->stack_high - n->call.sp);
	end = probe_alone(walk.fiber, &walk.caller, &n->call, &value, &log, &at, &call);
	hold(&holds, &log);
	log_undo(&log, 0);
	forget_unchanged(&holds);
	if (end == PROBE_GOES_ON || (end == PROBE_ARRIVES && !may_be_silent(&at.op))) {
		n->leaves = true;
		return;
	}
	to = end == PROBE_ARRIVES && call.sp ? find_node(&at, &call, &holds, knows) : NODES;
	if (to == NODES || walk.steps == STEPS) {
		walk.unknown = true;
		return;
	}
	walk.step[walk.steps].from = (uint16_t)from;
	walk.step[walk.steps++].to = (uint16_t)to;
}

/* All that the operation of the node may read. */
static void follow_reads(uint32_t node)
{
	static struct engine_source source[SOURCES];
	FRESH(source);
	struct node *n = &walk.node[node];
	const struct op *op = &n->at.op;
	uint32_t count = engine_alone_reads(engine, op, n->knows, source, SOURCES);

	walk.unknown |= count > SOURCES;
	for (uint32_t i = 0; i < count && i < SOURCES; i++) {
		uint32_t knows[HEDDLE_MAX_THREADS];

		if (stores_with(op, source[i].value)) {
			/* Taken by another one? Then it may read that one's write, and what that leads to decides. */
			n->leaves = true;
			break;
		}
		memcpy(knows, n->knows, sizeof(knows));
		for (uint32_t t = 0; source[i].knows && t < engine_threads(engine); t++)
			if (source[i].knows[t] > knows[t])
				knows[t] = source[i].knows[t];
		step(node, source[i].value, knows);
	}
}

static void follow_node(uint32_t node)
{
	const struct node *n = &walk.node[node];

	switch (n->at.op.kind) {
	case OP_LOAD:
	case OP_CAS:
	case OP_RMW:
		follow_reads(node);
		break;
	case OP_FENCE:
	case OP_PAUSE:
	case OP_YIELD:
		step(node, value_of(0), n->knows);
		break;
	case OP_CHOOSE:
		for (uint32_t i = 0; i < n->at.op.peer; i++)
			step(node, value_of(i), n->knows);
		break;
	default:
		walk.unknown = true; /* a lock: whether it is free is not followed */
	}
}

/* Can the thread come to a node from which no way leads out? */
static bool stays(void)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < walk.steps; i++) {
			struct node *from = &walk.node[walk.step[i].from];

			if (from->leaves || !walk.node[walk.step[i].to].leaves)
				continue;
			from->leaves = more = true;
		}
	}
	for (uint32_t i = 0; i < walk.nodes; i++)
		if (!walk.node[i].leaves)
			return true;
	return false;
}

/* The fiber stands where it was stopped, at an operation that it has not performed. */
static enum alone follow(void)
{
	static struct write_log none;
	FRESH(none);
	struct fiber *f = walk.fiber;
	uint32_t knows[HEDDLE_MAX_THREADS] = { 0 };
	struct arrival at;
	struct entry call;

	memcpy(knows, engine_porf(engine, f->self.tid), engine_threads(engine) * sizeof(knows[0]));
	none.n = none.used = 0;
	if (probe_alone(f, &walk.caller, &f->self.entry, NULL, &none, &at, &call) !=
		    PROBE_ARRIVES ||
	    none.n || !call.sp)
		return ALONE_UNKNOWN;
	if (!may_be_silent(&at.op))
		return ALONE_LEAVES;
	if (find_node(&at, &call, &none, knows) == NODES)
		return ALONE_UNKNOWN;
	for (uint32_t i = 0; i < walk.nodes && !walk.unknown; i++)
		follow_node(i);
	return walk.unknown ? ALONE_UNKNOWN : stays() ? ALONE_STAYS : ALONE_LEAVES;
}

static enum alone follow_fiber(struct fiber *f)
{
	uint64_t low = f->self.entry.sp - BELOW_SP, size;
	enum alone found;
	struct op op;

	if (engine_waiting(engine, f->self.tid, &op) && op.kind == OP_STUCK &&
	    !may_be_silent(&await_of_fiber(f)->before))
		return ALONE_LEAVES;
	if (!f->self.entry.sp)
		return ALONE_UNKNOWN;
	if (low < f->stack_low)
		low = f->stack_low;
	size = f->stack_high - low;
	if (size > STACK_MAX)
		return ALONE_UNKNOWN;
	walk.fiber = f;
	walk.caller.fs = fibers[0].tcb;
	walk.nodes = walk.steps = 0;
	walk.used = 0;
	walk.unknown = false;
	memcpy(walk.here, (void *)low, size);
	found = follow();
	memcpy((void *)low, walk.here, size);
	return found;
}

enum alone alone_follow(void)
{
	bool unknown = false;

	if (!await_tries_out() || unseen_partly)
		return ALONE_UNKNOWN;
	if (!walk.node) {
		walk.node = map_own(NODES * sizeof(*walk.node));
		walk.stacks = map_own(STACKS);
		walk.here = map_own(STACK_MAX);
	}
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
