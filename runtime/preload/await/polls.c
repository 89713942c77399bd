/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * polls.c - threads that poll under a lock: await.txt, D
 *
 *	for (;;) { lock(m); if (all_done()) break; unlock(m); }
 *
 * A round that took and freed locks, and else did no more than read, did nothing. A thread that is back at such a
 * lock in the state that it had there stops (OP_STUCK), since the execution without that round is explored as well.
 *
 * Where threads lock again and again is learned (FACT_POLLS), and the search starts again: at these places states are
 * taken, as hashes. Everything here is a function of the thread's own history, also of what is repeated from the
 * graph. await.c knows nothing of it: for that a lock ends the window.
 *
 * Not under wra; not where a try has made locks wait (explore_lock.c); not where not all code tells what it does; and
 * not once a read did not synchronise with its write, where that matters (FACT_POLLS_KEPT).
 *
 * Cost: for a thread in such a round some microseconds for each operation; for others that lock a few nanoseconds.
 */
#include "preload/await/polls.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/await.h"
#include "preload/await/rounds.h"
#include "preload/await/silent.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/image/unseen.h"

enum {
	HELD = 8,   /* locks that a round holds at once */
	STATES = 8, /* that are kept of a thread */
	PLACES = 4, /* where it may lock again and again */
	TIMES = 4   /* so often is that */
};

/* What a thread was at a lock. */
struct state {
	uint64_t hash[2];
	uint32_t ops;
};

/* How often it has locked at a place, having done nothing else. */
struct place_locks {
	uint64_t pc;
	uint32_t times;
};

static struct polls {
	bool open; /* `ahead` is about its last operation, and not all of it is told */
	struct frames ahead;
	uint32_t ops; /* operations since the first of the states */
	uint32_t nheld, nstates, next;
	uint64_t held[HELD];
	uint32_t round; /* operations of the round that brought it back; 0: it is not back */
	struct state state[STATES];
	struct place_locks place[PLACES];
	struct op stuck;
} polls_of[HEDDLE_MAX_THREADS];
KEPT(polls_of); /* polls_begin() resets what threads that exist have left */

bool polls_followed;
static uint64_t calls[2];

void polls_calls(uint64_t lock, uint64_t unlock)
{
	calls[0] = lock;
	calls[1] = unlock;
}

static void lose(struct self *me)
{
	struct polls *p = &polls_of[me->tid];

	me->polls = false;
	p->nheld = p->nstates = p->round = 0;
	p->open = false;
	memset(p->place, 0, sizeof(p->place));
}

static void polls_forget(uint32_t tid)
{
	lose(&fibers[tid].self);
	polls_of[tid].next = polls_of[tid].ops = 0;
}

static void polls_begin(void)
{
	polls_followed = shared->config.mode == ENGINE_EXPLORE &&
			 shared->config.model != MODEL_WRA && !unseen && !unseen_partly &&
			 !fact_in_use(FACT_CODE_UNTOLD) && !fact_in_use(FACT_MEMORY_UNSEEN) &&
			 !fact_in_use(FACT_POLLS_KEPT);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++)
		polls_forget(t);
}

static void polls_hidden(void)
{
	if (!current->probing)
		lose(current);
}

AT_BEGIN(polls_begin);
AT_ID_AGAIN(polls_forget);
AT_HIDDEN(polls_hidden);

static bool is_event(const struct op *op)
{
	return op->kind != OP_YIELD && op->kind != OP_PAUSE;
}

/* A lock, or one freed, by a call that does nothing else; where locks have an order. */
static bool is_lock(const struct op *op)
{
	return (op->kind == OP_LOCK || op->kind == OP_UNLOCK) && current->entry.sp &&
	       (current->entry.fn == calls[0] || current->entry.fn == calls[1]) &&
	       engine_locks_in_order(engine);
}

/* ---- Places ------------------------------------------------------------------------------------ */

/* A loop that locks at this place: is it to be followed from now on? */
static void count(struct polls *p, uint64_t pc)
{
	struct place_locks *l = p->place;

	while (l < p->place + PLACES && l->pc != pc)
		l++;
	if (l == p->place + PLACES) {
		l = &p->place[p->next++ % PLACES];
		*l = (struct place_locks){ .pc = pc };
	}
	if (++l->times >= TIMES && !rounds_weak)
		fact_found_at(FACT_POLLS, pc);
}

/* ---- Rounds ------------------------------------------------------------------------------------ */

/* D1: at a lock, and with no other one taken since the first state. */
static void look_back(struct polls *p, const struct op *op)
{
	struct state now = { .ops = p->ops };

	if (!probe_place(op, now.hash)) {
		lose(current);
		return;
	}
	for (uint32_t i = 0; i < p->nstates && i < STATES; i++)
		if (!memcmp(p->state[i].hash, now.hash, sizeof(now.hash)))
			p->round = p->ops - p->state[i].ops;
	p->state[p->nstates++ % STATES] = now;
}

/* Has the thread done, since its last operation, what is not of a round? */
static bool did_more(const struct polls *p, const struct op *op)
{
	return !(current->only_locks & WROTE_NOTHING) ||
	       (p->open && told_between(&p->ahead, op) != STRETCH_TOLD);
}

void polls_arrives(const struct op *op)
{
	struct self *me = current;
	struct polls *p = &polls_of[me->tid];

	if (!is_event(op))
		return;
	if ((me->polls && did_more(p, op)) || engine_fixes(engine, me->tid))
		lose(me);
	me->only_locks |= WROTE_NOTHING;
	p->open = false;
	p->round = 0;
	if (op->kind != OP_LOCK || !is_lock(op) || engine_fixes(engine, me->tid))
		return;
	me->polls = true;
	if (!fact_used_at(FACT_POLLS, op->pc)) {
		count(p, op->pc);
		return;
	}
	if (!p->nstates)
		p->nheld = 0; /* it may hold others, as long as it does not free them */
	if (!p->nheld)
		look_back(p, op);
}

const struct op *polls_before(const struct op *op)
{
	struct polls *p = &polls_of[current->tid];

	if (!polls_followed || op->kind != OP_LOCK || !p->round)
		return op;
	p->stuck = await_of[current->tid].before = *op;
	p->stuck.kind = OP_STUCK;
	p->stuck.peer = p->round;
	return &p->stuck;
}

static bool frees(struct polls *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->nheld; i++)
		if (p->held[i] == addr) {
			p->held[i] = p->held[--p->nheld];
			return true;
		}
	return false;
}

/* D2: does the operation leave everything as it was, but for locks that the round takes, and frees? */
static bool is_of_round(struct polls *p, const struct op *op, const struct op_result *res)
{
	if (!is_lock(op))
		return is_silent(op, res);
	if (op->kind == OP_UNLOCK)
		return frees(p, op->addr);
	if (p->nheld == HELD)
		return false;
	p->held[p->nheld++] = op->addr;
	return true;
}

void polls_after(const struct op *op, const struct op_result *res)
{
	struct polls *p = &polls_of[current->tid];

	if (!is_event(op))
		return;
	if (!is_of_round(p, op, res)) {
		lose(current);
		return;
	}
	if (!p->nstates)
		return;
	p->ops++;
	told_ahead(op, &p->ahead, STRETCH_TOLD);
	p->open = p->ahead.worst != STRETCH_TOLD;
}

void polls_new_event(void)
{
	if (unlikely(rounds_weak) && polls_followed && fact_in_use(FACT_POLLS))
		fact_found(FACT_POLLS_KEPT);
}
