/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elapsed.c - how much virtual time has passed for a thread
 *
 * Time goes by for a thread when it sleeps, times out or asks for the time: these are its steps. It
 * travels along with what threads tell each other: a thread that joins another, takes a lock or a
 * message from it, or reads what it wrote, is as old as that one was then. So "at least X ms have passed"
 * holds where it holds natively. What has passed at a point of the program is the least that this allows:
 *
 *	elapsed(p) = the greatest time of all steps that come before p in po and rf; 0 if there are none
 *	time of a step at p = elapsed(p) + what it takes, or what it waits until
 *
 * po and rf, not happens-before: relaxed atomics carry time, too. Who reads what another thread wrote does so
 * after that thread did, on any machine, and a thread that has slept is through with that before it writes.
 * That nobody tells, is not known: that a read does not see a write (fr), and which of two writes comes first
 * (mo), carries no time. A machine with store buffers promises nothing there.
 *
 * Why all executions of a graph see the same times. By induction over po and rf, which have no circle: the time
 * of a step is a function of the steps before it in po and rf, and what a thread does up to p is one of what
 * it has read and of the times that it has seen before p. None of that depends on the order in which
 * the events were added, on other threads that have run meanwhile, on the process or on the execution that was
 * explored before. So a graph that is repeated sees the same, in a replay, in another worker, after a
 * rollback or in a child; events that a revisit keeps have all that comes before them kept (a cut is
 * closed), so they keep their times; and the engine may go on taking the next operation of a thread for a
 * function of the graph.
 *
 * How it is found. All steps of a thread t that come before an event of its are in the order of po, and their times
 * grow along it. So the latest step of t that the caller knows of is its greatest, and how many events of t the
 * caller knows of stands in its clock (engine_porf()). A step is kept with how many events its thread had
 * done (`from`): the events that follow it have it before them. Several steps between two events are one, the
 * last. Nothing is done at operations, and programs that never ask for the time, nor sleep, keep nothing.
 *
 * What a thread knows of only grows, so it goes on in the steps of each other thread where it was last:
 * O(threads) when it asks for the first time since its last event, else O(1).
 *
 * A thread that has the number of one that was joined (reuse.c) goes on behind it, as in po.
 */
#include "preload/hooks/world/elapsed.h"

#include <string.h>

#include "base/must.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"

enum {
	BLOCK_BITS = 14, /* steps of a block of the table */
	BLOCK = 1 << BLOCK_BITS,
	BLOCKS = 1 << 14
};

struct step {
	uint64_t ns;
	uint32_t from; /* events that the thread had done */
	uint32_t next; /* of the same thread; 0: none */
};

struct age {
	uint64_t ns;
	uint32_t asked; /* 1 + how many events it had done when what it knows of was looked up */
	uint32_t first, last; /* its steps, or 0 */
	uint32_t known
		[HEDDLE_MAX_THREADS]; /* the latest step that it knows of each other thread, or 0 */
};

/* Before there are threads. */
static HEDDLE_IMAGE uint64_t alone_ns = 0;

static struct age ages[HEDDLE_MAX_THREADS];
FRESH_ROWS(ages);

/* Of all threads in this execution, from 1. */
static uint32_t nsteps;
FRESH(nsteps);
static struct step *blocks[BLOCKS];
KEPT(blocks);

static struct step *step_at(uint32_t i)
{
	struct step **block = &blocks[i >> BLOCK_BITS];

	must(i >> BLOCK_BITS < BLOCKS);
	if (!*block)
		*block = map_own(BLOCK * sizeof(**block));
	return &(*block)[i & (BLOCK - 1)];
}

static void put_step(struct age *age, uint32_t from)
{
	struct step *last = age->last ? step_at(age->last) : NULL;
	uint32_t i;

	if (last && last->from == from) {
		last->ns = age->ns;
		return;
	}
	i = ++nsteps;
	*step_at(i) = (struct step){ .ns = age->ns, .from = from };
	if (last)
		last->next = i;
	else
		age->first = i;
	age->last = i;
}

static void begin(uint32_t tid, uint64_t ns)
{
	struct age *age = &ages[tid];

	age->ns = ns;
	age->asked = age->first = age->last = 0;
	memset(age->known, 0, engine_most_threads(engine) * sizeof(*age->known));
}

/* All that main did before there were threads comes before all events. */
static void elapsed_begin(void)
{
	nsteps = 0;
	begin(0, alone_ns);
	if (alone_ns)
		put_step(&ages[0], 0);
}

AT_BEGIN(elapsed_begin);

static void elapsed_started(uint32_t tid)
{
	if (engine_done(engine, tid) == 1)
		begin(tid, 0);
}

AT_STARTED(elapsed_started);

/* The latest step of the thread that the caller knows of: one before the event behind which `events` were done. */
static uint32_t latest_known(struct age *age, uint32_t tid, uint32_t events)
{
	uint32_t i = age->known[tid], next = i ? step_at(i)->next : ages[tid].first;

	while (next && step_at(next)->from < events) {
		i = next;
		next = step_at(i)->next;
	}
	age->known[tid] = i;
	return i;
}

static void learn(struct age *age, uint32_t self)
{
	const uint32_t *events = engine_porf(engine, self);
	uint32_t n = engine_threads(engine);

	for (uint32_t t = 0; t < n; t++) {
		uint32_t i = t != self && events[t] ? latest_known(age, t, events[t]) : 0;

		if (i && step_at(i)->ns > age->ns)
			age->ns = step_at(i)->ns;
	}
}

uint64_t elapsed_ns(void)
{
	struct age *age;
	uint32_t done;

	if (!current)
		return alone_ns;
	must(!current->probing);
	age = &ages[current->tid];
	done = engine_done(engine, current->tid);
	if (age->asked != done + 1) {
		learn(age, current->tid);
		age->asked = done + 1;
	}
	return age->ns;
}

void elapsed_until(uint64_t ns)
{
	struct age *age;

	if (elapsed_ns() >= ns)
		return;
	if (!current) {
		alone_ns = ns;
		return;
	}
	age = &ages[current->tid];
	age->ns = ns;
	put_step(age, engine_done(engine, current->tid));
}
