/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * failures.h - states of a search that lead nowhere, as hashes
 *
 * A full table only forgets: the search stays exact, and slower.
 */
#ifndef HEDDLE_ENGINE_FAILURES_H
#define HEDDLE_ENGINE_FAILURES_H

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/table.h"

enum {
	FAILURES_BITS = 12
};

struct failures {
	uint64_t *hash; /* base/table.h, 0: free; NULL before the first */
	uint32_t n;
};

/* Remembers the state with this hash (table_mix()); true when it was known. */
static inline bool failures_known(struct failures *f, struct arena *scratch, uint64_t hash)
{
	size_t size = table_slots(FAILURES_BITS) * sizeof(*f->hash);
	uint64_t *slot;

	hash |= 1;
	if (!f->hash) {
		f->hash = arena_take(scratch, size);
		memset(f->hash, 0, size);
	}
	TABLE_FIND(slot, f->hash, FAILURES_BITS, hash, !*slot || *slot == hash);
	if (*slot)
		return true;
	if (!table_full(f->n, FAILURES_BITS)) {
		*slot = hash;
		f->n++;
	}
	return false;
}

#endif
