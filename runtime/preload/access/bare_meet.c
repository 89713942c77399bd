/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bare_meet.c - see bare_meet.h
 *
 * Two threads meet if they access the same bytes, one of both writes, and neither happens before the other by what
 * heddle knows. What both do unannounced is compared at once, by cells like those for data races (race/race.h). What
 * one of them announces (a plain access of instrumented code, or an atomic operation) is compared at once if it came
 * before, and else at the end of the execution, for which each access is kept.
 *
 * What a thread does between two of its operations has one clock. So accesses are kept with the number of such a stretch, and
 * neighbours of one kind as one range.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "preload/access/bare_meet.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/run/repeat.h"
#include "preload/code/modules.h"
#include "preload/core/lifecycle.h"
#include "preload/core/own.h"
#include "preload/core/reset.h"
#include "preload/core/text.h"
#include "preload/fiber/fiber.h"
#include "preload/race/shadow.h"

enum {
	CELL_BITS = 20,
	CELLS = 1 << CELL_BITS, /* granules that threads have come to in one execution */
	RECORDS = 1 << 18,
	MADE = 1 << 18,      /* ranges accessed */
	STRETCHES = 1 << 16, /* and by whom between which operations */
	CLOCKS = 1 << 22,    /* all entries of their clocks */
	NEAR = 8,            /* ranges that are looked at for a neighbour */
	GRANULE = 8
};

/* What the threads of the execution did with a granule. */
static struct cell {
	uint64_t granule;
	uint32_t stamp;
	struct race_cell race;
} * cells;
KEPT(cells);

/* What a thread did between two of its operations. */
static struct stretch {
	uint32_t tid, own; /* its own entry of the clock */
	uint32_t clock, n; /* all of it: n entries from there */
} * stretches;
KEPT(stretches);
static uint32_t *clocks;
KEPT(clocks);

static struct access_made {
	uint64_t addr, end, pc;
	uint32_t stretch;
	bool is_write;
} * made;
KEPT(made);

static uint32_t nstretches, nclocks, nmade;
KEPT(nstretches);
KEPT(nclocks);
KEPT(nmade);
static uint32_t stamp; /* of the execution */
KEPT(stamp);
static uint32_t used; /* cells */
KEPT(used);
static struct race_pool pool;
KEPT(pool);

bool bare_over;
KEPT(bare_over);

/* ---- What is said ---------------------------------------------------------------------------------- */

static void put_place(struct text *t, uint64_t at)
{
	int module = module_of(at);
	const char *name = module < 0 ? "memory" : shared->modules[module].path;
	const char *slash = strrchr(name, '/');

	text_str(t, slash ? slash + 1 : name);
	if (module < 0)
		return;
	text_str(t, "+");
	text_hex(t, at - shared->modules[module].base);
}

void bare_met(const char *what, uint64_t addr, const char *how, uint64_t at)
{
	struct text t = text_in(shared->bare, sizeof(shared->bare));

	text_str(&t, what);
	if (addr)
		put_place(&t, addr);
	text_str(&t, how);
	put_place(&t, at + 1);
	/* relaxed: looked at when the process is over */
	atomic_store_explicit(&shared->is_bare, 1, memory_order_relaxed);
	bare_over = true;
}

static void met_at(uint64_t addr, uint64_t at)
{
	bare_met("threads access ", addr, " in no order, called at ", at);
}

/* ---- Threads --------------------------------------------------------------------------------------- */

/* Has another thread done something that does not happen before what this one does now? */
static bool has_rivals(const uint32_t *clock, uint32_t tid)
{
	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != tid && clock[u] < engine_done(engine, u))
			return true;
	return false;
}

bool bare_is_alone(void)
{
	if (!current)
		return false;
	for (uint32_t u = 0; u < engine_threads(engine); u++)
		if (u != current->tid && fibers[u].alive)
			return false;
	return !has_rivals(engine_clock(engine, current->tid), current->tid);
}

/* ---- Accesses -------------------------------------------------------------------------------------- */

static bool is_full(void)
{
	return used >= CELLS / 2 || race_pool_left(&pool) < 2 || nmade == MADE ||
	       nstretches == STRETCHES || nclocks + HEDDLE_MAX_THREADS > CLOCKS;
}

static uint32_t stretch_of(const struct race_access *now)
{
	uint32_t own = now->clock[now->tid];
	struct stretch *s = &stretches[nstretches];

	if (nstretches && s[-1].tid == now->tid && s[-1].own == own)
		return nstretches - 1;
	*s = (struct stretch){
		.tid = now->tid, .own = own, .clock = nclocks, .n = engine_threads(engine)
	};
	memcpy(clocks + nclocks, now->clock, s->n * sizeof(*clocks));
	nclocks += s->n;
	return nstretches++;
}

static void remember(uint64_t addr, uint64_t end, const struct race_access *now)
{
	uint32_t stretch = stretch_of(now);

	for (uint32_t i = nmade; i-- && nmade - i <= NEAR;) {
		struct access_made *m = &made[i];

		if (m->stretch == stretch && m->is_write == now->is_write && addr <= m->end &&
		    end >= m->addr) {
			m->addr = addr < m->addr ? addr : m->addr;
			m->end = end > m->end ? end : m->end;
			return;
		}
	}
	made[nmade++] = (struct access_made){ .addr = addr,
					      .end = end,
					      .pc = now->pc,
					      .stretch = stretch,
					      .is_write = now->is_write };
}

static struct cell *cell_of(uint64_t granule)
{
	uint64_t i = granule / GRANULE * 0x9e3779b97f4a7c15u >> (64 - CELL_BITS);

	while (cells[i].stamp == stamp && cells[i].granule != granule)
		i = (i + 1) % CELLS;
	if (cells[i].stamp != stamp) {
		memset(&cells[i], 0, sizeof(cells[i]));
		cells[i].stamp = stamp;
		cells[i].granule = granule;
		used++;
	}
	return &cells[i];
}

/* Does it meet another thread there? *is_new: it has not done the same before. */
static bool meets(uint64_t granule, struct race_access *now, bool *is_new)
{
	struct race_cell *cell = &cell_of(granule)->race;
	struct race_prior prior;

	if (now->is_write ? race_known_write(cell, now->tid, now->clock[now->tid], now->mask)
			  : race_known_read(cell, now->tid, now->clock[now->tid], now->mask))
		return false;
	*is_new = true;
	if (race_access(cell, &pool, now, &prior))
		return true;
	return race_check(&shadow_cell_now(granule)->race, &shadow_pool, now, &prior) &&
	       !prior.allocates;
}

void bare_meet_access(uint64_t addr, uint64_t size, bool is_write, uint64_t at)
{
	struct race_access now = {
		.clock = engine_clock(engine, current->tid),
		.tid = current->tid,
		.is_write = is_write,
		.pc = at,
	};
	bool is_new = false;

	if (!addr || module_constant(addr))
		return;
	for (uint64_t g = addr & ~(uint64_t)(GRANULE - 1); g < addr + size; g += GRANULE) {
		now.mask = race_bytes(g, addr, addr + size);
		if (is_full()) {
			bare_met("more memory is accessed than is kept", 0, ", called at ", at);
			return;
		}
		if (meets(g, &now, &is_new)) {
			met_at(addr, at);
			return;
		}
	}
	if (is_new)
		remember(addr, addr + size, &now);
}

/* ---- What others announced later ------------------------------------------------------------------- */

static bool crosses_plain(const struct stretch *s, uint64_t granule, uint8_t mask, bool is_write)
{
	uint32_t clock[HEDDLE_MAX_THREADS] = { 0 };
	struct race_access now = {
		.clock = clock, .tid = s->tid, .mask = mask, .is_write = is_write
	};
	struct race_prior prior;

	memcpy(clock, clocks + s->clock, s->n * sizeof(*clocks));
	return race_check(&shadow_cell_now(granule)->race, &shadow_pool, &now, &prior) &&
	       !prior.allocates && !engine_after(engine, prior.tid, prior.clock, s->tid, s->own);
}

static bool crosses_atomic(const struct stretch *s, uint64_t granule, uint8_t mask, bool is_write)
{
	uint32_t clock[HEDDLE_MAX_THREADS] = { 0 };

	memcpy(clock, clocks + s->clock, s->n * sizeof(*clocks));
	for (unsigned i = 0; i < GRANULE; i++) {
		struct shadow_location l = shadow_location_of(granule + i);

		if (mask >> i & 1 && l.size &&
		    engine_crosses(engine, l.addr, l.size, s->tid, s->own, clock, is_write))
			return true;
	}
	return false;
}

static void look_back(const struct access_made *m)
{
	const struct stretch *s = &stretches[m->stretch];
	uint64_t g = m->addr & ~(uint64_t)(GRANULE - 1);

	for (; g < m->end && !bare_over; g += GRANULE) {
		uint8_t mask = race_bytes(g, m->addr, m->end);

		if (crosses_plain(s, g, mask, m->is_write) ||
		    crosses_atomic(s, g, mask, m->is_write))
			met_at(g > m->addr ? g : m->addr, m->pc);
	}
}

static void look_back_at_all(void)
{
	for (uint32_t i = 0; i < nmade && !bare_over; i++)
		look_back(&made[i]);
}

AT_END(look_back_at_all);

/* ---- Executions ------------------------------------------------------------------------------------ */

void bare_meet_root(void)
{
	if (cells)
		return;
	cells = map_own(CELLS * sizeof(*cells));
	pool.record = map_own(RECORDS * sizeof(*pool.record));
	pool.max = RECORDS;
	made = map_own(MADE * sizeof(*made));
	stretches = map_own(STRETCHES * sizeof(*stretches));
	clocks = map_own(CLOCKS * sizeof(*clocks));
	bare_meet_begin();
}

void bare_meet_begin(void)
{
	if (!cells)
		return;
	stamp++;
	used = nmade = nstretches = nclocks = 0;
	race_pool_reset(&pool);
}
