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
#include "preload/core/lasting.h"
#include "preload/core/lifecycle.h"
#include "preload/core/refuse.h"
#include "preload/facts/facts.h"
#include "preload/facts/granule_marks.h"
#include "preload/facts/split_marks.h"
#include "preload/facts/values.h"
#include "preload/fiber/leave.h"
#include "preload/memory/place.h"

bool explored_any;

static void explored_begin(void)
{
	explored_any = fact_in_use(FACT_EXPLORED) &&
		       (shared->config.setting[SETTING_PLAIN] || values_explored());
}

AT_BEGIN(explored_begin);

/* As they were found, by races alone. */
static uint32_t raced_marks(uint64_t granule)
{
	if (shared->config.mode == ENGINE_REPLAY)
		return marks_by_place(FACT_EXPLORED, granule);
	return fact_marks(granule);
}

uint32_t explored_marks(uint64_t granule)
{
	uint32_t marks = explored_any ? raced_marks(granule) : 0;
	uint32_t split = marks && split_any ? split_marks(granule) : 0;

	for (unsigned i = 0; split && i < 8; i++)
		if (marks_size_at(split, i) && marks >> i * 4 & 15)
			marks = marks_with(marks, i, marks_size_at(split, i));
	return marks;
}

uint8_t explored_bytes(uint64_t granule)
{
	const uint32_t marks = explored_marks(granule);
	uint8_t bytes = 0;

	for (unsigned i = 0; i < 8; i++)
		if (marks >> i * 4 & 15)
			bytes |= (uint8_t)(1u << i);
	return bytes;
}

enum {
	MOST = 256 /* locations by values: the search starts again for each, and has events for all */
};

static LASTING(uint32_t, learned);

/* Notes the location; returns if it is known already. */
static void learn(uint64_t addr, uint64_t size)
{
	uint32_t marks = explored_marks(addr & ~7ul);

	if (marks_with(marks, addr, (uint32_t)size) == marks ||
	    place_of(addr).kind == PLACE_UNKNOWN)
		return;
	if (values_explored() && ++*learned > MOST)
		values_give_up("more than 256 plain locations are shared");
	fact_learn_explored(addr, (uint32_t)size);
	repeat_execution();
}

void explored_race(const struct access *access, uint64_t addr, uint64_t size)
{
	if (!(shared->config.setting[SETTING_PLAIN] || values_explored()) ||
	    shared->config.mode == ENGINE_REPLAY || access->is_free)
		return;
	if (access->size > 8 * MOST) /* then there are more of them */
		values_give_up("more than 256 plain locations are shared");
	if (explored_fits(access->addr, access->size))
		learn(access->addr, access->size);
	else if (explored_fits(addr, size))
		learn(addr, size);
	else
		learn(addr, 1);
}

bool explored_note(uint64_t addr, uint64_t size)
{
	const uint64_t part = size > 8 ? 8 : size;

	if (place_of(addr).kind == PLACE_UNKNOWN || !explored_fits(addr, part))
		return false;
	for (uint64_t at = addr; at < addr + size; at += part)
		fact_learn_explored(at, (uint32_t)part);
	return true;
}

void explored_split(uint64_t addr, uint64_t size)
{
	learn(addr, explored_fits(addr, size) ? size : 1);
	internal_error("an explored location cannot be made smaller", NULL);
}
