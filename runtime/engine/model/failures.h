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

enum {
	FAILURES_SIZE = 1 << 12
};

struct failures {
	uint64_t *hash; /* open addressing, 0: free; NULL before the first */
	uint32_t n;
};

#define FAILURES_SEED 0x9e3779b97f4a7c15u

static inline uint64_t failures_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xff51afd7ed558ccdu;
	return hash ^ hash >> 32;
}

/* Remembers the state with this hash; true when it was known. */
static inline bool failures_known(struct failures *f, struct arena *scratch, uint64_t hash)
{
	hash |= 1;
	if (!f->hash) {
		f->hash = arena_take(scratch, FAILURES_SIZE * sizeof(uint64_t));
		memset(f->hash, 0, FAILURES_SIZE * sizeof(uint64_t));
	}
	for (uint32_t i = (uint32_t)(hash >> 20) % FAILURES_SIZE;; i = (i + 1) % FAILURES_SIZE) {
		if (f->hash[i] == hash)
			return true;
		if (f->hash[i])
			continue;
		if (f->n < FAILURES_SIZE / 2) {
			f->hash[i] = hash;
			f->n++;
		}
		return false;
	}
}

#endif
