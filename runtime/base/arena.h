/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - memory cut from one region, by moving a pointer
 *
 * The region is sparse (only pages that are touched exist), so fixed tables are simply cut
 * at their largest size. Scratch memory is taken with arena_take() and given back, all
 * later takes with it, by arena_reset() to an earlier mark.
 */
#ifndef HEDDLE_BASE_ARENA_H
#define HEDDLE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"

struct arena {
	char *at, *end;
};

static inline void *arena_take(struct arena *a, size_t size)
{
	char *p = a->at;

	size = (size + 15) & ~(size_t)15;
	must(size <= (size_t)(a->end - p));
	a->at = p + size;
	return p;
}

/*
 * The same for a table that is there for good. Such tables are powers of two in size, and short executions use the
 * first lines of each: so that these are not all in one set of the cache, some lines are left out.
 */
enum {
	ARENA_SKEW = 5 * 64
};

static inline void *arena_table(struct arena *a, size_t size)
{
	return arena_take(a, size + ARENA_SKEW);
}

static inline char *arena_mark(const struct arena *a)
{
	return a->at;
}

static inline void arena_reset(struct arena *a, char *mark)
{
	a->at = mark;
}

#endif
