/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * polls.c - threads that poll under a lock: await.txt, D
 *
 *	for (;;) { lock(m); if (all_done()) break; unlock(m); }
 *
 * A round that took and freed locks, and else did no more than read, did nothing. A thread that is back at such a
 * lock in the state that it had there stops (OP_STUCK), since the execution without that round is explored as well.
 * Locks are mutexes, spin locks, read-write locks, and semaphores that a round takes and posts. Plain writes that are
 * taken back before others may see them did nothing either.
 *
 * Where threads lock again and again is learned (FACT_POLLS), and the search starts again: at these places states are
 * taken, as hashes. Everything here is a function of the thread's own history, also of what is repeated from the
 * graph. await.c knows nothing of it: for that a lock ends the window.
 *
 * Not under wra; not of locks that somebody finds taken and does something else for it (FACT_LOCKS_MINDED,
 * FACT_SHARES_MINDED); not of what is written to a stack that others look at (FACT_STACK_SEEN); not where not all code tells what it does; and not once a read did not synchronise with its
 * write, where that matters (FACT_POLLS_KEPT).
 *
 * Cost: for a thread in such a round some microseconds for each operation; for others that lock a few nanoseconds.
 */
#include "preload/await/polls.h"

#include <string.h>

#include "base/table.h"
#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/arrival.h"
#include "preload/await/await.h"
#include "preload/await/leads.h"
#include "preload/await/rounds.h"
#include "preload/await/silent.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/fiber/fiber.h"
#include "preload/image/unseen.h"
#include "preload/liveness/live.h"

enum {
	CALL_BITS = 6,
	MANY = 1 << 30,      /* of a semaphore: what posts might find too many (D2) */
	HELD = 8,            /* locks that a round holds at once */
	STATES = 8,          /* that are kept of a thread */
	PLACES = 4,          /* where it may lock again and again */
	TIMES = 4,           /* so often is that, */
	TIMES_WRITING = 16,  /* or so often if it has written something; */
	TIMES_BY_VALUES = 64 /* by values: it may have no end, and by reads-from it stops */
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
	bool wrote; /* before there are states: it has written something since the first of the places */
	bool lost;    /* there was no room for a write in the log */
	uint32_t ops; /* operations since the first of the states */
	uint32_t nheld, nstates, next;
	uint64_t held[HELD];
	uint32_t round; /* operations of the round that brought it back; 0: it is not back */
	struct state state[STATES];
	struct place_locks place[PLACES];
	struct op stuck;
	struct write_log
		log; /* of its writes since its last operation that may have shown them to others */
} polls_of[HEDDLE_MAX_THREADS];
KEPT(polls_of); /* polls_begin() resets what threads that exist have left */

bool polls_followed;
/* Functions that take locks and free them, by a hash; 0: free. */
static uint64_t calls[1 << CALL_BITS];
KEPT(calls);

static uint64_t *call_at(uint64_t fn)
{
	uint64_t *call;

	TABLE_FIND(call, calls, CALL_BITS, table_hash(fn), !*call || *call == fn);
	return call;
}

void polls_call(uint64_t fn)
{
	*call_at(fn) = fn;
}

static bool is_minded(uint64_t addr, bool as_shared)
{
	enum fact_kind kind = as_shared ? FACT_SHARES_MINDED : FACT_LOCKS_MINDED;

	return fact_in_use(kind) && fact_used_at(kind, addr);
}

static void lose(struct self *me)
{
	struct polls *p = &polls_of[me->tid];

	me->polls = me->logs = false;
	p->nheld = p->nstates = p->round = 0;
	p->open = p->wrote = p->lost = false;
	p->log.n = p->log.used = 0;
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
			 (shared->config.model != MODEL_WRA || values_explored()) && !unseen &&
			 !unseen_partly && !fact_in_use(FACT_CODE_UNTOLD) &&
			 !fact_in_use(FACT_MEMORY_UNSEEN) && !fact_in_use(FACT_POLLS_KEPT);
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

static bool shares(const struct op *op)
{
	return op->kind == OP_RDLOCK || op->kind == OP_TRYRDLOCK || op->kind == OP_SEM_WAIT ||
	       op->kind == OP_SEM_TRYWAIT;
}

/* The writer has said that it comes, and comes now. */
static bool is_second(const struct op *op)
{
	return op->kind == OP_WRLOCK && op->arg.lo;
}

bool polls_is_call(const struct entry *call, const struct op *op)
{
	return (op_takes_lock(op->kind) || op_frees_lock(op->kind)) && call->sp &&
	       op->addr == call->arg[0] && *call_at(call->fn) == call->fn;
}

/* A lock, or one freed, by a call that does nothing else; of which nobody minds that it is taken. */
static bool is_lock(const struct op *op)
{
	return polls_is_call(&current->entry, op) &&
	       (op_frees_lock(op->kind) || !is_minded(op->addr, shares(op)));
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
	l->times++;
	if (values_explored()) {
		if (l->times >= TIMES_BY_VALUES)
			values_give_up("a loop locks at one place again and again");
	} else if (l->times >= (p->wrote ? TIMES_WRITING : TIMES) &&
		   !(rounds_weak && engine_beyond_hb(engine, false)))
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
	current->logs = true;
}

void polls_plain_write(uint64_t addr, uint64_t size)
{
	struct polls *p = &polls_of[current->tid];

	p->lost |= !log_add(&p->log, addr, size);
}

/* Facts are of memory: where the thread's stack ends. */
static uint64_t end_of_stack(const struct fiber *f)
{
	return f->stack_high - 8;
}

void polls_stack_seen(const struct fiber *f)
{
	if (polls_followed && fact_in_use(FACT_POLLS))
		fact_found_at(FACT_STACK_SEEN, end_of_stack(f));
}

/*
 * Does nobody else look at what the thread has written on its own stack? It is in the frame of the function that is at op, and
 * no address of that is known elsewhere, or of one that has returned; or no other thread ever looks at that stack.
 */
static bool is_private(const struct op *op, uint64_t addr, uint64_t size)
{
	struct arrival at;

	if (!on_own_stack(addr))
		return false;
	if (!fact_used_at(FACT_STACK_SEEN, end_of_stack(fiber_self())))
		return true;
	arrive(&at, op);
	arrival_of_program(&at);
	return at.sp && (addr + size <= at.sp || live_private(at.pc, at.sp, addr, size));
}

static bool is_undone(const struct polls *p, const struct op *op)
{
	const struct write_log *log = &p->log;

	for (uint32_t i = 0; i < log->n; i++)
		if (!log_is_undone_at(log, 0, i) &&
		    !is_private(op, log->write[i].addr, log->write[i].size))
			return false;
	return true;
}

/*
 * Has the thread left memory, its own stack, too, as it was? Who comes to know of what it wrote does so by an operation of it
 * that is more than a load; there it has to be undone (D7).
 */
static bool shows_nothing(struct polls *p, const struct op *op)
{
	if (p->lost)
		return false;
	if (op->kind == OP_LOAD)
		return true;
	if (!is_undone(p, op))
		return false;
	p->log.n = p->log.used = 0;
	return true;
}

/* Has the thread done, since its last operation, what is not of a round? */
static bool did_more(struct polls *p, const struct op *op)
{
	if (!p->nstates) {
		p->wrote |= !(current->only_locks & WROTE_NOTHING);
		return false;
	}
	return !shows_nothing(p, op) || (p->open && told_between(&p->ahead, op) != STRETCH_TOLD);
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
	if (!op_takes_lock(op->kind) || engine_fixes(engine, me->tid))
		return;
	me->polls = true;
	if (is_second(op) || !is_lock(op))
		return;
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

	if (!polls_followed || !op_takes_lock(op->kind) || !p->round)
		return op;
	p->stuck = await_of[current->tid].before = *op;
	p->stuck.kind = OP_STUCK;
	p->stuck.fn = STUCK_ROUND;
	p->stuck.peer = p->round;
	return &p->stuck;
}

static bool gives_back(struct polls *p, uint64_t addr)
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
	if (is_silent(op, res))
		return true;
	if (!is_lock(op) || (op->kind == OP_SEM_WAIT && res->value.lo >= MANY))
		return false;
	if (op->kind == OP_RW_ASK)
		return true; /* and takes it, in the same call */
	if (op_frees_lock(op->kind))
		return gives_back(p, op->addr);
	if (p->nheld == HELD)
		return false;
	p->held[p->nheld++] = op->addr;
	return true;
}

/* ---- Who minds that a lock is taken (D2) ------------------------------------------------------- */

/* A look in vain, which only comes back to itself, is left out in turn; if none has to stay for its races. */
static bool is_in_vain(const struct op *op, const struct op_result *res)
{
	return !fact_in_use(FACT_KEPT_ROUNDS) && !fact_in_use(FACT_LOOKED_AT) &&
	       leads_back(op, res->value);
}

/* A try has failed. Would it have succeeded if not somebody had the lock who polls? */
static void ask_try(const struct op *op, const struct op_result *res)
{
	uint64_t state = res->value.lo;
	bool sem = op->kind == OP_SEM_TRYWAIT;
	bool by_share = sem || (op->kind == OP_TRYWRLOCK && state % OP_RW_WRITER);
	bool by_lock = !sem && (op->kind != OP_TRYWRLOCK || state >= OP_RW_WRITER);

	if (is_in_vain(op, res))
		return;
	if (rounds_weak)
		fact_found(FACT_POLLS_KEPT); /* D4 */
	if (by_share)
		fact_found_at(FACT_SHARES_MINDED, op->addr);
	if (by_lock)
		fact_found_at(FACT_LOCKS_MINDED, op->addr);
}

void polls_minds(uint64_t addr)
{
	if (!polls_followed || !current || current->probing || !fact_in_use(FACT_POLLS))
		return;
	fact_found_at(FACT_SHARES_MINDED, addr);
	fact_found_at(FACT_LOCKS_MINDED, addr);
}

void polls_after(const struct op *op, const struct op_result *res, uint32_t parts)
{
	struct polls *p = &polls_of[current->tid];

	if (!is_event(op))
		return;
	if (op_tries_lock(op->kind) && !res->wrote && fact_in_use(FACT_POLLS))
		ask_try(op, res);
	if (!is_of_round(p, op, res)) {
		lose(current);
		return;
	}
	if (!p->nstates)
		return;
	p->ops += parts;
	told_ahead(op, &p->ahead, STRETCH_TOLD);
	p->open = p->ahead.worst != STRETCH_TOLD;
}

void polls_new_event(void)
{
	if (unlikely(rounds_weak) && polls_followed && fact_in_use(FACT_POLLS) &&
	    engine_beyond_hb(engine, false))
		fact_found(FACT_POLLS_KEPT);
}
