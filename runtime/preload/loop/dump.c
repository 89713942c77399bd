/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dump.c - executions that the controller wants to have (--dump-executions)
 *
 * Steps and their places go to a buffer of their own in the shared mapping, one execution behind
 * the other; the controller takes them while the next ones run. The buffer is begun anew
 * whenever everything in it was taken, and when it is full the program waits for that.
 *
 * Executions that led nowhere are none, and one that ended in an error of ours says nothing.
 * A failed one ends where the bug is. With the fork back end all of this happens in a child,
 * which is why nothing is remembered here.
 */
#define _GNU_SOURCE 1
#include <time.h>

#include "engine/engine.h"
#include "preload/core/context.h"
#include "preload/core/sys.h"
#include "preload/loop/dump.h"
#include "preload/memory/place.h"

static bool stopped(void)
{
	/* relaxed: a wish of the controller, nothing else travels with it */
	return atomic_load_explicit(&shared->stop, memory_order_relaxed);
}

/* How many executions the controller has not taken yet. */
static uint64_t waiting(uint64_t put)
{
	/* acquire: partner is the controller's release, after which its steps are free */
	return put - atomic_load_explicit(&shared->dumps_taken, memory_order_acquire);
}

/* Waits until at most n executions are left to take; false: nobody will take them. */
static bool wait_for_room(uint64_t put, uint64_t n)
{
	const struct timespec nap = { .tv_nsec = 50000 };

	while (waiting(put) > n) {
		if (stopped())
			return false;
		sys3(SYS_nanosleep, (long)&nap, 0, 0);
	}
	return true;
}

/* Where the next execution begins: behind the latest, or at 0 when none is left. */
static uint64_t next_place(uint64_t put)
{
	const struct dump *last = &shared->dumps[(put - 1) % SHARED_DUMPS];

	return waiting(put) ? last->at + last->steps : 0;
}

/* Copies the steps of the execution to the buffer; how many there are, or UINT64_MAX. */
static uint64_t put_steps(uint64_t put, uint64_t *at)
{
	uint64_t n = 0, room;

	*at = next_place(put);
	room = SHARED_DUMP_STEPS - *at;
	if (engine)
		n = engine_steps(engine, &shared->dump_steps[*at], room);
	if (n > room && *at) {
		if (!wait_for_room(put, 0))
			return UINT64_MAX;
		*at = 0;
		n = engine_steps(engine, shared->dump_steps, SHARED_DUMP_STEPS);
	}
	return n;
}

/* The search is being stopped: whoever counts executions is to know that this one was not written. */
static void drop(enum engine_ending ending)
{
	/* relaxed: the controller looks at it in the end */
	if (ending != (enum engine_ending)DUMP_FORGET)
		atomic_fetch_add_explicit(&shared->dumps_dropped, 1, memory_order_relaxed);
}

static uint64_t no_steps(uint64_t put, uint64_t *at)
{
	*at = next_place(put);
	return 0;
}

void dump_forget(void)
{
	dump_execution((enum engine_ending)DUMP_FORGET);
}

void dump_execution(enum engine_ending ending)
{
	uint64_t put, at, n;
	struct dump *d;

	if (!shared->config.dump || ending == END_WASTED || ending == END_WRONG)
		return;
	if (stopped()) {
		drop(ending);
		return;
	}
	put = atomic_load_explicit(&shared->dumps_put, memory_order_relaxed); /* ours */
	if (!wait_for_room(put, SHARED_DUMPS - 1)) {
		drop(ending);
		return;
	}
	n = ending == (enum engine_ending)DUMP_FORGET ? no_steps(put, &at) : put_steps(put, &at);
	if (n == UINT64_MAX) {
		drop(ending);
		return;
	}
	d = &shared->dumps[put % SHARED_DUMPS];
	*d = (struct dump){ .ending = ending, .at = at, .steps = n };
	if (n > SHARED_DUMP_STEPS) {
		d->too_long = 1;
		d->at = d->steps = 0;
	}
	for (uint64_t i = 0; i < d->steps; i++)
		shared->dump_places[at + i] = place_of(shared->dump_steps[at + i].addr);
	/* release: partner is the controller's acquire */
	atomic_store_explicit(&shared->dumps_put, put + 1, memory_order_release);
}
