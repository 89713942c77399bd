/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * together.c - follows threads whose read-modify-writes of a location cancel out, when nothing else can move
 *
 * Each may go round for ever if it is alone, and yet find a way out in the middle of another one's round. So all that each of
 * them may come to is followed, whatever the others do: what it finds at the location is what is there at the end, and what it
 * has added since, and something that each of the others has added at one of its own nodes. Nodes and
 * values grow until there are no new ones. If no step leads to anything but another node, nobody ever leaves.
 *
 * More values are tried than may come up, since where one thread is excludes no node of another. So if some step
 * leads out, the states of all threads at once are looked at (product.c). (await.txt, E8)
 *
 * Threads at different locations have nothing to do with each other, or it is not known.
 *
 * Bounds: those of walk.h and together.h, and of product.c.
 *
 * Cost: a probe for each node and value. Only at the end of executions that end in such loops.
 */
#include "preload/await/together.h"

#include <string.h>

#include "engine/engine.h"
#include "preload/await/await.h"
#include "preload/await/cancels_looks.h"
#include "preload/core/context.h"
#include "preload/core/reset.h"
#include "preload/image/unseen.h"

static struct together all;
KEPT(all);

uint32_t together_find(const struct sums *s, uint64_t sum)
{
	uint32_t i = 0;

	while (i < s->n && s->at[i] != sum)
		i++;
	return i < s->n ? i : TOGETHER_SUMS;
}

/* Its place in the set, or TOGETHER_SUMS if there is no room. */
static uint32_t put(struct sums *s, uint64_t sum)
{
	uint32_t i = together_find(s, sum);

	if (i < TOGETHER_SUMS || s->n == TOGETHER_SUMS)
		return i;
	s->at[s->n] = sum;
	return s->n++;
}

/* All sums of what the others have added. */
static bool sum_others(uint32_t tid, struct sums *to)
{
	*to = (struct sums){ .n = 1 };
	for (uint32_t t = 0; t < engine_threads(engine); t++) {
		struct sums with = { 0 };

		if (t == tid || !all.of[t].n)
			continue;
		for (uint32_t i = 0; i < to->n; i++)
			for (uint32_t k = 0; k < all.of[t].n; k++)
				if (put(&with, (to->at[i] + all.of[t].at[k]) & all.mask) ==
				    TOGETHER_SUMS)
					return false;
		*to = with;
	}
	return true;
}

uint64_t together_value(const struct together *a, uint32_t node, uint64_t others)
{
	if (!walk_node(node)->at.op.size)
		return 0; /* a fence: it reads nothing */
	return (a->last + walk_node(node)->mark.open + others) & a->mask;
}

/* What the node's operation adds; false: it may do something else. */
static bool adds(const struct op *op, uint64_t value, uint64_t *sum)
{
	*sum = 0;
	switch (op->kind) {
	case OP_RMW:
		*sum = op->fn == RMW_SUB ? -op->arg.lo : op->arg.lo;
		return is_sum(op);
	case OP_CAS:
		return value != (op->expected.lo & all.mask);
	case OP_LOAD:
		return op->order != ORDER_NA;
	case OP_FENCE:
	case OP_PAUSE:
	case OP_YIELD:
		return true;
	default:
		return false;
	}
}

static void begin_node(uint32_t node)
{
	for (uint32_t i = 0; i < TOGETHER_SUMS; i++)
		all.step[node][i] = STEP_UNTRIED;
}

/* One step, once. False: where it leads to is not known. */
static bool go_on(uint32_t node, uint64_t value)
{
	const struct walk_node *n = walk_node(node);
	uint32_t at = put(&all.values, value), before = walk_nodes(), to;
	struct walk_mark mark = { 0 };
	uint64_t sum;

	if (at == TOGETHER_SUMS || !adds(&n->at.op, value, &sum))
		return false;
	if (all.step[node][at] != STEP_UNTRIED)
		return true;
	mark.open = (n->mark.open + sum) & all.mask;
	switch (walk_step(node, value_of(value), &mark, &to)) {
	case WALK_UNKNOWN:
		return false;
	case WALK_LEAVES:
		all.step[node][at] = STEP_LEAVES;
		all.leaves = true;
		return true;
	case WALK_ARRIVES:
		break;
	}
	if (to == before)
		begin_node(to);
	all.step[node][at] = (uint16_t)to;
	return !walk_node(to)->holds.n &&
	       put(&all.of[n->fiber->self.tid], mark.open) < TOGETHER_SUMS;
}

static bool follow_node(uint32_t node)
{
	const struct walk_node *n = walk_node(node);
	const struct op *op = &n->at.op;
	struct sums others;

	if (op->size && (op->addr != all.at.addr || op->size != all.at.size))
		return false;
	if (!sum_others(n->fiber->self.tid, &others))
		return false;
	for (uint32_t i = 0; i < others.n; i++)
		if (!go_on(node, together_value(&all, node, others.at[i])))
			return false;
	return true;
}

/* Everything there is. */
static uint32_t count(void)
{
	uint32_t n = walk_nodes();

	for (uint32_t t = 0; t < engine_threads(engine); t++)
		n += all.of[t].n;
	return n;
}

static bool enter_all(void)
{
	struct walk_mark mark = { 0 };
	uint32_t node;

	all.threads = 0;
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		if (!fibers[t].alive || !engine_is_together(engine, t, &all.at))
			continue;
		if (walk_enter(&fibers[t], &mark, &node) != WALK_ARRIVES)
			return false;
		begin_node(node);
		put(&all.of[t], 0);
		all.first[all.threads++] = node;
	}
	return all.threads;
}

/* Those of one location. */
static enum alone follow(struct value last)
{
	uint32_t before;

	if (!all.at.size || all.at.size > 8)
		return ALONE_UNKNOWN;
	all.mask = bits_of(all.at.size);
	all.last = last.lo & all.mask;
	all.values.n = 0;
	all.leaves = false;
	memset(all.of, 0, engine_threads(engine) * sizeof(all.of[0]));
	walk_begin();
	if (!enter_all())
		return ALONE_UNKNOWN;
	do {
		before = count();
		for (uint32_t i = 0; i < walk_nodes(); i++)
			if (!follow_node(i))
				return ALONE_UNKNOWN;
	} while (count() > before);
	return all.leaves ? product_follow(&all) : ALONE_STAYS;
}

/* Is it the first of those that go round there? */
static bool is_first(uint32_t tid, const struct op *at)
{
	for (uint32_t t = 0; t < tid; t++)
		if (engine_cancels(engine, t) && engine_is_together(engine, t, at))
			return false;
	return true;
}

enum alone together_follow(void)
{
	enum alone found = ALONE_STAYS;

	if (!await_tries_out() || unseen_partly)
		return ALONE_UNKNOWN;
	for (uint32_t t = 0; t < engine_threads(engine); t++) {
		struct value last;
		enum alone these;

		if (!engine_cancels(engine, t))
			continue;
		if (!engine_together_at(engine, t, &all.at, &last)) {
			found = ALONE_UNKNOWN;
			continue;
		}
		if (!is_first(t, &all.at))
			continue;
		these = follow(last);
		if (these == ALONE_LEAVES)
			return ALONE_LEAVES;
		if (these == ALONE_UNKNOWN)
			found = ALONE_UNKNOWN;
	}
	return found;
}
