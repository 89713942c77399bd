/* SPDX-License-Identifier: BSD-2-Clause */
/* walk.c - see walk.h */
#include "preload/await/walk.h"

#include <string.h>

#include "preload/core/context.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"

enum {
	STACKS = 16 << 20, /* bytes, of all nodes */
	BELOW_SP = 1024,
};

static struct {
	struct context caller;
	struct walk_node *node; /* WALK_NODES of them */
	uint32_t nodes;
	char *stacks, *here; /* here: the fiber's own */
	uint64_t used;
} walk;
KEPT(walk);

void walk_begin(void)
{
	if (!walk.node) {
		walk.node = map_own(WALK_NODES * sizeof(*walk.node));
		walk.stacks = map_own(STACKS);
		walk.here = map_own(STACK_MAX);
	}
	walk.caller.fs = fibers[0].tcb;
	walk.nodes = 0;
	walk.used = 0;
}

uint32_t walk_nodes(void)
{
	return walk.nodes;
}

const struct walk_node *walk_node(uint32_t node)
{
	return &walk.node[node];
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What memory holds in the places of the log. */
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

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool is_node(const struct walk_node *n, const struct walk_node *as)
{
	return n->fiber == as->fiber && same_op(&n->at.op, &as->at.op) && n->at.sp == as->at.sp &&
	       n->at.pc == as->at.pc && !memcmp(&n->mark, &as->mark, sizeof(n->mark)) &&
	       holds_as(&n->holds, &as->holds) && holds_as(&as->holds, &n->holds) &&
	       same_state(n->fiber, &as->at, n->at.reg, n->stack + sizeof(as->at.pc));
}

/* The fiber stands at the operation: which node is that? WALK_NODES if there is no room. */
static uint32_t find_node(const struct walk_node *as)
{
	uint64_t size = as->fiber->stack_high - as->call.sp;
	uint32_t i = 0;
	struct walk_node *n;

	while (i < walk.nodes && !is_node(&walk.node[i], as))
		i++;
	if (i < walk.nodes)
		return i;
	if (i == WALK_NODES || size > STACKS - walk.used)
		return WALK_NODES;
	n = &walk.node[walk.nodes++];
	*n = *as;
	n->stack = walk.stacks + walk.used;
	walk.used += (size + 15) & ~15ul;
	memcpy(n->stack, (void *)n->call.sp, size);
	return i;
}

bool walk_may_be_silent(const struct op *op)
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

/* Where a probe came to. */
static enum walk_end found(enum probe_end end, const struct walk_node *as, uint32_t *to)
{
	if (end == PROBE_GOES_ON || (end == PROBE_ARRIVES && !walk_may_be_silent(&as->at.op)))
		return WALK_LEAVES;
	*to = end == PROBE_ARRIVES && as->call.sp ? find_node(as) : WALK_NODES;
	return *to == WALK_NODES ? WALK_UNKNOWN : WALK_ARRIVES;
}

/* Copies the fiber's stack; returns its size, or 0 if it is not known where it is, or too large. */
static uint64_t keep_stack(const struct fiber *f, uint64_t *low)
{
	uint64_t size;

	if (!f->self.entry.sp)
		return 0;
	*low = f->self.entry.sp - BELOW_SP;
	if (*low < f->stack_low)
		*low = f->stack_low;
	size = f->stack_high - *low;
	if (size > STACK_MAX)
		return 0;
	memcpy(walk.here, (void *)*low, size);
	return size;
}

enum walk_end walk_enter(struct fiber *f, const struct walk_mark *mark, uint32_t *node)
{
	static struct walk_node as;
	FRESH(as);
	enum walk_end end = WALK_UNKNOWN;
	enum probe_end came;
	uint64_t low, size = keep_stack(f, &low);

	if (!size)
		return WALK_UNKNOWN;
	as.fiber = f;
	as.mark = *mark;
	as.holds.n = as.holds.used = 0;
	came = probe_alone(f, &walk.caller, &f->self.entry, NULL, &as.holds, &as.at, &as.call);
	if (came == PROBE_ARRIVES && !as.holds.n)
		end = found(came, &as, node);
	memcpy((void *)low, walk.here, size);
	return end;
}

enum walk_end walk_step(uint32_t from, struct value value, const struct walk_mark *mark,
			uint32_t *to)
{
	static struct write_log log;
	static struct walk_node as;
	FRESH(log);
	FRESH(as);
	const struct walk_node *n = &walk.node[from];
	uint64_t low, size = keep_stack(n->fiber, &low);
	enum probe_end came;
	enum walk_end end;

	if (!size)
		return WALK_UNKNOWN;
	log.n = log.used = 0;
	for (uint32_t i = 0; i < n->holds.n; i++) {
		uint64_t addr = n->holds.write[i].addr, bytes = n->holds.write[i].size;

		if (!log_add(&log, addr, bytes)) {
			log_undo(&log, 0);
			return WALK_UNKNOWN;
		}
		memcpy((void *)addr, n->holds.old + n->holds.write[i].at, bytes);
	}
	memcpy((void *)n->call.sp, n->stack, n->fiber->stack_high - n->call.sp);
	as.fiber = n->fiber;
	as.mark = *mark;
	came = probe_alone(n->fiber, &walk.caller, &n->call, &value, &log, &as.at, &as.call);
	hold(&as.holds, &log);
	log_undo(&log, 0);
	forget_unchanged(&as.holds);
	end = found(came, &as, to);
	memcpy((void *)low, walk.here, size);
	return end;
}
