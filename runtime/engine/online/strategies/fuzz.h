/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz.h - what strategy `rf-fuzz` keeps: pairs that were seen, and the corpus
 */
#ifndef HEDDLE_ENGINE_ONLINE_STRATEGIES_FUZZ_H
#define HEDDLE_ENGINE_ONLINE_STRATEGIES_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/corpus.h"

enum {
	FUZZ_SLOTS = 4096, /* a power of two; three quarters are used */
	FUZZ_NAMES = 1024  /* a power of two */
};

/* A pair of places: what the one reads the other has written. */
struct fuzz_seen {
	uint64_t write, read;
	bool used;
};

struct fuzz {
	struct fuzz_seen seen[FUZZ_SLOTS];
	uint32_t nseen, order[FUZZ_SLOTS]; /* slots that are used */
	struct corpus corpus;
	uint32_t chosen[CORPUS_MOST]; /* how often each was, in this session */
	uint32_t given;               /* entries that were there when it began */

	/* Of this execution. */
	struct corpus_entry wants;
	uint32_t seen_before,
		picked; /* pairs seen when it began; the entry that was chosen, or NO_POS */
	uint32_t fresh; /* pairs that were not seen before, and the first of them */
	struct corpus_pair first;

	/* Names of places in the code, by their addresses. */
	struct fuzz_name {
		uint64_t pc, name;
	} name[FUZZ_NAMES];
};

#endif
