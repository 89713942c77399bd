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

static inline char *arena_mark(const struct arena *a)
{
	return a->at;
}

static inline void arena_reset(struct arena *a, char *mark)
{
	a->at = mark;
}

#endif
