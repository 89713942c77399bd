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
 * The value is the set of threads that sleep, and of those that a requeue has just moved
 * (waiting.h). On which word a thread sleeps, and with which bits, says the event that put it there,
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

#include "base/prng.h"

bool futex_kind(unsigned kind)
{
	return kind == OP_FUTEX_WAIT || kind == OP_FUTEX_WAKE || kind == OP_FUTEX_REQUEUE;
}

/* Has the requeue moved the thread? */
static bool was_moved(const struct graph *g, const struct event *requeue, uint32_t tid)
{
	const struct waiting is = waiting_of(g->waiting, requeue->written);

	return thread_set_has(&is.moved, tid);
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
		if (ev->kind != OP_FUTEX_REQUEUE || there || !was_moved(g, ev, tid))
			continue;
		if (read->expected.lo != word)
			return false;
		there = true;
	}
	return false;
}

/* Who sleeps in the queue that this write left. */
static struct thread_set sleeping_in(const struct graph *g, const struct event *ev, uint32_t write)
{
	return waiting_of(g->waiting, graph_value(g, ev->loc, write)).set;
}

/* The threads that the operation may wake. */
static struct thread_set eligible(const struct graph *g, const struct event *ev, uint32_t write)
{
	const struct thread_set all = sleeping_in(g, ev, write);
	uint64_t bits = ev->kind == OP_FUTEX_WAKE ? ev->arg.hi : UINT64_MAX;
	struct thread_set set = { 0 };

	THREAD_SET_EACH(tid, &all)
		if (sleeps_on(g, write, tid, ev->arg.lo, bits))
			thread_set_add(&set, tid);
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
static struct thread_set subset(const struct thread_set *set, uint32_t k, uint32_t rank)
{
	uint32_t left = thread_set_count(set);
	struct thread_set out = { 0 };

	THREAD_SET_EACH(tid, set) {
		uint32_t with;

		if (!k)
			break;
		with = subsets(--left, k - 1);
		if (rank >= with) {
			rank -= with;
			continue;
		}
		thread_set_add(&out, tid);
		k--;
	}
	return out;
}

/* What the operation does to those of the queue that it may wake: how many it wakes, and moves. */
struct takes {
	struct thread_set set;
	uint32_t n, woken, moved;
};

static struct takes takes_of(const struct graph *g, const struct event *ev, uint32_t write)
{
	struct takes t = { .set = eligible(g, ev, write) };
	uint32_t left;

	t.n = thread_set_count(&t.set);
	t.woken = ev->peer < t.n ? ev->peer : t.n;
	left = t.n - t.woken;
	if (ev->kind == OP_FUTEX_REQUEUE)
		t.moved = ev->arg.hi < left ? (uint32_t)ev->arg.hi : left;
	return t;
}

/* In how many ways; UINT32_MAX and no more. */
static uint32_t ways_of(const struct takes *t)
{
	uint64_t total = (uint64_t)subsets(t->n, t->woken) * subsets(t->n - t->woken, t->moved);

	return total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

uint32_t futex_choices(const struct graph *g, const struct event *ev, uint32_t write)
{
	struct takes t;

	if (ev->kind == OP_FUTEX_WAIT)
		return 1;
	t = takes_of(g, ev, write);
	return ways_of(&t);
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

/* Of k members, drawn: each subset as likely as the others. */
static struct thread_set drawn(const struct thread_set *set, uint32_t k, uint64_t *random)
{
	uint32_t left = thread_set_count(set);
	struct thread_set out = { 0 };

	THREAD_SET_EACH(tid, set) {
		if (prng_below(random, left--) >= k)
			continue;
		thread_set_add(&out, tid);
		k--;
	}
	return out;
}

/*
 * Takes those that the choice names out of the queue, and says which of the rest are moved. Where there are more ways
 * than numbers, they are drawn by the number.
 */
static void take(struct waiting *queue, const struct takes *t, uint32_t choice)
{
	const uint32_t ways = subsets(t->n - t->woken, t->moved);
	const bool draws = ways_of(t) == UINT32_MAX;
	struct thread_set wake, rest = t->set;
	uint64_t random = choice;

	wake = draws ? drawn(&t->set, t->woken, &random) : subset(&t->set, t->woken, choice / ways);
	thread_set_subtract(&queue->set, &wake);
	thread_set_subtract(&rest, &wake);
	queue->moved =
		draws ? drawn(&rest, t->moved, &random) : subset(&rest, t->moved, choice % ways);
}

enum guard futex_guard(const struct graph *g, const struct event *ev, uint32_t write,
		       uint32_t choice, struct value *written)
{
	struct waiting queue = { .set = { 0 } };
	struct takes t;

	if (futex_follows_look(ev->kind) && looked_at(g, ev) != write)
		return GUARD_BLOCKS;
	if (!written)
		return GUARD_WRITES;
	queue.set = sleeping_in(g, ev, write);
	if (ev->kind == OP_FUTEX_WAIT) {
		thread_set_add(&queue.set, ev->tid);
	} else {
		t = takes_of(g, ev, write);
		take(&queue, &t, choice);
	}
	*written = waiting_value(g->waiting, &queue);
	return GUARD_WRITES;
}
