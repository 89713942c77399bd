/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.h - what strategy rf-fuzz has found worth to be tried again: abstract schedules
 *
 * An abstract schedule says of some pairs of places in the code that what the one writes is, or is not, to be what the other
 * reads. Places have names that are the same in each run. 0 as `write` is the initial value.
 */
#ifndef HEDDLE_WIRE_CORPUS_H
#define HEDDLE_WIRE_CORPUS_H

#include <stdint.h>

enum {
	CORPUS_MOST = 512,
	CORPUS_PAIRS = 8
};

struct corpus_pair {
	uint64_t write, read;
	uint64_t never; /* 1: it is not to read that */
};

struct corpus_entry {
	uint64_t n;
	struct corpus_pair pair[CORPUS_PAIRS];
};

struct corpus {
	uint64_t n;
	struct corpus_entry entry[CORPUS_MOST];
};

#endif
