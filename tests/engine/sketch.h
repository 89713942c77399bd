/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sketch.h - an execution graph and a question about it, from one line of text
 *
 *	Wxr Wyl | Rya0.1 Rxr?init
 *
 * Threads stand between bars, from 0: W, R, U (read-modify-write), K (a compare-and-swap that
 * fails) or F (fence), location, order (n r a l b s for na, rlx, acq, rel, acq_rel, sc) and what
 * is read ("0.1" or "init"). C1 creates thread 1; S0.1 is the start of what 0.1 created. The
 * event with a question mark, the last of its thread, is the one that is asked about.
 */
#ifndef HEDDLE_TESTS_SKETCH_H
#define HEDDLE_TESTS_SKETCH_H

#include "engine/engine.h"
#include "engine/graph/graph.h"

struct sketch {
	struct graph g;
	const char *next[HEDDLE_MAX_THREADS]; /* what is yet to be added */
	uint32_t nthreads, steps[HEDDLE_MAX_THREADS];
	uint32_t written[HEDDLE_MAX_THREADS][8]; /* by step: its write */
	uint32_t read, write;                    /* asked about, and what it would observe */
	bool rmw, all;                           /* all the others have been added */
};

/* Fails the test when the text makes no sense. */
void sketch_begin(struct sketch *k, enum engine_model m, const char *text);
void sketch_end(struct sketch *k);

#endif
