/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * incremental_check.h - do the checkers that are timed say what the axioms say?
 */
#ifndef HEDDLE_BENCH_INCREMENTAL_CHECK_H
#define HEDDLE_BENCH_INCREMENTAL_CHECK_H

#include <stdint.h>

#include "engine/graph/graph.h"

/*
 * Random sequences of up to 24 operations: each read is asked about every write. Prints what
 * was counted; 0, or 1 when there is a difference that should not be.
 */
int check_sequences(uint32_t sequences, uint64_t seed);

/* incremental.c: an empty graph under ra with this room; events at its end. */
void graph_begin(struct graph *g, uint32_t capacity, uint32_t threads, uint32_t locations);
void graph_done(struct graph *g);
uint32_t add_write(struct graph *g, uint32_t tid, uint32_t loc);
uint32_t add_read(struct graph *g, uint32_t tid, uint32_t loc, uint32_t rf);
/* The write part of a read that was added last, which so is a read-modify-write. */
uint32_t add_rmw_write(struct graph *g, uint32_t read);

#endif
