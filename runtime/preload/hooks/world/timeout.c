/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeout.c - calls that time out, tries in vain, and waiters that wake up for no reason
 *
 * A timed call may time out whenever it can, and a condition variable may wake a waiter without
 * a signal. A thread that begins again each time would never be through, and several can keep
 * each other going. So a thread is followed through config.timeouts time-outs of the calls at
 * one place of the program, in one execution; then it stops, as after a failed assume, and the
 * controller says so. Wake-ups without a signal, on request, are one for each thread and place:
 * if the program minds them at all, then the first.
 *
 * A thread that tries to lock a mutex, and lets go of others that it holds when it may not, can
 * keep another that does so from its own, and the other it, for ever (std::lock() of the same two, in
 * both orders). There, too, the time-outs are as many, and then the thread stops when it comes back
 * to a try in the state it was in at an earlier one, having done nothing since but look, and take and
 * free locks. Nothing is lost by that but what others find locked in still later rounds. So does one that
 * asks again and again for what is not there: it connects where nobody listens yet, or reads without waiting. At random
 * all of these come to an end by themselves (and see quiet.h).
 *
 * The counts are not in the image: they belong to the execution whose stamp they carry. In a
 * replay the recorded steps say what was done.
 */
#include "preload/hooks/hook.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/hooks/world/time.h"
#include "preload/hooks/world/timeout.h"
#include "preload/image/unseen.h"

enum {
	PLACES = 32, /* of a thread; calls at any more share the last */
	STATES = 16  /* that are kept of the tries at a place */
};

struct place_count {
	uint64_t pc;
	uint32_t stamp, times;
};

/* What a thread was at one of its tries. */
struct tried {
	uint32_t era;     /* see below, */
	uint32_t done;    /* engine_done(), */
	uint64_t hash[2]; /* and where the program was */
};

static struct place_count timeouts[HEDDLE_MAX_THREADS][PLACES];
FRESH_ROWS(timeouts);
/* Grows when a thread has written to memory since its tries were noted, but for its stack. */
static uint32_t era[HEDDLE_MAX_THREADS];
KEPT(era);
static struct place_count tries[HEDDLE_MAX_THREADS][PLACES];
FRESH_ROWS(tries);
static struct tried tried[HEDDLE_MAX_THREADS][PLACES][STATES];
FRESH_ROWS(tried);
static struct place_count wakeups[HEDDLE_MAX_THREADS][PLACES];
FRESH_ROWS(wakeups);

static struct place_count *place_at(struct place_count *places, uint64_t pc)
{
	uint32_t i = 0;

	while (i < PLACES - 1 && places[i].stamp == shadow_stamp && places[i].pc != pc)
		i++;
	if (places[i].stamp != shadow_stamp)
		places[i] = (struct place_count){ .pc = pc, .stamp = shadow_stamp };
	return &places[i];
}

/* Shared places count all their calls from anew, too. */
static void forget(struct place_count *places)
{
	for (uint32_t i = 0; i < PLACES && places[i].stamp == shadow_stamp; i++)
		places[i].stamp = 0;
}

static void timeouts_id_again(uint32_t tid)
{
	forget(timeouts[tid]);
	forget(wakeups[tid]);
}

AT_ID_AGAIN(timeouts_id_again);

static bool replaying(void)
{
	return shared->config.mode == ENGINE_REPLAY;
}

/* object: the lock that the thread tries to get, with rounds of so many operations; NULL: none. */
static void no_further(enum shared_cut why, const volatile void *object, uint32_t round,
		       uint64_t pc)
{
	struct op op = {
		.kind = OP_BLOCK,
		.peer = round,
		.expected = value_of((uint64_t)(uintptr_t)object),
		.pc = pc,
	};
	struct op_result res;

	/* relaxed: the controller looks at it in the end */
	atomic_fetch_or_explicit(&shared->not_followed, why, memory_order_relaxed);
	operate(&op, &res);
}

void timed_out(clockid_t clock, const struct timespec *until, uint64_t pc)
{
	bool enough;

	if (under_engine() && current->probing)
		return;
	if (until) {
		time_passes(time_end_ns(until, true, clock), pc);
		time_passed(clock, until);
	}
	if (!under_engine())
		return;
	if (replaying())
		enough = engine_recorded(engine, current->tid, OP_BLOCK);
	else
		enough = ++place_at(timeouts[current->tid], pc)->times > shared->config.timeouts &&
			 shared->config.timeouts;
	if (enough)
		no_further(CUT_TIMEOUTS, NULL, 0, pc);
}

/*
 * Where the program is; where writes are not announced, with its memory. That is another whenever others
 * have a lock or not, so those who retreat from locks would hardly come back to it: for them it is left
 * out. False if it cannot be told.
 */
static bool take_hash(const struct op *op, uint64_t hash[2])
{
	uint64_t memory = 0;

	if (!probe_place(op, hash) ||
	    (unseen_partly && op->kind != OP_TRYLOCK && !unseen_hash(&memory)))
		return false;
	hash[0] += memory;
	return true;
}

/*
 * Where the state of a try is kept. A thread may come by one place in several states (std::lock() of
 * three begins with each of them in turn), and not come back to one of them for long, so most are those
 * of the last tries. The others are kept ever longer: rounds of any length are found out in the end.
 */
static uint32_t kept_at(uint32_t times)
{
	if (times >= STATES && !(times & (times - 1)))
		return times / STATES % 4;
	return 4 + times % (STATES - 4);
}

/* Has the thread only come back to where it was, once there were tries enough? Since when, then? */
static bool tries_again(struct place_count *p, const struct op *op, uint32_t *since)
{
	uint32_t tid = current->tid, limit = shared->config.timeouts;
	struct tried *t = tried[tid][p - tries[tid]];
	struct tried now = { .done = engine_done(engine, tid) };

	if (!limit || !take_hash(op, now.hash))
		return false;
	if (!p->times)
		memset(t, 0, sizeof(tried[0][0]));
	era[tid] += !(current->only_locks & WROTE_STACK);
	now.era = era[tid];
	current->only_locks |= WROTE_STACK;
	p->times++;
	for (uint32_t i = 0; p->times > limit && i < STATES; i++) {
		*since = t[i].done;
		if (t[i].era == now.era && !memcmp(t[i].hash, now.hash, sizeof(now.hash)) &&
		    engine_only_locked(engine, tid, *since))
			return true;
	}
	t[kept_at(p->times)] = now;
	return false;
}

static void in_vain(enum op_kind kind, const volatile void *object, uint64_t pc)
{
	struct op op = { .kind = kind, .pc = pc, .addr = (uint64_t)(uintptr_t)object };
	struct place_count *p;
	uint32_t since = 0;
	bool again;

	if (!under_engine() || current->probing || shared->config.mode == ENGINE_ONLINE)
		return;
	p = place_at(tries[current->tid], pc);
	if (replaying())
		again = engine_recorded(engine, current->tid, OP_BLOCK);
	else
		again = tries_again(p, &op, &since);
	if (again)
		no_further(CUT_TRIES, object, engine_done(engine, current->tid) - since, pc);
}

void try_failed(const volatile void *object, uint64_t pc)
{
	in_vain(OP_TRYLOCK, object, pc);
}

void asked_in_vain(const volatile void *object, uint64_t pc)
{
	in_vain(OP_COUNT_LOOK, object, pc);
}

bool may_wake_up(uint64_t pc)
{
	if (replaying())
		return engine_recorded_rather(engine, current->tid, OP_COND_LEAVE, OP_COND_WOKEN);
	return shared->config.spurious_wakeups && !place_at(wakeups[current->tid], pc)->times;
}

void woke_up(uint64_t pc)
{
	++place_at(wakeups[current->tid], pc)->times;
}
