/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limit.h - how much memory the program may have: RLIMIT_AS and RLIMIT_DATA
 *
 * Internal to runtime/preload; limit.c has the semantics.
 */
#ifndef HEDDLE_PRELOAD_LIMIT_H
#define HEDDLE_PRELOAD_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "preload/core/context.h"

#pragma GCC visibility push(hidden)

/* Is it one of the two? Then limit_change() is prlimit() of the program itself: 0 or an error. */
bool limit_is_ours(int what);
int limit_change(int what, const struct rlimit *to, struct rlimit *old);

/* Has the program set one? */
extern bool limit_is_set;

/* May it have so many bytes more? */
bool limit_allows(uint64_t size, bool is_data);
bool limit_take_slowly(uint64_t size, bool is_data);
/* Likewise, and it has them anyway. */
void limit_took(uint64_t size, bool is_data);
void limit_give_slowly(uint64_t size, bool is_data);

/* So many bytes more, in blocks of the heap, or mapped (is_data: private, and writable). False: it may not have them. */
static inline bool limit_take(uint64_t size, bool is_data)
{
	return !unlikely(limit_is_set) || limit_take_slowly(size, is_data);
}

static inline void limit_give(uint64_t size, bool is_data)
{
	if (unlikely(limit_is_set))
		limit_give_slowly(size, is_data);
}

#pragma GCC visibility pop

#endif
