/* SPDX-License-Identifier: BSD-2-Clause */
/* granule_marks.c - see granule_marks.h */
#include "preload/facts/granule_marks.h"

#include "preload/facts/facts.h"
#include "preload/memory/bytes.h"
#include "preload/memory/place.h"

unsigned marks_size_at(uint32_t marks, unsigned at)
{
	unsigned b = marks >> at * 4 & 15;

	return b >= BYTE_ATOMIC_1 && b < BYTE_ATOMIC_16 ? 1u << (b - BYTE_ATOMIC_1) : 0;
}

static uint32_t add_marks(uint32_t marks, unsigned at, unsigned size)
{
	unsigned low = at, high = at + size, unit = size;

	for (unsigned i = 0; i < 8; i++) {
		unsigned n = marks_size_at(marks, i);

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

uint32_t marks_with(uint32_t marks, uint64_t addr, uint32_t size)
{
	return add_marks(marks, addr & 7, size);
}

struct granule {
	uint64_t addr;
	struct place place;
	uint32_t marks;
};

/* How far behind the beginning of the granule the fact is, or far away. Offsets into a stack grow downwards. */
static uint64_t distance(const struct granule *g, const struct fact *f)
{
	const struct place *p = &f->place;

	if (fact_is_by_address(f))
		return f->addr - g->addr;
	if (p->kind != g->place.kind || p->module != g->place.module ||
	    p->thread != g->place.thread || p->count != g->place.count)
		return UINT64_MAX;
	return p->kind == PLACE_STACK ? g->place.offset - p->offset : p->offset - g->place.offset;
}

static void add_if_there(const struct fact *f, void *ctx)
{
	struct granule *g = ctx;
	const uint64_t at = distance(g, f);

	if (at < 8)
		g->marks = add_marks(g->marks, (unsigned)at, f->arg);
}

uint32_t marks_by_place(enum fact_kind kind, uint64_t granule)
{
	struct granule g = { .addr = granule, .place = place_of(granule) };

	facts_each(kind, add_if_there, &g);
	return g.marks;
}
