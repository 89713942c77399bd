/* SPDX-License-Identifier: BSD-2-Clause */
/* early.c - see early.h */
#include "preload/access/early.h"

#include "preload/core/active.h"
#include "preload/race/race.h"
#include "preload/report/memreport.h"

void early_check(const struct access *access)
{
	uint64_t end = access->addr + access->size;

	if (rooted || !init_active())
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
