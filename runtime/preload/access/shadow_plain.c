/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow_plain.c - plain accesses of the program, and what shadow memory remembers of them
 *
 * Cost: an access that the cell already knows, a few nanoseconds in the hook; any other,
 * some ten. Callers: the hooks of the program's accesses.
 */
#include "preload/access/shadow_plain.h"

#include "base/insn.h"
#include "preload/access/early.h"
#include "preload/access/explored.h"
#include "preload/access/foreign.h"
#include "preload/access/promote.h"
#include "preload/await/await.h"
#include "preload/await/follow.h"
#include "preload/await/rounds.h"
#include "preload/code/code.h"
#include "preload/core/context.h"
#include "preload/core/refuse.h"
#include "preload/core/wipe.h"
#include "preload/facts/explored_marks.h"
#include "preload/facts/memo.h"
#include "preload/fiber/fiber.h"
#include "preload/race/memo_shared.h"
#include "preload/report/memreport.h"
#include "preload/report/racereport.h"

static void check_pool(void)
{
	if (unlikely(race_pool_left(&shadow_pool) < 2))
		internal_error("out of records for concurrent plain accesses", NULL);
}

/* An access to a granule, where a race need not be the end. */
struct at_granule {
	uint64_t granule;
	const struct access *access;
};

static void tell_race(const struct race_prior *prior, void *ctx)
{
	const struct at_granule *at = ctx;

	report_race_plain(at->access, at->granule, prior);
}

static void check_races(struct shadow_cell *cell, uint64_t granule, const struct race_access *now,
			const struct access *access)
{
	struct at_granule at = { granule, access };
	struct race_prior prior;

	if (unlikely(shared->config.races != RACES_ANY))
		race_access_all(&cell->race, &shadow_pool, now, tell_race, &at);
	else if (unlikely(race_access(&cell->race, &shadow_pool, now, &prior)))
		report_race_plain(access, granule, &prior);
}

/* Checks and remembers one granule's part of an access; true if it touches special bytes. */
static bool plain_granule(uint64_t granule, struct race_access *now, const struct access *access)
{
	struct shadow_cell *cell = shadow_cell_now(granule);
	bool special = cell->bytes & shadow_nibbles(now->mask);

	if (unlikely(special)) {
		check_marks(cell, now->mask, access);
		/* A free is none of the events, and read by who comes later, or has come and waits. */
		if (unlikely(explored_any) && !access->is_free)
			now->mask &= (uint8_t)~explored_bytes(granule);
		if (!now->mask)
			return true;
	}
	check_races(cell, granule, now, access);
	return special;
}

/* The cell of the chunk that begins there, if the access takes all of it and there is but one. */
static struct shadow_cell *whole_chunk(uint64_t addr, const struct access *access)
{
	if (addr & (SHADOW_CHUNK - 1) || addr < access->addr || shared->config.races != RACES_ANY ||
	    access->addr + access->size - addr < SHADOW_CHUNK)
		return NULL;
	/* relaxed: the watchdog is to see that something is done */
	atomic_fetch_add_explicit(&shared->accesses, 1, memory_order_relaxed);
	return shadow_whole(addr);
}

/* Does so for all of a chunk at once, where all its granules have seen the same; false: not in this way. */
static bool plain_chunk(uint64_t addr, struct race_access *now, const struct access *access)
{
	struct shadow_cell *cell = whole_chunk(addr, access);
	struct race_prior prior;
	int raced;

	if (!cell || cell->bytes)
		return false;
	now->mask = RACE_ALL;
	raced = race_access_whole(&cell->race, &shadow_pool, now, &prior);
	if (raced > 0)
		report_race_plain(access, addr, &prior);
	return raced == 0;
}

static bool plain_range(const struct access *access)
{
	struct race_access now = {
		.clock = current->clock,
		.tid = current->tid,
		.is_write = access->is_write,
		.exact_pc = watching,
		.pc = access->pc,
	};
	uint64_t end = access->addr + access->size;
	bool special = false;

	for (uint64_t g = access->addr & ~7ul; g < end; g += 8) {
		if (unlikely(access->size >= SHADOW_CHUNK) && plain_chunk(g, &now, access)) {
			g += SHADOW_CHUNK - 8;
			continue;
		}
		check_pool();
		now.mask = race_bytes(g, access->addr, end);
		special |= plain_granule(g, &now, access);
	}
	if (unlikely(watching))
		watch_access(access);
	return special;
}

/* A read of atomic locations is an event here as well, or the probe would not do what its thread did. */
static void plain_in_probe(const struct access *access)
{
	uint64_t addr = access->addr, size = access->size;
	bool explored = explored_at(addr) && !access->object;

	if (explored && !access->is_write && explored_fits(addr, size))
		explored_read(addr, size, access->pc);
	else if (explored)
		probe_differs();
	else if (!access->is_write && !(shadow_quiet(shadow_cell(addr)) && await_own(addr)) &&
		 probe_read(addr, size)) {
		if (memo_watched)
			memo_tries(access, probe_reads_as_behind());
		promote(access);
	} else if (access->is_write && memo_watched) {
		memo_tries(access, UINT32_MAX);
	}
}

static void access_now(struct access access)
{
	const uint64_t addr = access.addr, size = access.size;
	const bool is_write = access.is_write;

	if (is_write)
		note_plain_write(addr, size);
	if (unlikely(current->probing)) {
		if (rounds_counted)
			rounds_again(addr, size, is_write);
		plain_in_probe(&access);
		return;
	}
	if (unlikely(objects_watched))
		memo_plain(&access);
	if (unlikely(may_be_on_stack(addr)))
		foreign_access(&access, current->clock[current->tid]);
	if (is_write) {
		if (unlikely(may_be_on_stack(addr)))
			await_foreign_write(addr, size, false);
		current->only_locks &= on_own_stack(addr) ? WROTE_STACK : 0;
	}
	current->only_locks &= (uint8_t)~TOUCHED_NOTHING;
	if (unlikely(rounds_weak))
		rounds_access(addr, size, is_write);
	if (!is_write && current->window && rounds_counted)
		rounds_touch(addr, size, false);
	if (unlikely(plain_range(&access))) {
		if (is_write)
			rounds_write_atomic(addr, size);
		promote(&access);
	}
	if (!current->entry.sp)
		wipe_below();
}

enum {
	BETWEEN = 8 /* instructions */
};

/*
 * Is the pending store not done yet, since the read that is announced at pc belongs to it? Of a copy (*p = *q, of structures) gcc announces
 * the write first, then the read, and both come behind that.
 */
static bool is_copy(uint64_t pc)
{
	uint64_t at = pending_store.pc;

	for (unsigned i = 0; i < BETWEEN && at < pc; i++) {
		uint8_t room[CODE_ROOM];
		uint64_t left = INSN_LONGEST;
		struct insn in;

		if (!insn_decode(code_at(at, &left, room), left, at, &in))
			return false;
		at += in.length;
		if (in.kind == INSN_CALL)
			return at == pc;
		if (in.kind >= INSN_STRING || (in.memory && (in.write_size || in.writes_some)))
			return false;
	}
	return false;
}

void shadow_plain(uint64_t addr, uint64_t size, bool is_write, uint64_t pc)
{
	struct access access = {
		.addr = addr,
		.size = size,
		.is_write = is_write,
		.pc = pc,
	};
	struct access later = { .size = 0 };

	if (!size)
		return;
	if (!current) {
		early_access(addr, size, is_write, false, pc);
		return;
	}
	if (unlikely(pending_store.size) && !is_write && is_copy(pc)) {
		later = pending_store;
		pending_store.size = 0;
	}
	settle();
	access_now(access);
	if (later.size)
		pending_keep(&later); /* others may have run meanwhile */
}

void shadow_use(uint64_t addr, uint32_t size, uint64_t pc)
{
	struct access access = { .addr = addr, .size = 1, .object = size, .pc = pc };

	if (!current) {
		early_access(addr, 1, false, false, pc);
		return;
	}
	settle();
	access_now(access);
}

/* Nobody comes to these bytes of a granule any more. Which are locations of atomics? */
static void tell_gone(uint64_t granule, uint32_t bytes)
{
	for (unsigned i = 0; i < 8; i++)
		if (byte_is_atomic(bytes >> 4 * i & 15))
			engine_gone(engine, granule + i);
}

void shadow_free(uint64_t addr, uint64_t size, uint64_t pc)
{
	struct access access = {
		.addr = addr,
		.size = size,
		.is_write = true,
		.is_free = true,
		.pc = pc,
	};

	if (!current)
		return;
	settle();
	if (unlikely(memo_watched)) {
		memo_frees(addr);
		memo_plain(&access);
	}
	if (!size)
		return;
	if (unlikely(rounds_weak))
		rounds_access(addr, size, true);
	if (unlikely(plain_range(&access))) {
		rounds_write_atomic(addr, size);
		promote(&access);
	}
	for (uint64_t g = addr & ~7ul; g < addr + size; g += 8) {
		struct shadow_cell *cell = whole_chunk(g, &access);
		uint32_t part = shadow_nibbles(race_bytes(g, addr, addr + size));

		if (unlikely(cell))
			g += SHADOW_CHUNK - 8;
		else
			cell = shadow_cell_now(g);
		if (unlikely(cell->bytes & part) && shared->config.mode == ENGINE_ONLINE)
			tell_gone(g, cell->bytes & part);
		cell->bytes = (cell->bytes & ~part) | (SHADOW_EACH(BYTE_FREED) & part);
	}
}
