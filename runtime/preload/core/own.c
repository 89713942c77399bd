/* SPDX-License-Identifier: BSD-2-Clause */
/* own.c - see own.h; where it lies among the other parts of the address space: fiber.h */
#include "preload/core/own.h"

#include "preload/core/refuse.h"
#include "preload/core/reset.h"
#include "preload/core/sys.h"

enum {
	PAGE = 4096
};

static uint64_t next = OWN_TABLES;
KEPT(next);

void *map_own(size_t size)
{
	void *p = sys_mmap(next, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1);

	if (sys_failed(p))
		refuse_for_room();
	next += (size + 2 * PAGE - 1) & ~(uint64_t)(PAGE - 1); /* a gap between any two */
	return p;
}
