/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mappings.c - see mappings.h
 *
 * A ring of the newest. What lies in several of them, since one replaced a part of another, belongs to the newest; what
 * was unmapped in part nobody accesses.
 *
 * Cost: a search looks at all that there are. Reports and traces ask, and each access in a replay that looks for a race.
 */
#include "preload/memory/mappings.h"

#include "preload/core/context.h"

enum {
	KNOWN = 512
};

static HEDDLE_IMAGE_SELDOM struct mapping known[KNOWN] = { { 0 } };
static HEDDLE_IMAGE_SELDOM uint32_t next = 0, all = 0, made[HEDDLE_MAX_THREADS] = { 0 };
static HEDDLE_IMAGE_SELDOM bool since_root = false;

void mappings_add(uint64_t at, uint64_t size)
{
	const uint32_t tid = current ? current->tid : 0;

	known[next] = (struct mapping){ at, size, tid, made[tid]++, false };
	all++;
	since_root |= rooted;
	next = (next + 1) % KNOWN;
}

void mappings_remove(uint64_t at, uint64_t size)
{
	for (uint32_t i = 0; i < KNOWN; i++)
		if (known[i].size && known[i].at - at < size &&
		    known[i].at + known[i].size - at <= size)
			known[i].gone = true;
}

bool mappings_find(uint64_t addr, struct mapping *out)
{
	for (uint32_t i = 1; i <= KNOWN && i <= all; i++) {
		*out = known[(next + KNOWN - i) % KNOWN];
		if (!out->gone && addr - out->at < out->size)
			return true;
	}
	return false;
}

bool mappings_since_root(void)
{
	return since_root;
}

bool mappings_once(uint64_t addr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < KNOWN; i++)
		n += addr - known[i].at < known[i].size;
	return n <= 1 && all <= KNOWN;
}
