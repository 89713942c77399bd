/* SPDX-License-Identifier: BSD-2-Clause */
/* split_marks.c - see split_marks.h */
#include "preload/facts/split_marks.h"

#include "preload/core/lifecycle.h"
#include "preload/facts/facts.h"
#include "preload/facts/granule_marks.h"
#include "preload/fiber/leave.h"
#include "preload/memory/place.h"
#include "wire/search.h"

bool split_any, split_learning;

static void split_begin(void)
{
	split_any = fact_in_use(FACT_SPLIT);
	split_learning = false;
}

AT_BEGIN(split_begin);

uint32_t split_marks(uint64_t granule)
{
	if (!fact_in_use(FACT_SPLIT))
		return 0;
	if (shared->config.mode == ENGINE_REPLAY)
		return marks_by_place(FACT_SPLIT, granule);
	return fact_split_marks(granule);
}

uint64_t split_cell(void *ctx, uint64_t addr, unsigned size)
{
	(void)ctx;
	if (!size || !(split_marks(addr & ~7ul) >> (addr & 7) * 4 & 15))
		return 0;
	return (addr & ~15ul) | 1;
}

bool split_can_be_named(uint64_t addr)
{
	return place_of(addr).kind != PLACE_UNKNOWN;
}

/* Of eight bytes at most. */
static bool learn(uint64_t addr, unsigned size)
{
	uint32_t marks = split_marks(addr & ~7ul);

	if (marks_with(marks, addr, size) == marks)
		return false;
	fact_learn_split(addr, size);
	return true;
}

static bool learn_all(uint64_t addr, unsigned size)
{
	bool more = false;

	for (unsigned i = 0; i < size; i += 8)
		more |= learn(addr + i, size < 8 ? size : 8);
	return more;
}

void split_meet(uint64_t addr, unsigned size, uint64_t other, unsigned other_size)
{
	bool more = learn_all(other, other_size);

	more |= learn_all(addr, size);
	if (more)
		repeat_execution();
}

bool split_waits(uint64_t granule)
{
	return fact_split_known(granule) != split_marks(granule);
}

static bool note(uint64_t addr, unsigned size)
{
	const uint32_t marks = fact_split_known(addr & ~7ul);

	if (marks_with(marks, addr, size) == marks) {
		/* Another worker may have found it, and gone to start the search again: so must this one. */
		if (split_waits(addr & ~7ul))
			fact_starts_again(FACT_SPLIT);
		return false;
	}
	fact_learn_split(addr, size);
	return true;
}

bool split_note(uint64_t addr, unsigned size)
{
	bool more = false;

	for (unsigned i = 0; i < size; i += 8)
		more |= note(addr + i, size < 8 ? size : 8);
	return more;
}
