/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * leads.h - does a thread do the same with either of two values?
 *
 * Internal to runtime/preload: cancels.c.
 */
#ifndef HEDDLE_PRELOAD_LEADS_H
#define HEDDLE_PRELOAD_LEADS_H

#include <stdbool.h>

#include "preload/await/arrival.h"
#include "wire/op.h"

#pragma GCC visibility push(hidden)

/*
 * The calling fiber is in the hook that performed op. Does it do the same from there on, whichever of both values op has
 * read? False also if that is not known.
 */
bool leads_alike(const struct op *op, struct value a, struct value b);

/* Likewise, a load, which has found `v`: does it only come back to where it is? */
bool leads_back(const struct op *op, struct value v);

/* probe.c: a hash of where the fiber arrives, in a hook that was called like that. False if it is not known what that is given. */
bool leads_hash(const struct fiber *f, const struct arrival *at, const struct entry *call,
		const struct write_log *wrote, uint64_t hash[2]);

#pragma GCC visibility pop

#endif
