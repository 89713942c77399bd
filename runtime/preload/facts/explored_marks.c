/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explored_marks.c - locations whose plain accesses are all events (--plain=explore)
 *
 * Where plain accesses are explored (--plain=explore) is found out by their races: each such location is
 * a fact (facts.h), which in a replay is known by its place, since addresses may differ. When
 * accesses of several sizes meet, the location becomes several of the smallest size; so it
 * matters in which order they were found, and all workers go by the same. Such a
 * location is marked in shadow memory as an atomic one when it is first touched, and
 * promote.c makes events of its accesses.
 */
#include "preload/facts/explored_marks.h"

#include "engine/engine.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/facts/facts.h"
#include "preload/fiber/leave.h"
#include "preload/memory/bytes.h"
#include "preload/memory/place.h"

bool explored_any;

static unsigned size_at(uint32_t marks, unsigned at)
{
	unsigned b = marks >> at * 4 & 15;

	return b >= BYTE_ATOMIC_1 && b < BYTE_ATOMIC_16 ? 1u << (b - BYTE_ATOMIC_1) : 0;
}

/* The marks with a location added; what overlaps becomes one of the smallest size. */
static uint32_t add_marks(uint32_t marks, unsigned at, unsigned size)
{
	unsigned low = at, high = at + size, unit = size;

	for (unsigned i = 0; i < 8; i++) {
		unsigned n = size_at(marks, i);

		if (!n || i + n <= at || i >= at + size)
			continue;
		low = i < low ? i : low;
		high = i + n > high ? i + n : high;
		unit = n < unit ? n : unit;
	}
	for (unsigned i = low; i < high && i < 8; i++) {
		uint32_t b = i % unit ? BYTE_INSIDE : BYTE_ATOMIC_1 + (unsigned)__builtin_ctz(unit);

		marks = (marks & ~(15u << i * 4)) | b << i * 4;
	}
	return marks;
}

uint32_t explored_marks_with(uint32_t marks, uint64_t addr, uint32_t size)
{
	return add_marks(marks, addr & 7, size);
}

static void explored_begin(void)
{
	explored_any = fact_in_use(FACT_EXPLORED);
}

AT_BEGIN(explored_begin);

/* In a replay addresses may be others; offsets into a stack grow downwards. */
struct granule {
	struct place place;
	uint32_t marks;
};

static void add_if_there(const struct fact *f, void *ctx)
{
	const struct place *p = &f->place;
	struct granule *g = ctx;
	uint64_t at =
		p->kind == PLACE_STACK ? g->place.offset - p->offset : p->offset - g->place.offset;

	if (p->kind == g->place.kind && p->module == g->place.module &&
	    p->thread == g->place.thread && p->count == g->place.count && at < 8)
		g->marks = add_marks(g->marks, (unsigned)at, f->arg);
}

static uint32_t marks_by_place(uint64_t granule)
{
	struct granule g = { .place = place_of(granule) };

	facts_each(FACT_EXPLORED, add_if_there, &g);
	return g.marks;
}

uint32_t explored_marks(uint64_t granule)
{
	if (!explored_any)
		return 0;
	if (shared->config.mode == ENGINE_REPLAY)
		return marks_by_place(granule);
	return fact_marks(granule);
}

/* Notes the location; returns if it is known already. */
static void learn(uint64_t addr, uint64_t size)
{
	uint32_t marks = explored_marks(addr & ~7ul);

	if (add_marks(marks, addr & 7, (unsigned)size) == marks ||
	    place_of(addr).kind == PLACE_UNKNOWN)
		return;
	fact_learn_explored(addr, (uint32_t)size);
	repeat_execution();
}

void explored_race(const struct access *access, uint64_t addr, uint64_t size)
{
	if (!shared->config.setting[SETTING_PLAIN] || shared->config.mode == ENGINE_REPLAY ||
	    access->is_free)
		return;
	if (explored_fits(access->addr, access->size))
		learn(access->addr, access->size);
	else if (explored_fits(addr, size))
		learn(addr, size);
	else
		learn(addr, 1);
}

void explored_split(uint64_t addr, uint64_t size)
{
	learn(addr, explored_fits(addr, size) ? size : 1);
	internal_error("an explored location cannot be made smaller", NULL);
}
