/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steal.c - one search by several workers (-j N): what one of them does
 *
 * Exploring: after each execution, if somebody is hungry, the oldest subtree is put on offer;
 * without work, a subtree is taken from whoever offers one. wire/exchange.h has the protocol,
 * and what it owes to workers that may die at any moment. Testing: each execution's number
 * is drawn from a common counter, so execution i is the same whoever runs it.
 *
 * Exploring begins with the first worker alone, for some executions, since what it learns in them
 * makes it start again (facts.h); the others wait where they need an engine, and make theirs knowing that.
 *
 * Subtrees name locations by address, so a worker whose addresses differ from those of the
 * others (where randomisation cannot be turned off) does not take part.
 *
 * Cost: one load of a shared counter an execution; giving and taking are a few microseconds. Who
 * is hungry looks for work without sleeping for as long as a few executions may take.
 * With the fork back end all of this runs in a child, so nothing is remembered in this process.
 */
#define _GNU_SOURCE 1
#include "preload/loop/steal.h"

#include <string.h>
#include <time.h>

#include "preload/core/reset.h"
#include "preload/core/sys.h"
#include "preload/loop/driver.h"
#include "preload/loop/siblings.h"
#include "wire/exchange.h"

enum {
	ALONE = 100, /* executions of the first worker before others get some of its work */
	LOOKS = 256, /* for work before the first nap: 20 us or so */
};

static struct exchange *x; /* NULL: one worker alone */
KEPT(x);
static struct worker *me;
KEPT(me);
static uint32_t my_number;
KEPT(my_number);

void steal_map(void)
{
	const struct shared_config *c = &shared->config;

	if (c->workers < 2 || c->worker >= c->workers)
		return;
	x = sys_mmap(EXCHANGE_ADDR, exchange_size(c->workers), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, (int)c->exchange_fd);
	must(!sys_failed(x) && (uint64_t)(uintptr_t)x == EXCHANGE_ADDR);
	sys_close((int)c->exchange_fd);
	steal_become(c->worker);
	if (steal_is_first())
		siblings_map(x);
}

void steal_become(uint32_t number)
{
	my_number = number;
	me = &x->worker[number];
}

void steal_root(void)
{
	siblings_make(x);
}

struct engine_names *steal_names(void)
{
	return x && shared->config.mode == ENGINE_EXPLORE ? &x->names : NULL;
}

struct value_board *steal_board(void)
{
	return steal_names() ? &x->board : NULL;
}

bool steal_is_first(void)
{
	return !my_number;
}

uint64_t steal_number(void)
{
	return x ? atomic_load_explicit(&me->number, memory_order_relaxed) : 0;
}

/* ---- State ------------------------------------------------------------------------------------- */

static uint32_t kind_of(uint64_t slot_state)
{
	return (uint32_t)slot_state;
}

static bool is_full(struct slot *s)
{
	/* acquire: partner is the release of whoever filled it */
	return kind_of(atomic_load_explicit(&s->state, memory_order_acquire)) == SLOT_FULL;
}

static void set_slot(struct slot *s, enum slot_state kind)
{
	/* release: partner is the acquire of whoever looks at it next */
	atomic_store_explicit(&s->state, kind, memory_order_release);
}

static void set_state(enum worker_state now)
{
	/* seq_cst: see nothing_left() */
	atomic_store(&me->state, now);
}

static bool has_bug(void)
{
	return atomic_load_explicit(&shared->nbugs, memory_order_relaxed) &&
	       !shared->config.keep_going;
}

static bool stopped(void)
{
	/* relaxed: wishes, nothing else travels with them */
	return atomic_load_explicit(&shared->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&x->stop, memory_order_relaxed);
}

/* The totals so far are those of finished work, the last of which has this serial. */
static void commit(uint64_t serial)
{
	uint32_t now = atomic_load_explicit(&me->committed, memory_order_relaxed);
	uint32_t next = now == 1 ? 2 : 1;

	me->commit[next - 1] = (struct commit){ *engine_stats(engine), serial };
	/* release: partner is the controller's acquire, when this worker is dead */
	atomic_store_explicit(&me->committed, next, memory_order_release);
}

static void nap(void)
{
	const struct timespec ts = { .tv_nsec = 30000 };
	/* relaxed: the controller only watches it grow */
	uint64_t beat = atomic_load_explicit(&shared->heartbeat, memory_order_relaxed) + 1;

	atomic_store_explicit(&shared->heartbeat, beat, memory_order_relaxed);
	sys3(SYS_nanosleep, (long)&ts, 0, 0);
}

/* ---- The beginning ------------------------------------------------------------------------------- */

static bool is_open(void)
{
	/* acquire: partner is the release in let_in(); what is in force then is there */
	return atomic_load_explicit(&x->open, memory_order_acquire);
}

static void let_in(void)
{
	x->known_to_all = facts_count(&x->facts);
	atomic_store_explicit(&x->open, 1, memory_order_release);
}

/* Are there only random descents (engine/explore/estimate.c)? Then there is nothing to share. */
static bool only_estimates(void)
{
	return shared->config.estimate == ESTIMATE_ONLY;
}

/* Has the first worker been alone for long enough? */
static void look_back(void)
{
	const struct engine_stats *s = engine_stats(engine);

	if (!is_open() && (s->executions + s->blocked + s->wasted + s->failed + s->cut >= ALONE ||
			   (only_estimates() && engine_estimate(engine)->runs >= ALONE)))
		let_in();
}

/* Is there a subtree that somebody left? (The first worker may die when it is alone.) */
static bool any_left(void)
{
	for (uint32_t i = 0; i < x->workers; i++)
		if (is_full(&x->worker[i].work))
			return true;
	return false;
}

void steal_wait(void)
{
	if (!x || shared->config.mode != ENGINE_EXPLORE)
		return;
	while (my_number && !is_open() && !stopped() &&
	       !atomic_load_explicit(&x->over, memory_order_relaxed)) {
		if (any_left())
			let_in();
		else
			nap();
	}
}

struct fact_table *steal_facts(void)
{
	return x ? &x->facts : &shared->facts;
}

/* ---- Giving -------------------------------------------------------------------------------------- */

/* Puts the oldest subtree on offer, if somebody wants one. */
static void offer(void)
{
	struct slot *s = &me->offer;
	uint64_t n = atomic_load_explicit(&me->ngiven, memory_order_relaxed);

	if (!atomic_load_explicit(&x->hungry, memory_order_relaxed) || !is_open() ||
	    kind_of(atomic_load_explicit(&s->state, memory_order_acquire)) != SLOT_EMPTY ||
	    n == EXCHANGE_GIVEN)
		return;
	s->given_at = n;
	set_slot(s, SLOT_FILLING);
	s->nskip = me->work.nskip;
	memcpy(s->data, me->work.data, s->nskip * sizeof(struct engine_id));
	s->tries = 0;
	s->len = engine_give(engine, slot_subtree(s), slot_room(s), &me->given[n]);
	if (!s->len) {
		set_slot(s, SLOT_EMPTY);
		return;
	}
	s->serial = atomic_fetch_add_explicit(&x->serials, 1, memory_order_relaxed) + 1;
	atomic_store_explicit(&me->ngiven, n + 1, memory_order_release);
	set_slot(s, SLOT_FULL);
}

/* ---- Taking -------------------------------------------------------------------------------------- */

/* Copies the subtree of a slot to our own; false: somebody else was faster. */
static bool take_slot(struct slot *s)
{
	struct slot *to = &me->work;
	uint64_t full = SLOT_FULL, taking = (uint64_t)my_number << 32 | SLOT_TAKING;

	set_state(WORKER_BUSY);
	/* acq_rel: what the slot holds is ours to read */
	if (!atomic_compare_exchange_strong_explicit(&s->state, &full, taking, memory_order_acq_rel,
						     memory_order_relaxed)) {
		set_state(WORKER_IDLE);
		return false;
	}
	atomic_fetch_add(&x->takes, 1); /* seq_cst: see nothing_left() */
	to->serial = s->serial;
	to->len = s->len;
	to->nskip = s->nskip;
	to->tries = s->tries;
	memcpy(to->data, s->data, s->nskip * sizeof(struct engine_id) + s->len);
	atomic_store_explicit(&me->ngiven, 0, memory_order_relaxed);
	set_slot(to, SLOT_WORKING);
	set_slot(s, SLOT_EMPTY);
	return true;
}

/* Takes a subtree from any slot that is full; our own offer first. */
static bool take_any(void)
{
	if (is_full(&me->offer) && take_slot(&me->offer))
		return true;
	for (uint32_t i = 1; i <= x->workers; i++) {
		struct worker *w = &x->worker[(my_number + i) % x->workers];

		if ((is_full(&w->offer) && take_slot(&w->offer)) ||
		    (is_full(&w->work) && take_slot(&w->work)))
			return true;
	}
	return false;
}

/*
 * Is every worker idle, and every slot empty? They are looked at one after the other; but an
 * idle worker becomes busy only by taking, so if nothing was taken meanwhile, and all were
 * idle, they were so at the same time, and nobody was there to fill a slot.
 */
static bool nothing_left(void)
{
	uint64_t takes = atomic_load(&x->takes);

	for (uint32_t i = 0; i < x->workers; i++) {
		struct worker *w = &x->worker[i];

		if (atomic_load(&w->state) == WORKER_BUSY ||
		    kind_of(atomic_load(&w->offer.state)) != SLOT_EMPTY ||
		    kind_of(atomic_load(&w->work.state)) != SLOT_EMPTY)
			return false;
	}
	return atomic_load(&x->takes) == takes;
}

/* Waits until there is a subtree to take; false: there is none, and will be none. */
static bool wait_for_work(void)
{
	bool found = take_any();
	uint32_t looks = 0;

	if (found)
		return true;
	set_state(WORKER_IDLE);
	atomic_fetch_add_explicit(&x->hungry, 1, memory_order_relaxed);
	while (!stopped() && !atomic_load_explicit(&x->over, memory_order_relaxed)) {
		found = take_any();
		if (found)
			break;
		if (nothing_left())
			atomic_store_explicit(&x->over, 1, memory_order_relaxed);
		else if (looks++ < LOOKS)
			__builtin_ia32_pause();
		else
			nap();
	}
	atomic_fetch_sub_explicit(&x->hungry, 1, memory_order_relaxed);
	return found;
}

/* Goes on with another subtree, the one before being finished; false: nothing is left. */
static bool next_subtree(void)
{
	struct slot *s = &me->work;

	for (;;) {
		if (kind_of(atomic_load_explicit(&s->state, memory_order_relaxed)) ==
		    SLOT_WORKING) {
			commit(s->serial);
			set_slot(s, SLOT_EMPTY);
		}
		if (stopped() || !wait_for_work())
			return false;
		if (engine_take(engine, s->len ? slot_subtree(s) : NULL, s->len, slot_skip(s),
				s->nskip))
			return true;
	}
}

/* ---- Testing -------------------------------------------------------------------------------------- */

/* An execution that a worker died in, or 0. */
static uint64_t number_to_redo(void)
{
	for (uint32_t i = 0; i < x->workers; i++) {
		uint64_t n = atomic_load_explicit(&x->worker[i].redo, memory_order_relaxed);

		if (n && atomic_compare_exchange_strong_explicit(&x->worker[i].redo, &n, 0,
								 memory_order_relaxed,
								 memory_order_relaxed))
			return n;
	}
	return 0;
}

static void lower_last(uint64_t number)
{
	uint64_t last = atomic_load_explicit(&x->last, memory_order_relaxed);

	while ((!last || number < last) &&
	       !atomic_compare_exchange_weak_explicit(&x->last, &last, number, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

/* The number of the next execution; false: there are enough. */
static bool next_number(void)
{
	uint64_t n = steal_number(), last;

	if (n)
		commit(n);
	if (has_bug()) {
		lower_last(n); /* others finish those before it, and the first bug is reported */
		return false;
	}
	n = number_to_redo();
	if (!n)
		n = atomic_fetch_add_explicit(&x->numbers, 1, memory_order_relaxed) + 1;
	last = atomic_load_explicit(&x->last, memory_order_relaxed);
	if (stopped() || (x->limit && n > x->limit) || (last && n > last)) {
		atomic_store_explicit(&me->number, 0, memory_order_relaxed);
		return false;
	}
	atomic_store_explicit(&me->number, n, memory_order_relaxed);
	engine_number(engine, n);
	return true;
}

/* ---- For the driver ------------------------------------------------------------------------------ */

/* Do we have the addresses that the first worker at this point had? */
static bool same_layout(uint64_t sp)
{
	uint64_t h = sp, none = 0;

	for (uint32_t i = 0; i < shared->nmodules; i++)
		h = (h ^ shared->modules[i].base) * 0x100000001b3u;
	h |= 1;
	return atomic_compare_exchange_strong(&x->layout, &none, h) || none == h;
}

bool steal_begin(uint64_t sp)
{
	if (!x)
		return true;
	if (!same_layout(sp)) {
		atomic_store_explicit(&me->elsewhere, 1, memory_order_relaxed);
		return false;
	}
	if (shared->config.mode == ENGINE_ONLINE)
		return next_number();
	/* The first one was given the whole exploration. */
	if (kind_of(atomic_load_explicit(&me->work.state, memory_order_relaxed)) == SLOT_WORKING ||
	    only_estimates())
		return true;
	return next_subtree();
}

bool steal_counts(void)
{
	if (!x || !x->limit || shared->config.mode != ENGINE_EXPLORE)
		return true;
	if (atomic_fetch_add_explicit(&x->executions, 1, memory_order_relaxed) < x->limit)
		return true;
	atomic_store_explicit(&x->stop, 1, memory_order_relaxed);
	return false;
}

void steal_stop(void)
{
	if (x)
		atomic_store_explicit(&x->stop, 1, memory_order_relaxed);
}

bool steal_next(bool more)
{
	if (!x)
		return more;
	if (shared->config.mode == ENGINE_ONLINE)
		return next_number();
	if (has_bug())
		atomic_store_explicit(&x->stop, 1, memory_order_relaxed);
	if (stopped())
		return false;
	if (!more && !only_estimates())
		return next_subtree();
	look_back();
	if (only_estimates())
		return more;
	offer();
	return true;
}

uint64_t steal_counted(uint64_t mine)
{
	return x && is_open() ? ALONE + mine * x->workers : mine;
}

bool steal_restart(void)
{
	if (!x)
		return true;
	if (shared->config.mode == ENGINE_EXPLORE && !is_open()) { /* nobody else has begun */
		atomic_store_explicit(&x->executions, 0, memory_order_relaxed);
		return true;
	}
	/* relaxed: the controller looks when the workers are gone */
	atomic_store_explicit(&x->restart, 1, memory_order_relaxed);
	atomic_store_explicit(&x->stop, 1, memory_order_relaxed);
	return false;
}

bool steal_over(void)
{
	return !x || atomic_load_explicit(&x->over, memory_order_relaxed);
}
