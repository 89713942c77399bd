/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cancels.c - threads whose read-modify-writes cancel out: await.txt, E
 *
 *	while (atomic_fetch_add(&x, 1) != 0)
 *		atomic_fetch_sub(&x, 1);
 *
 * The read-modify-writes of a location stand in one row. Where a piece of that row leaves the location as it was, and
 * each thread that has a part in the piece is back where it was before its part, the piece did nothing. Of others in
 * between, which add something and do not look at what they found, as an unlock does, it did nothing either: they may
 * stay. A thread whose last operation is the end of such a piece stops (OP_STUCK), since the execution without it is
 * explored as well.
 *
 * At which locations threads go round like that is learned (FACT_CANCELS), and the search starts again: there the
 * state of each thread is taken at each operation, as a hash. Whether a thread stops is a function of what it knows of
 * (po u rf), so states are kept as long as the execution lasts.
 *
 * Not under wra; not where not all code tells what it does; not at locations where something else than a
 * read-modify-write is not ordered with these (FACT_CANCELS_KEPT); and nowhere once a read did not synchronise with its
 * write (FACT_POLLS_KEPT).
 *
 * Cost: for a thread at such a location some microseconds for each operation; for others that do
 * read-modify-writes a few nanoseconds.
 */
#include "preload/await/cancels.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/await/arrival.h"
#include "preload/await/await.h"
#include "preload/await/cancels_looks.h"
#include "preload/await/rounds.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/image/unseen.h"
#include "preload/liveness/live.h"

enum {
	TIMES = 4,    /* so often is a thread at a place, until it goes round there, */
	AGAIN = 2,    /* or so often if it has looked in between */
	ANYWHERE = 16 /* read-modify-writes, until a thread may stop in the middle of a round */
};

struct cancels cancels_of[HEDDLE_MAX_THREADS];
KEPT(cancels_of); /* cancels_begin() resets what threads that exist have left */

bool cancels_followed, cancels_known;
bool cancels_strict;
KEPT(cancels_strict);

/* What comes is not of a round with what was. */
static void part(struct self *me)
{
	struct cancels *c = &cancels_of[me->tid];

	me->cancels = false;
	c->open = c->looked = c->mixed = false;
	c->run = c->ops = 0;
	c->sum = 0;
	memset(c->place, 0, sizeof(c->place));
}

static void cancels_begin(void)
{
	cancels_followed = shared->config.mode == ENGINE_EXPLORE &&
			   (shared->config.model != MODEL_WRA || values_explored()) && !unseen &&
			   !unseen_partly && !fact_in_use(FACT_CODE_UNTOLD) &&
			   !fact_in_use(FACT_MEMORY_UNSEEN);
	cancels_strict = fact_in_use(FACT_POLLS_KEPT);
	cancels_known = cancels_followed && fact_in_use(FACT_CANCELS);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		part(&fibers[t].self);
		cancels_of[t].n = cancels_of[t].next = 0;
		cancels_of[t].behind = 0;
	}
}

/* Another thread has the id. What the first one did stays: who knows of it asks at any time. */
static void cancels_again(uint32_t tid)
{
	part(&fibers[tid].self);
	cancels_of[tid].behind = 0;
}

static void cancels_hidden(void)
{
	if (!current->probing)
		part(current);
}

AT_BEGIN(cancels_begin);
AT_ID_AGAIN(cancels_again);
AT_HIDDEN(cancels_hidden);

static bool is_event(const struct op *op)
{
	return op->kind != OP_YIELD && op->kind != OP_PAUSE;
}

/* A load by which the program looks at what is there. */
static bool is_look(const struct op *op)
{
	return op->kind == OP_LOAD && op->order != ORDER_NA;
}

static bool is_looked_at(const struct op *op)
{
	return fact_used_at(FACT_CANCELS_LOOKS, op->addr);
}

/*
 * Memory that is freed is accessed by what no operation says; that matters where hb has less than po u rf. What several
 * parts of an access make of another value is not asked.
 */
static bool is_followed(const struct op *op)
{
	return op->size && fact_used_at(FACT_CANCELS, op->addr) &&
	       !fact_used_at(FACT_CANCELS_KEPT, op->addr) &&
	       (!cancels_strict || module_of(op->addr) >= 0) &&
	       !(is_looked_at(op) && (fact_in_use(FACT_SPLIT) || op->size > 8));
}

/* ---- Locations --------------------------------------------------------------------------------- */

/* Is the thread, which has looked at what is there, back with nothing added? */
static bool is_back(const struct cancels *c, const struct place_rounds *p, const struct op *op)
{
	return c->looked && !c->mixed && p->times >= AGAIN &&
	       !((c->sum - p->sum) & bits_of(op->size));
}

/* Rounds of several read-modify-writes of one location: is it to be followed from now on? */
static void count(struct cancels *c, const struct op *op)
{
	struct place_rounds *p = c->place;

	c->run++;
	while (p < c->place + PLACES && p->pc != op->pc)
		p++;
	if (p == c->place + PLACES) {
		p = &c->place[c->next++ % PLACES];
		*p = (struct place_rounds){ .pc = op->pc, .sum = c->sum };
	}
	p->times++;
	if (!is_back(c, p, op) && (p->times < TIMES || c->run < 2 * p->times - 1))
		return;
	/* Whether it stops depends on who read from whom, and if it never does its loop has no end. */
	values_give_up("each round of a loop cancels out");
	if (is_back(c, p, op)) /* which others will see as well */
		fact_learn_at(FACT_CANCELS_LOOKS, op->addr);
	fact_found_at(FACT_CANCELS, op->addr);
}

/* ---- Looks ------------------------------------------------------------------------------------- */

/* Has the thread done nothing since its last operation, a read-modify-write of that location or a look behind one? */
static bool goes_on(const struct cancels *c, const struct op *op)
{
	return current->cancels && (op->kind == OP_RMW || is_look(op)) && op->addr == c->addr &&
	       (current->only_locks & CHANGED_NOTHING) &&
	       !(c->open && told_between(&c->ahead, op) != STRETCH_TOLD);
}

static bool is_ignored(const struct op *op)
{
	struct arrival at;

	arrive(&at, op);
	arrival_of_program(&at);
	return live_ignored(at.pc, at.sp);
}

static void look(struct cancels *c, const struct op *op, bool on)
{
	struct look *l = &c->look[c->n];

	if (c->n == LOOKS)
		return;
	l->op = *op;
	l->event = c->event;
	l->ops = c->ops;
	l->minds = 0;
	l->goes_on = on && c->n;
	l->quiet = c->quiet;
	if (!probe_place(op, l->hash))
		l->goes_on = false;
	l->rank = l->goes_on ? l[-1].rank + 1 : 0;
	l->sum = l->goes_on ? l[-1].sum + c->added : 0;
	l->mixed = (l->goes_on && l[-1].mixed) || !is_sum(op);
	l->ignored = is_ignored(op);
	l->began = (l->goes_on && l[-1].began) || !l->ignored;
	l->open = l->goes_on && l[-1].began ? l[-1].open + c->added : 0;
	c->n++;
}

/*
 * Something else than a read-modify-write comes to a location where hb says less than po u rf. It has to be behind all that its
 * thread knows of there, in hb, or a look right behind a read-modify-write of its own, which reads nothing older. (E4, F4)
 */
static void ask_strictly(const struct cancels *c, const struct op *op)
{
	if (!engine_knows_beyond_hb(engine, current->tid, op))
		return;
	if (!is_look(op) || c->behind != op->addr)
		fact_found_at(FACT_CANCELS_KEPT, op->addr);
	else if (!is_looked_at(op))
		fact_found_at(FACT_CANCELS_LOOKS, op->addr);
}

/* What is kept of the operation, if it may be of a round. */
static void take(struct cancels *c, const struct op *op, bool on)
{
	c->addr = op->addr;
	c->open = false;
	if (is_look(op)) {
		c->looked = true;
		return;
	}
	if (is_followed(op))
		look(c, op, on);
	else if (!cancels_known || !fact_used_at(FACT_CANCELS_KEPT, op->addr))
		count(c, op);
	c->quiet = true;
}

void cancels_arrives(const struct op *op)
{
	struct self *me = current;
	struct cancels *c = &cancels_of[me->tid];
	bool on;

	if (!is_event(op))
		return;
	on = goes_on(c, op);
	c->quiet = c->quiet && me->only_locks & TOUCHED_NOTHING;
	if (!on)
		part(me);
	if (cancels_strict && op->kind != OP_RMW && is_followed(op))
		ask_strictly(c, op);
	if (op->kind == OP_RMW)
		c->behind = op->addr;
	else if (!is_look(op) || c->behind != op->addr)
		c->behind = 0;
	me->only_locks |= CHANGED_NOTHING | TOUCHED_NOTHING;
	c->event = engine_done(engine, me->tid);
	if (!(op->kind == OP_RMW || (on && is_look(op))) || !me->entry.sp ||
	    engine_fixes(engine, me->tid)) {
		me->cancels = false;
		return;
	}
	me->cancels = true;
	take(c, op, on);
	c->ops++;
}

/* Are all others, which are no read-modify-writes, ordered with these, or looks that do not mind? */
static void ask_others(struct cancels *c, const struct op *op, const struct op_result *res)
{
	if (!engine_apart(engine, current->tid, op, true))
		fact_found_at(FACT_CANCELS_KEPT, op->addr);
	if (!is_looked_at(op)) {
		if (!engine_apart(engine, current->tid, op, false))
			fact_found_at(FACT_CANCELS_LOOKS, op->addr);
	} else if (is_look(op) && cancels_minds(op, res->value, c->event)) {
		fact_found_at(FACT_CANCELS_KEPT, op->addr);
	}
}

void cancels_after(const struct op *op, const struct op_result *res)
{
	struct cancels *c = &cancels_of[current->tid];
	struct look *l = c->look + c->n - 1;

	if (!is_event(op))
		return;
	if (current->cancels && op->kind == OP_RMW) {
		c->added = res->stored.lo - res->value.lo;
		c->sum += c->added;
		c->mixed |= !is_sum(op);
	}
	if (!cancels_known || !is_followed(op))
		return;
	ask_others(c, op, res);
	if (!current->cancels)
		return;
	if (op->kind == OP_RMW && c->n && l->event == c->event && !l->ignored && is_sum(op))
		l->minds = cancels_minds(op, res->value, c->event);
	told_ahead(op, &c->ahead, STRETCH_TOLD);
	c->open = c->ahead.worst != STRETCH_TOLD;
}

/* ---- Where it stops ---------------------------------------------------------------------------- */

/* Has the thread taken back all that it added since it began with that? (E5) */
static bool is_at_home(const struct look *l)
{
	return !l->mixed && !(l->sum & bits_of(l->op.size));
}

/*
 * It stops there, if it comes by, so that what others see of it then, for ever, is not the middle of a round: or of two
 * such threads each would keep the other one in its loop.
 */
static bool may_stop(const struct look *l)
{
	return l->goes_on && (is_at_home(l) || l->rank >= ANYWHERE || cancels_same(l, l - l->rank));
}

/* How many of its looks are of a piece that did nothing, if it stops there; else 0. *how: enum stuck. */
static uint32_t find_round(const struct look *x, bool looks, uint8_t *how)
{
	uint32_t round = 0;

	*how = is_at_home(x) ? STUCK_ROUND : STUCK_ANYWHERE;
	if (!looks && may_stop(x))
		round = cancels_find_piece(x);
	if (round)
		return round;
	*how = STUCK_ROUND;
	return x->goes_on ? cancels_find_own(x, looks) : 0;
}

const struct op *cancels_before(const struct op *op)
{
	struct cancels *c = &cancels_of[current->tid];
	const struct look *x = &c->look[c->n - 1];
	uint32_t round;
	uint8_t how;

	if (!cancels_known || op->kind != OP_RMW || !current->cancels || !is_followed(op) ||
	    c->n < 2 || c->n == LOOKS)
		return op;
	round = find_round(x, is_looked_at(op), &how);
	if (!round)
		return op;
	c->stuck = await_of[current->tid].before = *op;
	c->stuck.kind = OP_STUCK;
	c->stuck.peer = x->ops - x[-(int64_t)round].ops;
	c->stuck.fn = how;
	return &c->stuck;
}

void cancels_new_event(void)
{
	if (unlikely(rounds_weak) && cancels_known && !cancels_strict)
		fact_found(FACT_POLLS_KEPT);
}
