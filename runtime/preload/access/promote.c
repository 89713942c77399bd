/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * promote.c - plain accesses of locations that are also accessed atomically
 *
 * Whether an access is an event must be a function of what its thread and those it heard
 * from did before (its porf-prefix), or two executions would disagree about a kept event.
 * "The location was accessed atomically in some earlier execution" is such a function, but
 * asks for a restart of the exploration. These rules do not:
 *
 *	- a plain write is an event iff the location has an event so far (not if a thread is only about to
 *	  do one, and waits: in another execution that comes here later);
 *	- a plain read is an event iff the location has a write event so far.
 *
 * For what could differ is an event that neither happens before nor after the access, and
 * conflicts with it: a data race, which is reported before anything becomes an event. An
 * event that happens before the access is in its prefix; one that happens after it comes
 * later in every order of execution. A read without a write event before it has one value,
 * the initial one, which memory holds; a write without an event before it belongs to the
 * initial value, which the engine asks for at the location's first event.
 *
 * Library objects may be where atomic locations were (variables of functions that have returned, say). What their hooks
 * write there is theirs alone, so the use of one races with events, and is none.
 *
 * An access may touch several atomic locations, or a part of one: then it is an event of
 * each, of that location's size. A part that is written is read first, as a whole.
 *
 * Callers: shadow_plain.c (promote), every hook (settle).
 */
#include "preload/access/promote.h"

#include "engine/engine.h"
#include "preload/access/explored.h"
#include "preload/await/await.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/values.h"
#include "preload/race/shadow.h"
#include "preload/report/memreport.h"
#include "preload/report/racereport.h"

struct access pending_store;

/* The next atomic location in [*at, end); moves *at behind it. */
static bool next_location(uint64_t *at, uint64_t end, struct shadow_location *loc)
{
	while (*at < end) {
		if (!shadow_cell_now(*at)->bytes) {
			*at = (*at | 7) + 1;
			continue;
		}
		*loc = shadow_location_of(*at);
		if (loc->size) {
			*at = loc->addr + loc->size;
			return true;
		}
		++*at;
	}
	return false;
}

static void check_events(const struct access *access, uint64_t addr)
{
	struct engine_step_record conflict;

	if (engine_race_with_atomics(engine, current->tid, addr, access->is_write, &conflict))
		report_race_event(access, addr, &conflict);
}

static void store_event(const struct shadow_location *loc, uint64_t pc);

/*
 * Something else is in memory than the read is to find. Compilers do not announce stores to variables on the stack that no
 * other thread can get hold of, though they may lie where one was that was accessed atomically. What no
 * write that is known has left there, the thread has stored.
 */
static bool stored_unannounced(const struct shadow_location *loc)
{
	return on_own_stack(loc->addr) &&
	       !engine_was_left(engine, loc->addr, loc->size, perform_load(loc->addr, loc->size));
}

void show_value(uint64_t addr, unsigned size, struct value read)
{
	engine_shows(engine, addr, size, read);
	note_shown(addr, size);
	perform_store(addr, size, read);
}

static void load_event(const struct shadow_location *loc, enum mem_order order, uint64_t pc)
{
	struct op op = {
		.kind = OP_LOAD,
		.order = (uint8_t)order,
		.size = (uint8_t)loc->size,
		.addr = loc->addr,
		.pc = pc,
	};
	struct op_result res;

	perform(&op, &res);
	if (value_eq(perform_load(loc->addr, loc->size), res.value))
		return;
	if (order == ORDER_NA && stored_unannounced(loc)) {
		if (current->probing)
			probe_differs();
		store_event(loc, pc);
		return;
	}
	show_value(loc->addr, loc->size, res.value);
}

/* By values each plain access that others conflict with is an event, and still a plain one. */
static enum mem_order explored_order(void)
{
	return values_explored() ? ORDER_NA : ORDER_RLX;
}

static void store_event(const struct shadow_location *loc, uint64_t pc)
{
	struct op op = {
		.kind = OP_STORE,
		.order = (uint8_t)(explored_at(loc->addr) ? explored_order() : ORDER_NA),
		.size = (uint8_t)loc->size,
		.addr = loc->addr,
		.pc = pc,
		.arg = perform_load(loc->addr, loc->size),
	};
	struct op_result res;

	perform(&op, &res);
	perform_store(loc->addr, loc->size, res.stored);
	shadow_cell_now(loc->addr)->bytes |= (uint32_t)BYTE_WRITTEN << (loc->addr & 7) * 4;
}

static bool covers(const struct access *access, const struct shadow_location *loc)
{
	return access->addr <= loc->addr && access->addr + access->size >= loc->addr + loc->size;
}

/*
 * A read may have waited for its turn while another thread freed the memory, all of the location. It need not have been done before in any
 * execution, so nothing else tells of the race.
 */
static void check_freed(const struct access *access, const struct shadow_location *loc)
{
	const struct shadow_cell *cell = shadow_cell_now(loc->addr);
	const uint8_t mask = (uint8_t)(1u << (loc->addr & 7));

	if (shadow_any(cell, mask, BYTE_FREED))
		values_give_up("threads access memory that is freed");
	check_marks(cell, mask, access);
}

/* One that races: each access is an event, and a write as large as the location. */
static void explored_access(const struct access *access, const struct shadow_location *loc)
{
	struct op meet = { .kind = OP_STORE, .size = (uint8_t)loc->size, .addr = loc->addr };
	uint64_t low = access->addr > loc->addr ? access->addr : loc->addr;
	uint64_t high = access->addr + access->size;

	if (!access->is_write) {
		load_event(loc, explored_order(), access->pc);
		check_freed(access, loc);
	} else if (covers(access, loc)) {
		engine_meet(engine, &meet);
	} else {
		if (high > loc->addr + loc->size)
			high = loc->addr + loc->size;
		explored_split(low, high - low);
	}
}

void promote_unannounced(const struct op *op)
{
	struct shadow_location loc = shadow_location_of(op->addr);

	if (loc.addr != op->addr || loc.size != op->size || !stored_unannounced(&loc))
		return;
	if (current->probing)
		probe_differs();
	store_event(&loc, op->pc);
}

void promote(const struct access *access)
{
	uint64_t end = access->addr + access->size;
	struct shadow_location loc;
	bool any = false;

	for (uint64_t at = access->addr; next_location(&at, end, &loc);) {
		bool explored = explored_at(loc.addr);

		if ((!explored || access->is_free) && !current->probing)
			check_events(access, loc.addr);
		/* An object's own accesses are no events, so nobody could say of executions with the same values whether they race. */
		if (access->object)
			values_give_up("objects of the library are accessed");
		if (access->is_free || access->object)
			continue;
		if (explored)
			explored_access(access, &loc);
		else if (loc.written && !(access->is_write && covers(access, &loc)))
			load_event(&loc, ORDER_NA, access->pc);
		any = true;
	}
	if (any && access->is_write)
		pending_keep(access);
}

static uint32_t pending_of; /* the thread */

void pending_keep(const struct access *store)
{
	pending_store = *store;
	pending_of = current->tid;
}

void pending_flush(void)
{
	struct access access = pending_store;
	uint64_t end = access.addr + access.size;
	struct shadow_location loc;

	if (pending_of != current->tid)
		internal_error("a thread was left with a write that nobody knows", NULL);
	pending_store.size = 0;
	if (access.is_atomic) {
		explored_flush(&access);
		return;
	}
	for (uint64_t at = access.addr; next_location(&at, end, &loc);) {
		if (explored_at(loc.addr) || engine_has_event(engine, loc.addr, loc.size))
			store_event(&loc, access.pc);
		else
			engine_initial_changes(engine, loc.addr, loc.size);
	}
}

static void forget_pending(void)
{
	pending_store = (struct access){ .size = 0 };
	pending_of = 0;
}

AT_BEGIN(forget_pending);
