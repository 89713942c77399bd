/* SPDX-License-Identifier: BSD-2-Clause */
/* early.c - see early.h */
#include "preload/access/early.h"

#include <string.h>

#include "preload/core/active.h"
#include "preload/core/reset.h"
#include "preload/race/race.h"
#include "preload/report/memreport.h"

enum {
	PLACES = 16,      /* that a loop looks at */
	SPINS = 1u << 22, /* operations in a row; a program that sets up its data does fewer */
};

/* What the atomic operations so far have found, by address, and for how many in a row it was the same. */
static struct {
	uint64_t addr, value;
} found[PLACES];
KEPT(found);
static uint32_t same;
KEPT(same);

bool early_same(uint64_t addr, unsigned size)
{
	uint64_t value = 0, i = (addr >> 2 ^ addr >> 6) % PLACES;

	memcpy(&value, (const void *)addr, size < sizeof(value) ? size : sizeof(value));
	same++;
	if (found[i].addr != addr || found[i].value != value) {
		found[i].addr = addr;
		found[i].value = value;
		same = 0;
	}
	return same == SPINS;
}

void early_check(const struct access *access)
{
	uint64_t end = access->addr + access->size;

	if (rooted || !init_active() ||
	    (access->size > 8 && heap_is_one(access->addr, access->size)))
		return;
	for (uint64_t g = access->addr & ~7ul; g < end; g += 8) {
		bool freed;
		uint8_t outside = heap_outside(g, &freed);

		if (freed)
			report_use_after_free(access);
		if (outside & race_bytes(g, access->addr, end))
			report_out_of_bounds(access);
	}
}

void early_reads(const struct access *access)
{
	if (!rooted && init_active())
		check_initialised_early(access);
}
