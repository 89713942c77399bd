/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.c - see futex.h
 *
 * The queue of the threads that sleep on a futex word is a hidden location (struct op, wire/op.h)
 * that each futex operation reads and writes in one step, so they are in one order, as the
 * kernel promises ("totally ordered with respect to other futex operations on the same futex
 * word", futex(2)). An operation that wakes nobody writes as well: who goes to sleep behind it
 * has to see what was written before it, or wake-ups would be lost that cannot be.
 *
 * The value is the set of threads that sleep (lo), and of those that a requeue has just moved
 * (hi). On which word a thread sleeps, and with which bits, says the event that put it there,
 * found by following the queue back: words among which threads are moved share one queue.
 * To look at the word and to go to sleep, depending on what is there, is one step for all others.
 * It is three here: the queue is read (OP_FUTEX_LOOK), the word, and then the thread enters the
 * queue in the state in which it read it. If that state is no more, it waits for ever, and the
 * execution is none: there is another in which it looked later. Before that nobody else
 * can see that it was about to. (Entering first and looking then would let others wake a thread
 * that never slept, and draw conclusions, before that is known to be none.)
 *
 * All choices of whom to wake are explored; POSIX systems and futex(2) promise no order.
 *
 * Cost: a walk along the queue per thread that sleeps, in operations that wake.
 */
#include "engine/graph/futex.h"

bool futex_kind(unsigned kind)
{
	return kind == OP_FUTEX_WAIT || kind == OP_FUTEX_WAKE || kind == OP_FUTEX_REQUEUE;
}

/* Thread tid sleeps in the queue that this write left: on that word, with some of these bits? */
static bool sleeps_on(const struct graph *g, uint32_t write, uint32_t tid, uint64_t word,
		      uint64_t bits)
{
	bool there = false;

	for (uint32_t p = write; p != RF_INIT; p = graph_rmw_source(g, &g->ev[p])) {
		const struct event *ev = &g->ev[p];
		/* A write has no arguments. */
		const struct event *read = &g->ev[graph_po_before(g, ev)];

		if (ev->kind == OP_FUTEX_WAIT && ev->tid == tid)
			return (there || read->arg.lo == word) && (read->arg.hi & bits);
		if (ev->kind != OP_FUTEX_REQUEUE || there || !(ev->written.hi >> tid & 1))
			continue;
		if (read->expected.lo != word)
			return false;
		there = true;
	}
	return false;
}

/* The threads that the operation may wake. */
static uint64_t eligible(const struct graph *g, const struct event *ev, uint32_t write)
{
	uint64_t bits = ev->kind == OP_FUTEX_WAKE ? ev->arg.hi : UINT64_MAX, set = 0;

	for (uint64_t left = graph_value(g, ev->loc, write).lo; left; left &= left - 1) {
		uint32_t tid = (uint32_t)__builtin_ctzll(left);

		if (sleeps_on(g, write, tid, ev->arg.lo, bits))
			set |= (uint64_t)1 << tid;
	}
	return set;
}

/* n over k; UINT32_MAX and no more. */
static uint32_t subsets(uint32_t n, uint32_t k)
{
	uint64_t c = 1;

	for (uint32_t i = 1; i <= k; i++) {
		c = c * (n - k + i) / i;
		if (c > UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)c;
}

/* The subset of k members that has this rank among all. */
static uint64_t subset(uint64_t set, uint32_t k, uint32_t rank)
{
	uint64_t out = 0;

	for (; k; set &= set - 1) {
		uint32_t with = subsets((uint32_t)__builtin_popcountll(set) - 1, k - 1);

		if (rank >= with) {
			rank -= with;
			continue;
		}
		out |= set & -set;
		k--;
	}
	return out;
}

static uint32_t at_most(uint64_t set, uint64_t n)
{
	uint32_t size = (uint32_t)__builtin_popcountll(set);

	return n < size ? (uint32_t)n : size;
}

static uint32_t moves(const struct event *ev, uint64_t set, uint32_t woken)
{
	uint32_t left = (uint32_t)__builtin_popcountll(set) - woken;

	if (ev->kind != OP_FUTEX_REQUEUE)
		return 0;
	return ev->arg.hi < left ? (uint32_t)ev->arg.hi : left;
}

uint32_t futex_choices(const struct graph *g, const struct event *ev, uint32_t write)
{
	uint64_t set, total;
	uint32_t n, woken;

	if (ev->kind == OP_FUTEX_WAIT)
		return 1;
	set = eligible(g, ev, write);
	n = (uint32_t)__builtin_popcountll(set);
	woken = at_most(set, ev->peer);
	total = (uint64_t)subsets(n, woken) * subsets(n - woken, moves(ev, set, woken));
	return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

bool futex_follows_look(unsigned kind)
{
	return kind == OP_FUTEX_WAIT || kind == OP_FUTEX_REQUEUE;
}

/* What the last look of the thread at the queue, before event ev, observed; or RF_NONE. */
static uint32_t looked_at(const struct graph *g, const struct event *ev)
{
	for (uint32_t i = ev->index, pos; graph_back(g, ev->tid, &i, &pos);) {
		const struct event *before = &g->ev[pos];

		if (before->loc == ev->loc)
			return before->kind == OP_FUTEX_LOOK ? before->rf : RF_NONE;
	}
	return RF_NONE;
}

enum guard futex_guard(const struct graph *g, const struct event *ev, uint32_t write,
		       uint32_t choice, struct value *written)
{
	uint64_t sleeping = graph_value(g, ev->loc, write).lo, set, wake;
	uint32_t woken, moved, ways;

	if (futex_follows_look(ev->kind) && looked_at(g, ev) != write)
		return GUARD_BLOCKS;
	if (ev->kind == OP_FUTEX_WAIT) {
		*written = value_of(sleeping | (uint64_t)1 << ev->tid);
		return GUARD_WRITES;
	}
	set = eligible(g, ev, write);
	woken = at_most(set, ev->peer);
	moved = moves(ev, set, woken);
	ways = subsets((uint32_t)__builtin_popcountll(set) - woken, moved);
	wake = subset(set, woken, choice / ways);
	*written = value_of(sleeping & ~wake);
	written->hi = subset(set & ~wake, moved, choice % ways);
	return GUARD_WRITES;
}
