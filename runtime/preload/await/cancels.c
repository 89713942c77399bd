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
#include "preload/await/rounds.h"
#include "preload/core/lifecycle.h"
#include "preload/core/modules.h"
#include "preload/core/reset.h"
#include "preload/facts/facts.h"
#include "preload/facts/values.h"
#include "preload/image/unseen.h"
#include "preload/liveness/live.h"

enum {
	LOOKS = 128,  /* of a thread in an execution; beyond them it goes on */
	PIECE = 64,   /* read-modify-writes in a row */
	PLACES = 4,   /* where it may go round */
	TIMES = 4,    /* so often is that */
	ANYWHERE = 16 /* read-modify-writes, until a thread may stop in the middle of a round */
};

/* A thread at a read-modify-write. */
struct look {
	uint64_t hash[2];
	struct op op;
	uint32_t event; /* its number in the thread */
	bool goes_on; /* it comes right behind the look before, and nothing was written in between, */
	bool quiet;   /* or read */
	uint32_t rank; /* how many looks come before it like that */
	uint64_t sum;  /* what these have added, */
	bool mixed;    /* if they did not do something else, and this one, too */
	bool ignored;  /* the program does not look at what it finds */
};

struct place_rounds {
	uint64_t pc;
	uint32_t times;
};

static struct cancels {
	uint64_t addr;  /* of its last operation, if current->cancels */
	uint64_t added; /* by that */
	bool open;      /* `ahead` is about that, and not all of it is told */
	bool quiet;     /* nothing was read or written between that and this one */
	struct frames ahead;
	uint32_t n, run, next;
	struct place_rounds place[PLACES];
	struct op stuck;
	struct look look[LOOKS];
} cancels_of[HEDDLE_MAX_THREADS];
KEPT(cancels_of); /* cancels_begin() resets what threads that exist have left */

bool cancels_followed, cancels_known;
static bool strict; /* some read does not synchronise with its write */
KEPT(strict);

/* What comes is not of a round with what was. */
static void part(struct self *me)
{
	struct cancels *c = &cancels_of[me->tid];

	me->cancels = false;
	c->open = false;
	c->run = 0;
	memset(c->place, 0, sizeof(c->place));
}

static void cancels_begin(void)
{
	cancels_followed = shared->config.mode == ENGINE_EXPLORE &&
			   shared->config.model != MODEL_WRA && !unseen && !unseen_partly &&
			   !fact_in_use(FACT_CODE_UNTOLD) && !fact_in_use(FACT_MEMORY_UNSEEN) &&
			   !values_explored(); /* whether a thread stops depends on who read from whom */
	strict = fact_in_use(FACT_POLLS_KEPT);
	cancels_known = cancels_followed && fact_in_use(FACT_CANCELS);
	for (uint32_t t = 0; t < HEDDLE_MAX_THREADS && fibers[t].tcb; t++) {
		part(&fibers[t].self);
		cancels_of[t].n = cancels_of[t].next = 0;
	}
}

/* Another thread has the id. What the first one did stays: who knows of it asks at any time. */
static void cancels_again(uint32_t tid)
{
	part(&fibers[tid].self);
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

/* Memory that is freed is accessed by what no operation says; that matters where hb has less than po u rf. */
static bool is_followed(const struct op *op)
{
	return op->size && fact_used_at(FACT_CANCELS, op->addr) &&
	       !fact_used_at(FACT_CANCELS_KEPT, op->addr) && (!strict || module_of(op->addr) >= 0);
}

/* ---- Locations --------------------------------------------------------------------------------- */

/* Rounds of several read-modify-writes of one location: is it to be followed from now on? */
static void count(struct cancels *c, const struct op *op)
{
	struct place_rounds *p = c->place;

	c->run++;
	while (p < c->place + PLACES && p->pc != op->pc)
		p++;
	if (p == c->place + PLACES) {
		p = &c->place[c->next++ % PLACES];
		*p = (struct place_rounds){ .pc = op->pc };
	}
	if (++p->times >= TIMES && c->run >= 2 * p->times - 1)
		fact_found_at(FACT_CANCELS, op->addr);
}

/* ---- Looks ------------------------------------------------------------------------------------- */

/* Has the thread done nothing since its last operation, a read-modify-write of that location? */
static bool goes_on(const struct cancels *c, const struct op *op)
{
	return current->cancels && op->kind == OP_RMW && op->addr == c->addr &&
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
	l->event = engine_done(engine, current->tid);
	l->goes_on = on && c->n;
	l->quiet = c->quiet;
	if (!probe_place(op, l->hash))
		l->goes_on = false;
	l->rank = l->goes_on ? l[-1].rank + 1 : 0;
	l->sum = l->goes_on ? l[-1].sum + c->added : 0;
	l->mixed = (l->goes_on && l[-1].mixed) || (op->fn != RMW_ADD && op->fn != RMW_SUB);
	l->ignored = is_ignored(op);
	c->n++;
}

void cancels_arrives(const struct op *op)
{
	struct self *me = current;
	struct cancels *c = &cancels_of[me->tid];
	bool on;

	if (!is_event(op))
		return;
	on = goes_on(c, op);
	c->quiet = me->only_locks & TOUCHED_NOTHING;
	if (!on)
		part(me);
	if (strict && op->kind != OP_RMW && is_followed(op))
		fact_found_at(FACT_CANCELS_KEPT, op->addr);
	me->only_locks |= CHANGED_NOTHING | TOUCHED_NOTHING;
	if (op->kind != OP_RMW || !me->entry.sp || engine_fixes(engine, me->tid)) {
		me->cancels = false;
		return;
	}
	me->cancels = true;
	c->addr = op->addr;
	c->open = false;
	if (is_followed(op))
		look(c, op, on);
	else if (!cancels_known || !fact_used_at(FACT_CANCELS_KEPT, op->addr))
		count(c, op);
}

void cancels_after(const struct op *op, const struct op_result *res)
{
	struct cancels *c = &cancels_of[current->tid];

	if (!is_event(op) || !cancels_known || !is_followed(op))
		return;
	if (!engine_apart(engine, current->tid, op))
		fact_found_at(FACT_CANCELS_KEPT, op->addr);
	if (!current->cancels)
		return;
	c->added = res->stored.lo - res->value.lo;
	told_ahead(op, &c->ahead, STRETCH_TOLD);
	c->open = c->ahead.worst != STRETCH_TOLD;
}

/* Those of a value of so many bytes. */
static uint64_t bits_of(uint32_t size)
{
	return size < 8 ? ((uint64_t)1 << size * 8) - 1 : UINT64_MAX;
}

/* ---- Pieces ------------------------------------------------------------------------------------ */

/* A read-modify-write of the row. */
struct member {
	uint32_t tid, event;
	struct engine_rmw rmw;
};

/* Those of one thread in a piece, in its order. */
struct part {
	const struct member *at[PIECE];
	uint32_t n;
};

/* What of a piece is left out. */
struct left_out {
	uint64_t added; /* by all of it, */
	bool mixed;     /* if it adds, */
	bool all;       /* and it is all there is */
	uint32_t round; /* the last ones of the thread that is to stop */
};

static bool same_look(const struct look *a, const struct look *b)
{
	return !memcmp(a->hash, b->hash, sizeof(a->hash)) && same_op(&a->op, &b->op);
}

/* The thread's look at that event, or NULL. */
static const struct look *look_at(const struct cancels *c, uint32_t event)
{
	for (uint32_t i = c->n; i-- > 0;)
		if (c->look[i].event == event)
			return &c->look[i];
	return NULL;
}

static bool adds(const struct look *l)
{
	return l && (l->op.fn == RMW_ADD || l->op.fn == RMW_SUB);
}

/*
 * Is the thread, behind those n of its part, where it was before them, and has it done nothing else in between? The one that
 * is to stop may have looked at memory. (E3)
 */
static bool is_back(const struct member *const *at, uint32_t n)
{
	const uint32_t tid = at[0]->tid;
	const struct cancels *c = &cancels_of[tid];
	const struct look *l = look_at(c, at[0]->event), *end = c->look + c->n, *first = l;
	bool may_read = tid == current->tid && !strict;

	for (uint32_t i = 0; l && i < n; i++)
		if (++l == end || !l->goes_on || !(l->quiet || may_read))
			return false;
	return l && l[-1].event == at[n - 1]->event && same_look(first, l);
}

/*
 * Does whoever did it do the same whatever it reads, and does it add the same to that? Of several parts of an access what is
 * carried from one to the next depends on what was there. (E7)
 */
static bool may_stay(const struct member *m)
{
	const struct look *l = look_at(&cancels_of[m->tid], m->event);

	if (fact_in_use(FACT_SPLIT))
		return false;
	return adds(l) && l->op.size <= 8 && l->ignored;
}

static void leave_out(struct left_out *out, const struct member *const *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		out->added += at[i]->rmw.written.lo - at[i]->rmw.read.lo;
		out->mixed |= !adds(look_at(&cancels_of[at[i]->tid], at[i]->event));
	}
	out->round = at[0]->tid == current->tid ? n : out->round;
}

/* Can all of the part be left out, or stay? Of what begins at one place the longest that comes back is left out. */
static bool divide(const struct part *p, struct left_out *out)
{
	uint32_t i = 0, n;

	while (i < p->n) {
		for (n = p->n - i; n && !is_back(&p->at[i], n);)
			n--;
		if (!n && !may_stay(p->at[i]))
			return false;
		out->all &= n != 0;
		if (n)
			leave_out(out, &p->at[i], n);
		else if (p->at[i]->tid == current->tid)
			out->round = 0; /* what comes last has to be left out */
		i += n ? n : 1;
	}
	return true;
}

/* The n last ones of the row, the latest one first: how many of them are a round of the thread that is to stop, if without what is
 * left out of them all is as it was; else 0. */
static uint32_t round_of(const struct member *row, uint32_t n)
{
	static struct part part[HEDDLE_EXPLORED_THREADS];
	FRESH(part);
	struct left_out out = { .all = true };
	uint64_t met = 0;
	uint32_t size = look_at(&cancels_of[row->tid], row->event)->op.size;

	for (uint32_t i = n; i-- > 0;) {
		struct part *p = &part[row[i].tid];

		if (!(met >> row[i].tid & 1))
			p->n = 0;
		met |= (uint64_t)1 << row[i].tid;
		p->at[p->n++] = &row[i];
	}
	while (met) {
		if (!divide(&part[__builtin_ctzll(met)], &out))
			return 0;
		met &= met - 1;
	}
	if (out.all)
		return value_eq(row[n - 1].rmw.read, row[0].rmw.written) ? out.round : 0;
	return out.mixed || out.added & bits_of(size) ? 0 : out.round;
}

/* How many of the thread's operations are in the shortest piece behind which it stands that did nothing; 0: there is none. */
static uint32_t find_piece(uint32_t tid, uint32_t last)
{
	static struct member row[PIECE];
	FRESH(row);
	uint32_t n = 0, round;

	row[0] = (struct member){ .tid = tid, .event = last };
	while (engine_rmw(engine, row[n].tid, row[n].event, &row[n].rmw)) {
		const struct member *m = &row[n++];

		round = round_of(row, n);
		if (round && engine_rmw_alone(engine, tid, m->tid, m->event))
			return round;
		if (!m->rmw.has_before || n == PIECE)
			break;
		row[n] = (struct member){ .tid = m->rmw.tid, .event = m->rmw.index };
	}
	return 0;
}

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
	return l->goes_on && (is_at_home(l) || l->rank >= ANYWHERE || same_look(l, l - l->rank));
}

const struct op *cancels_before(const struct op *op)
{
	struct cancels *c = &cancels_of[current->tid];
	uint32_t round;

	if (!cancels_known || op->kind != OP_RMW || !current->cancels || !is_followed(op) ||
	    c->n < 2 || c->n == LOOKS || !may_stop(&c->look[c->n - 1]))
		return op;
	round = find_piece(current->tid, c->look[c->n - 2].event);
	if (!round)
		return op;
	c->stuck = await_of[current->tid].before = *op;
	c->stuck.kind = OP_STUCK;
	c->stuck.peer = round;
	c->stuck.fn = is_at_home(&c->look[c->n - 1]) ? STUCK_ROUND : STUCK_ANYWHERE;
	return &c->stuck;
}

void cancels_new_event(void)
{
	if (unlikely(rounds_weak) && cancels_known && !strict)
		fact_found(FACT_POLLS_KEPT);
}
