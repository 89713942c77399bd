/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeout.c - calls that time out, and waiters that wake up for no reason
 *
 * A timed call may time out whenever it can, and a condition variable may wake a waiter without
 * a signal. A thread that begins again each time would never be through, and several can keep
 * each other going. So a thread is followed through config.timeouts time-outs of the calls at
 * one place of the program, in one execution; then it stops, as after a failed assume, and the
 * controller says so. Wake-ups without a signal, on request, are one for each thread and place:
 * if the program minds them at all, then the first.
 *
 * The counts are not in the image: they belong to the execution whose stamp they carry. In a
 * replay the recorded steps say what was done.
 */
#include "target/hook.h"

#include "engine/engine.h"
#include "target/hooks.h"

enum {
	PLACES = 32 /* of a thread; calls at any more share the last */
};

struct place_count {
	uint64_t pc;
	uint32_t stamp, times;
};

static struct place_count timeouts[HEDDLE_MAX_THREADS][PLACES];
static struct place_count wakeups[HEDDLE_MAX_THREADS][PLACES];

static uint32_t *count_at(struct place_count *places, uint64_t pc)
{
	uint32_t i = 0;

	while (i < PLACES - 1 && places[i].stamp == shadow_stamp && places[i].pc != pc)
		i++;
	if (places[i].stamp != shadow_stamp)
		places[i] = (struct place_count){ .pc = pc, .stamp = shadow_stamp };
	return &places[i].times;
}

/* Shared places count all their calls from anew, too. */
static void forget(struct place_count *places)
{
	for (uint32_t i = 0; i < PLACES && places[i].stamp == shadow_stamp; i++)
		places[i].stamp = 0;
}

void timeouts_id_again(uint32_t tid)
{
	forget(timeouts[tid]);
	forget(wakeups[tid]);
}

static bool replaying(void)
{
	return shared->config.mode == ENGINE_REPLAY;
}

void timed_out(clockid_t clock, const struct timespec *until, uint64_t pc)
{
	bool enough;

	if (under_engine() && current->probing)
		return;
	if (until)
		time_passed(clock, until);
	if (!under_engine())
		return;
	if (replaying())
		enough = engine_recorded(engine, current->tid, OP_BLOCK);
	else
		enough = ++*count_at(timeouts[current->tid], pc) > shared->config.timeouts &&
			 shared->config.timeouts;
	if (!enough)
		return;
	/* relaxed: one writer; the controller looks at it in the end */
	atomic_store_explicit(&shared->timeouts_cut, 1, memory_order_relaxed);
	object_op(OP_BLOCK, NULL, pc);
}

bool may_wake_up(uint64_t pc)
{
	if (replaying())
		return engine_recorded(engine, current->tid, OP_COND_LEAVE);
	return shared->config.spurious_wakeups && !*count_at(wakeups[current->tid], pc);
}

void woke_up(uint64_t pc)
{
	++*count_at(wakeups[current->tid], pc);
}
